"""Compare where secrets go: the origins that may receive a secret, and its place in the request.

A secret is the value of an environment variable that the operator sets. So schemes are compared if they share a name or
a variable: a renamed scheme with the same variable sends the same secret.
"""

from collections.abc import Iterator, Mapping

from mcpgen.base import origins
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.origins import Destination
from mcpgen.regenerate.diff import authorization, rules
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Listed, Surface

_KEYS = ("tokenUrl", "openIdConnectUrl")


def compared(
    old: Surface, new: Surface, pairs: list[tuple[Listed, Listed]], renamed: Mapping[str, str]
) -> Iterator[Change]:
    """Yield the changes of where secrets go. `pairs`: tools that both servers have. `renamed`: old name → new name of
    security schemes.
    """
    homes = origins.of_entry(_first(old)), origins.of_entry(_first(new))
    told = {origin for _, after in servers(old, new, pairs) for origin in origins.of_entry(after)}
    for name, before, after in _schemes(old.header, new.header, renamed):
        yield from _kind(name, before, after)
        yield from _tokens(name, before, after, homes)
        if _endpoint(before):
            told.add(origins.of_url(_endpoint(after)))
    yield from _list(old, new, told)


# After a change of origin, the server would send the operator's secret to another host (docs/decisions/differences.md).
def servers(old: Surface, new: Surface, pairs: list[tuple[Listed, Listed]]) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Yield (API server before, API server after): first for the default server, then for the server of each pair
    (tool before, tool after) in `pairs`.
    """
    before, after = (as_list(surface.header.get("servers")) for surface in (old, new))
    yield _at(before, 0), _at(after, 0)
    for one, other in pairs:
        yield _at(before, one.binding.get("server")), _at(after, other.binding.get("server"))


def _first(surface: Surface) -> JsonObject:
    return _at(as_list(surface.header.get("servers")), 0)


def _at(entries: list[JsonValue], index: JsonValue) -> JsonObject:
    return as_object(entries[index]) if isinstance(index, int) and index < len(entries) else {}


# -- Security schemes --------------------------------------------------------------------------------------------------


def _schemes(
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


def _list(old: Surface, new: Surface, told: set[str]) -> Iterator[Change]:
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
    used = [_at(entries, index) for index in sorted({0, *(_index(each) for each in bindings)})]
    return [*origins.destinations({"servers": [*used], "security": surface.header.get("security")})]


def _index(binding: JsonObject) -> int:
    index = binding.get("server")
    return index if isinstance(index, int) else 0
