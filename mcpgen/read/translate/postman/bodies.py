"""Translate the body of a request in a Postman collection."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.read.translate.postman.examples import example, guessed, parsed
from mcpgen.read.translate.postman.urls import described

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
