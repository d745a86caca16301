"""Decide which patterns a tool's schema shows: those that a linear-time regex engine accepts, and that need little
memory.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, compact
from mcpgen.base.once import ValueCache
from mcpgen.lower.schema.ecma import is_ecma, without_needless_escapes
from mcpgen.lower.schema.pattern_cost import pattern_cost
from mcpgen.lower.schema.regex_literals import is_date_mask, matches_nothing, without_slashes

if TYPE_CHECKING:
    from jsonschema_rs import Validator

LONGEST = 256
MOST_BYTES = 1024 * 1024
r"""Limit on the memory of one compiled pattern, as `pattern_cost` estimates it.

Most published patterns take up to 16 KiB. `^.{1,255}$` takes a quarter of this limit, and `^\p{L}{60}$` takes three
times this limit.
"""
MOST_BYTES_OF_TOOL = 2 * 1024 * 1024
"""Limit on the memory of all compiled patterns of one tool, which a server keeps."""

_CHEAP = 64 * 1024
"""Limit on the memory of a pattern that the compiler itself matches with texts."""
_MOST_COMPILED = 16 * _CHEAP
"""Limit that the regex engine obeys. It is wide, since engines measure otherwise than `pattern_cost`."""
_LOOK_AROUND = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\(\?P?<|\(\?>|[*+?]\+|[\d,]\}\+")
_SAMPLES = {
    "date": ("2026-01-31",),
    "date-time": tuple(f"2026-01-31T12:30:45{rest}" for rest in ("Z", ".123Z", ".123456Z", "+00:00", ".123+00:00")),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "9b2f1c7e-5d4a-4b6c-8e3f-2a1b0c9d8e7f"),
}
"""Format → sample values. A pattern that matches no sample contradicts the format."""

_DATA = ("enum", "const", "default", "examples")


def is_linear(pattern: str) -> bool:
    """Return True if `pattern` is short and takes little memory, and a linear-time engine accepts it."""
    return _fits(pattern, _CHEAP) and _compiled(pattern) is not None


@lru_cache(maxsize=4096)
def matches(pattern: str, text: str) -> bool:
    """Return True if `pattern` matches `text`; False also if a linear-time engine refuses it (see `is_linear`)."""
    validator = _compiled(pattern) if _fits(pattern, _CHEAP) else None
    return validator is not None and validator.is_valid(text)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> "Validator | None":
    import jsonschema_rs  # imported here, since only documents with patterns need it

    options = jsonschema_rs.RegexOptions(size_limit=_MOST_COMPILED)
    try:
        return jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options, offline=True)
    except ValueError:
        return None


def admits(pattern: str) -> bool:
    """Return True if a tool's schema may contain `pattern`, which must be short and cheap to check.

    The answer depends on the text of the pattern alone. No release of a library changes what is emitted.
    """
    return _fits(pattern, MOST_BYTES)


def _fits(pattern: str, most: int) -> bool:
    if len(pattern) > LONGEST or _LOOK_AROUND.search(pattern):
        return False
    cost = pattern_cost(pattern)
    return cost is not None and cost <= most


class HiddenPattern(NamedTuple):
    """A pattern that is shown differently from the document, or not at all, with the code of its diagnostic."""

    code: str
    pattern: str


def shown(node: JsonObject) -> tuple[str | None, HiddenPattern | None]:
    """Return the `pattern` that the tool's schema shows for `node`, or None if it shows none.

    Also return the finding about the pattern, or None.
    """
    written = node.get("pattern")
    if not isinstance(written, str):
        return None, None
    pattern = without_needless_escapes(without_slashes(written))
    if is_date_mask(written):
        return None, HiddenPattern("date-mask", written)
    if _is_impossible(pattern, node):
        return None, HiddenPattern("impossible-pattern", written)
    if not admits(pattern):
        return None, HiddenPattern("unchecked-pattern", written)
    if not is_ecma(pattern):
        return None, HiddenPattern("foreign-pattern", written)
    return pattern, HiddenPattern("mended-pattern", written) if pattern != written else None


def _is_impossible(pattern: str, node: JsonObject) -> bool:
    """Return True if a pattern matches nothing, or no value that the format, default, examples or enum beside it
    allow.
    """
    if not is_linear(pattern):
        return False
    if matches_nothing(pattern):
        return True
    told = [*as_list(node.get("examples")), node.get("default")]
    samples = _SAMPLES.get(str(node.get("format")), ())
    values = [value for value in as_list(node.get("enum")) if isinstance(value, str)]
    return (
        not all(matches(pattern, value) for value in told if isinstance(value, str))
        or bool(samples and not any(matches(pattern, sample) for sample in samples))
        or bool(values and not any(matches(pattern, value) for value in values))
    )


def unchecked(schemas: Iterable[JsonObject], once: ValueCache) -> tuple[str, ...]:
    """Return the patterns in the schemas of one tool that a server does not check.

    These are patterns that `admits` refuses, and patterns beyond the memory limit of a tool.
    """
    left = MOST_BYTES_OF_TOOL
    found: dict[str, bool] = {}
    # few schemas have patterns, and the cached test for patterns is faster than a walk over the schema
    likely = [schema for schema in schemas if any(once.of_parts(_may_have_patterns, schema))]
    for pattern in (pattern for schema in likely for pattern in _patterns(schema)):
        if pattern not in found:
            found[pattern] = _fits(pattern, min(left, MOST_BYTES))
            left -= (pattern_cost(pattern) or 0) if found[pattern] else 0
    return tuple(pattern for pattern, checked in found.items() if not checked)


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
