"""Test the diagnostics about many tools: none, a warning, or a proposed selection below the limit."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.jsonvalue import compact
from mcpgen.check import too_many_tools
from mcpgen.check.too_many_tools import MANY, TOO_MANY
from mcpgen.cli import main
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import Fetched


def said(paths: dict[str, Any], include: tuple[str, ...] = ()) -> tuple[int, str | None]:
    """Compile operations. Return the number of tools, and the hint of the warning about many tools."""
    document: dict[str, Any] = {"openapi": "3.1.0", "servers": [{"url": "https://x.example"}], "paths": paths}
    compiled = compile_source(Fetched("f", compact(document).encode()), Options(include=include))
    hints = [found.hint for found in compiled.diagnostics if found.code == "many-tools"]
    return len(compiled.catalog.tools), hints[0] if hints else None


def many(count: int, *tags: str, prefix: str = "/v1") -> dict[str, Any]:
    """Return `count` paths with one operation each. The operations get `tags` in turn.

    Each path begins with `prefix` and the tag.
    """
    groups = tags or ("p", "q", "r", "s", "t")
    paths = [(f"{prefix}/{groups[n % len(groups)]}/{n}", [groups[n % len(groups)]]) for n in range(count)]
    return {path: {"get": {"tags": tag if tags else []}} for path, tag in paths}


def test_a_list_that_no_client_reads_is_an_error_and_its_line_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(too_many_tools, "LONGEST_LIST", 50_000)
    document = compact({"openapi": "3.1.0", "servers": [{"url": "https://x.example"}], "paths": many(400)}).encode()
    compiled = compile_source(Fetched("f", document), Options())
    found = [each for each in compiled.diagnostics if each.code in ("list-too-large", "many-tools")]
    assert [each.code for each in found] == ["list-too-large"]
    assert compiled.failed
    assert re.search(r"The list of 400 tools takes 0\.\d MB; clients accept messages of up to 10 MB", found[0].message)
    kept = re.search(r"This keeps (\d+): (.*)", found[0].hint)
    assert kept is not None
    selectors = tuple(flag for flag in shlex.split(kept[2]) if flag != "--include")
    again = compile_source(Fetched("f", document), Options(include=selectors))
    assert not again.failed
    assert len(again.catalog.tools) == int(kept[1])


@pytest.mark.parametrize(("more", "codes"), [(0, []), (1, ["list-too-large"])])
def test_the_limit_is_of_bytes_however_few_tools_there_are(
    more: int, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = compact({"openapi": "3.1.0", "servers": [{"url": "https://x.example"}], "paths": many(3)}).encode()
    compiled = compile_source(Fetched("f", document), Options())
    size = next(len(data) for path, data in compiled.tree.items() if path.endswith("/tools.json"))
    monkeypatch.setattr(too_many_tools, "LONGEST_LIST", size - more)
    found = compile_source(Fetched("f", document), Options()).diagnostics
    assert [each.code for each in found if each.severity == "error"] == codes


@pytest.mark.parametrize(("count", "warned"), [(1, False), (MANY, False), (MANY + 1, True), (TOO_MANY, True)])
def test_a_warning_comes_above_forty(count: int, warned: bool) -> None:
    tools, hint = said(many(count, "a", "b"))
    assert tools == count
    assert (hint is not None) == warned
    assert hint is None or "By tag" not in hint


def test_the_cost_is_the_one_that_inspect_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "api.json"
    paths = many(50) | {"/more": {"get": {"summary": 'Größe 中文 😀 \\u00e9 "x"'}}}
    document.write_text(compact({"openapi": "3.1.0", "servers": [{"url": "https://x.example"}], "paths": paths}))
    with pytest.raises(SystemExit):
        main(["inspect", str(document), "--format", "json"])
    shown = json.loads(capsys.readouterr().out)
    [found] = [each for each in shown["diagnostics"] if each["code"] == "many-tools"]
    assert f"instead of about {shown['totals']['tokens']:,}." in found["hint"]


@pytest.mark.parametrize(
    "paths",
    [
        many(300, "a", "b c", "d", "e'f"),
        many(300),
        {**many(150, "huge"), **many(60, "small", prefix="/v2"), **many(39, "tiny", prefix="/v3")},
        {f"/{n}": {method: {} for method in ("get", "put", "post", "delete")} for n in range(60)},
        many(120, "", "a", "b"),
        {f"/{letter}{n}": {"get": {"tags": ["one"]}} for letter in "abc" for n in range(50)},
        {f"/things/{{id}}/{letter}{n}": {"get": {}} for letter in "abc" for n in range(50)},
    ],
)
def test_above_a_hundred_the_line_brings_it_under_and_says_to_how_many(paths: dict[str, Any]) -> None:
    _, hint = said(paths)
    assert hint is not None
    kept = re.search(r"This keeps (\d+): (.*)", hint)
    assert kept is not None
    flags = shlex.split(kept[2])
    selectors = tuple(flag for flag in flags if flag != "--include")
    assert flags == [word for selector in selectors for word in ("--include", selector)]
    assert TOO_MANY // 2 < said(paths, selectors)[0] == int(kept[1]) <= TOO_MANY


def test_tags_that_cannot_be_typed_are_passed_over() -> None:
    paths = many(400, " ", "a\tb", "c\nd", "\u202ee", "f,g", "[h]", "fine", "also fine")
    _, hint = said(paths)
    assert hint is not None
    assert hint.isprintable()
    kept = re.search(r"This keeps (\d+): (.*)", hint)
    assert kept is not None
    selectors = tuple(flag for flag in shlex.split(kept[2]) if flag != "--include")
    assert said(paths, selectors)[0] == int(kept[1]) > 0


def test_the_counts_stand_by_tag() -> None:
    _, hint = said({**many(90, "a"), **many(60, "b", prefix="/v2")})
    assert hint is not None
    assert hint.startswith("With --tools search the list takes at most 750 tokens instead of about ")
    assert hint.endswith(". Tools by tag: a 90, b 60. This keeps 90: --include tag:a")
