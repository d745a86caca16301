# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode arguments as a request body: JSON, urlencoded, multipart, XML, text or binary, with its media type.

A tool's entry in `bindings.json` says which argument is the whole body, or which arguments are its members, in order.
It also gives each member's name in the body, style and media type. Without a style, a form member is written like a
query parameter, except that objects use brackets. A multipart member whose entry has no `part` is JSON if it is an
object, else text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, assert_never

from ..core.wire_formats import ABSENT
from . import extent, name_conflicts
from .argument_errors import Problem, Refused, Unsendable, gather
from .parameters import Header, field_pairs, value_of
from .styles import JSON, STYLES, Expansion, Place, percent, reserved, scalar

if TYPE_CHECKING:
    from ..files.files import Files
    from ..files.multipart import Part
    from ..tables.table import Body, Field, Parameter, Xml
    from ..tables.words import PartKind

Written = TypeVar("Written")

WITH_FILES = ("binary", "multipart")
"""Encodings of bodies whose arguments may be files. To build another body, no reader of files is needed."""

_FIRST_LINE = re.compile(r"--([0-9A-Za-z'()+_,./:=?-]{1,70})\r?\n")
_FORM = Place(percent)
_PLAIN = Place(str)
_FORM_RESERVED = Place(lambda text: reserved(text, "&=+#"), percent)


class Member:
    """One member of a body: its entry in `bindings.json`, its value, and the argument to name in error messages."""

    __slots__ = ("argument", "field", "value")

    def __init__(self, argument: str, field: Field, value: Any) -> None:
        self.argument = argument
        self.field = field
        self.value = value


Content = tuple[str, bytes]
"""Content-Type and bytes of a body."""


