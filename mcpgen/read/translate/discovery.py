"""Translate Google Discovery documents (`discovery#restDescription`, version v1 of the format) to OpenAPI.

The format is described by the pages "Discovery Document" and "Type and Format Summary" of the Google API Discovery
Service. Its schemas are a dialect of JSON Schema draft 3, and become JSON Schema 2020-12.

Path templates (RFC 6570) become paths of OpenAPI, whose variables hold no slash. `{+name}` with the pattern
`^projects/[^/]+/topics/[^/]+$` stands for several segments. It is replaced by `projects/{projectId}/topics/{topicId}`.
This gives the same URLs, and no argument can add a segment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, pointer
from mcpgen.base.names import clipped
from mcpgen.read.document import Document
from mcpgen.read.translate import Translation

_AUTHORIZATION_URL = "https://accounts.google.com/o/oauth2/v2/auth"
_TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105 (a URL)
"""Endpoints of Google's authorization server (accounts.google.com/.well-known/openid-configuration).

A Discovery document lists scopes but not where a user logs in, since the format is used only with this server.
"""
_GLOBAL = ("fields", "key", "access_token", "oauth_token", "bearer_token")
"""Global parameters that are used: `fields` as an argument, the others as credentials that the server sends."""
_UPLOAD_TYPE: JsonObject = {
    "name": "uploadType",
    "in": "query",
    "required": True,
    "schema": {"type": "string", "enum": ["media"]},
    "description": "Always `media`, which says that the body is the file.",
}
_ALT: JsonObject = {
    "name": "alt",
    "in": "query",
    "schema": {"type": "string", "enum": ["json", "media"]},
    "description": "`media` answers with the content of the file, `json` (the default) with what is known about it.",
}
_VARIABLE = re.compile(r"\{(\+?)(\w+)\}")
_LITERAL = re.compile(r"[A-Za-z0-9._~:-]+")
_ANY = "[^/]+"
_LONGEST = 1000
"""Limit on the characters of a path template and of a pattern. In longer ones, each variable fills one segment: every
`{+name}` is replaced by all segments of its pattern, which multiplies the lengths.
"""
_KEPT = ("pattern", "readOnly", "deprecated")
_FORMATS = {"google-datetime": "date-time", "google-duration": "", "google-fieldmask": ""}
_SAID = {
    "google-duration": "A duration in seconds that ends in `s`, such as `3.5s`.",
    "google-fieldmask": "Names of fields, separated by commas, such as `user.name,photo`.",
}
_MOST_VALUES = 12
"""Limit on the values of an enum whose descriptions are copied. In longer enums, the descriptions would cost too many
tokens.
"""


def translate(document: Document, diagnostics: Diagnostics) -> Translation:
    """Return the document as OpenAPI 3.1. A diagnostic lists the features of the API for which there will be no
    tool.
    """
    root = as_object(document.value)
    result = Translation({"openapi": "3.1.0"})
    title = as_text(root.get("title")) or as_text(root.get("canonicalName")) or as_text(root.get("name"))
    result.value["info"] = {
        "title": title,
        "version": as_text(root.get("version")),
        "description": as_text(root.get("description")),
    }
    result.note(("info",), "")
    result.value["servers"] = _servers(root)
    result.note(("servers",), "/rootUrl" if "rootUrl" in root else "/baseUrl")
    result.value["components"] = {
        "schemas": {name: _schema(value) for name, value in as_object(root.get("schemas")).items()},
        "securitySchemes": _schemes(root),
    }
    result.note(("components", "schemas"), "/schemas")
    result.note(("components", "securitySchemes"), "/auth")
    _add_paths(root, result, document, diagnostics)
    _report_left_out(root, document, diagnostics)
    return result


def _servers(root: JsonObject) -> list[JsonValue]:
    """Return the API's server, `rootUrl`, as a list. `servicePath` becomes part of the methods' paths instead, since
    the paths of uploads do not begin with it.
    """
    url = as_text(root.get("rootUrl")) or as_text(root.get("baseUrl"))
    return [{"url": url.rstrip("/")}] if url else []


def _schemes(root: JsonObject) -> JsonObject:
    scopes = as_object(as_object(as_object(root.get("auth")).get("oauth2")).get("scopes"))
    found: JsonObject = {}
    if scopes:
        flow: JsonObject = {
            "authorizationUrl": _AUTHORIZATION_URL,
            "tokenUrl": _TOKEN_URL,
            "scopes": {name: as_text(as_object(said).get("description")) for name, said in scopes.items()},
        }
        found["oauth2"] = {"type": "oauth2", "flows": {"authorizationCode": flow}}
    key = as_object(as_object(root.get("parameters")).get("key"))
    if key:
        description = as_text(key.get("description"))
        found["key"] = {"type": "apiKey", "in": "query", "name": "key", "description": description}
    return found


def _add_paths(root: JsonObject, result: Translation, document: Document, diagnostics: Diagnostics) -> None:
    paths: JsonObject = {}
    result.value["paths"] = paths
    for method in _methods(root, "", ()):
        for made in _operations(method, root):
            item = as_object(paths.setdefault(made.path, {}))
            if made.method in item:
                message = f"The method {clipped(made.id)} has the same request as another method, so it was left out."
                diagnostics.add(
                    "invalid-document", message, document.where(method.pointer), "Remove one of the two methods."
                )
                continue
            item[made.method] = made.value
            place = ("paths", made.path, made.method)
            result.note(place, method.pointer)
            for index, name in enumerate(made.parameters):
                source = f"/parameters/{name}" if name == "fields" else pointer(method.pointer, "parameters", name)
                result.note((*place, "parameters", index), source)


def _methods(holder: JsonObject, place: str, resources: tuple[str, ...]) -> Iterator[_Method]:
    """Yield the methods of an API or a resource, followed by the methods of the resources inside it."""
    for name, value in as_object(holder.get("methods")).items():
        yield _Method(as_object(value), pointer(place, "methods", name), resources)
    for name, value in as_object(holder.get("resources")).items():
        yield from _methods(as_object(value), pointer(place, "resources", name), (*resources, name))


def _report_left_out(root: JsonObject, document: Document, diagnostics: Diagnostics) -> None:
    """Report which global parameters do not become arguments: they concern formats, quotas and credentials."""
    left = [name for name in as_object(root.get("parameters")) if name not in _GLOBAL]
    if left:
        message = f"Global parameters that do not become arguments: {clipped(', '.join(left), 200)}."
        hint = "`fields` is offered, and the server sends the API key or the access token."
        diagnostics.add("unused-parameters", message, document.where("/parameters"), hint)


@dataclass(frozen=True, slots=True)
class _Method:
    """A method of a Discovery document, its place, and the names of the resources that contain it."""

    value: JsonObject
    pointer: str
    resources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Translated:
    """An OpenAPI operation. `parameters`: for each of its parameters, the method's parameter from which it was made."""

    id: str
    path: str
    method: str
    value: JsonObject
    parameters: tuple[str, ...]


