"""Derive the names that openapi-mcp-generator gives, for its versions 4.x and 3.x. The two versions treat long names
and repeated names differently.

The rules come from `parser/extract-tools.js` and `utils/code-gen.js` of 3.3.0 and 4.0.1.
"""

import re
from collections.abc import Callable, Iterable
from hashlib import sha1
from itertools import count
from math import ceil

from mcpgen.adopt.operations import RawOperation

_LEAST = 8
_HASH = 6
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def assign(operations: Iterable[RawOperation], longest: int) -> list[tuple[RawOperation, str]]:
    """Return each operation with the name that version 4.x of openapi-mcp-generator gives, of at most `longest`
    characters.
    """
    longest = max(longest, _LEAST)
    return _assigned(
        operations, lambda name: _shortened(name, longest), lambda base, name: _hashed(base, name, longest)
    )


def assign_former(operations: Iterable[RawOperation]) -> list[tuple[RawOperation, str]]:
    """Return each operation with the name that version 3.x of openapi-mcp-generator gives."""
    return _assigned(operations, lambda name: name, lambda base, name: (f"{base}_{number}" for number in count(1)))


def _assigned(
    operations: Iterable[RawOperation],
    shorten: Callable[[str], str],
    others: Callable[[str, str], Iterable[str]],
) -> list[tuple[RawOperation, str]]:
    used: set[str] = set()
    found = []
    for operation in operations:
        name = re.sub(r"[^a-zA-Z0-9_-]", "_", operation.id or _derived(operation))
        base = shorten(name)
        final = base if base not in used else next(each for each in others(base, name) if each not in used)
        used.add(final)
        found.append((operation, final))
    return found


def _hashed(base: str, name: str, longest: int) -> Iterable[str]:
    for attempt in count():
        suffix = "_" + sha1(f"{name}#{attempt}".encode(), usedforsecurity=False).hexdigest()[:_HASH]
        yield base[: max(1, longest - len(suffix))] + suffix


def _derived(operation: RawOperation) -> str:
    """Return the name for an operation without an operationId: `get /users/{id}/posts` gives `GetUsersPosts`."""
    parts = [part for part in operation.path.split("/") if part]
    name = operation.method.lower()
    for index, part in enumerate(parts):
        if not (part.startswith("{") and part.endswith("}")):
            name += _title(part)
        elif index == len(parts) - 1:
            name += "By" + _title(part)
    name += "Root" if name == operation.method.lower() else ""
    return name[:1].upper() + name[1:]


def _title(text: str) -> str:
    joined = re.sub(r"[-_/](.)", lambda found: found[1].upper(), text.lower())
    bare = joined.removeprefix("{").removesuffix("}")
    return bare[:1].upper() + bare[1:]


def _shortened(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    shorter = _abbreviated(name)
    if len(shorter) <= longest and shorter != name:
        return shorter
    return _cut(shorter if len(shorter) < len(name) else name, longest)


def _abbreviated(name: str) -> str:
    segments = [segment for segment in re.split(r"[_-]+", name) if segment]
    words = [word for segment in segments for word in (_WORDS.findall(segment) or [segment])]
    if len(words) <= 1:
        return name
    return "_".join([words[0], *(word if len(word) <= 3 else word[:4] for word in words[1:])])


def _cut(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    suffix = "_" + sha1(name.encode(), usedforsecurity=False).hexdigest()[:_HASH]
    room = longest - len(suffix)
    if room - 2 < 4:
        return f"{name[: max(1, room)]}{suffix}"[:longest]
    head = ceil((room - 2) * 0.6)
    tail = room - 2 - head
    return f"{name[:head]}__{name[len(name) - tail :] if tail > 0 else ''}{suffix}"[:longest]
