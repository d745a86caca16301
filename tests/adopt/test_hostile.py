"""Test `mcpgen adopt` with hostile configurations of other MCP generators.

None of their code may run, no text may break the tools file, no secret may leak, and no configuration may take long
to adopt.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.adopt import script, sources
from mcpgen.adopt.adopt import Wanted, adopt
from mcpgen.base.errors import FatalError

ESCAPES = [
    "a: b",
    "x\ntools: []",
    '"}\n#',
    "- &a [*a]",
    "{[\u2028tools: 1",
    "\x1b[2J",
    "!!python/object:os.system",
    "yes",
]
SECRET = "geheim-9f31"


def document(folder: Path, texts: list[str]) -> Path:
    """Write a document with hostile ids, tags and paths."""
    paths = {
        f"/p{index}/{{id}}": {
            "get": {
                "operationId": text,
                "tags": [text],
                "summary": text,
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {"200": {"description": "ok"}},
            }
        }
        for index, text in enumerate(texts)
    }
    whole = {"openapi": "3.1.0", "info": {"title": texts[1], "version": "1"}, "paths": paths}
    path = folder / "api.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


@pytest.mark.parametrize("text", ESCAPES)
def test_no_text_of_others_writes_into_the_tools_file(text: str, tmp_path: Path) -> None:
    path = document(tmp_path, ESCAPES)
    block: dict[str, Any] = {"command": "uvx", "args": ["awslabs.openapi-mcp-server", f"--{text}"], "env": {}}
    block["env"] = {
        "API_NAME": text,
        "API_SPEC_PATH": str(path),
        "API_BASE_URL": "https://x.example/",
        "EXCLUDE_TAGS": text,
    }
    block["env"] |= {"AUTH_TYPE": "api_key", "AUTH_API_KEY_NAME": "X-Key", "AUTH_API_KEY": SECRET}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {text: block}}), encoding="utf-8")
    server, name, folder = sources.find([str(tmp_path / "mcp.json")], None)
    found = adopt(server, name, folder, Wanted(str(tmp_path / "mcpgen.yaml")))
    read: Any = yaml.safe_load(found.text)
    assert read.keys() == {"mcpgen", "server", "security", "openapi"}
    assert read["openapi"][0].keys() <= {"document", "base_url", "include", "exclude", "overrides"}
    assert SECRET not in found.text
    assert all(line.isprintable() for line in found.text.splitlines())
    assert not [each for each in found.compiled.diagnostics if each.severity == "error"]


def doubling(grows: str, seed: str, use: str) -> str:
    """Return a script whose functions call each other: twelve levels, each of which writes its argument eight times.

    `grows`: expression for one level, in which `x` stands for eight times the argument. `use`: what becomes of the
    value of `seed`.
    """
    levels = [f"def f{level}(x): return f{level + 1}({grows})\n" for level in range(12)]
    return "".join(levels) + f"def f12(x): return x\na = f0({seed})\na = f0({seed})\n{use}"


NAMED = "FastMCP.from_openapi(openapi_spec={}, name=a)"
SCRIPTS = {
    "doubled texts": doubling("f'" + "{x}" * 8 + "'", "'a'", NAMED),
    "doubled sums": doubling("+".join("x" * 8), "'a'", NAMED),
    "doubled lists": doubling("+".join("x" * 8), "['a']", "FastMCP.from_openapi(openapi_spec={}, tags=a)"),
    "doubled items": doubling("[" + "x," * 8 + "]", "'a'", "FastMCP.from_openapi(openapi_spec={}, tags=a)"),
    "doubled members": doubling(
        "{'a': x, 'b': x, 'c': x}", "'a'", "FastMCP.from_openapi({}, httpx.AsyncClient(headers=a))"
    ),
    "doubled paths": doubling("os.path.join(" + "x," * 8 + ")", "__file__", "FastMCP.from_openapi(open(a))"),
    "doubled defaults": doubling("os.getenv('A', f'" + "{x}" * 8 + "')", "'a'", NAMED),
    "long texts": f"a = '{'x' * 900_000}'\nFastMCP.from_openapi(openapi_spec={{}}, name=f'{'{a}' * 9000}')",
    "a long function": "def f():\n"
    + " a = 1\n" * 50_000
    + " return 'x'\nFastMCP.from_openapi({}, tags=["
    + "f()," * 10_000
    + "])",
    "a chain": f"x = a{'.b' * 2500}\nFastMCP.from_openapi(x)",
    "minus": f"x = {'-' * 2500}1\nFastMCP.from_openapi(x)",
    "loop": "def f(x): return f(x)\nFastMCP.from_openapi(f(1), f(2), name=f(3))",
    "bomb": "def f(x):\n    if x: return f(f(x))\n    return f(x) or g(x)\n"
    "def g(x): return f(x) + f(x)\nFastMCP.from_openapi(f(1))",
    "names": "a = b\nb = a\na = a + b\nFastMCP.from_openapi(a, b, mcp_names=a, route_maps=b)",
    "deep": "x = " + "[" * 60 + "]" * 60 + "\nFastMCP.from_openapi(x)",
    "lambdas": "FastMCP.from_openapi(*(lambda: 1)(), **{**{}}, client=httpx.AsyncClient(**kwargs))",
    "classes": "class A:\n    def b(self):\n        self.c = open(self.c)\n"
    "        return FastMCP.from_openapi(self.b(), self.c)",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_ends_in_a_server_or_a_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.exec", None)
    found = script.read("x.py", SCRIPTS[name], {})
    assert found.documents[0].place == ""
    assert len(found.name) < 1_000_000


@pytest.mark.parametrize(("port", "written"), [("9000", "9000"), ("8000; touch PWNED", "8000"), ("", "8000")])
def test_a_command_in_a_remark_holds_no_text_of_a_script(port: str, written: str) -> None:
    found = script.read("x.py", f"FastMCP.from_openapi({{}})\nmcp.run(transport='http', port={port!r})", {})
    assert [each.text.partition("with ")[2] for each in found.remarks[-1:]] == [f"`--http {written}`."]


@pytest.mark.parametrize("text", ["def (", "\0", "x = " + "(" * 500, "print(1)", "#" * 1_000_001, "é" * 10])
def test_what_is_no_script_is_a_sentence(text: str) -> None:
    with pytest.raises(FatalError):
        script.read("x.py", text, {})


def test_a_secret_in_the_place_of_a_document_is_not_copied(tmp_path: Path) -> None:
    words = [
        "npx",
        "@ivotoby/openapi-mcp-server",
        "-s",
        f"https://x.example/a.json?token={SECRET}",
        "-u",
        "https://x.example",
    ]
    server, name, folder = sources.find(words, None)
    with pytest.raises(FatalError) as ended:
        adopt(server, name, folder, Wanted(str(tmp_path / "mcpgen.yaml")))
    assert SECRET not in str(ended.value)