def _operations(method: _Method, root: JsonObject) -> Iterator[_Translated]:
    """Yield the operation of a method. If the method can upload a file, also yield an operation for the upload."""
    raw = method.value
    service = as_text(root.get("servicePath"))
    path = f"/{service}{as_text(raw.get('path'))}".replace("//", "/")
    yield _operation(method, root, path, upload=False)
    simple = as_object(as_object(as_object(raw.get("mediaUpload")).get("protocols")).get("simple"))
    if upload := as_text(simple.get("path")):
        yield _operation(method, root, upload, upload=True)


def _operation(method: _Method, root: JsonObject, path: str, *, upload: bool) -> _Translated:
    raw = method.value
    declared = as_object(raw.get("parameters"))
    path, variables = _expanded(path, declared)
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
        operation["requestBody"] = {"content": {"application/json": {"schema": _schema(request)}}}
    return _Translated(name, path, as_text(raw.get("httpMethod")).lower() or "get", operation, tuple(made_of))


def _path_parameter(variable: _Variable, declared: JsonObject) -> JsonObject:
    raw = as_object(declared.get(variable.parameter))
    description = _told(raw) if variable.is_last else ""
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
    found: JsonObject = {"name": name, "in": "query", "description": _told(raw), "schema": _value(raw)}
    if raw.get("required") is True:
        found["required"] = True
    if raw.get("deprecated") is True:
        found["deprecated"] = True
    return found


def _value(raw: JsonObject) -> JsonObject:
    """Return the schema of a parameter. The schema of a repeated parameter is an array, without a default."""
    single = _schema(
        {key: value for key, value in raw.items() if key not in ("description", "enumDescriptions", "default")}
    )
    single.pop("description", None)
    single.pop("deprecated", None)
    if raw.get("repeated") is True:
        return {"type": "array", "items": single}
    if "default" in raw and (default := _constant(raw["default"], as_text(raw.get("type")))) is not None:
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
        content["application/json"] = {"schema": _schema(answer)}
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


@dataclass(frozen=True, slots=True)
class _Variable:
    """A variable of the translated path. `parameter`: the method's parameter from which it was made. `shape`: template
    of all segments of that parameter, such as `projects/{projectId}`, or "" if the parameter fills one segment.
    """

    name: str
    parameter: str
    pattern: str = ""
    shape: str = ""
    is_last: bool = True


