# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Check header fields that repeat the body, so that proxies can route by them (MCP 2026-07-28, Streamable HTTP).

The server acts on the body. If a field differs from the body, a proxy may have routed or allowed another request than
the one served. So such a request is refused. Pure functions.

A value that does not fit a header field is encoded: `=?base64?`, base64 of UTF-8, `?=`. Other values are unchanged.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from decimal import Decimal
from typing import TYPE_CHECKING

from ...core.envelope import check_revision, named_revision
from ...core.jsonrpc import INVALID_PARAMS, Fault
from .admission import REVISION

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.jsonrpc import Members, Request
    from .head import Head

    Repeated = Callable[[str], dict[str, str]]

HEADER_MISMATCH = -32020
METHOD, NAME, PARAMETER = "mcp-method", "mcp-name", "mcp-param-"
ANNOTATION = "x-mcp-header"

_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"} | dict.fromkeys(
    ("tasks/get", "tasks/update", "tasks/cancel"), "taskId"
)
"""Method -> member of `params` that the header field `Mcp-Name` repeats."""

_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?")
"""Pattern for a number as in JSON; leading zeros are allowed."""

_BEGIN, _END = "=?base64?", "?="
_SPELLED = {"Mcp-Method": METHOD, "Mcp-Name": NAME, "MCP-Protocol-Version": REVISION}


def check(head: Head, request: Request, repeated: Repeated) -> None:
    """Check that the HTTP header fields of a stateless request match its body.

    Raise Fault if `params._meta` is invalid, or if a header field that must repeat the body is missing, duplicate or
    different. `repeated(tool)` returns the arguments that header fields must repeat (`headers_of`).
    """
    meta = request.meta
    if not isinstance(meta, dict):
        raise Fault(INVALID_PARAMS, "params._meta must be an object.")
    version = named_revision(meta)
    _agree(head, "MCP-Protocol-Version", version)
    _agree(head, "Mcp-Method", request.method)
    named = request.params.get(_NAMED_BY.get(request.method, ""))
    if isinstance(named, str):
        _agree(head, "Mcp-Name", named)
    check_revision(version, meta)
    if request.method == "tools/call" and isinstance(named, str):
        _parameters(head, request.params, repeated(named))


def headers_of(schema: Members) -> dict[str, str]:
    """Return the arguments of a tool that header fields must repeat, from its input schema.

    Keys are paths of property names, joined by NUL. Values are names of header fields without `Mcp-Param-`.
    """
    found: dict[str, str] = {}
    _gather(schema, (), found)
    return found


def decoded(value: str) -> str:
    """Return the decoded value of a header field. Raise ValueError if its base64 is malformed."""
    if not (value.startswith(_BEGIN) and value.endswith(_END) and len(value) >= len(_BEGIN) + len(_END)):
        return value
    inner = value[len(_BEGIN) : -len(_END)]
    try:
        data = b64decode(inner, validate=True)
    except (Error, ValueError):
        raise ValueError("no base64") from None
    if b64encode(data).decode() != inner:
        raise ValueError("not the one way to write it")
    return data.decode()  # ValueError includes UnicodeDecodeError


def _agree(head: Head, spelled: str, meant: str) -> None:
    """Raise Fault unless the header field `spelled` occurs once and has the value `meant`."""
    found = head.all(_SPELLED[spelled])
    if found == [meant] and not meant.startswith(_BEGIN):
        return  # fast path: nothing to decode
    if len(found) != 1:
        says = "is missing" if not found else "is there more than once"
        raise Fault(HEADER_MISMATCH, f"The header {spelled} {says}. It must repeat what the body says.")
    try:
        said = decoded(found[0]) if spelled == "Mcp-Name" else found[0]
    except ValueError:
        raise Fault(HEADER_MISMATCH, f"The header {spelled} holds base64 that cannot be read.") from None
    if said != meant:
        raise Fault(HEADER_MISMATCH, f"The header {spelled} says something else than the body.")


def _parameters(head: Head, params: Members, repeated: dict[str, str]) -> None:
    """Raise Fault unless each header field that repeats an argument has the argument's value."""
    arguments = params.get("arguments", {})
    for path, name in repeated.items():
        value = _at(arguments, path.split("\0"))
        found = head.all(PARAMETER + name.lower())
        field = f"The header Mcp-Param-{name}"
        if value is None and found:
            raise Fault(HEADER_MISMATCH, f"{field} is there, and its argument is not.")
        if value is None:
            continue
        if len(found) != 1:
            raise Fault(HEADER_MISMATCH, f"{field} must be there once, and repeat its argument.")
        try:
            agrees = _equal(decoded(found[0]), value)
        except ValueError:
            raise Fault(HEADER_MISMATCH, f"{field} holds base64 that cannot be read.") from None
        if not agrees:
            raise Fault(HEADER_MISMATCH, f"{field} says something else than its argument.")


def _equal(said: str, value: object) -> bool:
    """Return True if the text of a header field equals `value`, which is a string, a number or a boolean."""
    if isinstance(value, bool):
        return said == ("true" if value else "false")
    if isinstance(value, (int, float)):
        exact = Decimal(value) if isinstance(value, int) or value.is_integer() else Decimal(repr(value))
        return _NUMBER.fullmatch(said) is not None and Decimal(said) == exact
    return said == value


def _at(arguments: object, steps: list[str]) -> object:
    for step in steps:
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(step)
    return arguments


def _gather(schema: object, path: tuple[str, ...], found: dict[str, str]) -> None:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return
    for name, inner in properties.items():
        if isinstance(inner, dict) and isinstance(inner.get(ANNOTATION), str):
            found["\0".join((*path, name))] = inner[ANNOTATION]
        _gather(inner, (*path, name), found)
