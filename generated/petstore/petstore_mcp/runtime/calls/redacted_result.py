# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remove secrets from a result before it is sent to the client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT, Result

if TYPE_CHECKING:
    from ..text.redaction import Redactor


def redacted(result: Result, redactor: Redactor) -> Result:
    """Return a copy of the result without the secrets that `redactor` knows."""
    shown = Result([_shown(block, redactor) for block in result.content], result.structured, result.is_error)
    if result.written and not redactor.may_be_in(result.written):
        shown.written = result.written
    elif result.structured is not ABSENT:
        shown.structured = redactor.whole(result.structured)
    return shown


def _shown(block: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Return the content block without secrets. Base64 data is unchanged, since it was redacted before its encoding."""
    if block.keys() == {"type", "text"} and block["type"] == "text" and isinstance(block["text"], str):
        return {"type": "text", "text": redactor.text(block["text"])}  # fast path: most blocks are text
    encoded = {name: block[name] for name in ("data", "blob") if name in block}
    inner = {name: _shown(block[name], redactor) for name in ("resource",) if isinstance(block.get(name), dict)}
    rest = {name: member for name, member in block.items() if name not in encoded and name not in inner}
    return {**redactor.value(rest), **inner, **encoded}
