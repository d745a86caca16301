"""Test the attack cases GEN and OUT on emission: text of a document stays data in every generated file."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.base.names import SERVER_NAME, TOOL_NAME
from mcpgen.cli import main
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched
from tests.hostile.documents import compiled, everywhere, tools_file
from tests.hostile.emitted import assert_reproducible, assert_sound

PAYLOADS: dict[str, list[str]] = {
    "GEN-01": ['x"""\nimport os;os.environ["PWN"]="1"\n"""'],
    "GEN-02": ["'+str(CANARY)+'", '"+str(CANARY)+"', "{__import__('os').system('id')}"],
    "GEN-03": ["x(): pass\ndef y", "a;b", "a\\b"],
    "GEN-04": ['/p" + str(CANARY) + "/{id}', "/p'+exec('1')+'"],
    "GEN-05": ['x\\"""', '""""', "x\\", 'x"', "*/", "-->", "'''", '"*/"*/'],
    "GEN-06": ["x\nCANARY=1", "x\rCANARY=1", "x\r\nCANARY=1", "# x\n\tCANARY=1"],
    "GEN-07": [
        "a\u2028b", "a\u2029b", "a\u0085b", "a\u000bb", "a\u000cb", "a\u001cb\u001db\u001e", "a\u202eb", "a\u2066b",
        "a\u200bb", "a\ufeffb", "a\U000e0041b",
    ],
    "GEN-08": ["http://h/${7*7}", "http://h/{{7*7}}", "http://h/%(x)s", "http://h/{0.__class__}", "{% raw %}", "{#"],
    "GEN-09": ["a', os.system('id'), '", "1e400", "NaN", "Infinity"],
    "GEN-10": ["__import__('os').system('id')", "{X}", "\\N{DIGIT ONE}", "\\x", "\\u12", "\\ud800"],
    "GEN-13": ["application/json'; CANARY; '", "a/b\r\nX: 1", "a/b; c"],
    "GEN-14": ["${CANARY}", '"]=1;#', "__class__", "__proto__", "constructor", "$ref"],
    "GEN-15": [
        'a"\n[tool.x]\ny=1', '1"; import os', "</pre><script>alert(1)</script>", "](javascript:alert(1))", "```\n# RUN",
        "${{ secrets.X }}", "\nRUN curl", "| a | b |\n|---|---|", "[x]: http://evil.example", "www.evil.example",
    ],
    "GEN-16": ["\ud800", "\udfff x", "\x00", "x" * 65536, "\ud83d\ude00"],
    "OUT-01": ["../../../../tmp/pwn", "/etc/cron.d/x", "C:\\x", "\\\\host\\share", "~", "..", ".", ""],
    "OUT-02": ["con", "nul", "aux", "a.", "a ", "a:b", "x" * 300, "-rf"],
    "OUT-04": ["json", "site", "__init__", "__main__", "class", "print", "mcp", "httpx", "os", "runtime"],
    "TXT-03": ["\x1b[2J", "\x1b]8;;http://evil.example\x07x\x1b]8;;\x07", "\x07\x08\x7f\x9b"],
    "TXT-05": ["self", "None", "\uff49\uff4d\uff50\uff4f\uff52\uff54", "\u202e\u200b", "   ", "\U0001f600"],
}  # fmt: skip
CASES = [pytest.param(text, id=f"{case}-{at}") for case, texts in PAYLOADS.items() for at, text in enumerate(texts)]


@pytest.mark.parametrize("text", CASES)
def test_a_text_in_every_place_is_data(text: str) -> None:
    result = compiled(everywhere(text))
    assert_sound(result)
    assert_reproducible(result)
    assert SERVER_NAME.fullmatch(result.catalog.identity.name)
    assert all(TOOL_NAME.fullmatch(tool.name) for tool in result.catalog.tools)
    assert "plain" in [tool.name for tool in result.catalog.tools]


@pytest.mark.parametrize("text", CASES)
def test_a_text_in_every_place_of_a_tools_file_is_data(text: str) -> None:
    assert_sound(compiled(tools_file(text)))


def data_of(result: Compiled) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    package = result.catalog.identity.package
    return json.loads(result.tree[f"{package}/tools.json"]), json.loads(result.tree[f"{package}/bindings.json"])


@pytest.mark.parametrize("case", ["GEN-02", "GEN-05", "GEN-09", "GEN-10", "GEN-14", "OUT-01"])
def test_what_is_data_is_preserved_exactly(case: str) -> None:
    for text in filter(None, PAYLOADS[case]):
        tools, bindings = data_of(compiled(everywhere(text)))
        (tool,) = [tool for tool in tools if "a" in tool["inputSchema"]["properties"] and tool["name"] != "plain"][:1]
        assert tool["inputSchema"]["properties"]["a"]["enum"] == [text, "x"]
        assert tool["inputSchema"]["properties"]["a"]["default"] == text
        sent = {
            field["name"] for binding in bindings["bindings"] for field in binding.get("body", {}).get("fields", ())
        }
        assert text in sent


def test_gen_08_a_server_url_is_never_a_template() -> None:
    for text in PAYLOADS["GEN-08"]:
        result = compiled(everywhere(text))
        assert not any(b"49" in data for path, data in result.tree.items() if path.endswith((".toml", ".md", ".yaml")))


def test_gen_09_enums_of_any_size_and_kind_are_data() -> None:
    many: list[Any] = [f"value {number}" for number in range(10_000)]
    mixed: list[Any] = ["a", 1, 1.5, True, None, {"x": 1}, ["y"], 10**400]
    parameters: Any = [
        {"name": name, "in": "query", "schema": {"enum": values}} for name, values in (("many", many), ("mixed", mixed))
    ]
    result = compiled({"openapi": "3.1.0", "paths": {"/a": {"get": {"parameters": parameters}}}})
    assert_sound(result)
    tools, _ = data_of(result)
    assert "10000 values" in tools[0]["inputSchema"]["properties"]["many"]["description"]


def test_gen_11_the_name_of_the_input_reaches_the_lock_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = 'a"""\nX=1\n${7*7}.yaml'
    Path(name).write_text("openapi: 3.1.0\npaths: {/a: {get: {}}, //b: {get: {}}}\n")
    with pytest.raises(SystemExit) as ended:
        main(["generate", name, "-o", "out"])
    assert ended.value.code == 0
    holding = {path.name for path in Path("out").rglob("*") if path.is_file() and b"X=1" in path.read_bytes()}
    assert holding == {"mcpgen.lock.json"}
    assert json.loads(Path("out/mcpgen.lock.json").read_text())["source"] == f"../{name}"


