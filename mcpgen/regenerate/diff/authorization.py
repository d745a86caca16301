"""Compare the credentials with which a tool may be called: security alternatives, the OAuth scopes that each scheme
needs at the API, and the OAuth scopes that callers over HTTP need at the generated server.

An alternative is a set of credentials with which a tool can be called. If a set no longer suffices, that is a breaking
change. A renamed scheme counts as the same scheme.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, compact
from mcpgen.regenerate.diff import rules
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Listed

_NOTHING: frozenset[str] = frozenset()


def renamed_schemes(old: JsonObject, new: JsonObject) -> dict[str, str]:
    """Return old name → new name for each security scheme that was renamed.

    A scheme was renamed if exactly one new scheme differs only in its name, or shares an environment variable with it.
    """
    gone = {name: scheme for name, scheme in old.items() if name not in new}
    added = {name: scheme for name, scheme in new.items() if name not in old}
    by_essence: dict[str, list[str]] = {}
    for name in added:
        by_essence.setdefault(_essence(added[name]), []).append(name)
    alike = {name: by_essence.get(_essence(gone[name]), []) for name in gone}
    wanted = Counter(each[0] for each in alike.values() if len(each) == 1)
    found = {name: each[0] for name, each in alike.items() if len(each) == 1 and wanted[each[0]] == 1}
    taken = {*found.values()}
    by_variable: dict[str, list[str]] = {}
    for name in added:
        for variable in variables(added[name]):
            by_variable.setdefault(variable, []).append(name)
    for name in [each for each in gone if each not in found]:
        shared = {each for variable in variables(gone[name]) for each in by_variable.get(variable, ())}
        if len(shared) == 1 and not shared & taken:
            [found[name]] = shared
            taken |= shared
    return found


def variables(scheme: JsonValue) -> frozenset[str]:
    """Return the environment variables from which a scheme gets its credential."""
    return frozenset(map(str, as_object(as_object(scheme).get("variables")).values()))


def _essence(scheme: JsonValue) -> str:
    """Return a scheme without its environment variables as canonical JSON, by which schemes are compared."""
    own = ("variables", "purposes")
    return compact({key: value for key, value in sorted(as_object(scheme).items()) if key not in own})


def compared(old: Listed, new: Listed, renamed: Mapping[str, str]) -> Iterator[Change]:
    """Yield the changes of the credentials with which a tool can be called: alternatives of security schemes, then
    scopes.
    """
    yield from _alternatives(old, new, renamed)
    yield from _scopes(old, new, renamed)
    yield from _caller_scopes(old, new)


def alternatives(tool: Listed, renamed: Mapping[str, str] | None = None) -> list[frozenset[str]]:
    """Return the sets of schemes that allow a call: an operator needs all schemes of one set.

    With an empty set, a call needs no credentials.
    """
    found = [
        frozenset((renamed or {}).get(str(name), str(name)) for name in as_list(names))
        for names in as_list(tool.binding.get("security"))
    ]
    return found or [_NOTHING]


def _alternatives(old: Listed, new: Listed, renamed: Mapping[str, str]) -> Iterator[Change]:
    had, has = alternatives(old, renamed), alternatives(new)
    both = {*had}.intersection(has)
    refused = [each for each in had if each not in both and not any(other <= each for other in has)]
    accepted = [each for each in has if each not in both and not any(other <= each for other in had)]
    if refused:
        before, after = _any_of(refused), _any_of(has)
        yield rules.of_tool("credentials-refused", new.name, before, after)
    if accepted and not (refused and set(accepted) == set(has)):
        yield rules.of_tool("credentials-accepted", new.name, after=_any_of(accepted))
    if not (refused or accepted) and set(had) != set(has):
        yield rules.of_tool("credentials-sent", new.name, _any_of(had), _any_of(has))


def _scopes(old: Listed, new: Listed, renamed: Mapping[str, str]) -> Iterator[Change]:
    had = {renamed.get(name, name): _names(scopes) for name, scopes in as_object(old.binding.get("scopes")).items()}
    has = {name: _names(scopes) for name, scopes in as_object(new.binding.get("scopes")).items()}
    # scopes of a new scheme are not reported, since the new scheme itself is reported
    used = frozenset().union(*alternatives(old, renamed))
    for name in sorted(had.keys() | has.keys()):
        before, after = had.get(name, _NOTHING), has.get(name, _NOTHING)
        if name in used and after - before:
            yield rules.of_tool("scopes-added", new.name, after=_listed(after - before))
        if before - after and name in frozenset().union(*alternatives(new)):
            yield rules.of_tool("scopes-removed", new.name, before=_listed(before - after))


def _caller_scopes(old: Listed, new: Listed) -> Iterator[Change]:
    """Yield changes of the scopes that callers over HTTP need.

    A weaker requirement is breaking too, because every weaker protection is. Servers that older versions of mcpgen have
    generated have no scopes for callers; then nothing is reported.
    """
    if any("scopes" in tool.binding and "callerScopes" not in tool.binding for tool in (old, new)):
        return
    had, has = ([_names(each) for each in as_list(tool.binding.get("callerScopes"))] for tool in (old, new))
    before, after = ((_any_of(each) if each else "none") for each in (had, has))
    if not _all_meet(had or [_NOTHING], has):
        yield rules.of_tool("caller-scopes-narrowed", new.name, before, after)
    if not _all_meet(has or [_NOTHING], had):
        yield rules.of_tool("caller-scopes-widened", new.name, before, after)


def _all_meet(tokens: list[frozenset[str]], alternatives: list[frozenset[str]]) -> bool:
    """Return True if every token in `tokens`, given as its set of scopes, has all scopes of one of `alternatives`."""
    return not alternatives or all(any(each <= token for each in alternatives) for token in tokens)


def _names(value: JsonValue) -> frozenset[str]:
    return frozenset(map(str, as_list(value)))


def _listed(names: frozenset[str]) -> list[JsonValue]:
    return [*sorted(names)]


def _any_of(found: list[frozenset[str]]) -> str:
    return ", or ".join(dict.fromkeys(" and ".join(sorted(names)) or "no credentials" for names in found))
