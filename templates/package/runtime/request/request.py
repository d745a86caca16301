# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Build the HTTP request for a tool and its arguments, without input or output.

File contents and random bytes are passed in. These invariants hold whatever the arguments are:

- The path has exactly the segments of the template, and its literal segments are unchanged. A value fills one segment
  or a part of it. No segment is a dot segment, even after three rounds of percent-decoding.
- No value adds another parameter to the query, the cookies or a form: neither a declared one nor a credential nor one
  that the server's owner has hidden.
- The target is percent-encoded ASCII of limited length.

The finished request is compared with the tool's entry in `bindings.json`, so the encoders need not be trusted.

A tool's entry in `bindings.json` says which argument is the whole body, or which arguments are its members, in order.
It also gives each member's name in the body, style and media type. Without a style, a form member is written like a
query parameter, except that objects use brackets. A multipart member whose entry has no `part` is JSON if it is an
object, else text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, assert_never
from urllib.parse import unquote

from ..core.wire_formats import ABSENT
from ..text.folded_names import fold
from . import styles
from .argument_errors import Problem, Refused, Unsendable, gather, problems_of
from .parameters import (
    Cookies,
    Header,
    Member,
    PathPiece,
    QueryPairs,
    QueryString,
    Written,
    check_fields,
    field_pairs,
    json_bytes,
    value_of,
    write_each,
    xml_text,
)
from .styles import OTHERS, PairSpace, Place, percent, reserved, scalar

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from ..files.files import Files
    from ..tables.table import Body, Field
    from ..tables.table import Parameter as Bound
    from .parameters import Parameter

    Entropy = Callable[[int], bytes]

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "QUERY"})
"""Methods that change nothing (RFC 9110 section 9.2.1, and QUERY)."""

WITH_FILES = ("binary", "multipart", "multipart-items")
"""Encodings of bodies whose arguments may be files. To build another body, no reader of files is needed."""

_FIRST_LINE = re.compile(r"--([0-9A-Za-z'()+_,./:=?-]{1,70})\r?\n")
_FORM = Place(percent)
_UNENCODED = Place(str)
_FORM_RESERVED = Place(lambda text: reserved(text, "&=+#"), percent)


Content = tuple[str, bytes]
"""Content-Type and bytes of a body."""


def build_body(
    body: Body | None,
    arguments: dict[str, Any],
    files: Files | None,
    entropy: bytes,
    credentials: frozenset[str] = frozenset(),
) -> list[Content]:
    """Return a list of one item, the body with its media type, or [] if there is no body.

    Raise Refused if a value cannot be encoded. `files`: None unless the encoding is in WITH_FILES. `entropy` holds at
    least 16 random bytes, for a multipart boundary. `credentials`: names of credentials, folded by `folded_names.fold`.
    No argument may give a form field such a name.
    """
    whole = body.get("argument") if body else None
    if body is not None and "value" in body:
        whole, arguments = "", {**arguments, "": body["value"]}
    if body is None or (whole is not None and whole not in arguments):
        return []
    encoding, content_type = body["encoding"], body["contentType"]
    if "template" in body:
        return _filled_body(body, arguments, files, credentials)
    if whole is not None and encoding not in ("form", "multipart"):
        return gather(lambda value: [_whole(body, value, arguments, files)], [(whole, arguments[whole])])
    members = _bound(body, arguments) if whole is None else _inside(whole, body.get("fields", ()), arguments[whole])
    if members is None:
        return []
    if encoding == "form":
        return [(content_type, _form_body(members, body, credentials))]
    if encoding == "multipart":
        from ..files.multipart import named_parts  # imported late: few tools send multipart bodies

        return [named_parts(body, members, arguments, files, credentials, entropy)]
    content = {member.field["name"]: member.value for member in members}
    return gather(lambda value: [_whole(body, value, arguments, files)], [("", content)])


def _filled_body(
    body: Body, arguments: dict[str, Any], files: Files | None, credentials: frozenset[str]
) -> list[Content]:
    """Return a list of one item, the body that a template produces.

    Raise Refused if the body is a single argument that the call omits, because an empty body may delete what is there.
    """
    from ..templates import templates  # imported here: only handwritten tools have templates

    encoding, name = body["encoding"], templates.argument_of(body["template"])
    escape = templates.in_xml if encoding == "xml" else str
    [value] = gather(lambda node: [templates.filled(node, arguments, escape, always=True)], [(name, body["template"])])
    if value is ABSENT:
        raise Refused(Problem(name, "is required, because the body of the request is only this argument"))
    if encoding == "form":
        return [(body["contentType"], _form_body(_inside(name, (), value), body, credentials))]
    plain = {**body, "encoding": "text"} if encoding == "xml" else body
    return gather(lambda value: [_whole(plain, value, arguments, files)], [(name, value)])


