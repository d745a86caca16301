# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode spans as messages of OTLP (opentelemetry-proto 1, `trace.proto`).

Theory of operation: two concatenated messages of Protocol Buffers are one message with the fields of both. So name,
kind, attributes and status of a span are encoded once by the library, as a prefix that the caller caches. Ids, times
and the few texts that differ are added to the prefix. This takes a twentieth of the time that the OpenTelemetry SDK
takes for a span.
"""

from __future__ import annotations

import struct
from binascii import unhexlify
from typing import TYPE_CHECKING

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from ..http.tracecontext import parse
from . import attributes
from .operations import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .metrics import Attributes
    from .operations import Sending

SCOPE = "mcpgen"
LONGEST = 256
"""Maximum length in characters of a client's text in a span."""

# Keys of encoded fields: field number and type (Protocol Buffers, "Encoding"). Fields for ids have no constants, since
# methods write these fields in hexadecimal. Key and length before the id: 0a10 (trace), 1208 (span), 2208 (its parent).
_START, _END = 0x39, 0x41
_TIMES = struct.Struct("<BQBQ")
_FLAGS = struct.Struct("<BBI")  # the key has two bytes, as Protocol Buffers demands from field number 16 on
_SPAN, _ATTRIBUTE, _STATE, _LINK, _STATUS = b"\x12", b"\x4a", b"\x1a", b"\x6a", b"\x7a"
_SAMPLED, _KNOWS_REMOTE, _IS_REMOTE = 0x01, 0x100, 0x200
_OF_OWN = _FLAGS.pack(0x85, 0x01, _SAMPLED | _KNOWS_REMOTE)
_OF_REMOTE = _FLAGS.pack(0x85, 0x01, _SAMPLED | _KNOWS_REMOTE | _IS_REMOTE)
_SERVER, _CLIENT = Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT
_SHORT = 64
"""Length from which an attribute's text is encoded without the prepared prefixes for short texts."""


def beginning(key: bytes, size: int) -> bytes:
    """Return the bytes before a Protocol Buffers payload of `size` bytes: the field's key and the encoded length."""
    length = bytearray(key)
    while size >= 0x80:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    return bytes(length)


def field(key: bytes, payload: bytes) -> bytes:
    """Return an encoded field with a length-delimited payload: a text, bytes or a message."""
    return beginning(key, len(payload)) + payload


def pairs(found: Attributes) -> list[KeyValue]:
    """Return attributes as OTLP messages."""
    return [KeyValue(key=key, value=_value(value)) for key, value in found]


def resource(found: dict[str, str]) -> Resource:
    """Return the description of this process, as an OTLP message."""
    return Resource(attributes=pairs(tuple(found.items())))


def scope(version: str) -> InstrumentationScope:
    """Return the name and version of the instrumentation that creates the spans and metrics."""
    return InstrumentationScope(name=SCOPE, version=version)


