"""Suggest the right key for a wrong key that people write from habit with OpenAPI, with other tools, or with older YAML
formats.

Keys are compared ignoring case, `_` and `-`. The object that contains the key is named by its definition in `$defs` of
`schema.json`.
"""

import json
import re
from collections.abc import Sequence

from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import clipped

_BASE_URL = "Write the URL of the API under `base_url`."
_AT_SERVER = "It stands under `server`."
_REQUEST = "Write method and path in one line: `request: GET /path`."
_ARGUMENTS = "What a model fills in stands under `arguments`, name to type."
_HEADERS = "Header fields stand under `send: {headers: …}`; an argument goes into one by `in: header`."
_SELECT = "Choose operations with `include: [{tag: …}]`, by tag, path, method or id."

KEYS: dict[str, dict[str, str]] = {
    "file": {
        **dict.fromkeys(("url", "servers", "serverurl", "host", "endpoint", "apiurl", "baseuri"), _BASE_URL),
        **dict.fromkeys(
            ("name", "title", "version", "instructions", "logging", "output", "fields", "lookups", "pages", "confirm"),
            _AT_SERVER,
        ),
        **dict.fromkeys(("description", "info"), "What it is stands under `server`: name, title, instructions."),
        **dict.fromkeys(
            ("auth", "authentication", "authorization", "securityschemes", "credentials"),
            "Credentials are described under `security`: `api_key: {type: apiKey, in: header, name: X-API-Key}`.",
        ),
        **dict.fromkeys(
            ("spec", "specs", "document", "documents", "source", "sources", "swagger", "apis"),
            "API descriptions stand under `openapi`: `openapi: [{document: FILE}]`.",
        ),
        **dict.fromkeys(
            ("schemas", "parameters", "responses", "definitions", "requestbodies"), "It stands under `components`."
        ),
        "paths": "Tools are a list under `tools`, each with its `request`; a document is named under `openapi`.",
        "headers": "Credentials stand under `security`, other header fields at each tool, under `send: {headers: …}`.",
        "env": "Nothing is set here: `mcpgen inspect` shows which variables of the environment the server reads.",
        "resourcetemplates": "A resource with `{name}` in its `uri` is a template: write it under `resources`.",
        "timeout": "It stands at each tool; the operator sets the one of all by PREFIX_TIMEOUT.",
        "roles": "It stands under `server`, by method, or at a tool.",
        "scopes": "It stands at a tool, or at an override of one.",
    },
    "server": {
        **dict.fromkeys(("url", "baseurl", "host"), "Write the URL of the API under `base_url`, beside `server`."),
        "description": "What a model should know is called `instructions`.",
    },
    "tool": {
        **dict.fromkeys(("operationid", "id"), "It is called `name` here."),
        **dict.fromkeys(("requestbody", "payload", "data", "json"), "It is called `body` here."),
        "summary": "A few words for people are the `title`, what a model reads is the `description`.",
        **dict.fromkeys(("method", "path", "url", "endpoint", "route", "http", "uri", "verb"), _REQUEST),
        **dict.fromkeys(("schema", "inputschema", "jsonschema"), "It is called `inputSchema` here."),
        **dict.fromkeys(("params", "args", "query", "properties", "input", "inputs", "queryparameters"), _ARGUMENTS),
        **dict.fromkeys(("headers", "header", "cookies"), _HEADERS),
        **dict.fromkeys(("servers", "server", "host"), _BASE_URL),
        **dict.fromkeys(("auth", "authentication", "credentials"), "What it needs stands under `security`."),
        **dict.fromkeys(("response", "returns"), "What comes back stands under `responses`, as in OpenAPI."),
        **dict.fromkeys(
            ("readonlyhint", "destructivehint", "idempotenthint", "openworldhint", "hints", "readonly", "destructive"),
            "Hints stand under `annotations`: `annotations: {readOnlyHint: true}`.",
        ),
        "required": "Say it at each argument: `city: string required`.",
        **dict.fromkeys(("hide", "enabled", "disabled"), "A tool that is not wanted is taken out, or commented out."),
    },
    "override": {
        **dict.fromkeys(("hidden", "disabled", "skip", "exclude", "enabled", "ignore"), "Write `hide: true`."),
        **dict.fromkeys(("parameters", "params", "args", "properties"), "They are called `arguments` here."),
        "summary": "A few words for people are the `title`, what a model reads is the `description`.",
        "inputschema": "The schema is the document's; change single arguments under `arguments`.",
        "operationid": "It is called `name` here.",
    },
    "argument_change": {
        **dict.fromkeys(("hidden", "skip", "exclude"), "Write `hide: true`."),
        **dict.fromkeys(("const", "fixed"), "What is always sent is called `value`."),
        **dict.fromkeys(("type", "schema", "enum", "format"), "What the argument takes is said by the document."),
    },
    "document": {
        **dict.fromkeys(("url", "path", "file", "spec", "source", "src", "location"), "It is called `document` here."),
        **dict.fromkeys(("tags", "tag", "operations", "filter", "filters", "select", "only"), _SELECT),
        **dict.fromkeys(("name", "namespace"), "What stands before the names of its tools is called `prefix`."),
    },
    "send": {
        **dict.fromkeys(("params", "parameters"), "It is called `query` here."),
        **dict.fromkeys(("json", "data", "payload", "form"), "It is called `body` here."),
    },
    "result": {
        **dict.fromkeys(("jq", "path", "pointer", "jsonpath", "filter"), "It is called `select`, a JSON Pointer."),
        "template": "It is called `text` here.",
        **dict.fromkeys(("drop", "omit", "exclude", "redact"), "It is called `remove` here."),
    },
    "resource": {
        "url": "Its address is called `uri`; what a GET answers, `request: GET /path`.",
        **dict.fromkeys(("content", "contents", "body", "data"), "It is called `text` here, or `file`."),
        **dict.fromkeys(("path", "method", "endpoint"), "Name a `file`, or write `request: GET /path`."),
        **dict.fromkeys(("contenttype", "type"), "It is called `mimeType` here."),
        "uritemplate": "It is called `uri` here.",
    },
    "prompt": {
        **dict.fromkeys(("template", "text", "content", "prompt"), "Write it as `messages: [{role: user, text: …}]`."),
        **dict.fromkeys(("params", "parameters", "args"), "They are called `arguments` here."),
    },
    "message": {**dict.fromkeys(("content", "message"), "It is called `text` here.")},
    "parameter": {
        **dict.fromkeys(
            ("type", "format", "enum", "default", "items", "pattern", "properties", "const", "nullable", "title"),
            "Write it under `schema`.",
        ),
        **dict.fromkeys(
            ("minimum", "maximum", "minlength", "maxlength", "minitems", "maxitems", "uniqueitems", "multipleof"),
            "Write it under `schema`.",
        ),
    },
    "annotations": {"title": "It stands at the tool, beside `annotations`."},
}
"""Definition in `schema.json` of the containing object → wrong key → what to write instead."""