def _bound(body: Body, arguments: dict[str, Any]) -> list[Member] | None:
    """Return the body members that come from separate arguments, in the order of `bindings.json`; None if the body is
    omitted.

    Raise Refused if a member is missing or not allowed.
    """
    members = []
    for field in body["fields"]:
        value = value_of(field, arguments)
        if value is not ABSENT:
            members.append(Member(field.get("argument", ""), field, value))
    rest = body.get("rest", "")
    others = [Member(f"{rest}.{name}", {"name": name}, value) for name, value in (arguments.get(rest) or {}).items()]
    if not body.get("required") and not others and all("value" in member.field for member in members):
        return None
    problems = _misplaced(others, body) if others else []
    present = {member.field["name"] for member in members + others}
    missing = [name for name in body.get("needs", ()) if name not in present]
    problems += [
        Problem(_owners(body).get(name, f"{rest}.{name}"), "is required where any part of the body is given")
        for name in missing
    ]
    if problems:
        raise Refused(*problems)
    return members + others


def _owners(body: Body) -> dict[str, str]:
    """Return a mapping from the name of each body member in `bindings.json` to the name of its argument."""
    return {field["name"]: field.get("argument", "a constant") for field in body["fields"]}


def _misplaced(others: list[Member], body: Body) -> list[Problem]:
    """Return a problem for each undeclared member of a call whose name the call must not use.

    Such a name belongs to a declared member, or the server's owner has set it to a constant or hidden it.
    """
    own = _owners(body)
    fixed = [field["name"] for field in body["fields"] if "value" in field]
    held = styles.folded([*fixed, *body.get("withheld", ())])
    named = [(each.argument, each.field["name"]) for each in others]
    problems = [Problem(argument, f"belongs to {own[name]}") for argument, name in named if name in own]
    strange = [argument for argument, name in named if name not in own and held & styles.readings(name)]
    return problems + [Problem(argument, "is not for a call to give") for argument in strange]


def _inside(whole: str, fields: Iterable[Field], value: Any) -> list[Member]:
    """Return the members of an argument that is the whole body.

    Members listed in `fields` come first, in that order.
    """
    if not isinstance(value, dict):
        raise Refused(Problem(whole, "expected an object"))
    described = {field["name"]: field for field in fields}
    names = [*(name for name in described if name in value), *(name for name in value if name not in described)]
    return [Member(f"{whole}.{name}", described.get(name, {"name": name}), value[name]) for name in names]


def _whole(body: Body, value: Any, arguments: dict[str, Any], files: Files | None) -> Content:
    encoding, content_type = body["encoding"], body["contentType"]
    match encoding:
        case "json":
            return content_type, json_bytes(value)
        case "jsonl":
            first = b"\x1e" if "json-seq" in content_type else b""  # RFC 7464: each text begins with a record separator
            return content_type, b"".join(first + json_bytes(item) + b"\n" for item in value)
        case "text":
            return _text(content_type, scalar(value))
        case "xml":
            return _text(content_type, xml_text(body["xml"], value))
        case "multipart-items":
            from ..files.multipart import positional_parts  # imported late: few tools send multipart bodies

            return positional_parts(body, value, arguments, files)
        case "binary" | "form" | "multipart":  # if one argument is the whole form, the client has encoded it
            from ..files.files import media_type  # imported late: few tools send files

            assert files is not None
            content, name, own = files.content(value)
            return media_type(content_type, content, name, own), content
        case _:
            assert_never(encoding)


def _text(content_type: str, text: str) -> Content:
    """Return the media type to send, and the text encoded in its charset.

    Without a charset, the text is sent as UTF-8, and the media type says so for `text/*`.
    """
    if content_type.startswith("multipart/") and "boundary=" not in content_type:
        content_type = f"{content_type}; boundary={_boundary(text)}"
    _, _, charset = content_type.lower().partition("charset=")
    try:
        if charset:
            return content_type, text.encode(charset.split(";")[0].strip(' "'))
        content = text.encode()
    except (LookupError, ValueError):
        raise Unsendable(f"expected text that can be written as {charset or 'UTF-8'}") from None
    declares = content_type.startswith("text/") and not text.isascii()
    return content_type + ("; charset=utf-8" if declares else ""), content


def _boundary(text: str) -> str:
    """Return the boundary of a multipart body that a call's argument brings already encoded (RFC 2046, 5.1.1)."""
    found = _FIRST_LINE.match(text)
    if found is None:
        raise Unsendable("expected a multipart body that begins with -- and its boundary")
    return found[1]


