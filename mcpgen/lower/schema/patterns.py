"""Decide which patterns a tool's schema shows: those that a linear-time regex engine accepts, and that need little
memory.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, compact
from mcpgen.base.once import ValueCache
from mcpgen.lower.schema.ecma import is_ecma, without_needless_escapes, without_slashes

LONGEST = 256
MOST_BYTES = 1024 * 1024
r"""Limit on the memory of one compiled pattern.

Most published patterns take up to 16 KiB. `^.{1,255}$` takes half of this limit, and `^\p{L}{60}$` takes three times
this limit.
"""
MOST_BYTES_OF_TOOL = 2 * 1024 * 1024
"""Limit on the memory of all compiled patterns of one tool, which a server keeps."""

MOST_BYTES_TRIED = 64 * 1024 * 1024
"""Limit, for one API, on the total memory of patterns that are compiled to measure their size. Compiling them takes
about a second.

Beyond this limit, only patterns with a small size limit are compiled.
"""

_CHEAP = 64 * 1024
_SIZES = (4 * 1024, 16 * 1024, _CHEAP, 256 * 1024, 512 * 1024, MOST_BYTES)
"""Size limits that are tried in turn to measure a pattern, because the engine does not report how much memory a pattern
takes.
"""
_LOOK_AROUND = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\(\?P?<|\(\?>|[*+?]\+|[\d,]\}\+")
_SAMPLES = {
    "date": ("2026-01-31",),
    "date-time": tuple(f"2026-01-31T12:30:45{rest}" for rest in ("Z", ".123Z", ".123456Z", "+00:00", ".123+00:00")),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "9b2f1c7e-5d4a-4b6c-8e3f-2a1b0c9d8e7f"),
}
"""Format → sample values. A pattern that matches no sample contradicts the format."""

_DATA = ("enum", "const", "default", "examples")


def is_linear(pattern: str) -> bool:
    """Return True if `pattern` is short, and a linear-time engine accepts it within a small memory limit."""
    return _is_plain(pattern) and memory(pattern, _CHEAP) is not None


@lru_cache(maxsize=4096)
def matches(pattern: str, text: str) -> bool:
    """Return True if `pattern` matches `text`; False also if a linear-time engine refuses it (see `is_linear`)."""
    if not is_linear(pattern):
        return False
    import jsonschema_rs  # imported here, since only documents with patterns need it

    return jsonschema_rs.is_valid({"pattern": pattern}, text, pattern_options=jsonschema_rs.RegexOptions())


@cache
def memory(pattern: str, most: int = MOST_BYTES) -> int | None:
    """Return an upper bound on the bytes of a compiled pattern, or None if the regex engine refuses the pattern or the
    pattern needs more than `most` bytes.
    """
    import jsonschema_rs  # imported here, since only documents with patterns need it

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


class HiddenPattern(NamedTuple):
    """A pattern that is shown differently from the document, or not at all, with the code of its diagnostic."""

    code: str
    pattern: str


def shown(node: JsonObject, memory: "PatternMemory") -> tuple[str | None, HiddenPattern | None]:
    """Return the `pattern` that the tool's schema shows for `node`, or None if it shows none.

    Also return the finding about the pattern, or None.
    """
    written = node.get("pattern")
    if not isinstance(written, str):
        return None, None
    pattern = without_needless_escapes(without_slashes(written))
    if _is_impossible(pattern, node):
        return None, HiddenPattern("impossible-pattern", written)
    if not memory.admits(pattern):
        return None, HiddenPattern("unchecked-pattern", written)
    if not is_ecma(pattern):
        return None, HiddenPattern("foreign-pattern", written)
    return pattern, HiddenPattern("mended-pattern", written) if pattern != written else None


def _is_impossible(pattern: str, node: JsonObject) -> bool:
    """Return True if a pattern excludes every value that the format, default, examples or enum beside it allow."""
    if not is_linear(pattern):
        return False
    told = [*as_list(node.get("examples")), node.get("default")]
    samples = _SAMPLES.get(str(node.get("format")), ())
    values = [value for value in as_list(node.get("enum")) if isinstance(value, str)]
    return (
        not all(matches(pattern, value) for value in told if isinstance(value, str))
        or bool(samples and not any(matches(pattern, sample) for sample in samples))
        or bool(values and not any(matches(pattern, value) for value in values))
    )


class PatternMemory:
    """Meter for the memory that each compiled pattern of one API takes.

    Once the patterns take MOST_BYTES_TRIED together, further patterns that take more than `_CHEAP` count as too large.
    """

    def __init__(self) -> None:
        self._left = MOST_BYTES_TRIED
        self._known: dict[str, int | None] = {}

    def of(self, pattern: str) -> int | None:
        """Return an upper bound on the bytes of a compiled pattern, or None if the regex engine refuses the pattern or
        the pattern is too large.
        """
        if pattern not in self._known:
            most = MOST_BYTES if self._left > 0 else _CHEAP
            found = self._known[pattern] = memory(pattern, most)
            self._left -= found or most
        return self._known[pattern]

    def admits(self, pattern: str) -> bool:
        """Return True if a tool's schema may contain `pattern`, which must be short and cheap to check.

        The check of a value must take linear time and bounded memory.
        """
        return _is_plain(pattern) and self.of(pattern) is not None

    def unchecked(self, schemas: Iterable[JsonObject], once: ValueCache) -> tuple[str, ...]:
        """Return the patterns in the schemas of one tool that a server does not check.

        These are patterns that the regex engine refuses, and patterns beyond the memory limit of a tool.
        """
        left = MOST_BYTES_OF_TOOL
        found: dict[str, bool] = {}
        # few schemas have patterns, and the cached test for patterns is faster than a walk over the schema
        likely = [schema for schema in schemas if any(once.of_parts(_may_have_patterns, schema))]
        for pattern in (pattern for schema in likely for pattern in _patterns(schema)):
            if pattern not in found:
                size = self.of(pattern)
                found[pattern] = size is not None and size <= left
                left -= size if size is not None and found[pattern] else 0
        return tuple(pattern for pattern, checked in found.items() if not checked)


def _is_plain(pattern: str) -> bool:
    return len(pattern) <= LONGEST and not _LOOK_AROUND.search(pattern)


def _may_have_patterns(schema: JsonValue) -> bool:
    return '"pattern' in compact(schema)


def _patterns(value: JsonValue) -> Iterator[str]:
    """Yield the patterns of a schema in order: values of `pattern`, and keys of `patternProperties`."""
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