_YES, _NO = ("yes", "on", "y", "true"), ("no", "off", "n", "false")
_METHODS = ("GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS")
_LEADING_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


# Decision 0132: A key from another tool's format gets a hint.
def key(container: str, written: str) -> str:
    """Return what to write in place of the unknown key `written`, or "" if there is no suggestion. `container`:
    definition of the object that contains it.
    """
    return KEYS.get(container, {}).get(written.casefold().replace("_", "").replace("-", ""), "")


def kind(value: JsonValue, kinds: Sequence[str], name: str) -> str:
    """Return what to write in place of a value of the wrong type, or "" if there is no suggestion.

    `kinds`: the expected JSON Schema types. `name`: the key of the value.
    """
    if isinstance(value, dict) and "array" in kinds:
        return "Write a list: begin each item with `- `."
    if isinstance(value, list) and "object" in kinds:
        beside = " A list of Parameter Objects is called `parameters`." if name == "arguments" else ""
        return f"Write a mapping: `NAME: …` in place of each `- `.{beside}"
    if isinstance(value, dict) and name == "request":
        return "Write method and path in one line, as in `GET /path`."
    if isinstance(value, str):
        return _in_place_of_text(value, kinds)
    if isinstance(value, (bool, int, float)) and "string" in kinds:
        return "Put it in quotes, which makes it a text."
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
    """Return what to write in place of `written`, an invalid value of `request:`, such as "Begin with the method"."""
    method, _, path = written.strip().partition(" ")
    path = path.strip()
    if "://" in written:
        return "Write the path alone, as in `GET /path`; where the API is stands under `base_url`."
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
        f"Write one blank between method and path, and %20 for others: `{method} {clipped('%20'.join(path.split()))}`."
    )
