"""Recognise operations whose key (method and path) has changed since the last generation.

Operations are compared by id, then by request under another version (`/v1/pets` → `/v2/pets`), then by a prefix that
most paths gained or lost. Last, equal descriptions and arguments count under any path, unless both have an id.

An ambiguous match is no match, and different ids mean different operations: a name on the wrong operation is worse than
a new name.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from mcpgen.base.names import words
from mcpgen.model.pins import Pin
from mcpgen.naming.inflection import PREFIX_SEGMENT
from mcpgen.read.openapi.paths import operation_key

Known = Mapping[str, Pin]
"""Operation key → the promise for its tool. A promise holds the fingerprints of its operation."""

Tell = Callable[[Known, Known], dict[str, str]]
"""Matcher: a function of missing and new operations that returns new key → old key."""

Prefix = tuple[bool, str]
"""Beginning of a path, and whether it was added (True) or removed (False)."""

_KEY = re.compile(r"(?:.* )?([A-Z]+) (/.*)", re.DOTALL)
_FEWEST = 3
"""Least number of operations that must gain or lose the same path prefix, for a match by prefix."""


def renamed(gone: Known, new: Known) -> dict[str, str]:
    """Return new key → old key for operations with the same method, path and names of path parameters.

    Their keys differ because of twins: operations such as `/a/{x}` and `/a/{y}`, which only names of path parameters
    distinguish. The keys of twins contain these names, so a key changes when a twin appears or disappears.
    """
    return _by(_by_variables)(gone, new)


def moved(gone: Known, new: Known) -> dict[str, str]:
    """Return new key → old key for the operations in `new` that are operations of `gone` under another key."""
    found = renamed(gone, new)  # method and path identify an operation, even if its id has changed
    gone, new = _without(gone, found.values()), _without(new, found)
    for told in (_by(lambda _, known: known.id), _by(lambda _, known: known.shape), _by_prefix, _by_words):
        pairs = {key: former for key, former in told(gone, new).items() if _agree(gone[former], new[key])}
        found |= pairs
        gone, new = _without(gone, pairs.values()), _without(new, pairs)
    return found


def _without(known: Known, keys: Iterable[str]) -> Known:
    left = set(keys)
    return {key: promise for key, promise in known.items() if key not in left}


def guessed(pairs: Iterable[tuple[tuple[str, Pin], tuple[str, Pin]]]) -> set[str]:
    """Return the new keys of uncertain moves: nothing but equal descriptions and arguments supports them.

    Moves are certain if id or request are equal, or if a prefix was added that another move confirms. `pairs`: (key,
    promise) of the old and of the new operation.
    """
    left: dict[str, Prefix | None] = {}
    told: set[Prefix | None] = set()
    for (old_key, old), (key, new) in pairs:
        path, other = request(old_key)[1], request(key)[1]
        prefix = _prefix(path, other)
        named = any(segment not in ("", "{}") for segment in min(path, other, key=len).split("/"))
        if prefix and named:
            told.add(prefix)
        elif not (old.id and _plain(old.id) == _plain(new.id)) and not (old.shape and old.shape == new.shape):
            left[key] = prefix
    return {key for key, prefix in left.items() if prefix not in told}


def _prefix(path: str, other: str) -> Prefix | None:
    """Return the prefix that a path gained or lost, or None if anything else changed."""
    is_more = len(other) > len(path)
    longer, shorter = (other, path) if is_more else (path, other)
    return (is_more, longer.removesuffix(shorter)) if longer.endswith(shorter) else None


def request(key: str) -> tuple[str, str]:
    """Return method and path of an operation key, without its document's prefix, names of path parameters blanked."""
    found = _KEY.fullmatch(key)
    method, _, path = operation_key(*found.groups()).partition(" ") if found else ("", "", key)
    return method, path


def _agree(old: Pin, new: Pin) -> bool:
    """Return True unless both operations have an id and these differ in more than a version."""
    return not (old.id and new.id) or _plain(old.id) == _plain(new.id)


def _plain(identifier: str) -> list[str]:
    return [word for word in words(identifier) if not PREFIX_SEGMENT.fullmatch(word)] or [identifier]


def _by(identify: Callable[[str, Pin], str]) -> Tell:
    """Return a matcher that pairs a missing and a new operation for which `identify` returns the same text.

    The text must occur once on each side.
    """

    def told(gone: Known, new: Known) -> dict[str, str]:
        before, after = _unique(gone, identify), _unique(new, identify)
        return {after[each]: before[each] for each in before if each in after}

    return told


def _by_variables(key: str, known: Pin) -> str:
    names = known.variables
    return f"{operation_key(*key.rsplit(' ', 1))} {' '.join(names)}" if names and " " in key else ""


def _by_words(gone: Known, new: Known) -> dict[str, str]:
    """Match operations by fingerprints of description and arguments, unless both operations have an id."""
    found = _by(lambda _, known: known.words)(gone, new)
    return {key: former for key, former in found.items() if not (gone[former].id and new[key].id)}


def _by_prefix(gone: Known, new: Known) -> dict[str, str]:
    """Match paths that differ only by one added or removed prefix, if most missing operations changed so."""
    pairs: dict[Prefix, dict[str, str]] = {}
    for longer, shorter, is_more in ((new, gone, True), (gone, new, False)):
        keys = {request(key): key for key in shorter}
        for key in longer:
            method, path = request(key)
            for start in (at for at, char in enumerate(path) if char == "/" and at):
                if other := keys.get((method, path[start:])):
                    pair = {key: other} if is_more else {other: key}
                    pairs.setdefault((is_more, path[:start]), {}).update(pair)
    found = max(pairs.values(), key=len, default={})
    return found if len(found) >= _FEWEST and 2 * len(found) > len(gone) else {}


def _unique(known: Known, identify: Callable[[str, Pin], str]) -> dict[str, str]:
    """Return identity → key. Identities that are empty, or shared by several operations, are left out."""
    found: dict[str, str | None] = {}
    for key, promise in known.items():
        identity = identify(key, promise)
        found[identity] = None if identity in found else key
    return {identity: key for identity, key in found.items() if key is not None and identity}