def _form_body(members: list[Member], body: Body, credentials: frozenset[str]) -> bytes:
    written = write_each(_pairs, members)
    owners = [(member.argument, member.field, styles.names_of(pairs)) for member, pairs in written]
    check_fields(owners, "form field", body, credentials)
    return "&".join(pair for _, pairs in written for pair in pairs).encode()


def _pairs(member: Member) -> list[str]:
    return field_pairs(member.field, member.value, _FORM_RESERVED if member.field.get("reserved") else _FORM)


LONGEST_TARGET = 32 * 1024
"""Maximum length of the request target in bytes.

Servers usually stop at 8 KiB; none is known to read more than this.
"""

LONGEST_HEAD = 32 * 1024
"""Maximum length of all header fields together, in bytes. Servers limit it like the target."""

_AROUND = len(": \r\n")
"""Bytes of a header field in addition to its name and value."""

_PLAIN = r"A-Za-z0-9\-._~!$&'()*+,;=:@/\[\]"
_TRIPLE = "%[0-9A-Fa-f]{2}"
# Possessive quantifiers match a long target without backtracking.
_TARGET = re.compile(rf"/(?:[{_PLAIN}]++|{_TRIPLE})*+(?:\?(?:[{_PLAIN}?]++|{_TRIPLE})++)?")
_CONTROL = re.compile(r"[\x00-\x20\x7f]")
_HOLE = re.compile(r"\{(\w*)(\??)\}")
_KEY = "idempotency-key"
_SENDERS = ("user-agent", "accept-encoding")

# Below this limit, a float equals exactly one integer. From here on, a float stands for several integers.
_EXACT = 2**53


