"""Compare what concerns the operator: the server's name, the URLs of its requests, and the environment variables. Also
compare resources by their URIs, and prompts by their names.

Another origin is breaking, since the operator gives credentials for an origin and decides where requests go. Another
path or version on the same origin is the API's own change and needs no action.

A secret is the value of an environment variable that the operator sets. The origins that may receive a secret are
compared, and its place in the request. Schemes are compared if they share a name or a variable: a renamed scheme with
the same variable sends the same secret.
"""

from collections.abc import Iterator, Mapping

from mcpgen.base import origins
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.origins import Destination
from mcpgen.base.runtime import search_listing
from mcpgen.regenerate.diff import authorization, objections, rules
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Listed, Surface

_WORDS = ("name", "title", "description")

_KEYS = ("tokenUrl", "openIdConnectUrl")

_REACHES = ("no tools", "read-only tools", "all tools")
"""Texts for what programs may call, from the fewest tools to the most."""

_TEXTS = {"title": "server-title", "instructions": "server-instructions"}


def compared(
    old: Surface, new: Surface, pairs: list[tuple[Listed, Listed]], renamed: Mapping[str, str]
) -> list[Change]:
    """Return the changes that concern the operator: identity, servers, security schemes, resources and
    prompts.

    `pairs`: tools that both servers have. `renamed`: old name → new name of security schemes.
    """
    needed = frozenset[str]().union(*(frozenset.intersection(*authorization.alternatives(tool)) for _, tool in pairs))
    return [
        *_identity(old.header, new.header),
        *_parts(old.parts, new.parts),
        *objections.of_server(old, new),
        *_accounts(as_object(old.header.get("accounts")), as_object(new.header.get("accounts"))),
        *_urls(old, new, pairs),
        *_secrets(old, new, pairs, renamed),
        *_schemes(old.header, new.header, renamed, needed),
        *_features(old, new),
    ]


def _identity(old: JsonObject, new: JsonObject) -> Iterator[Change]:
    before, after = as_object(old.get("server")), as_object(new.get("server"))
    if before.get("name") != after.get("name"):
        yield rules.of_server("server-renamed", before.get("name"), after.get("name"))
    for key, code in _TEXTS.items():
        if before.get(key) != after.get(key):
            yield rules.of_server(code, before.get(key), after.get(key))
    if old.get("logging") != new.get("logging"):
        yield rules.of_server("logging-offered" if new.get("logging") else "logging-gone")
    had, has = (each.get("pictures", "no other origin") for each in (old, new))
    if had != has:
        yield rules.of_server("pictures", had, has)
    yield from _search(old.get("search"), new.get("search"))


def _accounts(old: JsonObject, new: JsonObject) -> Iterator[Change]:
    """Yield the prefixes of environment variables that an account has lost or got."""
    for name in sorted(old):
        before, after = (as_text(as_object(each.get(name)).get("environment")) for each in (old, new))
        if after and before != after:
            yield rules.of_server("variable-renamed", f"{before}_…", f"{after}_…")
        elif not after:
            yield rules.of_server("variable-removed", f"{before}_…")


def _parts(old: frozenset[str] | None, new: frozenset[str] | None) -> Iterator[Change]:
    """Yield the parts that a server has lost or got."""
    if old is not None and new is not None:
        yield from (rules.of_server("part-removed", name) for name in sorted(old - new))
        yield from (rules.of_server("part-added", after=name) for name in sorted(new - old))


def _search(before: JsonValue, after: JsonValue) -> Iterator[Change]:
    """Yield changes between listing all tools and listing only a search tool, and changes of that search. The tools
    that the search finds are compared elsewhere.
    """
    if after and not before:
        yield rules.of_server("tools-unlisted")
        return
    if before and not after:
        yield rules.of_server("tools-listed")
        return
    had, has = _programs(before), _programs(after)
    if had != has:
        wider = _REACHES.index(has) > _REACHES.index(had)
        yield rules.of_server("programs-widened" if wider else "programs-narrowed", had, has)
    pinned, pins = as_object(before).get("pinned"), as_object(after).get("pinned")
    if pinned != pins:
        yield rules.of_server("pinned", pinned or "nothing", pins or "nothing")


def _programs(search: JsonValue) -> str:
    """Return a phrase that says which tools may be called by a program that a model wrote."""
    kinds = as_object(as_object(search).get("finders")).values()
    return _REACHES[2 if search_listing.RUN in kinds else 1 if search_listing.RUN_READS in kinds else 0]


# -- URLs of requests --------------------------------------------------------------------------------------------------


def _urls(old: Surface, new: Surface, pairs: list[tuple[Listed, Listed]]) -> Iterator[Change]:
    """Yield the changes of the API servers that tools use. A server that several tools share is compared once."""
    seen: list[tuple[JsonObject, JsonObject]] = []
    for pair in _servers(old, new, pairs):
        if pair not in seen:
            seen.append(pair)
            yield from _url(*pair, f"{as_text(new.header.get('environment'))}_BASE_URL")


