"""Suggest the right key for a wrong key that people write from habit with OpenAPI, with other tools, or with older YAML
formats.

Keys are compared ignoring case, `_` and `-`. `KEYS` lists wrong keys by the object that contains them: `file` (the
whole tools file), or a name in `$defs` of `schema.json`.
"""

import json
import re
from collections.abc import Sequence

from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import clipped

_BASE_URL = "Write the URL of the API under `base_url`."
_AT_SERVER = "Write this key under `server`."
_REQUEST = "Write method and path in one line: `request: GET /path`."
_ARGUMENTS = "Under `arguments`, write each value that the model fills in as `name: type`."
_HEADERS = "Write header fields under `send: {headers: …}`. To send an argument as a header field, write `in: header`."
_SELECT = "Choose operations with `include: [{tag: …}]`, by tag, path, method or id."

KEYS: dict[str, dict[str, str]] = {
    "file": {
        **dict.fromkeys(("url", "servers", "serverurl", "host", "endpoint", "apiurl", "baseuri"), _BASE_URL),
        **dict.fromkeys(
            ("name", "title", "version", "instructions", "logging", "output", "fields", "lookups", "pages", "confirm"),
            _AT_SERVER,
        ),
        **dict.fromkeys(("description", "info"), "Write the server's name, title and instructions under `server`."),
        **dict.fromkeys(
            ("auth", "authentication", "authorization", "securityschemes", "credentials"),
            "Describe credentials under `security`: `api_key: {type: apiKey, in: header, name: X-API-Key}`.",
        ),
        **dict.fromkeys(
            ("spec", "specs", "document", "documents", "source", "sources", "swagger", "apis"),
            "List API descriptions under `openapi`: `openapi: [{document: FILE}]`.",
        ),
        **dict.fromkeys(
            ("schemas", "parameters", "responses", "definitions", "requestbodies"), "Write this key under `components`."
        ),
        "paths": (
            "Write a list `tools`, in which each tool has its `request`, or name an OpenAPI document under `openapi`."
        ),
        "headers": (
            "Describe credentials under `security`. Write other header fields in each tool, under `send: {headers: …}`."
        ),
        "env": (
            "A tools file sets no environment variables; `mcpgen inspect` lists the variables that the server reads."
        ),
        "resourcetemplates": "A resource with `{name}` in its `uri` is a template: write it under `resources`.",
        "timeout": (
            "Write this key in a tool. The operator sets the timeout of all other tools with the environment variable "
            "whose name ends in _TIMEOUT."
        ),
        "roles": "Write this key under `server`, with a list for each HTTP method, or in a tool.",
        "scopes": "Write this key in a tool, or in an override.",
    },
    "server": {
        **dict.fromkeys(("url", "baseurl", "host"), "Write the URL of the API under `base_url`, beside `server`."),
        "description": "Write what a model should know under `instructions`.",
    },
    "tool": {
        **dict.fromkeys(("operationid", "id"), "Use the key `name` instead."),
        **dict.fromkeys(("requestbody", "payload", "data", "json"), "Use the key `body` instead."),
        "summary": "Write a few words for people as `title`, and the text for models as `description`.",
        **dict.fromkeys(("method", "path", "url", "endpoint", "route", "http", "uri", "verb"), _REQUEST),
        **dict.fromkeys(("schema", "inputschema", "jsonschema"), "Use the key `inputSchema` instead."),
        **dict.fromkeys(("params", "args", "query", "properties", "input", "inputs", "queryparameters"), _ARGUMENTS),
        **dict.fromkeys(("headers", "header", "cookies"), _HEADERS),
        **dict.fromkeys(("servers", "server", "host"), _BASE_URL),
        **dict.fromkeys(
            ("auth", "authentication", "credentials"), "Write the credentials that the tool needs under `security`."
        ),
        **dict.fromkeys(("response", "returns"), "Describe the responses under `responses`, as in OpenAPI."),
        **dict.fromkeys(
            ("readonlyhint", "destructivehint", "idempotenthint", "openworldhint", "hints", "readonly", "destructive"),
            "Write hints under `annotations`: `annotations: {readOnlyHint: true}`.",
        ),
        "required": "Write `required` in each required argument: `city: string required`.",
        **dict.fromkeys(
            ("hide", "enabled", "disabled"), "Remove a tool that you do not want, or write it as a comment."
        ),
    },
    "override": {
        **dict.fromkeys(("hidden", "disabled", "skip", "exclude", "enabled", "ignore"), "Write `hide: true`."),
        **dict.fromkeys(("parameters", "params", "args", "properties"), "Use the key `arguments` instead."),
        "summary": "Write a few words for people as `title`, and the text for models as `description`.",
        "inputschema": "The schema comes from the OpenAPI document; change single arguments under `arguments`.",
        "operationid": "Use the key `name` instead.",
    },
    "argument_change": {
        **dict.fromkeys(("hidden", "skip", "exclude"), "Write `hide: true`."),
        **dict.fromkeys(("const", "fixed"), "For a value that is always sent, use the key `value`."),
        **dict.fromkeys(("type", "enum", "format"), "Write this key under `schema`."),
    },
    "document": {
        **dict.fromkeys(
            ("url", "path", "file", "spec", "source", "src", "location"), "Use the key `document` instead."
        ),
        **dict.fromkeys(("tags", "tag", "operations", "filter", "filters", "select", "only"), _SELECT),
        **dict.fromkeys(
            ("name", "namespace"), "To begin the names of the document's tools with a word, write `prefix`."
        ),
    },
    "send": {
        **dict.fromkeys(("params", "parameters"), "Use the key `query` instead."),
        **dict.fromkeys(("json", "data", "payload", "form"), "Use the key `body` instead."),
    },
    "result": {
        **dict.fromkeys(("jq", "path", "pointer", "jsonpath", "filter"), "Use the key `select`, with a JSON Pointer."),
        "template": "Use the key `text` instead.",
        **dict.fromkeys(("drop", "omit", "exclude", "redact"), "Use the key `remove` instead."),
    },
    "resource": {
        "url": "Write the address of the resource as `uri`. If a GET request fetches it, write `request: GET /path`.",
        **dict.fromkeys(("content", "contents", "body", "data"), "Use the key `text`, or `file`."),
        **dict.fromkeys(("path", "method", "endpoint"), "Write a `file`, or `request: GET /path`."),
        **dict.fromkeys(("contenttype", "type"), "Use the key `mimeType` instead."),
        "uritemplate": "Use the key `uri` instead.",
    },
    "prompt": {
        **dict.fromkeys(
            ("template", "text", "content", "prompt"), "Write messages: `messages: [{role: user, text: …}]`."
        ),
        **dict.fromkeys(("params", "parameters", "args"), "Use the key `arguments` instead."),
    },
    "message": {**dict.fromkeys(("content", "message"), "Use the key `text` instead.")},
    "parameter": {
        **dict.fromkeys(
            ("type", "format", "enum", "default", "items", "pattern", "properties", "const", "nullable", "title"),
            "Write this key under `schema`.",
        ),
        **dict.fromkeys(
            ("minimum", "maximum", "minlength", "maxlength", "minitems", "maxitems", "uniqueitems", "multipleof"),
            "Write this key under `schema`.",
        ),
    },
    "annotations": {"title": "Write this key in the tool, beside `annotations`."},
}
"""Definition in `schema.json` of the containing object → wrong key → what to write instead."""

