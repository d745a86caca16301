# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""JSON-RPC 2.0: parse a line into a request, notification, response, batch or malformed message; write lines.

A rule of MCP is applied too: an id is a string or an integer, never null. An integer may be written as 1.0, since some
clients have only floats. Null params, and null members of them that are optional, count as absent. Names are
case-sensitive: `"Method"` is not `"method"`. An envelope with a duplicate key is refused, because two readers may
disagree on which value counts.
"""

from __future__ import annotations

from .framing import Oversize
from .jsontext import MAX_VALUES, NotJSON, dumps, echo, is_crowded, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .framing import Line
    from .jsontext import Repeated

    Id: TypeAlias = "str | int"
    Members: TypeAlias = "dict[str, object]"
    Message: TypeAlias = "Request | Notification | Response | Malformed | Batch"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
RESOURCE_NOT_FOUND = -32002
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

#: Longest id in characters. Clients number their requests or use UUIDs; each message about a request repeats its id.
MAX_ID = 1024
#: Below this, a float stands for exactly one integer (JSON Schema 2020-12, 6.1.1: 1.0 is an integer).
_EXACT = 2**53
#: Largest batch, in messages. The answers to a batch are held in memory until all of them are ready.
MAX_BATCH = 100
#: Longest line that is written, in bytes. The TypeScript SDK closes the connection above 10 MiB.
MAX_LINE = 10_000_000


_SCALAR = rb'(-?[0-9]{1,20}|"(?:[^"\\\x00-\x1f]|\\.){0,1024}")'
_ENVELOPE = rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,64}"\s*,\s*)*'
"""Pattern for the beginning of a message up to its id: optional `jsonrpc` and `method` members with plain values."""


class Request:
    """A request, which gets exactly one answer with its id.

    `meta`: the unchecked `_meta` of its params, {} if absent.
    """

    __slots__ = ("id", "meta", "method", "params")

    def __init__(self, id: Id, method: str, params: Members) -> None:  # noqa: A002
        self.id = id
        self.method = method
        self.params = params
        meta = params.get("_meta")
        self.meta = {} if meta is None else meta


class Notification:
    """A notification, which never gets an answer. Params that are not an object are treated as empty."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: Members) -> None:
        self.method = method
        self.params = params


class Response:
    """The client's response to a request of the server. It gets no answer.

    `result` is None for an error or an unreadable result.
    """

    __slots__ = ("id", "result")

    def __init__(self, id: Id | None, result: object) -> None:  # noqa: A002
        self.id = id
        self.result = result


class Malformed:
    """An invalid message: code and sentence of the error that answers it. `id` is None if the id could not be read."""

    __slots__ = ("code", "id", "sentence")

    def __init__(self, id: Id | None, code: int, sentence: str) -> None:  # noqa: A002
        self.id = id
        self.code = code
        self.sentence = sentence


class Batch:
    """Several messages in one line. Whether the revision allows batches is decided in `protocol`."""

    __slots__ = ("messages",)

    def __init__(self, messages: list[Request | Notification | Response | Malformed]) -> None:
        self.messages = messages


