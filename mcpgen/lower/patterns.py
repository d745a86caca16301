"""Patterns: which may be shown, because the engine that checks them takes linear time whatever the text, and which are
cheap enough to be checked.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from mcpgen.jsonvalue import JsonObject, JsonValue, as_object, compact

LONGEST = 256
MOST_BYTES = 1024 * 1024
"""The memory of one compiled pattern. Most published ones take up to 16 KiB, `^.{1,255}$` half of this, `^\\p{L}{60}$`
three times as much.
"""
MOST_BYTES_OF_TOOL = 2 * 1024 * 1024
"""The memory of all compiled patterns of one tool, which a server keeps."""

MOST_BYTES_TRIED = 64 * 1024 * 1024
"""The memory of the patterns of one API that are compiled to see what they take: about a second of work. Of the rest
only what is cheap is found out.
"""

_CHEAP = 64 * 1024
_SIZES = (4 * 1024, 16 * 1024, _CHEAP, 256 * 1024, 512 * 1024, MOST_BYTES)
"""The limits by which the memory of a pattern is estimated: the engine does not tell it, but obeys a limit."""
_LOOK_AROUND = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\(\?P?<|\(\?>|[*+?]\+|[\d,]\}\+")
_DATA = ("enum", "const", "default", "examples")


def is_linear(pattern: str) -> bool:
    """Whether a linear-time engine takes `pattern`, and it is short and cheap."""
    return _is_plain(pattern) and memory(pattern, _CHEAP) is not None


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` is linear and found in `text`."""
    if not is_linear(pattern):
        return False
    import jsonschema_rs  # only documents with patterns pay for it

    return jsonschema_rs.is_valid({"pattern": pattern}, text, pattern_options=jsonschema_rs.RegexOptions())


@cache
def memory(pattern: str, most: int = MOST_BYTES) -> int | None:
    """Return how many bytes a compiled pattern takes at most; None where it is refused, or takes more than `most`."""
    import jsonschema_rs  # only documents with patterns pay for it

    for size in _SIZES:
        if size > most:
            break
        options = jsonschema_rs.RegexOptions(size_limit=size)
        try:
            jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options, offline=True)
        except ValueError:
            continue
        return size
    return None


class PatternMemory:
    """What the patterns of one API take. The more is found out, the less is left to find out more."""

    def __init__(self) -> None:
        self._left = MOST_BYTES_TRIED
        self._known: dict[str, int | None] = {}

    def of(self, pattern: str) -> int | None:
        """Return how many bytes a compiled pattern takes at most; None where it is refused, or takes too many."""
        if pattern not in self._known:
            most = MOST_BYTES if self._left > 0 else _CHEAP
            found = self._known[pattern] = memory(pattern, most)
            self._left -= found or most
        return self._known[pattern]

    def admits(self, pattern: str) -> bool:
        """Whether `pattern` is worth showing: short, and checked in linear time and bounded memory."""
        return _is_plain(pattern) and self.of(pattern) is not None

    def unchecked(self, schemas: Iterable[JsonObject]) -> tuple[str, ...]:
        """Return the patterns in these schemas of one tool that a server does not check: those that the engine refuses,
        and those that are beyond the memory of a tool.
        """
        left = MOST_BYTES_OF_TOOL
        found: dict[str, bool] = {}
        likely = [schema for schema in schemas if '"pattern' in compact(schema)]  # few have any; a walk takes longer
        for pattern in (pattern for schema in likely for pattern in _patterns(schema)):
            if pattern not in found:
                size = self.of(pattern)
                found[pattern] = size is not None and size <= left
                left -= size if size is not None and found[pattern] else 0
        return tuple(pattern for pattern, checked in found.items() if not checked)


def _is_plain(pattern: str) -> bool:
    return len(pattern) <= LONGEST and not _LOOK_AROUND.search(pattern)


def _patterns(value: JsonValue) -> Iterator[str]:
    """Yield the patterns of a schema, in order: values of `pattern`, and names of `patternProperties`."""
    left: list[JsonValue] = [value]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if isinstance(pattern := node.get("pattern"), str):
                yield pattern
            yield from as_object(node.get("patternProperties"))
            left += [member for key, member in reversed(node.items()) if key not in _DATA]
        elif isinstance(node, list):
            left += reversed(node)