class Request:
    """A request without the server's address and credentials.

    - `template`: the path for logs, with placeholders for values. `rewritten`: the hook that changed the path, or "".
    - `traced`: whether W3C trace context fields are added when the request is sent.
    - `sent`: how often the request was sent, counted only if telemetry is on.
    - `signer`: what signs each try of the request (`signing.signers`), or None.
    """

    __slots__ = (
        "body", "cookies", "headers", "method", "path", "query", "rewritten", "sent", "server", "signer",
        "template", "traced",
    )  # fmt: skip

    def __init__(self, method: str, path: str, server: int = 0, template: str | None = None) -> None:
        self.method = method
        self.path = path
        self.template = path if template is None else template
        self.rewritten = ""
        self.traced = False
        self.sent = 0
        self.signer: Any = None
        self.server = server
        self.query: list[str] = []
        self.headers: list[tuple[str, str]] = []
        self.cookies: list[str] = []
        self.body: bytes | None = None

    @property
    def target(self) -> str:
        """Return path and query. The server's base path is added in front when the request is sent."""
        return f"{self.path}?{'&'.join(self.query)}" if self.query else self.path

    @property
    def key(self) -> str:
        """Return the idempotency key, by which the upstream recognises a repeated request, or ""."""
        if _KEY not in self.names:
            return ""  # fast path: most requests have no idempotency key
        return next(value for name, value in self.headers if is_key(name))

    @property
    def names(self) -> set[str]:
        """Return the names of the header fields in lower case, without Cookie."""
        return {*map(str.lower, dict(self.headers))}

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return all header fields, with the cookies joined into one field."""
        return [*self.headers, ("Cookie", "; ".join(self.cookies))] if self.cookies else self.headers

    def set_field(self, name: str, value: str) -> None:
        """Set a header field, replacing fields of the same name."""
        if self.headers:
            known = fold(name)
            self.headers = [field for field in self.headers if fold(field[0]) != known]
        self.headers.append((name, value))


def is_key(name: str) -> bool:
    """Return True if a header of this name contains an idempotency key (draft-ietf-httpapi-idempotency-key-header)."""
    return name.lower() == _KEY


def sender_fields(request: Request, agent: str, traced: Sequence[tuple[str, str]] = ()) -> list[tuple[str, str]]:
    """Return the header fields User-Agent (`agent`) and Accept-Encoding, except for fields that the request has
    already.

    Also return the trace fields in `traced`, unless the request has a `traceparent` already.
    """
    own = request.names
    usual = [("User-Agent", agent), ("Accept-Encoding", "gzip, deflate")]
    if not own.isdisjoint(_SENDERS):
        usual = [field for field in usual if field[0].lower() not in own]
    return [*usual, *traced] if traced and "traceparent" not in own else usual


# Measurements showed that computing these parts once saves time in each call. They must be immutable.
class Plan:
    """The parts of a tool's request that are the same for every call, computed once.

    `path` is a format string with a `%s` for each of `pieces`.
    """

    __slots__ = (
        "accept", "body", "cookies", "credentials", "defaults", "headers", "made", "method", "named", "path",
        "pieces", "query", "server", "template",
    )  # fmt: skip

    def __init__(self, tool: Tool) -> None:
        binding = tool.binding
        path, headers, withheld = binding["path"], binding.get("headers", ()), binding.get("withheld", {})
        query = [*map(QueryPairs, binding.get("query", ())), *map(QueryString, binding.get("querystring", ()))]
        cookies = [*map(Cookies, binding.get("cookies", ()))]
        self.method = binding["method"]
        self.server = binding.get("server", 0)
        self.template = skeleton(path)
        self.path = "".join(part.replace("%", "%%") if isinstance(part, str) else "%s" for part in path)
        self.pieces = [PathPiece(part) for part in path if not isinstance(part, str)]
        #: Names of credentials in the query, folded by `folded_names.fold`. No argument may add a query parameter
        #: or a form field with such a name: some servers also look for query parameters in forms.
        self.credentials = frozenset(map(fold, tool.credentials.get("query", ())))
        kept = frozenset(map(fold, tool.credentials.get("cookie", ())))
        self.query = PairSpace(query, "query parameter", withheld.get("query", ()), self.credentials) if query else None
        self.cookies = PairSpace(cookies, "cookie", withheld.get("cookies", ()), kept) if cookies else None
        self.headers = [*map(Header, headers)]
        self.accept = "Accept", str(binding.get("accept", "*/*"))
        self.body = binding.get("body")
        self.defaults: dict[str, Any] = binding.get("defaults", {})
        #: Arguments whose values the server generates if a call omits them, such as idempotency keys.
        self.made = [each["argument"] for each in headers if "made" in each]
        #: Declared argument names; set only if the tool accepts undeclared arguments.
        self.named = {*tool.schema.get("properties", {}), *binding.get("also", ())} if binding.get("open") else None


def build(tool: Tool, arguments: dict[str, Any], files: Files | None, entropy: Entropy) -> Request:
    """Return the request for arguments that satisfy the input schema.

    Raise Refused with all problems found. `entropy(n)` returns n random bytes, for a multipart boundary and for the
    UUIDs that header parameters such as `Idempotency-Key` get if the arguments do not set them.
    """
    plan: Plan = tool.plan or Plan(tool)
    tool.plan = plan
    given = _given(plan, arguments, entropy)
    problems: list[Problem] = []
    pieces = _written(plan.pieces, given, problems)
    query = _written(plan.query.parameters, given, problems) if plan.query else []
    headers = _written(plan.headers, given, problems) if plan.headers else []
    cookies = _written(plan.cookies.parameters, given, problems) if plan.cookies else []
    body = _body(plan, given, files, entropy, problems)
    if problems:
        raise Refused(*problems)
    request = Request(plan.method, plan.path % tuple(pieces), plan.server, plan.template)
    request.headers = [plan.accept]
    if body:
        content_type, request.body = body[0]
        request.headers.append(("Content-Type", content_type))
    for found in headers:
        request.headers += found
    if plan.query:
        request.query = plan.query.joined(query)
    if plan.cookies:
        request.cookies = plan.cookies.joined(cookies)
    _compare(request)
    return request


def _given(plan: Plan, arguments: dict[str, Any], entropy: Entropy) -> dict[str, Any]:
    """Return all values of a call by argument name: its arguments, defaults and generated values.

    Raise Refused if a value cannot be sent.
    """
    given = plan.defaults | arguments
    if plan.made:
        given = dict.fromkeys(plan.made, uuid_of(entropy(16))) | given
    problems: list[Problem] = []
    for name, value in given.items():
        try:
            given[name] = _exact(value)
        except Unsendable as reason:
            problems += problems_of(reason, name)
    if problems:
        raise Refused(*problems)
    if plan.named is not None:
        given[OTHERS] = {name: value for name, value in given.items() if name not in plan.named}
    return given


def _written(parameters: Sequence[Parameter[Written]], given: dict[str, Any], problems: list[Problem]) -> list[Written]:
    """Return the encoded values of the parameters, in order.

    Append the problems of values that cannot be encoded to `problems`.
    """
    found = []
    for parameter in parameters:
        try:
            found.append(parameter.write(parameter.value(given)))
        except (Unsendable, Refused) as reason:
            problems += problems_of(reason, parameter.argument)
    return found


def _body(
    plan: Plan, given: dict[str, Any], files: Files | None, entropy: Entropy, problems: list[Problem]
) -> list[Content]:
    """Return a list of one item, the body with its media type, or [] if there is no body.

    Append problems of values that cannot be encoded to `problems`.
    """
    try:
        return build_body(plan.body, given, files, entropy(16), plan.credentials) if plan.body else []
    except (Unsendable, Refused) as reason:
        problems += problems_of(reason, "")
    return []


def uuid_of(entropy: bytes) -> str:
    """Return a UUID version 4 (RFC 9562 section 5.4) made from 16 random bytes."""
    text = bytearray(entropy)
    text[6], text[8] = text[6] & 0x0F | 0x40, text[8] & 0x3F | 0x80
    return "-".join(text[start:end].hex() for start, end in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 16)))


def skeleton(path: list[str | Bound]) -> str:
    """Return the path of a tool's request with placeholders, such as `/pets/{id}`.

    A `?` follows the name of an argument that may be empty: `{id?}`.
    """
    return "".join(
        part if isinstance(part, str) else f"{{{part.get('argument', '')}{'?' if part.get('mayBeEmpty') else ''}}}"
        for part in path
    )


def _exact(value: Any) -> Any:
    """Return the value with floats such as 1.0 as integers. JSON Schema accepts 1.0 as an integer, but many servers do
    not.

    Raise Unsendable for a lone surrogate, which UTF-8 cannot encode.
    """
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Unsendable("expected text without lone surrogates") from None
    elif isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    elif isinstance(value, list):
        return [_exact(item) for item in value]
    elif isinstance(value, dict):
        return {_exact(name): _exact(member) for name, member in value.items()}
    return value


def check_target(request: Request) -> None:
    """Raise Refused if target or header fields are too long, or if the target has characters that no URL may
    contain.
    """
    target = request.target
    size = len(target)
    if size > LONGEST_TARGET:
        raise Refused(Problem("", f"the request target is longer than {LONGEST_TARGET >> 10} KiB ({size} bytes)"))
    fields = request.fields
    head = sum(map(len, chain(*fields))) + _AROUND * len(fields)
    if head > LONGEST_HEAD:
        raise Refused(Problem("", f"the header fields are longer than {LONGEST_HEAD >> 10} KiB ({head} bytes)"))
    if not _TARGET.fullmatch(target):
        raise Refused(Problem("", "the request target holds characters that no URL has"))


def _compare(request: Request) -> None:
    """Compare the path of the finished request with its template.

    Raise Refused if an argument changed the structure of the path.
    """
    check_target(request)
    whole, filled = _form(request.template)
    found = whole.fullmatch(request.path)
    if found is None:
        raise Refused(Problem("", "the arguments would make another path"))
    for (argument, pattern), segment in zip(filled, found.groups(), strict=True):
        if misleads(segment):
            raise Refused(Problem(argument, "expected text that cannot be read as a step to another path"))
        if not pattern.fullmatch(segment):
            raise Refused(Problem(argument, "the arguments would make another path"))


@lru_cache(maxsize=256)
def _form(template: str) -> tuple[re.Pattern[str], list[tuple[str, re.Pattern[str]]]]:
    """Return a regular expression for paths made from `template`, with a group for each segment that has arguments.

    Also return, for each of these segments, its first argument and a regular expression for the filled segment.
    """
    segments = template.split("/")
    whole = "/".join("([^/]*)" if _HOLE.search(segment) else re.escape(segment) for segment in segments)
    return re.compile(whole), [_filled(segment) for segment in segments if _HOLE.search(segment)]


def _filled(segment: str) -> tuple[str, re.Pattern[str]]:
    """Return the first argument in a segment of a path template, and a regular expression that matches the segment once
    values have replaced its arguments.
    """
    # The segment is split into a literal text and any number of triples: argument name, `?` if the argument may be
    # empty, literal text.
    first, *rest = _HOLE.split(segment)
    pieces = (f"{'.*' if rest[at + 1] else '.+'}{re.escape(rest[at + 2])}" for at in range(0, len(rest), 3))
    return rest[0], re.compile(re.escape(first) + "".join(pieces))


def misleads(segment: str) -> bool:
    r"""Return True if any server might read the segment as a dot segment (`.` or `..`).

    The segment is tested as sent and after up to three decodings, with `\` read as `/`, and without parameters after a
    semicolon. Control characters and blanks are ignored, because URL parsers drop some of them.
    """
    if "." not in segment and "%" not in segment:
        return False  # without `.` and `%`, no decoding can produce a dot
    for _ in range(4):
        if any(_CONTROL.sub("", piece.partition(";")[0]) in (".", "..") for piece in re.split(r"[/\\]", segment)):
            return True
        segment = unquote(segment)
    return False