# For the spans and measurements of a call, OpenTelemetry's SDK takes 0.1 ms, and this code 0.008 ms
# (docs/decisions/speed.md).
class SpanEncoder:
    """Encoder that turns records of clients' MCP requests, and of HTTP requests to the API, into spans."""

    def __init__(self, described: dict[str, str], version: str) -> None:
        """Create an encoder. `described`: OpenTelemetry resource attributes of this process."""
        self._resource = ResourceSpans(resource=resource(described)).SerializeToString()
        self._scope = ScopeSpans(scope=scope(version)).SerializeToString()
        self._beginnings = _Beginnings()

    def request(self, spans: Iterable[bytes]) -> bytes:
        """Return the request that exports spans (ExportTraceServiceRequest)."""
        heads = self._beginnings
        found = [part for span in spans for part in (heads[len(span)], span)]
        # The sizes are computed first, so that the spans are copied only once.
        in_scope = sum(map(len, found), len(self._scope))
        scoped = beginning(b"\x12", in_scope)
        in_resource = len(self._resource) + len(scoped) + in_scope
        return b"".join([beginning(b"\x0a", in_resource), self._resource, scoped, self._scope, *found])

    def of_operation(self, operation: Operation, found: Attributes) -> bytes:
        """Return the first bytes of the encoded spans: all MCP requests with the attributes `found` share them."""
        status = Status(code=Status.STATUS_CODE_ERROR) if attributes.error_type(operation) else None
        name = attributes.name_of_operation(operation)
        span = Span(name=name, kind=_SERVER, attributes=pairs(found), status=status)
        return bytes(span.SerializeToString()) + _OF_OWN

    def of_sending(self, sending: Sending, found: Attributes) -> bytes:
        """Return the encoded fields that the spans of all HTTP requests with the same attributes share.

        `sending`: one of these requests. `found`: those of its attributes that are also used for the metrics.
        """
        more = attributes.of_sending_span(sending)
        status = Status(code=Status.STATUS_CODE_ERROR) if attributes.error_of_sending(sending) else None
        name = attributes.name_of_sending(sending)
        span = Span(name=name, kind=_CLIENT, attributes=pairs((*found, *more)), status=status)
        return bytes(span.SerializeToString()) + _OF_OWN

    def operation(self, operation: Operation, prefix: bytes) -> bytes:
        """Return the encoded span of an MCP request. `prefix`: the fields that many spans share (`of_operation`)."""
        ids = unhexlify(f"0a10{operation.trace}1208{operation.span}")
        times = _TIMES.pack(_START, operation.began, _END, operation.ended)
        number = b"" if operation.id is None else _REQUEST_ID.written(str(operation.id))
        span = b"".join((ids, times, prefix, number))
        if operation.parent:  # the flags field occurs twice now; decoders use the second one
            span += unhexlify(f"2208{operation.parent}") + _OF_REMOTE
        if operation.uri:
            span += _URI.written(operation.uri)
        if operation.task is not None:
            span += _TASK.written(operation.task.digest) if operation.task.digest else b""
            span += _TASK_STATUS.written(operation.task.status) if operation.task.status else b""
        if operation.peer is not None:
            span += _ADDRESS.written(operation.peer.address)
            if operation.peer.session:
                span += _SESSION.written(operation.peer.session)
        if operation.state:
            span += field(_STATE, operation.state.encode())
        if operation.message and attributes.error_type(operation):
            span += field(_STATUS, field(b"\x12", _utf8(operation.message)))
        return span + _linked(operation) if operation.link else span

    def sending(self, sending: Sending, prefix: bytes) -> bytes:
        """Return the encoded span of an HTTP request. `prefix`: the fields that many spans share (`of_sending`)."""
        operation = sending.operation
        ids = unhexlify(f"0a10{operation.trace}1208{sending.span}2208{operation.span}")
        span = b"".join((ids, _TIMES.pack(_START, sending.began, _END, sending.ended), prefix))
        return span + field(_STATE, operation.state.encode()) if operation.state else span


class _Beginnings(dict[int, bytes]):
    """Bytes before a span in an export request, by the size of the span.

    They are cached, since spans have few different sizes.
    """

    def __missing__(self, size: int) -> bytes:
        self[size] = beginning(_SPAN, size)
        return self[size]


class _Text:
    """Encoder of one span attribute whose value is a text, such as the URI of a resource."""

    def __init__(self, name: str) -> None:
        """Create an encoder for the attribute `name`. The bytes before the attribute's value (tags and lengths) are
        encoded in advance, for each length of the value below _SHORT.
        """
        self._name = field(b"\x0a", name.encode())
        self._heads = [self._around(b"\0" * size).rstrip(b"\0") for size in range(1, _SHORT)]
        self._heads.insert(0, self._around(b""))

    def written(self, value: str) -> bytes:
        """Return the span attribute with the text `value`, encoded as a field of an OTLP span."""
        try:
            data = value.encode()
            return self._heads[len(data)] + data
        except (IndexError, UnicodeEncodeError):  # the text is long or has a lone surrogate
            return self._around(_utf8(value))

    def _around(self, data: bytes) -> bytes:
        return field(_ATTRIBUTE, self._name + field(b"\x12", field(b"\x0a", data)))


def _value(value: str | int) -> AnyValue:
    return AnyValue(int_value=value) if isinstance(value, int) else AnyValue(string_value=value)


def _utf8(text: str) -> bytes:
    return text[:LONGEST].encode("utf-8", "replace")


def _linked(operation: Operation) -> bytes:
    """Return an encoded link to the trace of the HTTP request; b"" if there is no valid trace context, or if it names
    the span's own parent.
    """
    found = parse(operation.link)
    if found is None or found[:2] == (operation.trace, operation.parent):
        return b""
    link = Span.Link(trace_id=bytes.fromhex(found[0]), span_id=bytes.fromhex(found[1]))
    return field(_LINK, link.SerializeToString())


_REQUEST_ID = _Text("jsonrpc.request.id")
_URI = _Text("mcp.resource.uri")
_TASK = _Text("mcpgen.task.digest")
_TASK_STATUS = _Text("mcpgen.task.status")
_ADDRESS = _Text("client.address")
_SESSION = _Text("mcp.session.id")
