"""Telling an operation again that is under another key.

A method and a path are what an operation is, so a lock knows it by these. Where they changed, its id tells; then the
same request under another version (`/v1/pets` → `/v2/pets`), then the prefix that most of them got or lost, and, where
no id says otherwise, the same words and arguments under any path. What could be two operations is none of them, and
two ids that differ are two operations: a name that goes to another operation is worse than a new name.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from mcpgen.base.names import words
from mcpgen.model.pins import Promise
from mcpgen.naming.inflection import PREFIX_SEGMENT
from mcpgen.read.openapi.paths import operation_key

Known = Mapping[str, Promise]
"""Operation key → what was promised of its tool."""

Tell = Callable[[Known, Known], dict[str, str]]
"""What is gone and what is new → new key → old key."""

Prefix = tuple[bool, str]
"""The beginning of a path, and whether it came or went."""

_KEY = re.compile(r"(?:.* )?([A-Z]+) (/.*)", re.DOTALL)
_FEWEST = 3
"""Operations that have to go to a prefix together."""


def renamed(gone: Known, new: Known) -> dict[str, str]:
    """Which operations that are `new` are those that are `gone` under another key for the same request: twins, which
    only the names of their path parameters tell apart, have these in their keys.
    """
    return _by(_by_variables)(gone, new)


def moved(gone: Known, new: Known) -> dict[str, str]:
    """Which operations that are `new` are those that are `gone`, under another key: new key → old key."""
    found = renamed(gone, new)  # a method and a path are one operation, even where its id has changed
    gone, new = _without(gone, found.values()), _without(new, found)
    for told in (_by(lambda _, known: known.id), _by(lambda _, known: known.shape), _by_prefix, _by_words):
        pairs = {key: former for key, former in told(gone, new).items() if _agree(gone[former], new[key])}
        found |= pairs
        gone, new = _without(gone, pairs.values()), _without(new, pairs)
    return found


def _without(known: Known, keys: Iterable[str]) -> Known:
    left = set(keys)
    return {key: promise for key, promise in known.items() if key not in left}


def guessed(pairs: Iterable[tuple[tuple[str, Promise], tuple[str, Promise]]]) -> set[str]:
    """The new keys of moves (keys and promises, old and new) that only words tell: no id, no request, and no prefix
    that another operation was told by.
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
    """What a path got or lost at its beginning, if that is all."""
    is_more = len(other) > len(path)
    longer, shorter = (other, path) if is_more else (path, other)
    return (is_more, longer.removesuffix(shorter)) if longer.endswith(shorter) else None


def request(key: str) -> tuple[str, str]:
    """The method and the path of an operation, without its document and the names of its path parameters."""
    found = _KEY.fullmatch(key)
    method, _, path = operation_key(*found.groups()).partition(" ") if found else ("", "", key)
    return method, path


def _agree(old: Promise, new: Promise) -> bool:
    """Whether no id says that two are not the same: ids often tell the version too."""
    return not (old.id and new.id) or _plain(old.id) == _plain(new.id)


def _plain(identifier: str) -> list[str]:
    return [word for word in words(identifier) if not PREFIX_SEGMENT.fullmatch(word)] or [identifier]


def _by(identify: Callable[[str, Promise], str]) -> Tell:
    """What has one identity alone on both sides is one operation."""

    def told(gone: Known, new: Known) -> dict[str, str]:
        before, after = _unique(gone, identify), _unique(new, identify)
        return {after[each]: before[each] for each in before if each in after}

    return told


def _by_variables(key: str, known: Promise) -> str:
    names = known.variables
    return f"{operation_key(*key.rsplit(' ', 1))} {' '.join(names)}" if names and " " in key else ""


def _by_words(gone: Known, new: Known) -> dict[str, str]:
    """By words and arguments, where no id could say otherwise."""
    found = _by(lambda _, known: known.words)(gone, new)
    return {key: former for key, former in found.items() if not (gone[former].id and new[key].id)}


def _by_prefix(gone: Known, new: Known) -> dict[str, str]:
    """The same paths behind a prefix more or a prefix less, where most of what is gone went there."""
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


def _unique(known: Known, identify: Callable[[str, Promise], str]) -> dict[str, str]:
    """Identity → key, without those that share theirs, or have none."""
    found: dict[str, str | None] = {}
    for key, promise in known.items():
        identity = identify(key, promise)
        found[identity] = None if identity in found else key
    return {identity: key for identity, key in found.items() if key is not None and identity}
