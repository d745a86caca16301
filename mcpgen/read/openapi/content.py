"""Read bodies and responses: the Request Body, Response, Media Type and Encoding Objects (OpenAPI 3.1, 4.8.13 to
4.8.17).
"""

import re
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.model import ITEMS, AnswerLink, Encoding, MediaType, Parameter, RequestBody, Response, Style
from mcpgen.read.openapi import parameters
from mcpgen.read.openapi.references import References

_NAME = r"[A-Za-z0-9!#$&^_.+*-]+"
_MEDIA_TYPE = re.compile(
    rf"{_NAME}/{_NAME}(?:\s*;\s*{_NAME}=(?:\"[ -!#-~]*\"|[!#-:<-~]+))*",
)
_FORM_STYLES: tuple[Style, ...] = ("form", "spaceDelimited", "pipeDelimited", "deepObject")
_OF_PARTS = ("content-type", "content-length", "content-transfer-encoding")
"""Header fields that the encoder of multipart bodies writes in each part."""


def read_body(value: JsonValue, where: Where, references: References, diagnostics: Diagnostics) -> RequestBody | None:
    """Return the request body, or None if there is none.

    Raises SkipOperation if `content` has keys, but none of them is a media type.
    """
    if value is None:
        return None
    raw, where = references.resolve(value, where)
    content = read_content(raw.get("content"), where.inside("content"), references, diagnostics)
    if not content and raw.get("content"):
        raise SkipOperation(
            "invalid-media-type",
            "No key under `content` of the body is a media type.",
            where,
            "Name a media type, such as application/json.",
        )
    if not content:
        return None
    return RequestBody(content, where, is_required(raw), as_text(raw.get("description")))


def is_required(raw: JsonObject) -> bool | None:
    """Return `required` of a body in OpenAPI or Swagger, or None if the document does not say."""
    said = raw.get("required")
    return said if isinstance(said, bool) else None


def read_content(
    value: JsonValue, where: Where, references: References, diagnostics: Diagnostics
) -> tuple[MediaType, ...]:
    """Return the media types under a `content` key, in order. Invalid media types are reported and omitted."""
    found = []
    for name, entry in as_object(value).items():
        if not _is_taken(name, where.inside(name), diagnostics):
            continue
        raw, place = references.resolve(as_object(entry), where.inside(name))
        schema = references.schema(place.inside("schema")) if "schema" in raw else None
        if schema is None and "itemSchema" in raw:  # schema of the items of a sequence (OpenAPI 3.2, 4.14.1)
            schema = {"type": "array", "items": references.schema(place.inside("itemSchema"))}
        encodings = _encodings(raw.get("encoding"), place.inside("encoding"), references, diagnostics)
        prefix: JsonObject = {str(index): each for index, each in enumerate(as_list(raw.get("prefixEncoding")))}
        encodings |= _encodings(prefix, place.inside("prefixEncoding"), references, diagnostics, named=False)
        if "itemEncoding" in raw:
            encodings[ITEMS] = _encoding(raw["itemEncoding"], place.inside("itemEncoding"), references, diagnostics)
        found.append(MediaType(_as_written(name), schema, encodings, untyped_parts_are_files=True))
    return tuple(found)


def media_types(names: list[str], where: Where, diagnostics: Diagnostics) -> list[str]:
    """Return the valid media types of a list. Invalid media types are reported and omitted."""
    taken = (name for index, name in enumerate(names) if _is_taken(name, where.inside(index), diagnostics))
    return [_as_written(name) for name in taken]


def is_media_type(name: str) -> bool:
    """Return True if `name` is a media type, or a range such as `image/*` (RFC 9110, section 8.3.1)."""
    return bool(_MEDIA_TYPE.fullmatch(name.strip()))


def _as_written(name: str) -> str:
    r"""Return a media type without blanks around it and without the backslash of `application\/json`."""
    return name.replace("\\/", "/").strip() or "application/json"


