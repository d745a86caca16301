"""Read request bodies, by the Content-Type that was sent and by what the document says about that media type.

The rules are those of OpenAPI 3.x, "Media Type Object" and "Encoding Object", and of OpenAPI 2.0, `formData`. In an
urlencoded form, a field without a style is read like a query parameter, but an object is read from brackets. The
standards leave that open, and the runtime chose it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus

from tests.requests.described import Described, Operation, collection
from tests.requests.expansions import is_json, of_pairs
from tests.requests.pairs import Pairs, Unreadable
from tests.requests.parts import Part, parts
from tests.requests.raw import Node
from tests.requests.sameness import Json
from tests.requests.shapes import is_bytes, properties

_TEXTUAL = ("application/sdp", "application/yaml", "application/graphql", "application/sql")
"""Media types outside of `text/*` that are text. Any other type is bytes."""

_FORM_STYLES = ("form", "spaceDelimited", "pipeDelimited", "deepObject")


@dataclass
class Body:
    """A body that was read. `whole`: possible values of a body that is a single value.

    `members`: possible values of each field of a form.
    """

    schema: Node
    described: dict[str, Described] = field(default_factory=dict)
    whole: list[Any] = field(default_factory=list)
    members: dict[str, list[Any]] = field(default_factory=dict)
    file_names: dict[str, list[str | None]] = field(default_factory=dict)


def read(operation: Operation, content_type: str, content: bytes) -> Body:
    """Return the possible values of a body.

    Raise Unreadable if the document does not offer the media type, or the bytes violate the media type.
    """
    offered = operation.media_type(content_type)
    if offered is None:
        raise Unreadable(f"{content_type} is none of {operation.media_types()}")
    name, media_type = offered
    essence, _, options = content_type.partition(";")
    body = Body(operation.body_schema(name))
    if is_json(essence) or (essence == "text/json"):
        body.whole = [Json(json.loads(content, parse_constant=_no_constant))]
    elif essence == "application/x-www-form-urlencoded" or essence.startswith("multipart/"):
        in_parts = essence.startswith("multipart/")
        described = dict(_fields(operation, media_type, body.schema, in_parts))
        body.described = described
        _form(body, content) if not in_parts else _multipart(operation, body, content_type, content)
    else:
        charset = options.partition("charset=")[2].strip(' "') or "utf-8"
        is_text = essence.startswith("text/") or essence in _TEXTUAL
        body.whole = [content.decode(charset) if is_text else content]
    return body


def _no_constant(name: str) -> None:
    raise Unreadable(f"{name} is not JSON")


# -- Form fields as the document describes them -----------------------------------------------------------------------


def _fields(operation: Operation, media_type: Node, schema: Node, in_parts: bool) -> list[tuple[str, Described]]:
    if operation.is_swagger and operation.fields:
        return [(raw.text("name"), _swagger_field(raw)) for raw in operation.fields]
    encodings = media_type["encoding"]
    return [
        (name, _field(name, member, encodings[name], operation.version, in_parts))
        for name, member in properties(schema).items()
    ]


def _swagger_field(raw: Node) -> Described:
    style, explode = collection(raw, "formData")
    is_array = raw.text("type") == "array"
    return Described("body", raw.text("name"), raw, style if is_array else "", explode if is_array else True)


def _field(name: str, schema: Node, encoding: Node, version: str, in_parts: bool) -> Described:
    """Return how one field of a form is encoded. A declared style takes precedence over a content type.

    In multipart bodies of OpenAPI 3.0, a style has no effect: it "SHALL be ignored if the request body media type is
    not application/x-www-form-urlencoded".
    """
    content = encoding.text("contentType")
    style = encoding.text("style") if encoding.text("style") in _FORM_STYLES else ""
    explode = encoding["explode"].value
    if in_parts and version < "3.1":
        style, explode = "", None
    if isinstance(explode, bool) and not style and not content:
        style = "form"
    if style and not isinstance(explode, bool):
        explode = style in ("form", "deepObject")
    if not in_parts and (style or not is_json(content)):
        content = ""
    reserved = encoding["allowReserved"].value is True
    return Described("body", name, schema, style, explode is not False, reserved, content)


# -- Urlencoded and multipart forms -----------------------------------------------------------------------------------


def _form(body: Body, content: bytes) -> None:
    pairs = Pairs(content.decode("ascii"), "&", unquote_plus)
    pairs.reserved = set(body.described)
    for name, described in body.described.items():
        if readings := of_pairs(described, pairs, unquote_plus):
            body.members[name] = readings
    pairs.reserved = set()
    while pairs.left:
        name = pairs.left[0][0].partition("[")[0]
        body.members[name] = of_pairs(_unknown(body, name), pairs, unquote_plus)


def _unknown(body: Body, name: str) -> Described:
    return body.described.get(name) or Described("body", name, body.schema.at(""))


def _multipart(operation: Operation, body: Body, content_type: str, content: bytes) -> None:
    named: dict[str, list[Part]] = {}
    for part in parts(content_type, content):
        named.setdefault(part.name, []).append(part)
    for name, mine in named.items():
        described = _unknown(body, name)
        body.file_names[name] = [part.file_name for part in mine]
        body.members[name] = _of_parts(described, mine, operation.version)


def _of_parts(described: Described, mine: list[Part], version: str) -> list[Any]:
    readings = [_of_part(described, part, version) for part in mine]
    found: list[Any] = []
    is_joined = described.style and not described.explode and not is_bytes(described.schema, version)
    if is_joined and len(mine) == 1:
        pieces = mine[0].content.decode().split({"spaceDelimited": " ", "pipeDelimited": "|"}.get(described.style, ","))
        return [pieces] if "array" in described.shapes else readings
    if "array" in described.shapes:
        found.append(readings)
    # A JSON content type of an array property may mean one JSON text for the whole array.
    one_text = described.shapes != {"array"} or is_json(described.content)
    return found + (readings if len(mine) == 1 and one_text else [])


def _of_part(described: Described, part: Part, version: str) -> Any:
    essence = (part.media_type or "text/plain").partition(";")[0].strip().lower()
    declared = [each.strip() for each in described.content.split(",") if each.strip()]
    if declared and part.media_type and not any(_covers(each, essence) for each in declared):
        raise Unreadable(f"{part.name} is sent as {part.media_type}, and is {described.content}")
    if is_bytes(described.schema, version) or (declared and _is_file_type(declared[0])):
        return part.content
    return Json(json.loads(part.content)) if is_json(essence) else part.content.decode()


def _covers(declared: str, essence: str) -> bool:
    kind = declared.partition(";")[0].strip().lower()
    return kind in (essence, "*/*", essence.split("/")[0] + "/*")


def _is_file_type(media_type: str) -> bool:
    return not (is_json(media_type) or media_type.startswith("text/") or media_type.endswith("xml"))
