"""Test that small files of other people end in bounded CPU time and memory, whatever their values refer to.

Each row is a command and its files. Without its guard, a row exceeds the limits of its process (setrlimit(2)).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hostile.fuzz.documents.compiling import import_all, problem_of, run
from tests.hostile.fuzz.documents.grammar import Hostile

SECONDS = 20
"""Limit on CPU seconds. Each row takes at most a few."""

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "servers": [{"url": "https://a.example"}],
    "paths": {"/a": {"get": {"operationId": "a", "responses": {}}}},
}
LEVELS = range(12)
SERVE = "FastMCP.from_openapi(openapi_spec={}, %s)\n"
PATTERNS = [{"p": f"\\p{{L}}{{99}}a{number}"} for number in range(5000)]
SELECTORS = ",".join(f"'{number}'" for number in range(250))


def script(grows: str, seed: str, use: str) -> str:
    """Return a FastMCP script whose functions call each other. Each of twelve functions writes its argument eight
    times, by the expression `grows`. `use`: arguments of the call that creates the server.
    """
    levels = [f"def f{level}(x): return f{level + 1}({grows})\n" for level in LEVELS]
    return "".join(levels) + f"def f12(x): return x\na = f0({seed})\na = f0({seed})\n" + SERVE % use


def overlaid(*actions: dict[str, Any], **members: Any) -> dict[str, Any]:
    """Return the files of a document with further `members` and of an overlay with these actions."""
    overlay = {"overlay": "1.1.0", "info": {"title": "x", "version": "1"}, "actions": actions}
    return {"openapi.json": {**DOCUMENT, **members}, "overlay.json": overlay}


def selecting(target: str, **members: Any) -> dict[str, Any]:
    return overlaid({"target": target, "update": {"x": 1}}, **members)


def collection(url: str, body: str = "") -> dict[str, Any]:
    """Return a Postman collection whose variables each name the next one ten times."""
    variables = [{"key": f"v{level}", "value": f"{{{{v{level + 1}}}}}" * 10} for level in LEVELS]
    request: dict[str, Any] = {"method": "POST", "url": url, "body": {"mode": "raw", "raw": body}}
    schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
    items = [{"name": "a", "request": request}]
    return {
        "info": {"name": "M", "schema": schema},
        "variable": [*variables, {"key": "v12", "value": "x"}],
        "item": items,
    }


def discovery(path: str, pattern: str) -> dict[str, Any]:
    parameter = {"type": "string", "location": "path", "required": True, "pattern": pattern}
    method = {"id": "d.a", "path": path, "httpMethod": "GET", "parameters": {"a": parameter}}
    api = {"kind": "discovery#restDescription", "name": "d", "version": "v1", "title": "D", "servicePath": ""}
    return {**api, "rootUrl": "https://d.example/", "methods": {"a": method}}


ITEMS = [{"a": number} for number in range(20_000)]
ADOPT = ("adopt", "-o", "-", "server.py")
OVERLAY = ("inspect", "openapi.json", "--overlay", "overlay.json")
INSPECT = ("inspect", "openapi.json")
ALIASES = "x0: &x0 [a,a,a,a,a,a,a,a]\n" + "".join(
    f"x{level + 1}: &x{level + 1} [{','.join([f'*x{level}'] * 8)}]\n" for level in LEVELS
)
ROWS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "a script that doubles a text": (ADOPT, {"server.py": script("f'" + "{x}" * 8 + "'", "'a'", "name=a")}),
    "a script that doubles a sum": (ADOPT, {"server.py": script("+".join("x" * 8), "'a'", "name=a")}),
    "a script that doubles a list": (ADOPT, {"server.py": script("+".join("x" * 8), "['a']", "tags=a")}),
    "a script that nests a list": (ADOPT, {"server.py": script("[" + "x," * 8 + "]", "'a'", "tags=a")}),
    "a script that doubles a path": (
        ADOPT,
        {"server.py": script("os.path.join(" + "x," * 8 + ")", "__file__", "client=open(a)")},
    ),
    "a script that nests a default": (
        ADOPT,
        {"server.py": script("os.getenv('A', f'" + "{x}" * 8 + "')", "'a'", "name=a")},
    ),
    "a script that calls a long function often": (
        ADOPT,
        {"server.py": "def f():\n" + " a = 1\n" * 50_000 + " return 'x'\n" + SERVE % f"tags=[{'f(),' * 10_000}]"},
    ),
    "a script with a long chain of names": (ADOPT, {"server.py": f"x = a{'.b' * 2500}()\n" + SERVE % "name=x"}),
    "a configuration with many open quotes": (
        ("adopt", "-o", "-", "client.json"),
        {"client.json": '{"mcpServers": ' + '\\"' * 300_000},
    ),
    "a filter within a filter": (OVERLAY, selecting("$.xl[?count($.xl[?@.a>0])>5]", xl=ITEMS)),
    "a filter of many comparisons": (OVERLAY, selecting(f"$.xl[?{'||'.join(['1==2'] * 300)}]", xl=ITEMS * 8)),
    "a filter of many tests": (OVERLAY, selecting(f"$.xl[?{'||'.join(['@.a'] * 150)}]", xl=[0] * 900_000)),
    "a filter that compares large values": (
        OVERLAY,
        selecting("$.xl[?$.c==$.d]", xl=[0] * 150_000, c=[[1]] * 50_000, d=[[1]] * 50_000),
    ),
    "a filter that searches a long text": (
        OVERLAY,
        # the engine cannot skip parts of the text: no match needs a certain letter
        selecting("$.xl[?search($.long,'[ab]{5}[^ab]')]", xl=[0] * 200_000, long="ab" * 200_000),
    ),
    "a filter of many patterns": (OVERLAY, selecting("$.xl[?search('a',@.p)]", xl=PATTERNS)),
    "a selection of many names": (OVERLAY, selecting(f"$..[{SELECTORS}]", xl=[{}] * 400_000)),
    "actions that grow the document": (
        OVERLAY,
        overlaid(*({"target": "$..[?@]", "update": {"x": {"y": {}}}} for _ in range(200)), xl=ITEMS),
    ),
    "actions that copy a long list": (
        OVERLAY,
        overlaid(*({"target": "$.xl[0]", "update": number} for number in range(10_000)), xl=[0] * 300_000),
    ),
    "variables in the server of a collection": (INSPECT, {"openapi.json": collection("{{v0}}/a")}),
    "a body of a collection with many open quotes": (
        INSPECT,
        {"openapi.json": collection("https://a.example", "{" + '\\"' * 300_000)},
    ),
    "a body of a collection with many open comments": (
        INSPECT,
        {"openapi.json": collection("https://a.example", "{" + "/*" * 300_000)},
    ),
    "a path of many resource names": (INSPECT, {"openapi.json": discovery("{+a}" * 3000, f"^{'[^/]+/' * 3000}x$")}),
    "aliases of YAML": (INSPECT, {"openapi.json": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n" + ALIASES}),
}


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    import_all()


_SLOW = frozenset(
    ("a filter of many tests", "a selection of many names", "a filter of many comparisons", "a filter within a filter")
)


@pytest.mark.parametrize("row", [pytest.param(row, marks=[pytest.mark.slow] * (row in _SLOW)) for row in ROWS])
def test_hard_16_a_file_of_other_people_ends_within_its_budget(row: str) -> None:
    command, files = ROWS[row]
    named = {name: (text if isinstance(text, str) else json.dumps(text)).encode() for name, text in files.items()}
    [first, *others] = named
    ended = run(Hostile(row, named[first], first), command, SECONDS, {name: named[name] for name in others})
    assert problem_of(ended) == "", ended.said[-2000:]
