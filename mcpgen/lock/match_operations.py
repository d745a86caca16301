"""Recognise operations whose key (method and path) has changed since the last run that wrote the project.

Operations are compared by operationId, then by path with another version (`/v1/pets` → `/v2/pets`), then by a prefix
that most paths gained or lost. Last, operations with equal descriptions and arguments match whatever their paths,
unless both have an operationId.

An ambiguous match does not count, and different operationIds mean different operations: giving a tool's name to the
wrong operation is worse than a new name.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from mcpgen.base.names import words
from mcpgen.model.pins import Pin
from mcpgen.naming.verbs import PREFIX_SEGMENT
from mcpgen.read.openapi.paths import operation_key

Known = Mapping[str, Pin]
"""Operation key → the pin of its tool, which contains the fingerprints of the operation."""

Tell = Callable[[Known, Known], dict[str, str]]
"""Matcher: a function of missing and new operations that returns new key → old key."""

Prefix = tuple[bool, str]
"""Beginning of a path, and whether it was added (True) or removed (False)."""

_KEY = re.compile(r"(?:.* )?([A-Z]+) (/.*)", re.DOTALL)
_FEWEST = 3
"""Least number of operations that must gain or lose the same path prefix, for a match by prefix."""


def renamed(gone: Known, new: Known) -> dict[str, str]:
    """Return new key → old key for operations whose method, path and names of path parameters have not changed.

    The keys differ because of twins: operations such as `/a/{x}` and `/a/{y}`, which only the names of path
    parameters distinguish. Only the keys of twins contain these names, so the key of an operation changes when a twin
    appears or disappears.
    """
    return _by(_by_variables)(gone, new)


def moved(gone: Known, new: Known) -> dict[str, str]:
    """Return new key → old key for the operations in `new` that are the same as an operation in `gone` with another
    key.
    """
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
    """Return the new keys of uncertain matches, which rest only on equal descriptions and arguments.

    A match is certain if operationIds or requests are equal, or if the paths differ only by a prefix. If the path
    without the prefix has no fixed segment, another match must have the same prefix. `pairs`: for each match, (key,
    pin) of the old and of the new operation. A pin holds stored names and fingerprints.
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
    """Return the prefix that `other` has gained or lost in comparison with `path`, or None if the paths differ in
    anything else.
    """
    is_more = len(other) > len(path)
    longer, shorter = (other, path) if is_more else (path, other)
    return (is_more, longer.removesuffix(shorter)) if longer.endswith(shorter) else None


def request(key: str) -> tuple[str, str]:
    """Return method and path of an operation key, such as ("GET", "/pets/{}") for `zoo.yaml GET /pets/{id}`.

    Drop a prefix that names the document (`zoo.yaml`), and the names of path parameters (`id`). If the key contains no
    method and path, return "" and the whole key.
    """
    found = _KEY.fullmatch(key)
    method, _, path = operation_key(*found.groups()).partition(" ") if found else ("", "", key)
    return method, path


def _agree(old: Pin, new: Pin) -> bool:
    """Return False if both operations have an operationId and the ids differ in more than a version, else True."""
    return not (old.id and new.id) or _plain(old.id) == _plain(new.id)


def _plain(identifier: str) -> list[str]:
    return [word for word in words(identifier) if not PREFIX_SEGMENT.fullmatch(word)] or [identifier]


def _by(identify: Callable[[str, Pin], str]) -> Tell:
    """Return a matcher that pairs an operation that is gone with a new one, if `identify` returns the same text for
    both.

    The text must occur once among the operations that are gone, and once among the new ones.
    """

    def told(gone: Known, new: Known) -> dict[str, str]:
        before, after = _unique(gone, identify), _unique(new, identify)
        return {after[each]: before[each] for each in before if each in after}

    return told


def _by_variables(key: str, known: Pin) -> str:
    names = known.variables
    return f"{operation_key(*key.rsplit(' ', 1))} {' '.join(names)}" if names and " " in key else ""


def _by_words(gone: Known, new: Known) -> dict[str, str]:
    """Match operations by a digest of their texts, methods and arguments (`Pin.words`). A pair is left out if the old
    and the new operation both have an operationId.
    """
    found = _by(lambda _, known: known.words)(gone, new)
    return {key: former for key, former in found.items() if not (gone[former].id and new[key].id)}


def _by_prefix(gone: Known, new: Known) -> dict[str, str]:
    """Match operations that are gone with new operations whose paths differ only by the same added or removed prefix.

    Return {} if the prefix matches fewer than _FEWEST operations, or at most half of those that are gone.
    """
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
    """Return a dictionary: text that `identify` returns for an operation → key of the operation. Empty texts, and texts
    that several operations share, are left out.
    """
    found: dict[str, str | None] = {}
    for key, promise in known.items():
        identity = identify(key, promise)
        found[identity] = None if identity in found else key
    return {identity: key for identity, key in found.items() if key is not None and identity}
