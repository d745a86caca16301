# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write multipart bodies: a form, whose parts have names, or a list, whose parts have positions (OpenAPI 3.2,
4.15.3.2).

A form is encoded as multipart/form-data (RFC 7578), as browsers do (WHATWG, "multipart/form-data encoding algorithm").
Names and file names are UTF-8. Only quotation marks and line breaks are percent-encoded, so a name cannot end its
header. The parts of a list have no names (RFC 2046). A boundary does not occur in the content.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, assert_never

from ..core.wire_formats import ABSENT
from ..request import styles
from ..request.argument_errors import Problem, Refused, gather
from ..request.parameters import Header, Member, check_fields, json_bytes, value_of, write_each, xml_text
from ..request.styles import STYLES, Expansion, Place, scalar
from .files import media_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..tables.table import Body, Field
    from ..tables.table import Parameter as Bound
    from ..tables.words import PartKind
    from .files import Files

_UNENCODED = Place(str)
_BREAKS = {ord('"'): "%22", ord("\r"): "%0D", ord("\n"): "%0A"}


class Part:
    """One part of a multipart body.

    `name` is None for a part that has a position instead. `media_type` is "" if it is not sent; `file_name` is None if
    the part is not a file, or a file without a name. `headers` holds further header fields, which are already
    validated.
    """

    __slots__ = ("content", "file_name", "headers", "media_type", "name")

    def __init__(
        self,
        name: str | None,
        content: bytes,
        media_type: str = "",
        file_name: str | None = None,
        headers: list[tuple[str, str]] | None = None,
    ) -> None:
        self.name = name
        self.content = content
        self.media_type = media_type
        self.file_name = file_name
        self.headers = headers or []

    def head(self) -> bytes:
        """Return the headers of the part, including the blank line before its content."""
        kind = "attachment" if self.name is None else f'form-data; name="{self.name.translate(_BREAKS)}"'
        if self.file_name is not None:
            kind += f'; filename="{self.file_name.translate(_BREAKS)}"'
        lines = [] if self.name is None and self.file_name is None else [f"Content-Disposition: {kind}"]
        if self.media_type:
            lines.append(f"Content-Type: {self.media_type}")
        lines += (f"{name}: {value}" for name, value in self.headers)
        return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


def named_parts(
    body: Body,
    members: list[Member],
    arguments: dict[str, Any],
    files: Files | None,
    credentials: frozenset[str],
    entropy: bytes,
) -> tuple[str, bytes]:
    """Return Content-Type and bytes of a form. The arguments are those of `request.build_body`.

    Raise Refused if a member cannot be written.
    """
    written = write_each(lambda member: _parts(member, arguments, files), members)
    owners = [(member.argument, member.field, [part.name or "" for part in found]) for member, found in written]
    check_fields(owners, "part", body, credentials)
    if not any(found for _, found in written):
        names = ", ".join(sorted({field["argument"] for field in body["fields"] if "argument" in field})[:20])
        raise Refused(Problem("", f"the body would be empty: give at least one of {names or body.get('argument', '')}"))
    return join(body["contentType"], [part for _, found in written for part in found], entropy)


def positional_parts(body: Body, value: list[Any], arguments: dict[str, Any], files: Files | None) -> tuple[str, bytes]:
    """Return Content-Type and bytes of a list, whose items are parts without names. Raise Refused for a wrong item.

    The last of the body's `fields` is for all further items.
    """
    fields, name = body["fields"], body.get("argument", "")
    styles.check_extent(name, value)
    if not value:
        raise Refused(Problem(name, "expected at least one item, because each item is a part of the body"))
    given = _by_item(fields, arguments, len(value))
    members = [(Member(name, fields[min(at, len(fields) - 1)], each), given[at]) for at, each in enumerate(value)]
    items = [(f"{name}[{at}]", each) for at, each in enumerate(members)]
    parts = [part for found in gather(lambda each: [list(_parts(*each, files))], items) for part in found]
    for part in parts:
        is_declared = any(name.lower() == "content-disposition" for name, _ in part.headers)
        part.name, part.file_name = None, None if is_declared else part.file_name or None
    return join(body["contentType"], parts, sha256(b"".join(part.content for part in parts)).digest()[:16])