def _is_taken(name: str, where: Where, diagnostics: Diagnostics) -> bool:
    if is_media_type(name):
        return True
    if is_media_type(_as_written(name)) and name.strip():
        message = f"'{clipped(name)}' has a needless backslash; it is read as {_as_written(name)}."
        diagnostics.add("invalid-media-type", message, where, f"Write {_as_written(name)}.")
        return True
    if not name.strip():
        message = "A media type is a wildcard; it is read as application/json."
        diagnostics.add("invalid-media-type", message, where, "Name the media type.")
        return True
    message = f"'{clipped(name)}' is not a media type; it was left out."
    diagnostics.add("invalid-media-type", message, where, "Name a media type, such as application/json.")
    return False


def _encodings(
    value: JsonValue, where: Where, references: References, diagnostics: Diagnostics, *, named: bool = True
) -> dict[str, Encoding]:
    entries = as_object(value).items()
    return {name: _encoding(entry, where.inside(name), references, diagnostics, named) for name, entry in entries}


def _part_headers(
    value: JsonValue, where: Where, references: References, diagnostics: Diagnostics, named: bool
) -> tuple[Parameter, ...]:
    """Return the header fields that a multipart part may carry (`headers` of an Encoding Object).

    Fields that the encoder of multipart bodies writes are left out; in `named` parts, Content-Disposition is one of
    them. Unreadable entries are left out with a diagnostic.
    """
    found = []
    for name, entry in as_object(value).items():
        if name.lower() in _OF_PARTS or (named and name.lower() == "content-disposition"):
            continue
        try:
            raw, place = references.resolve(entry, where.inside(name))
        except SkipOperation as unusable:
            diagnostics.extend([unusable.diagnostic])
            continue
        if raw.get("schema") is False:
            continue  # no value is valid, so the document forbids this header field
        header = parameters.of_header(name, raw, place, references, diagnostics)
        if header is not None:
            found.append(header)
    return tuple(found)


def _encoding(
    value: JsonValue, where: Where, references: References, diagnostics: Diagnostics, named: bool = False
) -> Encoding:
    raw = as_object(value)
    headers = _part_headers(raw.get("headers"), where.inside("headers"), references, diagnostics, named)
    style = next((style for style in _FORM_STYLES if raw.get("style") == style), None)
    explode = raw.get("explode")
    content_type = as_text(raw.get("contentType")).strip()
    one_of = content_type.split(",")
    return Encoding(
        content_type if all(_MEDIA_TYPE.fullmatch(entry.strip()) for entry in one_of) else None,
        style,
        explode if isinstance(explode, bool) else None,
        raw.get("allowReserved") is True,
        headers,
    )


def read_responses(
    value: JsonValue, where: Where, references: References, diagnostics: Diagnostics
) -> tuple[Response, ...]:
    """Return the responses in a `responses` object, each with its status.

    Responses that cannot be read are reported and omitted: the tool only loses their description.
    """
    found = []
    for status, entry in as_object(value).items():
        if status.startswith("x-"):
            continue
        try:
            raw, place = references.resolve(entry, where.inside(status))
            content = read_content(raw.get("content"), place.inside("content"), references, diagnostics)
        except SkipOperation as unusable:
            diagnostics.extend([unusable.diagnostic])
            continue
        links = tuple(_links(raw.get("links"), place.inside("links"), references))
        headers = tuple(as_object(raw.get("headers")))
        found.append(Response(status, as_text(raw.get("description")), content, headers, links))
    return tuple(found)


def _links(value: JsonValue, where: Where, references: References) -> Iterator[AnswerLink]:
    """Yield the links of a response. A link that cannot be read is skipped without a report, because no tool depends on
    links.
    """
    for name, entry in as_object(value).items():
        try:
            raw, _ = references.resolve(entry, where.inside(name))
        except SkipOperation:
            continue
        said = {key: each for key, each in as_object(raw.get("parameters")).items() if isinstance(each, str)}
        yield AnswerLink(as_text(raw.get("operationId")).strip(), as_text(raw.get("operationRef")), said)