def _url(old: JsonObject, new: JsonObject, variable: str) -> Iterator[Change]:
    before, after = as_text(old.get("url")), as_text(new.get("url"))
    was, now = origins.of_entry(old), origins.of_entry(new)
    if not was and now:
        yield rules.of_server("base-url-known", before, after)
    elif was and not now:
        yield rules.of_server("variable-needed", before, variable)
    elif was != now:
        same = before == after  # the URL with its variables is the same, so only the default of a variable changed
        yield rules.of_server("origin", was[-1] if same else before, now[-1] if same else after)
    elif before != after:
        yield rules.of_server("base-url", before, after)
    had, has = as_object(old.get("variables")), as_object(new.get("variables"))
    for name in sorted(had.keys() | has.keys()):
        yield from _variable(as_object(had.get(name)), as_object(has.get(name)))


def _variable(old: JsonObject, new: JsonObject) -> Iterator[Change]:
    name, before = as_text((new or old).get("variable")), as_text(old.get("variable"))
    if not new:
        yield rules.of_server("variable-removed", before)
        return
    if not old:
        yield rules.of_server("variable-added", after=name)
        return
    if before != name:
        yield rules.of_server("variable-renamed", before, name)
    if old.get("default") != new.get("default"):
        yield rules.of_server("variable-default", old.get("default"), new.get("default"), at=name)
    had, has = as_list(old.get("enum")), as_list(new.get("enum"))
    gone = [value for value in had if value not in has] if has else []
    if gone or (has and not had):
        yield rules.of_server("variable-narrowed", gone or "any other value", has, at=name)
    added = [value for value in has if value not in had] if had else []
    if added or (had and not has):
        yield rules.of_server("variable-widened", had, added or "any other value", at=name)


# -- Credentials -------------------------------------------------------------------------------------------------------


def _schemes(old: JsonObject, new: JsonObject, renamed: Mapping[str, str], needed: frozenset[str]) -> Iterator[Change]:
    """Yield changes of security schemes. `needed`: schemes without which a tool that both servers have cannot be
    called.
    """
    had, has = as_object(old.get("security")), as_object(new.get("security"))
    for name in had:
        after = renamed.get(name, name)
        if after in has:
            yield from _scheme(as_object(had[name]), as_object(has[after]))
        else:
            for variable in _variables(had[name]).values():
                yield rules.of_server("variable-unused", variable)
    for name in has:
        if name not in had and name not in renamed.values():
            for place, variable in enumerate(_variables(has[name]).values()):
                code = "variable-needed" if name in needed and place == 0 else "variable-added"
                yield rules.of_server(code, after=variable)


def _scheme(old: JsonObject, new: JsonObject) -> Iterator[Change]:
    had, has = _variables(old), _variables(new)
    for role in sorted(had.keys() | has.keys()):
        before, after = had.get(role), has.get(role)
        if before is None:
            yield rules.of_server("variable-added", after=after)
        elif after is None:
            yield rules.of_server("variable-removed", before)
        elif before != after:
            yield rules.of_server("variable-renamed", before, after)


def _variables(scheme: JsonValue) -> JsonObject:
    return as_object(as_object(scheme).get("variables"))


# -- where secrets go --------------------------------------------------------------------------------------------------


def _secrets(
    old: Surface, new: Surface, pairs: list[tuple[Listed, Listed]], renamed: Mapping[str, str]
) -> Iterator[Change]:
    """Yield the changes of where secrets go. `pairs`: tools that both servers have. `renamed`: old name → new name of
    security schemes.
    """
    homes = origins.of_entry(_first_server(old)), origins.of_entry(_first_server(new))
    told = {origin for _, after in _servers(old, new, pairs) for origin in origins.of_entry(after)}
    for name, before, after in _schemes_of_secrets(old.header, new.header, renamed):
        yield from _kind(name, before, after)
        yield from _tokens(name, before, after, homes)
        if _endpoint(before):
            told.add(origins.of_url(_endpoint(after)))
    yield from _origins_listed(old, new, told)


