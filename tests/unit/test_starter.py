"""Test the tools file of `mcpgen init`: it is valid as written, and with any commented-out proposal enabled, whatever
texts the document has.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.cli import main
from mcpgen.emit.sinks import yaml_comment, yaml_scalar
from mcpgen.emit.starter import starter
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.document import load
from mcpgen.read.fetch import Fetched, read
from mcpgen.read.toolsfile import editors, schema_check

ROOT = Path(__file__).parents[2]
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
PROPOSAL = re.compile(r"( *)# (?!yaml-language-server)(.*)")
GIVEN = {"mcpgen", "server", "openapi"}
PROPOSED = {"parts", "base_url", "overrides"}


def initial(document: dict[str, Any] | Path, folder: str = "") -> str:
    data = document.read_bytes() if isinstance(document, Path) else json.dumps(document).encode()
    catalog = compile_source(Fetched("f", data), Options()).catalog
    return starter(catalog, "api.yaml", "x.tools.yaml", "api.yaml", folder).text


def without_marks(text: str) -> str:
    """Return `text` with all commented-out proposals enabled."""
    return "\n".join(PROPOSAL.sub(r"\1\2", line) for line in text.split("\n"))


def each_switched_on(text: str) -> list[str]:
    """Return copies of `text`, each with one commented-out line enabled. With an indented line, the first line of its
    block is enabled too.
    """
    lines = text.split("\n")
    found, beginning = [], -1
    for index, line in enumerate(lines):
        proposal = PROPOSAL.fullmatch(line)
        if proposal is None:
            continue
        inner = len(proposal[2]) - len(proposal[2].lstrip())
        if not inner:
            beginning = index
        switched = {index, beginning} if inner else {index}
        if proposal[2].split("##")[0].strip().endswith(":"):
            continue  # skip a key with its value in the lines below: without these lines, the key is invalid
        found.append("\n".join(PROPOSAL.sub(r"\1\2", each) if n in switched else each for n, each in enumerate(lines)))
    return found


def told(text: str) -> list[str]:
    """Return the diagnostics about the structure of a tools file."""
    found = Diagnostics()
    document = load("f", text.encode(), found)
    assert isinstance(document.value, dict)
    schema_check.check(document.value, Where("f"), found)
    return [each.message for each in found]


def many(count: int, *tags: str) -> dict[str, Any]:
    paths = {
        f"/v1/{tags[n % len(tags)] if tags else n % 9}/{n}": {"delete": {"tags": list(tags[n % 5 : n % 5 + 1])}}
        for n in range(count)
    }
    return {"openapi": "3.1.0", "servers": [{"url": "https://x.example"}], "paths": paths}


DOCUMENTS: dict[str, Any] = {
    "petstore": PETSTORE,
    "no tags": many(30),
    "many": many(60, "a", "b", "c", "d", "e"),
    "too many": many(300, "a", "b", "c", "d", "e"),
    "too many without tags": many(300),
    "too many with one tag": many(300, "a"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_it_holds_as_it_stands_and_with_any_proposal_switched_on(name: str) -> None:
    text = initial(DOCUMENTS[name])
    assert text.startswith(editors.line() + "\n")
    assert told(text) == []
    assert told(without_marks(text)) == []
    proposals = each_switched_on(text)
    assert len(proposals) > 5
    for each in proposals:
        assert told(each) == [], each
        assert yaml.safe_load(each) != yaml.safe_load(text)


def test_tags_are_listed_with_what_they_cost() -> None:
    text = initial(PETSTORE)
    assert re.search(r"^    #   - tag:Pets  ## 11 tools, about [\d,]+ tokens$", text, re.MULTILINE)
    assert "#   deletePet: {confirm: always}  ## DELETE /pets/{petId}, about " in text
    assert "PETSTORE_API_KEY" in text


@pytest.mark.parametrize("name", ["too many", "too many without tags"])
def test_of_too_many_as_many_are_selected_as_models_choose_among(name: str) -> None:
    (entry,) = yaml.safe_load(initial(DOCUMENTS[name]))["openapi"]
    compiled = compile_source(
        Fetched("f", json.dumps(DOCUMENTS[name]).encode()), Options(include=tuple(entry["include"]))
    )
    assert 50 < len(compiled.catalog.tools) <= 100


# -- Hostile texts in a document --------------------------------------------------------------------------------------

HOSTILE = st.text(
    "ab:#,-*&!|>'\"%@`{}[]\\?~=\n\r\t\x85\u2028\u202e\ufeff\x00\x1b é\U0001f600", max_size=12
) | st.sampled_from(
    [
        "yes",
        "null",
        "1.0",
        "0o7",
        "<<",
        "=",
        "---",
        "...",
        "- a",
        "a: b",
        "a #b",
        "tools: []",
        "\ntools: []",
        "# x",
        "",
        " ",
    ]
)


@given(HOSTILE)
def test_a_scalar_is_read_as_its_text(text: str) -> None:
    scalar = yaml_scalar(text)
    assert "\n" not in scalar
    assert yaml.safe_load(f"{scalar}: [{scalar}, {{a: {scalar}}}]  ## x") == {text: [text, {"a": text}]}
    assert yaml.safe_load(f"- {scalar}  ## x\n- b") == [text, "b"]
    ours = load("f", f"a: {scalar}".encode(), Diagnostics()).value
    assert ours == {"a": text}


@given(HOSTILE)
def test_a_comment_is_one_line_and_holds_nothing(text: str) -> None:
    assert yaml.safe_load(f"a: 1  # {yaml_comment(text)}\nb: 2") == {"a": 1, "b": 2}


OPERATION = st.fixed_dictionaries(
    {}, optional={"operationId": HOSTILE, "summary": HOSTILE, "tags": st.lists(HOSTILE, max_size=2)}
)
SCHEMES = st.dictionaries(HOSTILE, st.just({"type": "apiKey", "in": "header", "name": "X-Key"}), max_size=2)


@settings(max_examples=50)  # slow because each example compiles twice
@given(
    st.dictionaries(
        HOSTILE.map("/{}".format),
        st.fixed_dictionaries({}, optional={"get": OPERATION, "delete": OPERATION}),
        max_size=4,
    ),
    HOSTILE,
    SCHEMES,
)
def test_no_text_of_a_document_can_write_into_the_file(
    paths: dict[str, Any], text: str, schemes: dict[str, Any]
) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": text},
        "servers": [{"url": "https://x.example/" + text, "description": text}],
        "paths": {"/fixed": {"get": {"operationId": text + "a", "tags": [text]}}, **paths},
        "components": {"securitySchemes": schemes},
        "security": [{name: [] for name in schemes}],
    }
    written = initial(document)
    assert yaml.safe_load(written).keys() == GIVEN
    assert told(written) == []
    on = yaml.safe_load(without_marks(written))
    assert on.keys() <= GIVEN | PROPOSED
    assert on["server"].keys() <= {"name", "title", "version", "instructions", "confirm"}
    assert on["openapi"][0].keys() <= {"document", "include", "exclude"}
    assert told(without_marks(written)) == []
    tools = compile_source(Fetched("f", json.dumps(document).encode()), Options()).catalog.tools
    known = {tool.operation.id for tool in tools} | {f"{t.operation.method} {t.operation.path}" for t in tools}
    assert set(on.get("overrides", {})) <= known


# -- The command `init` -----------------------------------------------------------------------------------------------


def ran(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return ended.value.code


def test_the_command_writes_the_file_and_the_schema_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "pets.yaml").write_bytes(PETSTORE.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert ran("init", "api/pets.yaml") == 0
    assert yaml.safe_load(Path("petstore.tools.yaml").read_bytes())["openapi"][0]["document"] == "api/pets.yaml"
    assert Path("mcpgen.schema.json").read_bytes() == editors.schema_file()
    Path("petstore.tools.yaml").write_text("mine")
    assert ran("init", "api/pets.yaml") == 2
    assert Path("petstore.tools.yaml").read_text() == "mine"
    assert ran("init", "api/pets.yaml", "--overwrite") == 0
    Path("other").mkdir()
    Path("other/mcpgen.schema.json").write_text("{}")
    assert ran("init", "api/pets.yaml", "-o", "other/x.tools.yaml") == 0
    written = yaml.safe_load(Path("other/x.tools.yaml").read_bytes())
    assert (written["ref_dir"], written["openapi"][0]["document"]) == (["../api"], "../api/pets.yaml")
    assert Path("other/mcpgen.schema.json").read_text() == "{}"


def test_the_command_prints_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ran("init", str(PETSTORE), "-o", "-") == 0
    assert capsys.readouterr().out.startswith(editors.line())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("source", "said"), [("-", "must name its document"), ("specs/station.tools.yaml", "is already a tools file")]
)
def test_what_is_no_document_is_refused(source: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("init", str(ROOT / source) if source != "-" else source) == 2
    assert said in capsys.readouterr().err


def test_the_document_itself_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "api.yaml"
    document.write_bytes(PETSTORE.read_bytes())
    assert ran("init", str(document), "-o", str(tmp_path / "." / "api.yaml"), "--overwrite") == 2
    assert "is the document itself" in capsys.readouterr().err
    assert document.read_bytes() == PETSTORE.read_bytes()


def test_the_tools_of_the_file_are_those_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(PETSTORE.read_bytes())
    target = tmp_path / "x.tools.yaml"
    target.write_text(initial(PETSTORE), encoding="utf-8")
    compiled = compile_source(read(str(target)), Options())
    assert not [each for each in compiled.diagnostics if each.severity == "error"]
    one = compile_source(read(str(PETSTORE)), Options())
    tools = "petstore_mcp/tools.json"
    assert compiled.tree[tools] == one.tree[tools]


def test_all_that_is_proposed_compiles(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(PETSTORE.read_bytes())
    target = tmp_path / "x.tools.yaml"
    target.write_text(without_marks(initial(PETSTORE)), encoding="utf-8")
    compiled = compile_source(read(str(target)), Options())
    assert [each for each in compiled.diagnostics if each.severity == "error"] == []
    tools = {tool.name: tool for tool in compiled.catalog.tools}
    assert tools["delete_pet"].confirm == "always"
    assert "create_pets" not in tools, "which `hide: true` leaves out"
