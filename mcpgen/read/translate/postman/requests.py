"""Translate one request of a Postman collection to an operation, with its body and its responses."""

import re
from dataclasses import dataclass, field

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.secrets import is_harmless_header
from mcpgen.read.document.redaction import MARK
from mcpgen.read.translate.postman.examples import VARIABLE, example, guessed, parsed
from mcpgen.read.translate.postman.urls import Pair, Url, described, read_url

_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
_OF_THE_CLIENT = frozenset(
    [
        *("accept", "accept-encoding", "authorization", "cache-control", "connection"),
        *("content-length", "content-type", "cookie", "host", "origin", "postman-token", "referer", "user-agent"),
    ]
)
"""Header fields that the server sets itself, or that describe the client."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is written in a collection, its place, and the names of the folders that contain it."""

    name: str
    value: JsonObject
    pointer: str
    folders: tuple[str, ...]
    responses: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Translated:
    """An OpenAPI operation. `sources`: (key, index) of a part of the operation, such as ("parameters", 0) → JSON
    Pointer inside the request of the collection.
    """

    method: str
    url: Url
    value: JsonObject
    sources: dict[tuple[str, int], str] = field(default_factory=dict)


def translate_request(request: Request, variables: dict[str, str]) -> Translated:
    """Return the operation of a request. Raises ValueError with a reason if the request cannot become an operation."""
    raw = request.value
    url = read_url(raw.get("url"), variables)
    if not url.path.startswith("/"):
        url = Url(url.server, f"/{url.path}", url.variables, url.query)
    method = (as_text(raw.get("method")) or "GET").lower()
    fields = [each for each in map(as_object, as_list(raw.get("header"))) if as_text(each.get("key"))]
    parameters: list[JsonValue] = []
    sources: dict[tuple[str, int], str] = {}

    def add(parameter: JsonObject, source: str) -> None:
        sources["parameters", len(parameters)] = source
        parameters.append(parameter)

    for pair in url.variables.values():
        add({"name": pair.name, "in": "path", "required": True, **_said(pair), "schema": {"type": "string"}}, "/url")
    for pair in _once(url.query):
        source = "/url" if pair.index is None else f"/url/query/{pair.index}"
        add({"name": pair.name, "in": "query", **_said(pair), "schema": {"type": "string"}}, source)
    for index, each in enumerate(map(as_object, as_list(raw.get("header")))):
        if parameter := _header(each):
            add(parameter, f"/header/{index}")
    types = [as_text(each.get("value")) for each in fields if as_text(each["key"]).lower() == "content-type"]
    responses = _responses(request, _accepted(fields))
    operation: JsonObject = {"summary": request.name, "parameters": parameters, "responses": responses}
    if description := described(raw.get("description")):
        operation["description"] = description
    if request.folders:
        operation["tags"] = [" / ".join(request.folders)]
    written = next((text for text in types if "/" in text and not VARIABLE.search(text)), "")
    if body := read_body(raw.get("body"), written):
        operation["requestBody"] = body
    return Translated(method, url, operation, sources)


def _once(pairs: tuple[Pair, ...]) -> list[Pair]:
    """Return the first pair of each name. Its value becomes the example of the parameter."""
    found: dict[str, Pair] = {}
    for pair in pairs:
        found.setdefault(pair.name, pair)
    return list(found.values())


def _said(pair: Pair) -> JsonObject:
    text = " ".join(filter(None, [pair.description, example(pair.value)]))
    return {"description": text} if text else {}


def _header(raw: JsonObject) -> JsonObject | None:
    """Return the parameter for a header field, or None for a field that the server sets itself.

    A harmless constant becomes an `enum` of one value, which is always sent. The server reads any other constant from
    its environment, because the owner of the collection may have written a credential there.
    """
    name, value = as_text(raw.get("key")), as_text(raw.get("value"))
    if not name or name.lower() in _OF_THE_CLIENT or VARIABLE.search(name):
        return None
    description = described(raw.get("description"))
    parameter: JsonObject = {"name": name, "in": "header", "description": description, "schema": {"type": "string"}}
    if raw.get("disabled") is True or VARIABLE.search(value) or not (value.strip() or MARK in raw):
        return parameter
    if not is_harmless_header(name, value):
        return {**parameter, MARK: True}
    return {**parameter, "required": True, "schema": {"type": "string", "enum": [value]}}


