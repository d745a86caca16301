# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""JSON-RPC 2.0: a line becomes a request, a notification, a response, a batch, or something malformed; and back.

Knows nothing of MCP but its narrower rules for ids: a string or an integer, never null (all revisions), so that a fault
whose id cannot be read has no id at all. Names are exact: `"Method"` is not `"method"`, and an envelope that names a
key twice is refused, since two readers may disagree on which of the two counts.
"""

from __future__ import annotations

from .framing import Oversize
from .jsontext import MAX_VALUES, NotJSON, dumps, echo, is_crowded, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias, TypeGuard

    from .framing import Line
    from .jsontext import Repeated

    Id: TypeAlias = "str | int"
    Members: TypeAlias = "dict[str, object]"
    Message: TypeAlias = "Request | Notification | Response | Malformed | Batch"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

#: Clients number their requests or use UUIDs; an id is echoed in every message about its request.
MAX_ID = 1024
#: The answers to a batch are held until the last one is there.
MAX_BATCH = 100
#: The longest line that is written. The TypeScript SDK closes the connection above 10 MiB.
MAX_LINE = 10_000_000


_SCALAR = rb'(-?[0-9]{1,20}|"(?:[^"\\\x00-\x1f]|\\.){0,1024}")'
_ENVELOPE = rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,64}"\s*,\s*)*'
"""A plain value, and the beginning of a message up to its id."""


class Request:
    """Wants exactly one answer with its id. `meta` is what its params say of the request itself: nobody has looked at
    it, and {} is where it says nothing.
    """

    __slots__ = ("id", "meta", "method", "params")

    def __init__(self, id: Id, method: str, params: Members) -> None:  # noqa: A002
        self.id = id
        self.method = method
        self.params = params
        self.meta = params.get("_meta", {})


class Notification:
    """Wants no answer, whatever it says. Params that are no object are read as none."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: Members) -> None:
        self.method = method
        self.params = params


class Response:
    """An answer to a request of ours: its id is one of ours, so no error could answer it. `result` is None where it is
    an error or cannot be read.
    """

    __slots__ = ("id", "result")

    def __init__(self, id: Id | None, result: object) -> None:  # noqa: A002
        self.id = id
        self.result = result


class Malformed:
    """What is wrong with a message, as the error that answers it; `id` is None where it could not be read."""

    __slots__ = ("code", "id", "sentence")

    def __init__(self, id: Id | None, code: int, sentence: str) -> None:  # noqa: A002
        self.id = id
        self.code = code
        self.sentence = sentence


class Batch:
    """Several messages in one line. Whether that is allowed is not known here."""

    __slots__ = ("messages",)

    def __init__(self, messages: list[Request | Notification | Response | Malformed]) -> None:
        self.messages = messages


class Fault(Exception):
    """A request is answered with this error. Its sentence is ours: no text of a library, no trace."""

    def __init__(self, code: int, sentence: str, data: object = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.data = data


def parse(line: Line) -> Message:
    """What a line says. Never raises; what cannot be read is Malformed."""
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
    """Return the id of a message that is not read, where it stands before or behind all that is large; else None."""
    import re  # few messages are so large

    first = re.match(_ENVELOPE + rb'"id"\s*:\s*' + _SCALAR + rb"\s*,", line)
    last = re.search(rb',\s*"id"\s*:\s*' + _SCALAR + rb"\s*\}\s*$", line[-2 * MAX_ID :])
    found = first or last
    try:
        known = loads(found[found.lastindex or 1].decode())[0] if found else None
    except ValueError:
        return None
    return known if is_id(known) else None


def _refused(messages: list[object]) -> Batch | Malformed:
    """A batch of too many: none of them is served, and each that wants an answer gets one."""
    sentence = f"A batch holds at most {MAX_BATCH} messages."
    requests = (item for item in messages if isinstance(item, dict) and "method" in item)
    ids = [known for item in requests if is_id(known := item.get("id"))]
    refused = Malformed(None, INVALID_REQUEST, sentence)
    return Batch([Malformed(id, INVALID_REQUEST, sentence) for id in ids]) if ids else refused  # noqa: A001


def _message(value: object, repeated: list[Repeated]) -> Request | Notification | Response | Malformed:
    if not isinstance(value, dict):
        return Malformed(None, INVALID_REQUEST, "A message is a JSON object.")
    if "method" not in value and ("result" in value or "error" in value):
        return _response(value, repeated)
    params = value.get("params", {})
    known = value.get("id")
    if not is_id(known):
        known = None
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
    known, result = value.get("id"), value.get("result")
    if "error" in value or value.get("jsonrpc") != "2.0" or _named_twice(value, result, repeated):
        result = None
    return Response(known if is_id(known) else None, result)


def is_id(value: object) -> TypeGuard[Id]:
    """Whether it can be an id or a progress token: 0, -1 and "" can; true, null and 1.0 cannot."""
    return type(value) is int or (type(value) is str and len(value) <= MAX_ID)


def _named_twice(message: Members, params: object, repeated: list[Repeated]) -> set[str]:
    """The keys that the envelope (the message, its params, their _meta) names twice. Arguments may: the last counts."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return {key for part, keys in repeated if part is message or part is params or part is meta for key in keys}


def answer(id: Id, *result: bytes) -> bytes:  # noqa: A002
    """The line that answers a request with a result, which is JSON text already; of its pieces, each is copied once."""
    return b"".join((b'{"jsonrpc":"2.0","id":', echo(id), b',"result":', *result, b"}\n"))


def long_answer(id: Id, before: bytes, pieces: list[bytes], behind: bytes) -> list[bytes]:  # noqa: A002
    """The same in pieces itself: none is copied but the first and the last."""
    line = [*pieces]
    line[0] = b'{"jsonrpc":"2.0","id":%b,"result":%b%b' % (echo(id), before, line[0])
    line[-1] += behind + b"}\n"
    return line


def error(id: Id | None, code: int, sentence: str, data: object = None) -> bytes:  # noqa: A002
    """The line that answers with an error; without an id where None."""
    named = b"" if id is None else b'"id":%b,' % echo(id)
    more = b"" if data is None else b',"data":%b' % dumps(data)
    return b'{"jsonrpc":"2.0",%b"error":{"code":%d,"message":%b%b}}\n' % (named, code, dumps(sentence), more)


def request(id: Id, method: str, params: bytes) -> bytes:  # noqa: A002
    """The line that asks the client, its params being JSON text already."""
    return b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}\n' % (echo(id), dumps(method), params)


def notification(method: str, params: bytes) -> bytes:
    """The line of a notification, its params being JSON text already."""
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}\n' % (dumps(method), params)