# An argument with slashes could lead to another path. Of 20,641 parameters with a resource name, 20,498 can be split.
def _expanded(path: str, parameters: JsonObject) -> tuple[str, list[_Variable]]:
    """Return the path with one variable for each segment that an argument fills, and the list of these variables.

    `parameters`: the parameters of the method. Their patterns say how many segments each `{+name}` has.
    """
    found: list[_Variable] = []
    taken = {name for name in parameters if f"{{+{name}}}" not in path}

    def replaced(match: re.Match[str]) -> str:
        name = match[2]
        pattern = as_text(as_object(parameters.get(name)).get("pattern"))
        segments = _segments(pattern) if match[1] and max(len(path), len(pattern)) <= _LONGEST else []
        if not any(is_variable for _, is_variable in segments) or len(segments) < 2:
            found.append(_Variable(name, name))
            return f"{{{name}}}"
        parts = list(_parts(segments, taken))
        shape = "/".join(text if not pattern else f"{{{text}}}" for text, pattern in parts)
        variables = [(text, pattern) for text, pattern in parts if pattern]
        for index, (text, pattern) in enumerate(variables):
            wanted = "" if pattern == _ANY else pattern
            found.append(_Variable(text, name, wanted, shape, index == len(variables) - 1))
        return shape

    return _VARIABLE.sub(replaced, path), found


def _segments(pattern: str) -> list[tuple[str, bool]]:
    """Return the segments of a pattern as (text, whether it is a regular expression). Return an empty list if the
    pattern cannot be split.
    """
    text = pattern.removeprefix("^").removesuffix("$")
    found = []
    for part in re.split(r"/(?![^\[]*\])", text) if text else []:
        if _LITERAL.fullmatch(part) and not part.endswith(".*"):
            found.append((part, False))
            continue
        try:
            re.compile(part)
        except re.error:
            return []
        found.append((_ANY if part == ".*" else part, True))
    return found


def _parts(segments: list[tuple[str, bool]], taken: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each segment as (literal, "") or (variable name, pattern). Variable names are unique, and none is in
    `taken`.
    """
    used = set(taken)
    before = "part"
    for text, is_variable in segments:
        if not is_variable:
            before = text
            yield text, ""
            continue
        name = base = f"{_one(before)}Id"
        count = 1
        while name in used:
            count += 1
            name = f"{base}{count}"
        used.add(name)
        yield name, text


def _one(word: str) -> str:
    """Return the singular of `word`, a literal segment of a path: `projects` gives `project`."""
    word = re.sub(r"\W+", "_", word).strip("_") or "part"
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if re.search(r"(ss|sh|ch|x)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _schema(value: JsonValue) -> JsonObject:
    """Return the schema as JSON Schema 2020-12. References are changed to `#/components/schemas/NAME`."""
    raw = as_object(value)
    found: JsonObject = {key: raw[key] for key in _KEPT if key in raw}
    if isinstance(raw.get("$ref"), str):
        found["$ref"] = pointer("#/components/schemas", as_text(raw["$ref"]))
    kind = as_text(raw.get("type"))
    if kind and kind != "any":
        found["type"] = kind
    declared = as_text(raw.get("format"))
    if declared and (written := _FORMATS.get(declared, declared)):
        found["format"] = written
    if raw.get("enum"):
        found["enum"] = raw["enum"]
    for key, end in (("minimum", "minimum"), ("maximum", "maximum"), ("default", "default")):
        if key in raw and (number := _constant(raw[key], kind)) is not None:
            found[end] = number
    if "properties" in raw:
        properties = as_object(raw["properties"])
        found["properties"] = {name: _schema(member) for name, member in properties.items()}
        if required := [name for name, member in properties.items() if as_object(member).get("required") is True]:
            found["required"] = list[JsonValue](required)
    if "items" in raw:
        found["items"] = _schema(raw["items"])
    if "additionalProperties" in raw:
        found["additionalProperties"] = _schema(raw["additionalProperties"])
    if description := _told(raw):
        found["description"] = description
    return found


def _constant(value: JsonValue, kind: str) -> JsonValue:
    """Convert a default or limit, which Discovery documents write as text, to the type `kind`. Return None if the text
    is no value of this type.
    """
    if not isinstance(value, str):
        return value
    if kind in ("integer", "number"):
        try:
            return int(value) if kind == "integer" else float(value)
        except ValueError:
            return None
    if kind == "boolean":
        return {"true": True, "false": False}.get(value.lower())
    return value if kind == "string" else None


def _told(raw: JsonObject) -> str:
    """Return the description of a schema or parameter, with sentences added for keywords that only Discovery has."""
    sentences = [as_text(raw.get("description")).strip(), _SAID.get(as_text(raw.get("format")), "")]
    if methods := [text for text in as_list(as_object(raw.get("annotations")).get("required")) if text]:
        sentences.append(f"Required by {', '.join(as_text(method) for method in methods)}.")
    lines = [" ".join(filter(None, sentences)), *_values(raw)]
    return "\n".join(filter(None, lines))


def _values(raw: JsonObject) -> list[str]:
    """Return one line of text for each enum value that has a description."""
    values, descriptions = as_list(raw.get("enum")), as_list(raw.get("enumDescriptions"))
    if len(values) > _MOST_VALUES:
        return []
    pairs = zip(values, descriptions, strict=False)
    return [f"- `{as_text(value)}`: {as_text(text).strip()}" for value, text in pairs if as_text(text).strip()]