UNKNOWN = [
    "x-python-type", "x-python-import", "x-enum-descriptions", "x-ms-enum", "default_factory", "customBasePath",
    "x-go-name", "x-mcp-header", "x-install", "icons", "$comment", "$id", "$anchor", "$dynamicRef", "externalDocs",
    "xml", "examples",
]  # fmt: skip


def test_gen_12_unknown_extensions_reach_no_file() -> None:
    canary = "os.system('canary')"
    extra: dict[str, Any] = dict.fromkeys(UNKNOWN, canary)
    schema = {"type": "object", "properties": {"a": {"type": "string", **extra}}, **extra}
    operation: dict[str, Any] = {
        "operationId": "a",
        **extra,
        "requestBody": {"content": {"application/json": {"schema": schema, **extra}}},
    }
    document: Any = {
        "openapi": "3.1.0",
        "info": {"title": "T", **extra},
        "paths": {"/a": {"post": operation, **extra}},
        **extra,
    }
    result = compiled(document)
    assert_sound(result)
    assert not [path for path, data in result.tree.items() if b"canary" in data]


@pytest.mark.parametrize("media_type", PAYLOADS["GEN-13"])
def test_gen_13_a_body_of_no_media_type_is_refused(media_type: str) -> None:
    with pytest.raises(FatalError, match="No key under `content`"):
        compiled({"openapi": "3.1.0", "paths": {"/a": {"post": {"requestBody": {"content": {media_type: {}}}}}}})


def test_gen_13_a_part_of_no_media_type_has_none() -> None:
    content = {"schema": {"properties": {"f": {"type": "string"}}}, "encoding": {"f": {"contentType": "a/b\r\nX: 1"}}}
    operation = {"requestBody": {"content": {"multipart/form-data": content}}}
    document: Any = {"openapi": "3.1.0", "paths": {"/a": {"post": operation}}}
    _, bindings = data_of(compiled(document))
    assert bindings["bindings"][0]["body"]["fields"] == [{"argument": "f", "name": "f", "part": "text"}]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_gen_17_modes_do_not_depend_on_the_process(mask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that file modes do not depend on the umask of the process.

    architecture/test_determinism.py tests that hash seeds, locales, time zones and folders do not change the output.
    """
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("openapi: 3.1.0\npaths: {/a: {get: {}}}\n")
    before = os.umask(mask)
    try:
        with pytest.raises(SystemExit):
            main(["generate", "a.yaml", "-o", "out"])
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in Path("out").rglob("*") if path.is_file()} == {0o644}


def test_out_01_only_the_files_of_the_project_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for at, text in enumerate(PAYLOADS["OUT-01"] + PAYLOADS["OUT-02"] + PAYLOADS["OUT-04"]):
        folder = tmp_path / f"case{at}" / "inside"
        folder.mkdir(parents=True)
        monkeypatch.chdir(folder)
        Path("a.json").write_text(json.dumps(everywhere(text)))
        with pytest.raises(SystemExit) as ended:
            main(["generate", "a.json"])
        assert ended.value.code == 0
        name = compile_source(Fetched("a.json", Path("a.json").read_bytes()), Options()).catalog.identity.name
        assert sorted(path.name for path in folder.iterdir()) == ["a.json", "generated"]
        assert [path.name for path in Path("generated").iterdir()] == [name]
        assert [path.name for path in folder.parent.iterdir()] == ["inside"]


@pytest.mark.parametrize("title", PAYLOADS["OUT-04"])
def test_out_04_a_package_shadows_nothing(title: str) -> None:
    identity = compiled({"openapi": "3.1.0", "info": {"title": title}, "paths": {"/a": {"get": {}}}}).catalog.identity
    assert identity.package.endswith("_mcp")
    assert identity.package.isidentifier()
