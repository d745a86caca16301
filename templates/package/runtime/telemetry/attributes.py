# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Derive the attributes of spans and metrics from telemetry records. Pure functions.

The attributes follow OpenTelemetry's conventions for MCP and for HTTP clients.

Each attribute has few different values, so that metrics stay small: only names of this server's tools and prompts are
used, and `_OTHER`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .metrics import Attributes
    from .operations import Operation, Sending

_FAULTS_OF_CALLERS = (-32700, -32600, -32601, -32602, -32002)
"""Codes of protocol errors that a client has caused. They do not mean that the server failed."""

_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY")
_OTHER = "_OTHER"


# By the third version of OpenTelemetry's conventions for MCP: a model's mistyped argument is not the operator's fault.
def error_type(operation: Operation) -> str:
    """Return OpenTelemetry's `error.type` of a client's MCP request, or "" if the request has not failed."""
    if operation.code is not None and operation.code not in _FAULTS_OF_CALLERS:
        return str(operation.code)
    return operation.error


def of_operation(operation: Operation, transport: tuple[tuple[str, str], ...]) -> Attributes:
    """Return the attributes that spans and metrics of a client's MCP request share."""
    found: list[tuple[str, str | int]] = [("mcp.method.name", operation.method)]
    if operation.method == "tools/call":
        found += [("gen_ai.operation.name", "execute_tool"), ("gen_ai.tool.name", operation.target)]
    elif operation.method == "prompts/get":
        found.append(("gen_ai.prompt.name", operation.target))
    elif operation.target and operation.method.startswith("tasks/"):
        found.append(("gen_ai.tool.name", operation.target))
    if operation.revision:
        found.append(("mcp.protocol.version", operation.revision))
    if operation.code is not None:
        found.append(("rpc.response.status_code", str(operation.code)))
    if error := error_type(operation):
        found.append(("error.type", error))
    return (*found, *transport)


def name_of_operation(operation: Operation) -> str:
    """Return the name of the span of a client's MCP request. The name never contains a URI."""
    return f"{operation.method} {operation.target}" if operation.target else operation.method


def of_sending(sending: Sending) -> Attributes:
    """Return the attributes that spans and metrics of an HTTP request to the API share."""
    method = sending.method if sending.method in _METHODS else _OTHER
    found: list[tuple[str, str | int]] = [
        ("http.request.method", method),
        ("server.address", sending.address.host),
        ("server.port", sending.address.port),
    ]
    if sending.status:
        found.append(("http.response.status_code", sending.status))
    if error := error_of_sending(sending):
        found.append(("error.type", error))
    return tuple(found)


def error_of_sending(sending: Sending) -> str:
    """Return OpenTelemetry's `error.type` of an HTTP request, or "" if the request has not failed.

    By OpenTelemetry's rules for clients, each status from 400 on is an error.
    """
    return sending.error or (str(sending.status) if sending.status >= 400 else "")


def of_sending_span(sending: Sending) -> Attributes:
    """Return the attributes that only the span of an HTTP request has.

    The URL among them contains no value of an argument.
    """
    found: list[tuple[str, str | int]] = [("url.full", sending.address.origin + (sending.template or "/"))]
    if sending.template:
        found.append(("url.template", sending.template))
    if sending.method not in _METHODS:
        found.append(("http.request.method_original", sending.method))
    if sending.again:
        found.append(("http.request.resend_count", sending.again))
    return tuple(found)


def name_of_sending(sending: Sending) -> str:
    """Return the name of an HTTP request's span."""
    method = sending.method if sending.method in _METHODS else "HTTP"
    return f"{method} {sending.template}" if sending.template else method


def class_of(sending: Sending) -> str:
    """Return the class of an HTTP status, such as `2xx`, or `none` if there was no response."""
    return f"{sending.status // 100}xx" if sending.status else "none"
