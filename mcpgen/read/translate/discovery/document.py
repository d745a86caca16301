"""Translate a whole Google Discovery document to OpenAPI: its identity, server, security, schemas and methods."""

from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text, pointer
from mcpgen.base.names import clipped
from mcpgen.read.document import Document
from mcpgen.read.translate.discovery.methods import GLOBAL, Method, operations
from mcpgen.read.translate.discovery.schemas import schema
from mcpgen.read.translate.translation import Translation

AUTHORIZATION_URL = "https://accounts.google.com/o/oauth2/v2/auth"
TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105 (a URL)
"""Endpoints of Google's authorization server (accounts.google.com/.well-known/openid-configuration).

A Discovery document lists scopes but not where a user logs in, since the format is used only with this server.
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
        "schemas": {name: schema(value) for name, value in as_object(root.get("schemas")).items()},
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
            "authorizationUrl": AUTHORIZATION_URL,
            "tokenUrl": TOKEN_URL,
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
        for made in operations(method, root):
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


def _methods(holder: JsonObject, place: str, resources: tuple[str, ...]) -> Iterator[Method]:
    """Yield the methods of an API or a resource, followed by the methods of the resources inside it."""
    for name, value in as_object(holder.get("methods")).items():
        yield Method(as_object(value), pointer(place, "methods", name), resources)
    for name, value in as_object(holder.get("resources")).items():
        yield from _methods(as_object(value), pointer(place, "resources", name), (*resources, name))


def _report_left_out(root: JsonObject, document: Document, diagnostics: Diagnostics) -> None:
    """Report which global parameters do not become arguments: they concern formats, quotas and credentials."""
    left = [name for name in as_object(root.get("parameters")) if name not in GLOBAL]
    if left:
        message = f"Global parameters that do not become arguments: {clipped(', '.join(left), 200)}."
        hint = "`fields` is offered, and the server sends the API key or the access token."
        diagnostics.add("unused-parameters", message, document.where("/parameters"), hint)