def _by_item(fields: list[Field], arguments: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Return the arguments of the header fields of each of `count` items.

    An argument of the last entry in `fields` is a list: each further item gets one of its values. Raise Refused for a
    value that no item gets, and for a required value that is missing.
    """
    *prefix, further = ([each for each in field.get("headers", ()) if "argument" in each] for field in fields)
    unused = [each["argument"] for headers in prefix[count:] for each in headers]
    problems = [
        Problem(name, "belongs to an item that is missing") for name in unused if arguments.get(name) is not None
    ]
    rest, lists = max(count - len(prefix), 0), {}
    for each in further:
        values = lists[each["argument"]] = arguments.get(each["argument"]) or []
        if len(values) > rest or (each.get("required") and len(values) < rest):
            few = "" if each.get("required") else "at most "
            after = f" after item {len(prefix)}" if prefix else ""
            wanted = f"{few}{rest} value{'' if rest == 1 else 's'}"
            problems.append(Problem(each["argument"], f"expected {wanted}: one for each item{after}"))
    if problems:
        raise Refused(*problems)
    rows = [{name: values[at] for name, values in lists.items() if at < len(values)} for at in range(rest)]
    return [arguments] * len(prefix) + rows


def _parts(member: Member, arguments: dict[str, Any], files: Files | None) -> Iterator[Part]:
    field, value = member.field, member.value
    if "style" in field:
        yield from _styled(field, value)
        return
    bound = [(each.get("argument", field["name"]), each) for each in field.get("headers", ())]
    headers = gather(lambda each: _part_header(each, arguments), bound)
    many = (field.get("repeat", "part" not in field) or field.get("part") == "file") and isinstance(value, list)
    if many:
        styles.check_extent(field["name"], value)
    for index, item in enumerate(value if many else [value]):
        kind: PartKind = field.get("part") or ("json" if isinstance(item, (dict, list)) else "text")
        media = field.get("contentType", "")
        if kind == "json":
            yield Part(field["name"], json_bytes(item), media or "application/json", headers=headers)
        elif item is None:
            continue
        elif kind == "xml":
            yield Part(field["name"], xml_text(field["xml"], item).encode(), media, headers=headers)
        elif kind == "text":
            yield Part(field["name"], scalar(item).encode(), media, headers=headers)
        elif kind == "file":
            assert files is not None
            content, known, own = files.content(item)
            name = _file_name(field.get("filename", ""), arguments, index) or known
            content_type = media_type(media, content, name, own)
            yield Part(field["name"], content, content_type, name or field["name"], headers)
        else:
            assert_never(kind)


def _part_header(bound: Bound, arguments: dict[str, Any]) -> list[tuple[str, str]]:
    value = value_of(bound, arguments)
    if bound.get("required") and value is ABSENT:
        raise Refused(Problem(bound["argument"], "is required with this part"))
    return Header(bound).write(None if value is ABSENT else value)


def _styled(field: Field, value: Any) -> Iterator[Part]:
    """Yield multipart parts for a field: one for each name-value pair of the field's style (OpenAPI 3.1,
    4.8.15.1.1).
    """
    for pair in Expansion(STYLES[field["style"]], field["name"], field["explode"], _UNENCODED).parts(value):
        name, _, text = pair.partition("=")
        yield Part(name, text.encode(), "")


def _file_name(argument: str, arguments: dict[str, Any], index: int) -> str:
    given = arguments.get(argument) or ""
    name = (given[index] if index < len(given) else "") if isinstance(given, list) else str(given)
    if "/" in name or "\\" in name or "\0" in name:
        raise Refused(Problem(argument, "expected a file name without a directory"))
    return name


def join(content_type: str, parts: list[Part], entropy: bytes) -> tuple[str, bytes]:
    """Return the Content-Type with its boundary, and the body.

    `entropy` holds at least 16 random bytes for the boundary.
    """
    boundary = _boundary(parts, entropy)
    line = b"--" + boundary
    pieces = [piece for part in parts for piece in (line, b"\r\n", part.head(), part.content, b"\r\n")]
    return f"{content_type}; boundary={boundary.decode()}", b"".join([*pieces, line, b"--\r\n"])


def _boundary(parts: list[Part], entropy: bytes) -> bytes:
    while True:
        boundary = b"mcpgen-" + entropy.hex().encode()
        if not any(boundary in part.content for part in parts):
            return boundary
        entropy = sha256(entropy).digest()[:16]