class Fault(Exception):
    """Raised to answer a request with an error.

    The sentence is mcpgen's own, never a library message or a traceback.
    """

    def __init__(self, code: int, sentence: str, data: object = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.data = data


def parse(line: Line) -> Message:
    """Parse a line. Never raises: an unreadable line becomes Malformed."""
    if isinstance(line, Oversize):
        return Malformed(None, INVALID_REQUEST, f"The message is too large: {line.length} bytes.")
    if is_crowded(line):
        sentence = f"The message holds too many values: no more than {MAX_VALUES} are read. Send less at a time."
        return Malformed(_id_at_an_end(line), INVALID_REQUEST, sentence)
    try:
        value, repeated = loads(line.decode())
    except UnicodeDecodeError as fault:
        return Malformed(None, PARSE_ERROR, f"The message is not UTF-8 (byte {fault.start + 1}).")
    except NotJSON as fault:
        return Malformed(None, PARSE_ERROR, str(fault))
    except MemoryError:
        return Malformed(None, INVALID_REQUEST, "The message is too large.")
    if isinstance(value, list):
        return Batch([_message(item, repeated) for item in value]) if len(value) <= MAX_BATCH else _refused(value)
    return _message(value, repeated)


def _id_at_an_end(line: bytes) -> Id | None:
    """Return the id of a message that is too large to parse, if the id is near its beginning or end; else None."""
    import re  # imported here, since such large messages are rare

    first = re.match(_ENVELOPE + rb'"id"\s*:\s*' + _SCALAR + rb"\s*,", line)
    last = re.search(rb',\s*"id"\s*:\s*' + _SCALAR + rb"\s*\}\s*$", line[-2 * MAX_ID :])
    found = first or last
    try:
        known = loads(found[found.lastindex or 1].decode())[0] if found else None
    except ValueError:
        return None
    return id_of(known)


def _refused(messages: list[object]) -> Batch | Malformed:
    """Return errors for a batch with too many messages: one for each request with a valid id. If there is no such
    request, return a single error. No message is served.
    """
    sentence = f"A batch holds at most {MAX_BATCH} messages."
    requests = (item for item in messages if isinstance(item, dict) and "method" in item)
    ids = [known for item in requests if (known := id_of(item.get("id"))) is not None]
    refused = Malformed(None, INVALID_REQUEST, sentence)
    return Batch([Malformed(id, INVALID_REQUEST, sentence) for id in ids]) if ids else refused  # noqa: A001


def _message(value: object, repeated: list[Repeated]) -> Request | Notification | Response | Malformed:
    if not isinstance(value, dict):
        return Malformed(None, INVALID_REQUEST, "A message is a JSON object.")
    if "method" not in value and ("result" in value or "error" in value):
        return _response(value, repeated)
    params, known = value.get("params"), id_of(value.get("id"))
    if params is None:
        params = {}
    if repeated and (twice := _named_twice(value, params, repeated)):
        return Malformed(None if "id" in twice else known, INVALID_REQUEST, "The message names a key twice.")
    if value.get("jsonrpc") != "2.0":
        return Malformed(known, INVALID_REQUEST, 'The message has no "jsonrpc": "2.0".')
    method = value.get("method")
    if not isinstance(method, str):
        return Malformed(known, INVALID_REQUEST, 'The message has no "method" that is a string.')
    if "id" not in value:
        return Notification(method, params if isinstance(params, dict) else {})
    if known is None:
        return Malformed(None, INVALID_REQUEST, f"The id is no integer and no string of up to {MAX_ID} characters.")
    if not isinstance(params, dict):
        return Malformed(known, INVALID_PARAMS, "params must be an object.")
    return Request(known, method, params)


def _response(value: Members, repeated: list[Repeated]) -> Response:
    known, result = id_of(value.get("id")), value.get("result")
    if "error" in value or value.get("jsonrpc") != "2.0" or _named_twice(value, result, repeated):
        result = None
    return Response(known, result)


def id_of(value: object) -> Id | None:
    """Return `value` as an id or progress token, or None if it is none: 0, -1, "" and 1.0 are; true and 1.5 are not."""
    if type(value) is int or (type(value) is str and len(value) <= MAX_ID):
        return value
    return int(value) if type(value) is float and value.is_integer() and abs(value) < _EXACT else None


def _named_twice(message: Members, params: object, repeated: list[Repeated]) -> set[str]:
    """Return the duplicate keys of an envelope: those of the message, of its params and of their `_meta`.

    Duplicate keys in arguments are allowed; the last value counts.
    """
    meta = params.get("_meta") if isinstance(params, dict) else None
    return {key for part, keys in repeated if part is message or part is params or part is meta for key in keys}


def answer(id: Id, *result: bytes) -> bytes:  # noqa: A002
    """Return the line that answers a request. `result` is JSON text in pieces; each piece is copied once."""
    return b"".join((b'{"jsonrpc":"2.0","id":', echo(id), b',"result":', *result, b"}\n"))


def long_answer(id: Id, before: bytes, pieces: list[bytes], behind: bytes) -> list[bytes]:  # noqa: A002
    """Return the line that answers a request, in several pieces, so that the long `pieces` are not copied.

    `before`, `pieces` and `behind`, joined in this order, are the JSON of the result.
    """
    line = [*pieces]
    line[0] = b'{"jsonrpc":"2.0","id":%b,"result":%b%b' % (echo(id), before, line[0])
    line[-1] += behind + b"}\n"
    return line


def error(id: Id | None, code: int, sentence: str, data: object = None, *, null_id: bool = False) -> bytes:  # noqa: A002
    """Return the line of an error response. If `id` is None, it has no id, or the id null (`null_id`).

    JSON-RPC 2.0, section 5, asks for null. MCP has no such id, and since 2025-11-25 such errors have none.
    """
    named = (b'"id":null,' if null_id else b"") if id is None else b'"id":%b,' % echo(id)
    more = b"" if data is None else b',"data":%b' % dumps(data)
    return b'{"jsonrpc":"2.0",%b"error":{"code":%d,"message":%b%b}}\n' % (named, code, dumps(sentence), more)


def error_code(id: Id | None, line: bytes) -> int | None:  # noqa: A002
    """Return the error code in a line that `error` wrote for this id, or None for any other line."""
    named = b"" if id is None else b'"id":%b,' % echo(id)
    beginning = b'{"jsonrpc":"2.0",%b"error":{"code":' % named
    return int(line[len(beginning) : line.index(b",", len(beginning))]) if line.startswith(beginning) else None


def request(id: Id, method: str, params: bytes) -> bytes:  # noqa: A002
    """Return the line of a request to the client. `params` is JSON text."""
    return b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}\n' % (echo(id), dumps(method), params)


def notification(method: str, params: bytes) -> bytes:
    """Return the line of a notification. `params` is JSON text."""
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}\n' % (dumps(method), params)
