# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Provide the tool that reads the rest of a cut result, for MCP hosts whose models cannot read resources.

The operator enables the tool by the environment variable whose name ends in `_RESULT_TOOL`. Each call returns one
slice, as `resources/read` does, and sends nothing to the API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.read_tool import ARGUMENT
from ..core.wire_formats import Result
from .result_store import LARGEST_SLICE

if TYPE_CHECKING:
    from .result_store import KeptResults

_NOTHING = (
    "Nothing is kept at this URI. A cut result names one, and each slice the next. What was kept makes room for later"
    " results: then call the tool again that it came from."
)
_NO_TEXT = "What is kept at this URI is a file ({}), which cannot be read as text."


def read(resources: KeptResults, arguments: dict[str, Any], shown: int) -> Result:
    """Return the slice of a stored result at the URI in the arguments.

    The slice has `shown` bytes, unless the URI gives a size.
    """
    uri = str(arguments[ARGUMENT]).strip()
    whole, mark, query = uri.partition("?")
    if "size=" not in query:
        size = min(shown, LARGEST_SLICE)
        uri = f"{whole}?{query}&size={size}" if mark else f"{whole}?size={size}"
    found = resources.read(uri)
    if found is None:
        return Result.error(_NOTHING)
    if "text" not in found[0]:
        return Result.error(_NO_TEXT.format(found[0]["mimeType"]))
    return Result([{"type": "text", "text": each["text"]} for each in found])
