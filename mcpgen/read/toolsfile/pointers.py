"""Read JSON Pointers into responses, and texts that contain such pointers as placeholders."""

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.names import clipped
from mcpgen.model import Part
from mcpgen.read.toolsfile import templates


def is_pointer(value: str, where: Where, diagnostics: Diagnostics) -> bool:
    """Return True if `value` is a JSON Pointer that begins with `/`. Otherwise return False.

    A `~` without 0 or 1 after it is reported here. `schema_check` has already reported a missing `/`.
    """
    if "~" in value.replace("~0", "").replace("~1", ""):
        message = f"'{clipped(value)}' is not a JSON Pointer: it contains a ~ without 0 or 1 after it."
        diagnostics.add("invalid-value", message, where, "Write ~0 for ~, and ~1 for a / in a name.")
        return False
    return value.startswith("/")


def text(value: str, where: Where, diagnostics: Diagnostics) -> tuple[Part, ...]:
    """Return the parts of a text: literal texts and placeholders. `{/pointer}` stands for a value of the response."""
    parts = templates.text(value, where, diagnostics, pointers=True)
    for pointer in templates.places(parts, "pointer"):
        is_pointer(pointer, where, diagnostics)
    return parts
