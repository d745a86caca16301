"""Translate methods of Discovery documents to operations."""

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.read.translate.discovery.paths import Variable, expanded
from mcpgen.read.translate.discovery.schemas import constant, schema, told

GLOBAL = ("fields", "key", "access_token", "oauth_token", "bearer_token")
"""Global parameters that are used: `fields` as an argument, the others as credentials that the server sends."""

_UPLOAD_TYPE: JsonObject = {
    "name": "uploadType",
    "in": "query",
    "required": True,
    "schema": {"type": "string", "enum": ["media"]},
    "description": "Always `media`, which says that the body is the file.",
}


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a Discovery document, its place, and the names of the resources that contain it."""

    value: JsonObject
    pointer: str
    resources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Translated:
    """An OpenAPI operation. `parameters`: for each of its parameters, the method's parameter from which it was made."""

    id: str
    path: str
    method: str
    value: JsonObject
    parameters: tuple[str, ...]


def operations(method: Method, root: JsonObject) -> Iterator[Translated]:
    """Yield the operation of a method. If the method can upload a file, also yield an operation for the upload."""
    raw = method.value
    service = as_text(root.get("servicePath"))
    path = f"/{service}{as_text(raw.get('path'))}".replace("//", "/")
    yield _operation(method, root, path, upload=False)
    simple = as_object(as_object(as_object(raw.get("mediaUpload")).get("protocols")).get("simple"))
    if upload := as_text(simple.get("path")):
        yield _operation(method, root, upload, upload=True)


def _operation(method: Method, root: JsonObject, path: str, *, upload: bool) -> Translated:
    raw = method.value
    declared = as_object(raw.get("parameters"))
    path, variables = expanded(path, declared)
    parameters: list[JsonValue] = [_path_parameter(each, declared) for each in variables]
    made_of = [each.parameter for each in variables]
    for name, value in declared.items():
        if as_object(value).get("location") != "path":
            parameters.append(_query_parameter(name, as_object(value)))
            made_of.append(name)
    fields = as_object(as_object(root.get("parameters")).get("fields"))
    if fields and "fields" not in declared:
        parameters.append(_query_parameter("fields", fields))
        made_of.append("fields")
    if raw.get("supportsMediaDownload") is True and not upload:
        parameters.append(_ALT)
    if upload:
        parameters.append(_UPLOAD_TYPE)
    name = as_text(raw.get("id")).removeprefix(f"{as_text(root.get('name'))}.")
    operation: JsonObject = {
        "operationId": f"{name}.upload" if upload else name,
        "description": _description(raw, upload=upload),
        "tags": [".".join(method.resources)] if method.resources else [],
        "parameters": parameters,
        "responses": {"200": _response(raw)},
        "security": _security(raw, root),
    }
    if raw.get("deprecated") is True:
        operation["deprecated"] = True
    if upload:
        operation["requestBody"] = _file(raw)
    elif request := as_object(raw.get("request")):
        operation["requestBody"] = {"content": {"application/json": {"schema": schema(request)}}}
    return Translated(name, path, as_text(raw.get("httpMethod")).lower() or "get", operation, tuple(made_of))


_ALT: JsonObject = {
    "name": "alt",
    "in": "query",
    "schema": {"type": "string", "enum": ["json", "media"]},
    "description": "`media` answers with the content of the file, `json` (the default) with what is known about it.",
}


def _path_parameter(variable: Variable, declared: JsonObject) -> JsonObject:
    raw = as_object(declared.get(variable.parameter))
    description = told(raw) if variable.is_last else ""
    if variable.shape:
        part = f"Part of the {variable.parameter} `{variable.shape}`."
        description = f"{part} {description}".strip()
        found: JsonObject = {"type": "string"}
        if variable.pattern:
            found["pattern"] = f"^{variable.pattern}$"
    else:
        found = _value(raw)
    return {"name": variable.name, "in": "path", "required": True, "description": description, "schema": found}


def _query_parameter(name: str, raw: JsonObject) -> JsonObject:
    found: JsonObject = {"name": name, "in": "query", "description": told(raw), "schema": _value(raw)}
    if raw.get("required") is True:
        found["required"] = True
    if raw.get("deprecated") is True:
        found["deprecated"] = True
    return found


def _value(raw: JsonObject) -> JsonObject:
    """Return the schema of a parameter. The schema of a repeated parameter is an array, without a default."""
    single = schema(
        {key: value for key, value in raw.items() if key not in ("description", "enumDescriptions", "default")}
    )
    single.pop("description", None)
    single.pop("deprecated", None)
    if raw.get("repeated") is True:
        return {"type": "array", "items": single}
    if "default" in raw and (default := constant(raw["default"], as_text(raw.get("type")))) is not None:
        single["default"] = default
    return single


def _description(raw: JsonObject, *, upload: bool) -> str:
    text = as_text(raw.get("description")).strip()
    return f"Uploads a file. {text}".strip() if upload else text


def _file(raw: JsonObject) -> JsonObject:
    """Return the body of an upload: the bytes of a file, in the media types that the method accepts."""
    accepted = [text for text in as_list(as_object(raw.get("mediaUpload")).get("accept")) if isinstance(text, str)]
    content: JsonObject = {name: {} for name in accepted if "*" not in name} or {"application/octet-stream": {}}
    return {"required": True, "content": content}


def _response(raw: JsonObject) -> JsonObject:
    content: JsonObject = {}
    if answer := as_object(raw.get("response")):
        content["application/json"] = {"schema": schema(answer)}
    if raw.get("supportsMediaDownload") is True:
        content["application/octet-stream"] = {}
    return {"description": "", "content": content} if content else {"description": ""}


def _security(raw: JsonObject, root: JsonObject) -> list[JsonValue]:
    """Return alternatives of credentials: any one of the method's scopes, or the API key. Without scopes, no credential
    is required.
    """
    scopes = [text for text in as_list(raw.get("scopes")) if isinstance(text, str)]
    known = as_object(as_object(as_object(root.get("auth")).get("oauth2")).get("scopes"))
    found: list[JsonValue] = [{"oauth2": [scope]} for scope in scopes] if known else []
    if "key" in as_object(root.get("parameters")):
        found.append({"key": []})
    if not scopes:
        found.append({})
    return found