def _accepted(fields: list[JsonObject]) -> list[str]:
    """Return the media types that the request accepts. OpenAPI has them at the responses, not as a header field."""
    texts = [as_text(each.get("value")) for each in fields if as_text(each["key"]).lower() == "accept"]
    types = (each.partition(";")[0].strip() for text in texts for each in text.split(","))
    return [each for each in types if _MEDIA_TYPE.fullmatch(each)]


def _responses(request: Request, accepted: list[str]) -> JsonObject:
    """Return the saved responses of a request, one for each status. Responses without a status are left out.

    `accepted`: media types that the request accepts. They count if no saved response says what the API returns.
    """
    media_type = next((each for each in accepted if each.endswith("json")), "application/json")
    found: JsonObject = {}
    for each in request.responses:
        code = each.get("code")
        if not isinstance(code, int) or not 100 <= code <= 599 or str(code) in found:
            continue
        answer: JsonObject = {"description": as_text(each.get("name"))}
        try:
            value = parsed(as_text(each.get("body")))
        except ValueError:
            value = None
        if isinstance(value, (dict, list)):
            answer["content"] = {media_type: {"schema": guessed(value)}}
        found[str(code)] = answer
    if accepted and not any("content" in as_object(each) for each in found.values()):
        found["200"] = {"description": "", **as_object(found.get("200")), "content": {each: {} for each in accepted}}
    return found or {"default": {"description": ""}}


_LANGUAGES = {"json": "application/json", "xml": "application/xml", "html": "text/html", "text": "text/plain"}


def read_body(value: JsonValue, content_type: str) -> JsonObject | None:
    """Return the Request Body Object, or None if the request has no body.

    `content_type`: the Content-Type header of the request, or "".
    """
    raw = as_object(value)
    mode = as_text(raw.get("mode"))
    if raw.get("disabled") is True or mode not in raw:
        return None
    if mode == "raw":
        return _raw(as_text(raw["raw"]), _language(raw), content_type)
    if mode == "urlencoded":
        return _form("application/x-www-form-urlencoded", as_list(raw["urlencoded"]))
    if mode == "formdata":
        return _form("multipart/form-data", as_list(raw["formdata"]))
    if mode == "graphql":
        return _graphql(as_object(raw["graphql"]))
    if mode == "file":
        return {"content": {content_type or "application/octet-stream": {}}}
    return None


def _language(raw: JsonObject) -> str:
    return as_text(as_object(as_object(raw.get("options")).get("raw")).get("language"))


def _raw(text: str, language: str, content_type: str) -> JsonObject | None:
    if not text.strip() and not content_type:
        return None
    declared = content_type or _LANGUAGES.get(language, "")
    if declared.partition(";")[0].strip().lower().endswith("json") or (not declared and text.lstrip()[:1] in "{["):
        try:
            value = parsed(text) if text.strip() else {}
        except ValueError:  # not JSON, so there is nothing to guess a schema from: allow any body
            return {"content": {declared or "application/json": {"schema": {}}}}
        return {"content": {declared or "application/json": {"schema": guessed(value)}}}
    return {"content": {declared or "text/plain": {"schema": {"type": "string"}}}}


def _form(media_type: str, fields: list[JsonValue]) -> JsonObject | None:
    properties: JsonObject = {}
    for each in map(as_object, fields):
        name = as_text(each.get("key"))
        if not name:
            continue
        if each.get("type") == "file":
            schema: JsonObject = {"type": "string", "format": "binary"}
        else:
            schema = {"type": "string"}
        texts = [described(each.get("description")), "" if "format" in schema else example(as_text(each.get("value")))]
        description = " ".join(filter(None, texts))
        if name in properties:
            schema = {"type": "array", "items": schema}
        properties[name] = {**schema, "description": description} if description else schema
    if not properties:
        return None
    return {"content": {media_type: {"schema": {"type": "object", "properties": properties}}}}


def _graphql(raw: JsonObject) -> JsonObject:
    """Return the body of a GraphQL request over HTTP. The query is constant, and its variables become arguments."""
    query = as_text(raw.get("query"))
    given = raw.get("variables")
    try:
        variables = parsed(given) if isinstance(given, str) and given.strip() else given
    except ValueError:
        variables = None
    properties: JsonObject = {"query": {"type": "string", "enum": [query]}}
    if as_object(variables):
        properties["variables"] = guessed(variables)
    schema: JsonObject = {"type": "object", "properties": properties, "required": ["query"]}
    return {"required": True, "content": {"application/json": {"schema": schema}}}