# After a change of origin, the server would send the operator's secret to another host (docs/decisions/differences.md).
def _servers(old: Surface, new: Surface, pairs: list[tuple[Listed, Listed]]) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Yield (API server before, API server after): first for the default server, then for the server of each pair
    (tool before, tool after) in `pairs`.
    """
    before, after = (as_list(surface.header.get("servers")) for surface in (old, new))
    yield _entry_at(before, 0), _entry_at(after, 0)
    for one, other in pairs:
        yield _entry_at(before, one.binding.get("server")), _entry_at(after, other.binding.get("server"))


def _first_server(surface: Surface) -> JsonObject:
    return _entry_at(as_list(surface.header.get("servers")), 0)


def _entry_at(entries: list[JsonValue], index: JsonValue) -> JsonObject:
    return as_object(entries[index]) if isinstance(index, int) and index < len(entries) else {}


# -- Security schemes --------------------------------------------------------------------------------------------------


def _schemes_of_secrets(
    old: JsonObject, new: JsonObject, renamed: Mapping[str, str]
) -> Iterator[tuple[str, JsonObject, JsonObject]]:
    """Yield (name, scheme before, scheme after) for schemes that may send the same secret.

    An old and a new scheme are compared if they have the same name or share an environment variable. If a pair has both
    in common, its new scheme is compared with no other old scheme.
    """
    had, has = as_object(old.get("security")), as_object(new.get("security"))
    namesakes = {renamed.get(name, name): name for name in had}
    by_variable: dict[str, list[str]] = {}
    for name in had:
        for variable in authorization.variables(had[name]):
            by_variable.setdefault(variable, []).append(name)
    for after in has:
        found = sorted(authorization.variables(has[after]))
        sharing = list(dict.fromkeys(name for variable in found for name in by_variable.get(variable, ())))
        itself = [namesakes[after]] if after in namesakes else []
        for before in itself if itself and itself[0] in sharing else [*itself, *sharing]:
            yield after, as_object(had[before]), as_object(has[after])


def _kind(name: str, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    """Yield changes of a scheme's kind, and of the place of its credential in the request."""
    kinds = _word(old), _word(new)
    if kinds[0] != kinds[1]:
        is_token = all("tokens" in each or "fetched" in as_object(each.get("ways")) for each in (old, new))
        yield rules.of_server("scheme-written" if is_token else "scheme-changed", *kinds, at=name)
    if (before := _place(old)) != (after := _place(new)):
        code = "credential-in-url" if after.startswith("query ") else "credential-moved"
        yield rules.of_server(code, before, after, at=name)


def _word(scheme: JsonObject) -> str:
    """Return a word for the kind of a scheme, for messages."""
    if "fetched" in as_object(scheme.get("ways")):
        return "login" if "login" in scheme else "oauth2"  # the server logs in at the API, or uses an OAuth grant
    if "name" not in scheme:
        return "header"
    return as_text(scheme.get("word")).lower() or ("apiKey" if scheme.get("secret") else "setting")


# Log filters recognise a secret by its place, and one that moves to the query appears in logs
# (docs/decisions/differences.md).
def _place(scheme: JsonObject) -> str:
    """Return the place of the credential in the request, and its name there, such as `header Authorization`.

    The operator may choose the header field; then `bindings.json` does not name it.
    """
    return f"{as_text(scheme.get('in'))} {as_text(scheme.get('name'))}".strip()


def _tokens(name: str, old: JsonObject, new: JsonObject, homes: tuple[tuple[str, ...], ...]) -> Iterator[Change]:
    """Yield changes of the token or OpenID Connect URL, which decides where the OAuth client id and secret are sent.

    If both URLs are on the API's own origin, a new origin is not reported here.
    """
    before, after = _endpoint(old), _endpoint(new)
    if not (before and after):
        return
    was, now = (_beside(url, home) for url, home in zip((before, after), homes, strict=True))
    if was != now:
        yield rules.of_server("token-origin", before, after, at=name)
    elif before != after:
        yield rules.of_server("scheme-written", before, after, at=name)


def _endpoint(scheme: JsonObject) -> str:
    return next((as_text(scheme[key]) for key in _KEYS if key in scheme), "")


def _beside(url: str, home: tuple[str, ...]) -> str:
    """Return the origin of `url`, or "" if it is in `home`, the API's own origins."""
    origin = origins.of_url(url)
    return "" if origin in home else origin


# -- List of origins ---------------------------------------------------------------------------------------------------


def _origins_listed(old: Surface, new: Surface, told: set[str]) -> Iterator[Change]:
    """Yield changes of the origins that a server may contact: those in its `bindings.json`, and those that its owner
    accepted.

    `told`: origins that were already reported as changes of servers.
    """
    found = _destinations(new)
    had, has = ({origin: each.what for each in one for origin in each.origins} for one in (_destinations(old), found))
    for origin in sorted(has.keys() - had.keys() - told):
        yield rules.of_server("origin-added", after=origin, at=has[origin])
    if "origins" not in new.header:
        return
    before, after = origins.accepted(old.header), origins.accepted(new.header)
    # The last origin of a URL has the URL's variables replaced by their defaults. Requests go to this origin unless
    # the operator sets a variable.
    reached = {each.origins[-1] for each in found}
    for origin in sorted(reached - after - (had.keys() - before)):
        yield rules.of_server("unaccepted-origin", after=origin)
    for origin in sorted(after - before - (has.keys() - had.keys())):
        yield rules.of_server("origin-accepted", after=origin)
    for origin in sorted(before - after):
        yield rules.of_server("origin-left", before=origin)