_YES, _NO = ("yes", "on", "y", "true"), ("no", "off", "n", "false")
_METHODS = ("GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS")
_LEADING_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def key(container: str, written: str) -> str:
    """Return what to write in place of the unknown key `written`, or "" if there is no suggestion. `container`: name of
    the definition in `$defs` for the object that contains the key.
    """
    return KEYS.get(container, {}).get(written.casefold().replace("_", "").replace("-", ""), "")


def kind(value: JsonValue, kinds: Sequence[str], name: str) -> str:
    """Return what to write in place of a value of the wrong type, or "" if there is no suggestion.

    `kinds`: the expected JSON Schema types. `name`: the key of the value.
    """
    if isinstance(value, dict) and "array" in kinds:
        return "Write a list: begin each item with `- `."
    if isinstance(value, list) and "object" in kinds:
        beside = " For a list of Parameter Objects, use the key `parameters`." if name == "arguments" else ""
        return f"Write a mapping: `NAME: …` instead of each `- `.{beside}"
    if isinstance(value, dict) and name == "request":
        return "Write method and path in one line, as in `GET /path`."
    if isinstance(value, str):
        return _in_place_of_text(value, kinds)
    if isinstance(value, (bool, int, float)) and "string" in kinds:
        return "Write the value in quotes, which makes it a text."
    return ""


def _in_place_of_text(value: str, kinds: Sequence[str]) -> str:
    word = value.strip().casefold()
    if "boolean" in kinds and word in (*_YES, *_NO):
        return f"Write {json.dumps(word in _YES)}, without quotes."
    number = _LEADING_NUMBER.match(word)
    if number is not None and ("integer" in kinds or "number" in kinds):
        return f"Write the number alone, without quotes: {number[0]}."
    if "array" in kinds:
        return "Write a list: `[…]`, or a line for each item, which begins with `- `."
    return ""


def request_line(written: str, methods: Sequence[str] = _METHODS) -> str:
    """Return advice on how to correct `written`, an invalid value of `request:`.

    Example of advice: "Begin with the method, GET or POST."
    """
    method, _, path = written.strip().partition(" ")
    path = path.strip()
    if "://" in written:
        return "Write only the path, as in `GET /path`; write the URL of the API under `base_url`."
    if not path:
        if method.startswith("/"):
            return f"Begin with the method: `{methods[0]} {clipped(method)}`."
        return f"Write method and path, as in `{methods[0]} /path`."
    if method not in methods and method.upper() in methods:
        return f"Write the method in capitals: `{method.upper()} {clipped(path)}`."
    if method not in methods:
        return f"Begin with the method, {' or '.join(methods)}."
    if not path.startswith("/"):
        return f"Begin the path with `/`: `{method} /{clipped(path)}`."
    return (
        f"Write one space between method and path, and %20 for other spaces: `{method} "
        f"{clipped('%20'.join(path.split()))}`."
    )
