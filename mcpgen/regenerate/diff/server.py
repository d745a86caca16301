"""Compare what concerns the operator: the server's name, the URLs of its requests, and the environment variables.

Another origin is breaking, since the operator gives credentials for an origin and decides where requests go. Another
path or version on the same origin is the API's own change and needs no action. The module `secrets` compares
credentials and the list of origins.
"""

from collections.abc import Iterator, Mapping

from mcpgen.base import origins
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.runtime import search_listing
from mcpgen.regenerate.diff import authorization, objections, rules, secrets
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Listed, Surface

_REACHES = ("no tools", "read-only tools", "all tools")
"""Texts for what programs may call, from the fewest tools to the most."""

_TEXTS = {"title": "server-title", "instructions": "server-instructions"}


def compared(
    old: Surface, new: Surface, pairs: list[tuple[Listed, Listed]], renamed: Mapping[str, str]
) -> list[Change]:
    """Return the changes that concern the operator: identity, servers, security schemes.

    `pairs`: tools that both servers have. `renamed`: old name → new name of security schemes.
    """
    needed = frozenset[str]().union(*(frozenset.intersection(*authorization.alternatives(tool)) for _, tool in pairs))
    return [
        *_identity(old.header, new.header),
        *_parts(old.parts, new.parts),
        *objections.of_server(old, new),
        *_urls(old, new, pairs),
        *secrets.compared(old, new, pairs, renamed),
        *_schemes(old.header, new.header, renamed, needed),
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
    if old.get("pictures") != new.get("pictures"):
        yield rules.of_server(
            "pictures", old.get("pictures") or "no other origin", new.get("pictures") or "no other origin"
        )
    yield from _search(old.get("search"), new.get("search"))


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
    for pair in secrets.servers(old, new, pairs):
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
