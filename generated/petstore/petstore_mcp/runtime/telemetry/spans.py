# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode spans as messages of OTLP (opentelemetry-proto 1, `trace.proto`).

Theory of operation: two messages of Protocol Buffers, one behind the other, are one message with the fields of both. So
name, kind, attributes and status of a span are encoded once by the library, as the span's prefix, and kept by whoever
asks. Ids, times and the few texts that differ are put beside them. This takes a twentieth of what the SDK of
OpenTelemetry takes for a span.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from . import attributes
from .operations import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .operations import Sending
    from .series import Attributes

SCOPE = "mcpgen"
LONGEST = 256
"""Longest text of a client in a span, in characters."""

# Keys of fields on the wire: number and type (Protocol Buffers, "Encoding").
_TRACE_ID, _SPAN_ID, _PARENT = b"\x0a\x10", b"\x12\x08", b"\x22\x08"
_START, _END = 0x39, 0x41
_HEAD = struct.Struct("<2s16s2s8sBQBQ")
"""Ids of trace and span, and both times."""

_FLAGS = struct.Struct("<BBI")  # the key of field 16 takes two bytes
_ATTRIBUTE, _STATE, _LINK, _STATUS = b"\x4a", b"\x1a", b"\x6a", b"\x7a"
_SAMPLED, _KNOWS_REMOTE, _IS_REMOTE = 0x01, 0x100, 0x200
_OF_OWN = _FLAGS.pack(0x85, 0x01, _SAMPLED | _KNOWS_REMOTE)
_OF_REMOTE = _FLAGS.pack(0x85, 0x01, _SAMPLED | _KNOWS_REMOTE | _IS_REMOTE)
_SERVER, _CLIENT = Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT
_SHORT = 60
"""Longest text whose attribute is written with lengths of one byte, with its name of at most 20 bytes."""


def field(key: bytes, payload: bytes) -> bytes:
    """Return a field whose payload has a length: a text, bytes or a message."""
    size = len(payload)
    if size < 0x80:
        return b"%b%c%b" % (key, size, payload)
    length = bytearray()
    while size >= 0x80:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    return b"%b%b%b" % (key, bytes(length), payload)


def pairs(found: Attributes) -> list[KeyValue]:
    """Return attributes as messages."""
    return [KeyValue(key=key, value=_value(value)) for key, value in found]


def resource(found: dict[str, str]) -> Resource:
    """Return the description of this process."""
    return Resource(attributes=pairs(tuple(found.items())))


def scope(version: str) -> InstrumentationScope:
    """Return the name and version of what makes the spans and metrics."""
    return InstrumentationScope(name=SCOPE, version=version)


# Decision 0211: Spans are encoded here, over the messages of OTLP.
class SpanEncoder:
    """Encoder of records."""

    def __init__(self, described: dict[str, str], version: str) -> None:
        """Create an encoder. `described` are the attributes of this process."""
        self._resource = ResourceSpans(resource=resource(described)).SerializeToString()
        self._scope = ScopeSpans(scope=scope(version)).SerializeToString()

    def request(self, spans: Iterable[bytes]) -> bytes:
        """Return the request by which spans are exported (ExportTraceServiceRequest)."""
        in_scope = self._scope + b"".join(field(b"\x12", span) for span in spans)
        return field(b"\x0a", self._resource + field(b"\x12", in_scope))

    def of_operation(self, operation: Operation, found: Attributes) -> bytes:
        """Return the prefix of the spans of such operations. `found` are their attributes."""
        status = Status(code=Status.STATUS_CODE_ERROR) if attributes.error_type(operation) else None
        name = attributes.name_of_operation(operation)
        return bytes(Span(name=name, kind=_SERVER, attributes=pairs(found), status=status).SerializeToString())

    def of_sending(self, sending: Sending, found: Attributes) -> bytes:
        """Return the prefix of the spans of such HTTP requests. `found` are the attributes of their metric."""
        more = attributes.of_sending_span(sending)
        status = Status(code=Status.STATUS_CODE_ERROR) if attributes.error_of_sending(sending) else None
        name = attributes.name_of_sending(sending)
        return bytes(
            Span(name=name, kind=_CLIENT, attributes=pairs((*found, *more)), status=status).SerializeToString()
        )

    def operation(self, operation: Operation, prefix: bytes) -> bytes:
        """Return the span of an operation."""
        parts = [_head(operation.trace, operation.span, operation), prefix, _OF_OWN]
        if operation.parent:
            parts[2:] = [_OF_REMOTE, _PARENT, bytes.fromhex(operation.parent)]
        if operation.id is not None:
            parts.append(_text(_REQUEST_ID, str(operation.id)))
        if operation.uri:
            parts.append(_text(_URI, operation.uri))
        if operation.peer is not None:
            parts.append(_text(_ADDRESS, operation.peer.address))
            if operation.peer.session:
                parts.append(_text(_SESSION, operation.peer.session))
        if operation.state:
            parts.append(field(_STATE, operation.state.encode()))
        if operation.message and attributes.error_type(operation):
            parts.append(field(_STATUS, field(b"\x12", _utf8(operation.message))))
        if operation.link:
            parts.append(_linked(operation))
        return b"".join(parts)

    def sending(self, sending: Sending, prefix: bytes) -> bytes:
        """Return the span of an HTTP request."""
        operation = sending.operation
        head = _head(operation.trace, sending.span, sending)
        parts = [head, prefix, _OF_OWN, _PARENT, bytes.fromhex(operation.span)]
        if operation.state:
            parts.append(field(_STATE, operation.state.encode()))
        return b"".join(parts)


def _value(value: str | int) -> AnyValue:
    return AnyValue(int_value=value) if isinstance(value, int) else AnyValue(string_value=value)


def _head(trace: str, span: str, record: Operation | Sending) -> bytes:
    ids = bytes.fromhex(trace), bytes.fromhex(span)
    return _HEAD.pack(_TRACE_ID, ids[0], _SPAN_ID, ids[1], _START, record.began, _END, record.ended)


def _text(key: bytes, value: str) -> bytes:
    """Return an attribute whose value is a text. `key` is its encoded name."""
    data = _utf8(value)
    size = len(data)
    if size <= _SHORT:  # the fast path: nested lengths of one byte
        return b"\x4a%c%b\x12%c\x0a%c%b" % (len(key) + size + 4, key, size + 2, size, data)
    return field(_ATTRIBUTE, key + field(b"\x12", field(b"\x0a", data)))


def _utf8(text: str) -> bytes:
    return text[:LONGEST].encode("utf-8", "replace")


def _linked(operation: Operation) -> bytes:
    """Return the link to the trace of the HTTP request, or nothing if that cannot be read or is the parent."""
    from ..http.tracecontext import parse  # loaded by `operations`

    found = parse(operation.link)
    if found is None or found[:2] == (operation.trace, operation.parent):
        return b""
    link = Span.Link(trace_id=bytes.fromhex(found[0]), span_id=bytes.fromhex(found[1]))
    return field(_LINK, link.SerializeToString())


_REQUEST_ID = field(b"\x0a", b"jsonrpc.request.id")
_URI = field(b"\x0a", b"mcp.resource.uri")
_ADDRESS = field(b"\x0a", b"client.address")
_SESSION = field(b"\x0a", b"mcp.session.id")
