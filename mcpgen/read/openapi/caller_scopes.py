"""Read which OAuth scopes a caller over HTTP needs for an operation, from the operation's `security` (OpenAPI 3.1,
4.8.30).
"""

from collections.abc import Iterable, Iterator, Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list
from mcpgen.base.names import SCOPE
from mcpgen.model import CallerScopes, SecurityScheme

MOST_ALTERNATIVES = 100
"""Limit on the alternative sets of scopes of one operation. The smallest sets are kept. Dropping a set only lets fewer
callers in.
"""


# An API key does not say who calls. If keys counted, `[{key: []}, {oauth: [write]}]` would let every caller write.
def read_caller_scopes(value: JsonValue, schemes: Iterable[SecurityScheme]) -> CallerScopes:
    """Return the alternative sets of scopes in a `security` list. Each set is sorted, and none contains another set.

    An alternative is ignored if it has neither an OAuth 2.0 or OpenID Connect scheme nor a bearer token with listed
    scopes. Other schemes say only how the server calls the API. Return (), which allows every caller, if an alternative
    has no schemes, or if one that is not ignored lists no scopes.
    """
    known = {scheme.name: scheme.has_scopes for scheme in schemes if scheme.has_scopes or not scheme.is_token}
    entries = [each for each in as_list(value) if isinstance(each, dict)]
    if any(not each for each in entries):
        return ()
    return smallest(scopes for each in entries for scopes in _alternative(each, known))


def smallest(found: Iterable[frozenset[str]]) -> CallerScopes:
    """Return the sets that do not contain another set of `found`, the smallest first. Return () if one of the sets is
    empty.
    """
    ordered = sorted({tuple(sorted(each)) for each in found}, key=lambda each: (len(each), each))
    kept: list[frozenset[str]] = []
    for each in ordered[:MOST_ALTERNATIVES]:
        if not any(other <= frozenset(each) for other in kept):
            kept.append(frozenset(each))
    return tuple(tuple(sorted(each)) for each in kept if each)


def _alternative(entry: JsonObject, known: Mapping[str, bool]) -> Iterator[frozenset[str]]:
    """Yield the scopes of one alternative, unless it has no OAuth scheme or names an invalid scope.

    `known`: name of a scheme → whether it has scopes. An undefined scheme, or a bearer token, is treated as OAuth if
    scopes are listed for it.
    """
    found = []
    for key, value in entry.items():
        asked: list[JsonValue] = (
            [value] if isinstance(value, str) else as_list(value)
        )  # a text in place of a list is a common mistake, which must not let more callers in
        if known.get(key.rpartition("/")[2] if key.startswith("#/") else key, bool(asked)):
            found.append(scopes := _scopes(asked))
            if asked and not scopes:
                return
    if found:
        yield frozenset[str]().union(*found)


def _scopes(asked: list[JsonValue]) -> frozenset[str]:
    """Return the valid scopes of a list. A text with spaces counts as several scopes."""
    texts = (each for each in asked if isinstance(each, str))
    return frozenset(scope for text in texts for scope in text.split() if SCOPE.fullmatch(scope))
