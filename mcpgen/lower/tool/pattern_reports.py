"""Report each `pattern` of a document that the tool's input schema lacks or contains in a corrected form."""

from collections.abc import Iterable

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.lower.schema.patterns import HiddenPattern
from mcpgen.model import ToolSpec

_MOST_SHOWN = 3
_WORDS = {
    "unchecked-pattern": (
        "are left to the API",
        "A server validates values only against patterns that take linear time and little memory. To limit a length, "
        "write `maxLength` instead of a pattern.",
    ),
    "impossible-pattern": (
        "match no value, or none of their own format, default, example or values, so the server does not validate "
        "against them",
        "Correct the pattern, or the keywords beside it.",
    ),
    "date-mask": (
        "are masks for dates and not regular expressions, so the server does not validate against them",
        "Write `format: date`, or a regular expression such as `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`.",
    ),
    "foreign-pattern": (
        "are not regular expressions of ECMA 262 with the flag u, so the server does not validate against them",
        "Write these patterns as regular expressions without slashes around them.",
    ),
    "mended-pattern": (
        "have slashes and flags around them or needless backslashes, which were removed",
        "Write these patterns as regular expressions without slashes around them.",
    ),
}
"""Code → the end of its sentence, and its hint."""


def report(tool: ToolSpec, unshown: Iterable[HiddenPattern], diagnostics: Diagnostics) -> None:
    """Report the patterns in `unshown`, which the input schema of `tool` lacks or contains in a corrected form.

    Each reason gets one diagnostic.
    """
    by_code: dict[str, dict[str, None]] = {}
    for code, pattern in unshown:
        by_code.setdefault(code, {})[pattern] = None
    for code, patterns in by_code.items():
        shown = ", ".join(clipped(pattern) for pattern in list(patterns)[:_MOST_SHOWN])
        more = f" and {len(patterns) - _MOST_SHOWN} more" if len(patterns) > _MOST_SHOWN else ""
        end, hint = _WORDS[code]
        diagnostics.add(code, f"Patterns of {tool.name} {end}: {shown}{more}.", tool.operation.where, hint)
