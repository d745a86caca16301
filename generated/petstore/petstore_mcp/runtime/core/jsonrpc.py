# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""JSON-RPC 2.0 messages, and the strict JSON that they are made of, without the cost of `import json`.

The package `json` compiles regular expressions at import, which takes half as long as the start of Python itself. Only
its C core (`_json`) is used here. The core is private to CPython and may change: if it is missing or its constructors
changed, the package is used. A text that the core rejects is parsed again by the package, whose verdict counts.

Stricter than the package: no NaN or Infinity, no number outside the range of a double, no nesting beyond `MAX_DEPTH`.
Objects with duplicate keys are reported, because readers disagree on which value counts. Checking all this costs more
than parsing. Fast path: parse once. Then counts of colons and brackets rule out duplicate keys and deep nesting, and
sampled characters rule out long integers, in nearly every text. Otherwise parse again with full checks. Written text is
compact ASCII on one line.

A line is a request, notification, response, batch or malformed message. A rule of MCP is applied too: an id is a string
or an integer, never null. An integer may be written as 1.0, since some clients have only floats. Null params, and null
members of them that are optional, count as absent. Names are case-sensitive: `"Method"` is not `"method"`. An envelope
with a duplicate key is refused, because two readers may disagree on which value counts.
"""

from __future__ import annotations

from .stdio import Oversize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .stdio import Line

    Repeated = tuple[dict[str, object], set[str]]
    Pairs = list[tuple[str, object]]
    FromPairs = Callable[[Pairs], dict[str, object]]

    Id: TypeAlias = "str | int"
    Members: TypeAlias = "dict[str, object]"
    Message: TypeAlias = "Request | Notification | Response | Malformed | Batch"

#: Deepest nesting: far below what would overflow any stack here or in the validator (whose own limit is 255).
MAX_DEPTH = 128
# Values are counted before parsing, so that memory is limited before any is allocated.
#: Largest number of values in a message. A value may take a microsecond in each phase of a call, and 100 to 200 bytes.
MAX_VALUES = 131_072
#: Longest integer in digits. Most readers keep numbers as doubles and would read a longer one as infinity.
MAX_DIGITS = 308

_SPACE = " \t\r\n"
_INFINITY = float("inf")
_LEAST = -_INFINITY
_TOO_DEEP = f"The message is nested deeper than {MAX_DEPTH} levels."
_TOO_LARGE = "The message holds a number that is too large."

#: Distance, in characters, between samples in the search for long numbers. A prime number, so that samples of a regular
#: array fall on different places of its items.
_STRIDE = 19
#: From this length in characters, `jsonschema_rs` writes a text as a JSON string faster than `_json` does.
_LONG = 4096
_DIGITS = bytes(0x30 if 0x30 <= code <= 0x39 else 0x20 for code in range(256))
_UNSTRUCTURED = bytes(code for code in range(256) if code not in b'{}[]:"')
#: How many bytes of a long text are examined at once.
_PIECE = 256 * 1024
_UNSEPARATED = bytes(code for code in range(256) if code not in b',{["')
_UNSURE = object()


class NotJSON(ValueError):
    """Raised for text that is not JSON by the rules of this module. The message is a sentence for the client."""


# Parsing without checks and then counting colons and brackets takes less time than parsing with all checks
# (docs/decisions/speed.md).
def loads(text: str, parse_float: Callable[[str], object] | None = None) -> tuple[object, list[Repeated]]:
    """Parse `text`. Return the value, and a list with a pair for each object that has duplicate keys: the object and
    these keys.

    Of duplicate keys, the last value counts. `parse_float` converts numbers with a point or an exponent, and integers
    of more than MAX_DIGITS digits. Raise NotJSON if the text breaks a rule in the docstring of this module.
    """
    text = text.strip(_SPACE)
    if parse_float is None and (value := _counted(text)) is not _UNSURE:
        return value, []
    return _judged(text, parse_float)


def dumps(value: object) -> bytes:
    """Return `value` as compact ASCII JSON. Raise ValueError or TypeError for what JSON cannot hold.

    A lone surrogate, which makes some readers hang, becomes U+FFFD.
    """
    if type(value) is str and value.isascii():  # fast path: most written values are one string, not an object or a list
        return (_quote(value) if len(value) < _LONG else _quote_long(value)).encode("ascii")
    text = _encode(value)
    if "\\ud" in text and not _is_well_formed(text):
        text = _encode(_repaired(value))
    return text.encode("ascii")


def in_ascii(line: str) -> str:
    """Return the JSON text `line` with every non-ASCII character escaped, and otherwise unchanged.

    `line` must have no line ends or tabs between its tokens, and no lone surrogates.
    """
    if line.isascii():
        return line
    # Quote the text as if it were a string, which escapes non-ASCII characters, but also quotes and backslashes. Then
    # undo the escapes of quotes and backslashes.
    return _quote(line)[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def echo(value: object) -> bytes:
    """Return `value` as `dumps` does, but keep lone surrogates, so that clients recognise their own ids and tokens."""
    if type(value) is int:  # fast path: most ids are integers
        return b"%d" % value
    return _encode(value).encode("ascii")


def is_crowded(line: bytes) -> bool:
    """Return True if a JSON text holds more than MAX_VALUES values. The text is not parsed.

    Commas and opening brackets outside strings are counted, since a value follows each. An empty list or object counts
    as two values.
    """
    if len(line) <= MAX_VALUES or sum(map(line.count, (b",", b"{", b"["))) < MAX_VALUES:
        return False
    found, inside, start = 0, 0, 0
    while start < len(line) and found < MAX_VALUES:  # examine one piece after the other, to stop early
        end = start + _PIECE
        while line[end - 1 : end] == b"\\":
            end += 1  # never end a piece inside an escape
        marks = _marks(line[start:end], _UNSEPARATED).split(b'"')
        found += sum(map(len, marks[inside::2]))
        inside = (inside + len(marks) - 1) % 2
        start = end
    return found >= MAX_VALUES


class _Rules:
    """Base class of options for the C scanner, which reads them as attributes named as in `json.JSONDecoder`."""

    strict = True
    object_hook: Any = None
    object_pairs_hook: Any = None
    array_hook: Any = None
    parse_float: Callable[[str], object]
    parse_int: Callable[[str], object]
    scanner: Any = None

    @staticmethod
    def parse_constant(name: str) -> object:
        raise NotJSON(f"{name} is not a JSON number.")


class _Counting(_Rules):
    """Options for the fast parse, which counts the members of objects.

    During this parse, Python functions are called only for objects and for numbers with a fraction or exponent.
    """

    def __init__(self) -> None:
        self.members = 0
        self.parse_float = _double
        self.parse_int = int

    def object_hook(self, found: dict[str, object]) -> dict[str, object]:
        self.members += len(found)
        return found


class _Looking(_Rules):
    """Options for the full parse, which reports duplicate keys and large integers."""

    def __init__(
        self, members: FromPairs, parse_float: Callable[[str], object], parse_large: Callable[[str], object]
    ) -> None:
        self.object_pairs_hook = members
        self.parse_float = parse_float
        self._parse_large = parse_large
        self.parse_int = self._whole

    def _whole(self, digits: str) -> object:
        return int(digits) if len(digits) <= MAX_DIGITS else self._parse_large(digits)


def _double(digits: str) -> float:
    if _LEAST < (number := float(digits)) < _INFINITY:
        return number
    raise NotJSON(_TOO_LARGE)


def _too_large(digits: str) -> object:
    raise NotJSON(_TOO_LARGE)


#: Pool of options that no thread is using, each with the scanner made from it. To make a new scanner would take half
#: as long as parsing a message.
_idle: list[_Counting] = []


def _counted(text: str) -> object:
    """Return the parsed value if counts prove that the text has no duplicate keys, long numbers or deep nesting.

    Otherwise return _UNSURE.
    """
    if len(text) > MAX_DIGITS and _may_hold_long_number(text):
        return _UNSURE
    try:
        rules = _idle.pop() if _idle else _Counting()
        rules.members = 0
        value = _scan(text, rules)
    except Exception:
        return _UNSURE
    members = rules.members
    _idle.append(rules)
    # A colon inside a string, or a duplicate key, makes the number of colons larger than the number of members. So
    # equal numbers prove that no key is duplicated. If the numbers differ, only the colons outside strings are counted.
    if text.count("[") + text.count("{") <= MAX_DEPTH and text.count(":") == members:
        return value
    structure = _outside_strings(text.encode(errors="replace"), _UNSTRUCTURED)
    return value if structure.count(b":") == members and _is_shallow(structure) else _UNSURE


def _may_hold_long_number(text: str) -> bool:
    """Return True if the text may hold a number of MAX_DIGITS digits or more.

    Every _STRIDE-th character of the text is sampled. A long number appears in the samples as a run of digits.
    """
    seen = text[::_STRIDE].encode("ascii", "replace").translate(_DIGITS)
    return b"0" * (MAX_DIGITS // _STRIDE) in seen


def _outside_strings(content: bytes, left_out: bytes) -> bytes:
    """Return the parts of a JSON text outside strings, without the characters in `left_out`.

    `left_out` must not include the quotation mark.
    """
    # If the text is split at quotation marks, every second part lies inside a string.
    return b"".join(_marks(content, left_out).replace(b'""', b"").split(b'"')[::2])


def _marks(content: bytes, left_out: bytes) -> bytes:
    """Return a JSON text without the bytes in `left_out` and without escaped quotation marks. So each remaining
    quotation mark begins or ends a string.
    """
    # Fast, since two spaces are as long as `\"`: no other bytes move.
    plain = content.replace(b'\\"', b"  ") if b"\\" in content else content
    if b"\\" in plain:
        # A quotation mark after an escaped backslash is not escaped. So remove escaped backslashes first.
        plain = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    return plain.translate(None, left_out)


def _is_shallow(structure: bytes) -> bool:
    """Return True if nesting is proved to stay within MAX_DEPTH. `structure`: brackets and colons of a JSON text.

    Empty brackets are removed in a few rounds of at most two levels each. Each remaining level needs a pair of
    brackets, so the number of remaining brackets bounds the depth.
    """
    brackets = structure.translate(None, b":")
    for levels in range(0, 16, 2):
        if len(brackets) // 2 + levels <= MAX_DEPTH:
            return True
        brackets = brackets.replace(b"{}", b"").replace(b"[]", b"")
    return False


def _judged(text: str, parse_float: Callable[[str], object] | None) -> tuple[object, list[Repeated]]:
    """Parse `text` with full checks. Arguments, result and errors are those of `loads`."""
    repeated: list[Repeated] = []

    def members(pairs: Pairs) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            once: set[str] = set()
            twice: set[str] = set()
            for name, _ in pairs:
                (twice if name in once else once).add(name)
            repeated.append((found, twice))
        return found

    rules = _Looking(members, parse_float or _double, parse_float or _too_large)
    try:
        value = _scan(text, rules)
    except NotJSON:
        raise
    except Exception:
        repeated.clear()
        value = _verdict(text, rules)
    if text.count("[") + text.count("{") > MAX_DEPTH and is_deeper(value, MAX_DEPTH):
        raise NotJSON(_TOO_DEEP)
    return value, repeated


def _scan(text: str, rules: _Rules) -> object:
    """Parse `text` with the C core of the package `json`.

    NotJSON is final: the text is invalid. After any other exception, `_verdict` must parse the text again.
    """
    if rules.scanner is None:
        from _json import make_scanner

        rules.scanner = make_scanner(rules)  # type: ignore[arg-type]
    value, end = rules.scanner(text, 0)
    if end < len(text):
        raise ValueError
    return value


def _verdict(text: str, rules: _Rules) -> object:
    """Parse `text` with the package `json`. Raise NotJSON if it is not JSON, with the position of the fault."""
    import json

    try:
        return json.loads(
            text,
            object_pairs_hook=rules.object_pairs_hook,
            parse_constant=rules.parse_constant,
            parse_int=rules.parse_int,
            parse_float=rules.parse_float,
        )
    except json.JSONDecodeError as fault:
        raise NotJSON(f"The message is not JSON (character {fault.pos + 1}).") from None
    except RecursionError:
        raise NotJSON(_TOO_DEEP) from None


def is_deeper(value: object, most: int) -> bool:
    """Return True if `value` nests deeper than `most` levels. Examine it level by level, without recursion."""
    level: list[Any] = [value] if isinstance(value, (dict, list)) else []
    for _ in range(most):
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _is_well_formed(text: str) -> bool:
    """Return True if `text`, the output of `_encode`, holds no lone surrogate."""
    try:
        text.encode().decode("unicode_escape").encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return False
    return True


def _repaired(value: object) -> object:
    """Return the value with lone surrogates replaced by U+FFFD.

    Surrogate pairs become the character that they encode.
    """
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_repaired(key): _repaired(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_repaired(member) for member in value]
    return value


def _foreign(value: object) -> object:
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _writers() -> tuple[Callable[[object], str], Callable[[str], str]]:
    """Return two functions: the first writes any value as JSON, the second a string."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        chunks = make_encoder(None, _foreign, encode_basestring_ascii, None, ":", ",", False, False, False)
    except (ImportError, TypeError):
        from json import JSONEncoder

        encode = JSONEncoder(allow_nan=False, separators=(",", ":")).encode
        return encode, encode
    return lambda value: "".join(chunks(value, 0)), encode_basestring_ascii


def _quote_long(text: str) -> str:
    """Return a long text as an ASCII JSON string, in half the time of `_quote`."""
    from jsonschema_rs import canonical  # imported late: only long texts need it

    written: str = canonical.json.to_string(text)
    return written.replace("\x7f", "\\u007f") if "\x7f" in written else written  # a short text has this escape too


_encode, _quote = _writers()

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