def _destinations(surface: Surface) -> list[Destination]:
    """Return the destinations to which requests and credentials go. Servers that no tool uses are left out."""
    entries = as_list(surface.header.get("servers"))
    bindings = [tool.binding for tool in surface.tools]
    bindings += surface.fetched
    used = [_entry_at(entries, index) for index in sorted({0, *(_index(each) for each in bindings)})]
    return [*origins.destinations({"servers": [*used], "security": surface.header.get("security")})]


def _index(binding: JsonObject) -> int:
    index = binding.get("server")
    return index if isinstance(index, int) else 0


# -- resources and prompts ---------------------------------------------------------------------------------------------


def _features(old: Surface, new: Surface) -> Iterator[Change]:
    """Yield all changes of resources and prompts."""
    yield from _resources(_by_uri(old.resources), _by_uri(new.resources))
    yield from _prompts(_by_name(old.prompts), _by_name(new.prompts))


def _by_uri(entries: tuple[JsonObject, ...]) -> dict[str, JsonObject]:
    listed = [as_object(entry.get("listed")) for entry in entries]
    uris = [as_text(each.get("uri")) or as_text(each.get("uriTemplate")) for each in listed]
    return dict(zip(uris, entries, strict=True))


def _by_name(entries: tuple[JsonObject, ...]) -> dict[str, JsonObject]:
    return {as_text(as_object(entry.get("listed")).get("name")): entry for entry in entries}


def _resources(old: dict[str, JsonObject], new: dict[str, JsonObject]) -> Iterator[Change]:
    for uri in sorted(old.keys() | new.keys()):
        if uri not in new:
            yield rules.of_server("resource-removed", before=uri, at=uri)
        elif uri not in old:
            yield rules.of_server("resource-added", after=uri, at=uri)
        elif old[uri] != new[uri]:
            yield from _resource(uri, old[uri], new[uri])


def _resource(uri: str, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    had, has = as_object(old.get("listed")), as_object(new.get("listed"))
    if had.get("mimeType") != has.get("mimeType"):
        yield rules.of_server("resource-type", had.get("mimeType"), has.get("mimeType"), at=uri)
    if _texts_of(had) != _texts_of(has) or old.get("values") != new.get("values"):
        yield rules.of_server("resource-words", at=uri)
    if any(old.get(key) != new.get(key) for key in ("text", "blob", "binding", "skill")):
        yield rules.of_server("resource-contents", at=uri)
    if ("poll" in old) != ("poll" in new):
        yield rules.of_server("resource-watched" if "poll" in new else "resource-unwatched", at=uri)


def _prompts(old: dict[str, JsonObject], new: dict[str, JsonObject]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield rules.of_server("prompt-removed", before=name, at=name)
        elif name not in old:
            yield rules.of_server("prompt-added", after=name, at=name)
        elif old[name] != new[name]:
            yield from _prompt(name, old[name], new[name])


def _prompt(name: str, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    had, has = as_object(old.get("listed")), as_object(new.get("listed"))
    if _texts_of(had) != _texts_of(has) or old.get("values") != new.get("values"):
        yield rules.of_server("prompt-words", at=name)
    if old.get("messages") != new.get("messages"):
        yield rules.of_server("prompt-messages", at=name)
    before, after = _arguments_of_prompt(had.get("arguments")), _arguments_of_prompt(has.get("arguments"))
    for argument in sorted(before.keys() | after.keys()):
        if code := _change_of_argument(before.get(argument), after.get(argument)):
            yield rules.of_server(code, argument, argument, at=name)


def _texts_of(listed: JsonObject) -> JsonValue:
    """Return the title and description of a prompt or resource, and those of its arguments."""
    arguments = [{key: each.get(key) for key in _WORDS} for each in map(as_object, as_list(listed.get("arguments")))]
    return [{key: listed.get(key) for key in _WORDS}, *arguments]


def _arguments_of_prompt(value: JsonValue) -> dict[str, bool]:
    """Return the arguments of a prompt by name: True if the argument is required, else False."""
    entries = map(as_object, as_list(value))
    return {as_text(entry.get("name")): entry.get("required") is True for entry in entries}


def _change_of_argument(old: bool | None, new: bool | None) -> str:
    """Return the code of a prompt argument's change, such as "prompt-argument-removed", or "" if there is no change.

    `old`, `new`: True if the argument is required, False if it is optional, None if it does not exist.
    """
    if old == new:
        return ""
    if new is None:
        return "prompt-argument-removed"
    if new:
        return "prompt-argument-required"
    return "prompt-argument-added" if old is None else "prompt-argument-optional"