def build(
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
        return _filled(body, arguments, files, credentials)
    if whole is not None and encoding not in ("form", "multipart"):
        return gather(lambda value: [_whole(body, value, files)], [(whole, arguments[whole])])
    members = _bound(body, arguments) if whole is None else _inside(whole, body.get("fields", ()), arguments[whole])
    if members is None:
        return []
    if encoding == "form":
        return [(content_type, _form(members, body, credentials))]
    if encoding == "multipart":
        written = _each(lambda member: _parts(member, arguments, files), members)
        owners = [(member.argument, member.field, [part.name for part in found]) for member, found in written]
        _check(owners, "part", body, credentials)
        if not any(found for _, found in written):
            names = ", ".join(sorted({field["argument"] for field in body["fields"] if "argument" in field})[:20])
            raise Refused(Problem("", f"the body would be empty: give at least one of {names or whole}"))
        from ..files.multipart import join  # imported late: few tools send multipart bodies

        return [join(content_type, [part for _, found in written for part in found], entropy)]
    content = {member.field["name"]: member.value for member in members}
    return gather(lambda value: [_whole(body, value, files)], [("", content)])


def _filled(body: Body, arguments: dict[str, Any], files: Files | None, credentials: frozenset[str]) -> list[Content]:
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
        return [(body["contentType"], _form(_inside(name, (), value), body, credentials))]
    plain = {**body, "encoding": "text"} if encoding == "xml" else body
    return gather(lambda value: [_whole(plain, value, files)], [(name, value)])


def json_bytes(value: Any) -> bytes:
    """Return compact UTF-8 JSON. Raise Unsendable if JSON cannot represent the value."""
    try:
        return JSON.encode(value).encode()
    except (ValueError, TypeError):
        raise Unsendable("expected a value that JSON can hold") from None


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
    held = name_conflicts.folded([*fixed, *body.get("withheld", ())])
    named = [(each.argument, each.field["name"]) for each in others]
    problems = [Problem(argument, f"belongs to {own[name]}") for argument, name in named if name in own]
    strange = [argument for argument, name in named if name not in own and held & name_conflicts.readings(name)]
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


def _whole(body: Body, value: Any, files: Files | None) -> Content:
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
            return _text(content_type, _xml(body["xml"], value))
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


def _each(
    write: Callable[[Member], Iterable[Written]], members: list[Member]
) -> list[tuple[Member, Sequence[Written]]]:
    """Return each member with the parts that `write` returns for it.

    Raise Refused, with the problems of all members, if a member cannot be written.
    """
    if len(members) > extent.MOST_PAIRS:
        raise Refused(
            Problem("", f"expected at most {extent.MOST_PAIRS} members, each of which is sent under its name")
        )
    named = [(member.argument, member) for member in members]
    return gather(lambda member: [(member, list(write(member)))], named)


def _form(members: list[Member], body: Body, credentials: frozenset[str]) -> bytes:
    written = _each(_pairs, members)
    owners = [(member.argument, member.field, name_conflicts.names_of(pairs)) for member, pairs in written]
    _check(owners, "form field", body, credentials)
    return "&".join(pair for _, pairs in written for pair in pairs).encode()


def _check(owners: Sequence[name_conflicts.Written], place: str, body: Body, credentials: frozenset[str]) -> None:
    """Raise Refused if two arguments write the same form field, or if an argument writes a field that is reserved.

    Also refuse a field that the API description does not declare if its name may be read as a credential's name.
    """
    described = {field["name"] for field in body.get("fields", ())}
    if "template" in body and "members" in body["template"]:
        described |= body["template"]["members"].keys()
    given = ((argument, name) for argument, _, names in owners for name in names if name not in described)
    name_conflicts.refuse_credentials(given, place, credentials)
    name_conflicts.check(owners, place, body.get("withheld", ()))


def _pairs(member: Member) -> list[str]:
    return field_pairs(member.field, member.value, _FORM_RESERVED if member.field.get("reserved") else _FORM)


def _parts(member: Member, arguments: dict[str, Any], files: Files | None) -> Iterator[Part]:
    from ..files.multipart import Part  # imported late: few tools send multipart bodies

    field, value = member.field, member.value
    if "style" in field:
        yield from _styled(field, value)
        return
    headers = [line for each in field.get("headers", ()) for line in _part_header(each, arguments)]
    many = (field.get("repeat", "part" not in field) or field.get("part") == "file") and isinstance(value, list)
    if many:
        extent.check(field["name"], value)
    for index, item in enumerate(value if many else [value]):
        kind: PartKind = field.get("part") or ("json" if isinstance(item, (dict, list)) else "text")
        media = field.get("contentType", "")
        if kind == "json":
            yield Part(field["name"], json_bytes(item), media or "application/json", headers=headers)
        elif item is None:
            continue
        elif kind == "xml":
            yield Part(field["name"], _xml(field["xml"], item).encode(), media, headers=headers)
        elif kind == "text":
            yield Part(field["name"], scalar(item).encode(), media, headers=headers)
        elif kind == "file":
            from ..files.files import media_type  # imported late: few tools send files

            assert files is not None
            content, known, own = files.content(item)
            name = _file_name(field.get("filename", ""), arguments, index) or known
            content_type = media_type(media, content, name, own)
            yield Part(field["name"], content, content_type, name or field["name"], headers)
        else:
            assert_never(kind)


def _part_header(bound: Parameter, arguments: dict[str, Any]) -> list[tuple[str, str]]:
    value = value_of(bound, arguments)
    if bound.get("required") and value is ABSENT:
        raise Refused(Problem(bound["argument"], "is required with this part"))
    return Header(bound).write(None if value is ABSENT else value)


def _styled(field: Field, value: Any) -> Iterator[Part]:
    """Yield multipart parts for a field: one for each name-value pair of the field's style (OpenAPI 3.1,
    4.8.15.1.1).
    """
    from ..files.multipart import Part  # imported late: few tools send multipart bodies

    for pair in Expansion(STYLES[field["style"]], field["name"], field["explode"], _PLAIN).parts(value):
        name, _, text = pair.partition("=")
        yield Part(name, text.encode(), "")


def _file_name(argument: str, arguments: dict[str, Any], index: int) -> str:
    given = arguments.get(argument) or ""
    name = (given[index] if index < len(given) else "") if isinstance(given, list) else str(given)
    if "/" in name or "\\" in name or "\0" in name:
        raise Refused(Problem(argument, "expected a file name without a directory"))
    return name


def _xml(shape: Xml, value: Any) -> str:
    from ..templates import xmltext  # imported here: few APIs use XML

    return xmltext.document(shape, value)
