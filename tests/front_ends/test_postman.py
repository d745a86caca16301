"""Test that tools made from a Postman collection send the requests that Postman's own SDK reads in the collection."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from package.runtime.core.catalog import Tool
from package.runtime.files.files import Files
from package.runtime.request.arguments import Checker
from package.runtime.request.request import Request, build

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.secrets import is_harmless_header
from mcpgen.cli.inspect.contract import arguments_json
from mcpgen.emit import table
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.document.load import load
from mcpgen.read.translate import translated
from tests.interop import environments

READER = Path(__file__).with_name("postman_reader.js")
PACKAGES = {"postman-collection": "5.3.1", "postman-to-openapi": "1.7.3", "postman-code-generators": "2.1.1"}
PUBLIC = (
    *(f"postman-to-openapi/test/resources/input/v21/{name}.json" for name in ("PostmantoOpenAPI", "FolderCollection")),
    *(f"postman-to-openapi/test/resources/input/v21/{name}.json" for name in ("PathParams", "DepthPathParams")),
    *(f"postman-to-openapi/test/resources/input/v21/{name}.json" for name in ("Headers", "MultipleServers")),
    *(f"postman-to-openapi/test/resources/input/v21/{name}.json" for name in ("AuthBasic", "GetMethods")),
    "postman-to-openapi/test/resources/input/v2/UrlWithPort.json",
    "postman-to-openapi/test/resources/input/NoOptionsInBody.json",
    "postman-code-generators/codegens/http/test/resources/test-collection.json",
    "postman-code-generators/codegens/nodejs-axios/test/unit/fixtures/testcollection/collection.json",
)
"""Collections in the test folders of npm packages, written by people."""

OURS = Path(__file__).parents[1] / "cases" / "front_ends" / "postman" / "collection.json"
NO_FILES = Files(None, "FILES_DIR")
VALUE = "a value/of ours"
SENT_BY_THE_SERVER = {"accept", "authorization", "content-type", "content-length", "host", "user-agent", "cookie"}


@cache
def modules() -> Path:
    try:
        return environments.node("postman", PACKAGES) / "node_modules"
    except environments.Missing as missing:
        pytest.skip(str(missing))


def requests_of(path: Path) -> list[dict[str, Any]]:
    """Return the requests of a collection as Postman's SDK reads them."""
    environment = os.environ | {"NODE_PATH": str(modules())}
    command = ["node", str(READER), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Compiled:
    """The tools of a Postman collection, by the JSON Pointer of their request in the collection file."""

    def __init__(self, path: Path) -> None:
        catalog = compile_source(fetch.read(str(path)), Options()).catalog
        content = table.tools_json(catalog)
        bindings = json.loads(table.bindings_json(catalog, content, {}))["bindings"]
        document = translated(load(str(path), path.read_bytes(), Diagnostics()), Diagnostics())
        self.tools: dict[str, tuple[Tool, dict[str, dict[str, Any]]]] = {}
        for spec, tool, binding in zip(catalog.tools, json.loads(content), bindings, strict=True):
            emitted = Tool(tool["name"], tool["inputSchema"], binding)
            operation = spec.operation
            key = operation.path.replace("~", "~0").replace("/", "~1")
            method = operation.method.lower()
            item = f"/paths/{key}"
            known = document.source(f"{item}/{method}")
            place = (
                known if known.startswith("/item") else document.source(f"{item}/additionalOperations/{method.upper()}")
            )
            places: dict[str, Any] = arguments_json(spec)
            self.tools[place] = emitted, places


def is_variable(text: Any) -> bool:
    return isinstance(text, str) and "{{" in text


def meant(value: Any) -> Any:
    """Return an example with each variable replaced by a fixed value."""
    if isinstance(value, dict):
        return {key: meant(member) for key, member in value.items()}
    if isinstance(value, list):
        return [meant(item) for item in value]
    return VALUE if is_variable(value) else value


def body_of(request: dict[str, Any]) -> Any:
    """Return the body of an example request: a JSON value, an object of fields, a text, or None without a body."""
    body = request["body"]
    if body is None:
        return None
    if "fields" in body:
        return {key: value or "" for key, value, disabled, kind in body["fields"] if not disabled and kind != "file"}
    if body.get("mode") != "raw" or not (body["raw"] or "").strip():
        return None
    try:
        return meant(json.loads(body["raw"]))
    except ValueError:
        return meant(body["raw"])


def arguments_of(request: dict[str, Any], places: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the tool's arguments that correspond to the example request."""
    query = {key: meant(value or "") for key, value, disabled, _ in request["query"] if not disabled}
    headers = {key.lower(): meant(value or "") for key, value, disabled, _ in request["headers"] if not disabled}
    body = body_of(request)
    found: dict[str, Any] = {}
    for argument, at in places.items():
        if at["in"] == "path":
            found[argument] = VALUE
        elif at["in"] == "query" and at["name"] in query:
            found[argument] = query[at["name"]]
        elif at["in"] == "header" and at["name"].lower() in headers:
            found[argument] = headers[at["name"].lower()]
        elif at["in"] in ("body", "form", "multipart") and body is not None and not at.get("part"):
            if at["name"] == "":
                found[argument] = body
            elif isinstance(body, dict) and at["name"] in body:
                found[argument] = body[at["name"]]
    return found


def difference(request: dict[str, Any], sent: Request) -> str:
    """Return the difference between the sent request and the example, or "" if they are equal."""
    if sent.method != request["method"]:
        return f"method {sent.method}"
    path, _, query = sent.target.partition("?")
    wanted = [VALUE if part.startswith((":", "{{")) else part for part in request["path"]]
    segments = [unquote(part) for part in path.strip("/").split("/")]
    if segments[-len(wanted) :] != [part for part in wanted if part] and any(wanted):
        return f"path {path} instead of {wanted}"
    expected = sorted((key, meant(value or "")) for key, value, disabled, _ in request["query"] if key and not disabled)
    if sorted(parse_qsl(query, keep_blank_values=True)) != expected:
        return f"query {query} instead of {expected}"
    fields = {name.lower(): value for name, value in sent.fields}
    for key, value, disabled, _ in request["headers"]:
        if disabled or not key or key.lower() in SENT_BY_THE_SERVER or not value or is_variable(value):
            continue
        # any other constant comes from the environment, which is empty here
        expected_value = value if is_harmless_header(key, value) else None
        if fields.get(key.lower()) != expected_value:
            return f"header {key}: {fields.get(key.lower())} instead of {expected_value}"
    return _of_body(request, sent, fields)


def _of_body(request: dict[str, Any], sent: Request, fields: dict[str, str]) -> str:
    body, written = body_of(request), sent.body or b""
    kind = fields.get("content-type", "")
    if isinstance(body, str):
        return "" if written.decode() == body else f"body {written!r}"
    if body and "json" in kind:
        return "" if json.loads(written) == body else f"body {written!r}"
    if body and "urlencoded" in kind:
        return "" if dict(parse_qsl(written.decode(), keep_blank_values=True)) == body else f"body {written!r}"
    if body and "multipart" in kind:
        lost = [name for name in body if f'name="{name}"'.encode() not in written]
        return f"fields {lost}" if lost else ""
    return "" if not body else f"no body instead of {body}"


def judged(path: Path) -> tuple[int, list[str]]:
    """Compare each request of the Postman collection `path` with the request that the compiled tool sends. Return how
    many were compared, and a sentence for each request that differs, has no tool, or is refused.
    """
    compiled = Compiled(path)
    wrong = []
    compared = 0
    for request in requests_of(path):
        if request["place"] not in compiled.tools:
            wrong.append(f"{request['place']} {request['name']}: no tool")
            continue
        tool, places = compiled.tools[request["place"]]
        given = arguments_of(request, places)
        if problems := list(map(str, Checker().check(tool, given))):
            wrong.append(f"{request['name']}: refused: {problems}")
            continue
        compared += 1
        if text := difference(request, build(tool, given, NO_FILES, bytes)):
            wrong.append(f"{request['place']} {request['name']}: {text}")
    return compared, wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLIC)
def test_public_collections_are_read_as_postman_reads_them(name: str) -> None:
    compared, wrong = judged(modules() / name)
    assert not wrong
    assert compared > 0
