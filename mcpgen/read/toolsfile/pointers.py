"""Read JSON Pointers into responses, and texts that contain such pointers as placeholders.

Invalid types are skipped here; `schema_check` has already reported them.
"""

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import clipped
from mcpgen.model import Text
from mcpgen.read.toolsfile import templates


def pointer(value: JsonValue, where: Where, diagnostics: Diagnostics) -> str | None:
    """Return `value` if it is a JSON Pointer that begins with `/`, else None.

    A `~` without 0 or 1 after it is reported here. `schema_check` has already reported a missing `/`.
    """
    if not isinstance(value, str):
        return None
    if "~" in value.replace("~0", "").replace("~1", ""):
        message = f"'{clipped(value)}' is not a JSON Pointer: it contains a ~ without 0 or 1 after it."
        diagnostics.add("invalid-value", message, where, "Write ~0 for ~, and ~1 for a / in a name.")
        return None
    return value if value.startswith("/") else None


def text(value: JsonValue, where: Where, diagnostics: Diagnostics) -> Text | None:
    """Return the parts of a text: literal texts and placeholders. `{/pointer}` stands for a value of the response."""
    if not isinstance(value, str):
        return None
    parts = templates.text(value, where, diagnostics, pointers=True)
    for each in templates.places(parts, "pointer"):
        pointer(each, where, diagnostics)
    return parts
