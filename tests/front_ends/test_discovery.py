"""Test that tools made from Discovery documents send the same requests as Google's own client."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from package.runtime.core.catalog import Tool
from package.runtime.files.files import Files
from package.runtime.request.argument_errors import Refused
from package.runtime.request.arguments import Checker
from package.runtime.request.request import build

from mcpgen.cli.inspect.contract import arguments_json
from mcpgen.emit import table
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.interop import environments

CLIENT = Path(__file__).with_name("google_client.py")
DOCUMENTS = (
    *("drive.v3", "gmail.v1", "calendar.v3", "sheets.v4", "youtube.v3"),
    *("storage.v1", "pubsub.v1", "people.v1", "tasks.v1", "compute.v1"),
)
ADDED_BY_THE_CLIENT = {"alt": "json"}
NO_FILES = Files(None, "FILES_DIR")
MOST_REFUSED = 0.03
"""Upper limit on the share of refused calls: values that a path must not hold, and combinations that no
tool can send.
"""


@cache
def python() -> Path:
    try:
        return environments.python("google-client", "google-api-python-client==2.202.0") / "bin" / "python"
    except environments.Missing as missing:
        pytest.skip(str(missing))


def told(*arguments: str) -> list[dict[str, Any]]:
    done = subprocess.run([str(python()), "-I", str(CLIENT), *arguments], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Compiled:
    """The tools of one document by operation id, with the location of the parameter for each argument."""

    def __init__(self, path: Path) -> None:
        catalog = compile_source(fetch.read(str(path)), Options()).catalog
        content = table.tools_json(catalog)
        bindings = json.loads(table.bindings_json(catalog, content, {}))["bindings"]
        name = json.loads(path.read_text(encoding="utf-8"))["name"]
        self.root_url = json.loads(path.read_text(encoding="utf-8"))["rootUrl"]
        self.tools = {}
        for spec, tool, binding in zip(catalog.tools, json.loads(content), bindings, strict=True):
            drawn: dict[str, Any] = arguments_json(spec)
            places = {argument: (str(at["in"]), str(at["name"])) for argument, at in drawn.items()}
            emitted = Tool(tool["name"], tool["inputSchema"], binding)
            self.tools[f"{name}.{spec.operation.id}"] = emitted, places, spec.operation.path


def arguments_of(call: dict[str, Any], places: dict[str, tuple[str, str]], template: str) -> dict[str, Any]:
    """Return the tool's arguments that correspond to the parameters of the client's call.

    Path variables are read from the client's URL, with the tool's path as the pattern.
    """
    pattern = "".join(
        f"(?P<{part[1:-1]}>[^/]+?)" if part.startswith("{") else re.escape(part)
        for part in re.split(r"(\{\w+\})", template)
    )
    path = urlsplit(call["request"]["uri"]).path
    match = re.fullmatch(pattern, path)
    assert match is not None, (template, path)
    found: dict[str, Any] = {}
    body = call["body"]
    for argument, (place, name) in places.items():
        if place == "path":
            found[argument] = unquote(match[name])
        elif place == "query" and name in call["given"]:
            found[argument] = call["given"][name]
        elif place == "body" and name == "" and body:
            found[argument] = body
        elif place == "body" and body and name in body:
            found[argument] = body[name]
    for argument, (place, name) in places.items():
        if place == "path" and isinstance(call["given"].get(name), int):
            found[argument] = call["given"][name]
    return found


def difference(call: dict[str, Any], compiled: Compiled) -> str:
    """Return the difference between the tool's request and the client's, "" if they are equal, or "refused" if the tool
    refuses.
    """
    tool, places, template = compiled.tools[call["id"]]
    given = arguments_of(call, places, template)
    if problems := list(map(str, Checker().check(tool, given))):
        return f"refused: {problems[0]}"
    try:
        request = build(tool, given, NO_FILES, bytes)
    except Refused as refused:
        return f"refused: {refused.problems[0]}"
    wanted = urlsplit(call["request"]["uri"])
    path, _, query = request.target.partition("?")
    if request.method != call["request"]["method"]:
        return f"method {request.method}"
    if [unquote(part) for part in path.split("/")] != [unquote(part) for part in wanted.path.split("/")]:
        return f"path {path}"
    pairs = parse_qsl(wanted.query, keep_blank_values=True)
    expected = sorted(pair for pair in pairs if ADDED_BY_THE_CLIENT.get(pair[0]) != pair[1])
    sent = sorted(
        pair for pair in parse_qsl(query, keep_blank_values=True) if ADDED_BY_THE_CLIENT.get(pair[0]) != pair[1]
    )
    if sent != expected:
        return f"query {sent} instead of {expected}"
    body = json.loads(request.body) if request.body else None
    if (body or None) != (call["request"]["body"] or None):
        return f"body {body}"
    return ""


def pairs(query: str) -> list[tuple[str, str]]:
    """Return the pairs of a query in order, without those that the client adds by itself."""
    found = parse_qsl(query, keep_blank_values=True)
    return sorted(pair for pair in found if ADDED_BY_THE_CLIENT.get(pair[0]) != pair[1])


def judged(seed: str, count: int, names: list[str]) -> tuple[int, list[str], list[str]]:
    """Return the number of compared calls, the calls that the tool refuses, and the calls for which the tool's request
    differs from the request of Google's client.
    """
    first, *found = told(seed, str(count), *names)
    compiled = {name: Compiled(Path(first["folder"]) / f"{name}.json") for name in names}
    compared = [call for call in found if "request" in call and call["id"] in compiled[call["document"]].tools]
    verdicts = [(call, difference(call, compiled[call["document"]])) for call in compared]
    refused = [f"{call['id']} {text}" for call, text in verdicts if text.startswith("refused")]
    wrong = [f"{call['id']} {text}" for call, text in verdicts if text and not text.startswith("refused")]
    return len(compared), refused, wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_requests_are_those_of_googles_own_client(name: str) -> None:
    compared, refused, wrong = judged("2026", 3, [name])
    assert compared > 20
    assert not wrong
    assert len(refused) <= MOST_REFUSED * compared, refused
