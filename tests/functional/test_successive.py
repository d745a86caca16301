"""Test a project over several versions of its API: names are kept, and the user's files stay."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.emit import OFFERED
from mcpgen.lock import lockfile as locks
from tests.functional.regeneration import (
    DELETE,
    GET,
    LIST,
    MOVED,
    OUT,
    PET,
    files,
    lock,
    names,
    operation,
    run,
    write,
)
from tests.leaks import searched


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def project() -> None:
    write(LIST, GET, DELETE)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0


# -- Moved operations, and names of tools -----------------------------------------------------------------------------


def test_an_operation_that_moved_keeps_its_name_and_that_is_told(
    project: None, capsys: pytest.CaptureFixture[str]
) -> None:
    write(LIST, MOVED, DELETE)
    assert run("regenerate", "out") == 0
    assert names()["GET /animals/{}"] == "get_pet"
    assert lock().promises.retired == {}
    assert "The request GET /pets/{id} is now GET /animals/{id}." in capsys.readouterr().out


def test_without_moves_it_is_gone_and_another_is_new(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    write(LIST, MOVED, DELETE)
    assert run("regenerate", "out", "--no-moves") == 0
    assert names()["GET /animals/{}"] == "get_pet_by_id"
    assert lock().promises.retired["get_pet"].operation == "GET /pets/{}"
    assert "  The tool get_pet was removed.\n" in capsys.readouterr().out
    write(LIST, GET, MOVED, DELETE)
    assert run("regenerate", "out") == 0
    assert (names()["GET /pets/{}"], names()["GET /animals/{}"]) == ("get_pet", "get_pet_by_id")
    assert lock().promises.retired == {}


def test_a_name_that_is_gone_is_remembered_for_ever_and_comes_back(project: None) -> None:
    for parts in ([LIST], [LIST, {"GET /dogs": operation("getPet")}], [LIST], [LIST, GET]):
        write(*parts)
        assert run("regenerate", "out", "--no-moves") == 0
        assert all(name != "get_pet" for key, name in names().items() if key != "GET /pets/{}")
    assert names()["GET /pets/{}"] == "get_pet"


def test_a_name_from_an_override_goes_with_it(project: None) -> None:
    derived = names()
    (OUT / "mcpgen.yaml").write_text("mcpgen: 1\noverrides: {getPet: {name: one_pet}}\n")
    assert run("regenerate", "out") == 0
    assert names()["GET /pets/{}"] == "one_pet"
    assert lock().promises.retired["get_pet"].operation == "GET /pets/{}"
    (OUT / "mcpgen.yaml").write_text("mcpgen: 1\n")
    assert run("regenerate", "out") == 0
    assert names() == derived
    assert lock().promises.retired["one_pet"].operation == "GET /pets/{}"


def test_an_argument_keeps_its_name_when_another_wants_it(project: None) -> None:
    body = {"content": {"application/json": {"schema": {"type": "object", "properties": {"kind": {"type": "string"}}}}}}
    create = operation("createPet", requestBody={**body, "required": True})
    write(LIST, {"POST /pets": create})
    assert run("regenerate", "out") == 0
    assert lock().promises.tools["POST /pets"].arguments == {("body", "kind"): "kind"}
    create["parameters"] = [{"name": "kind", "in": "query", "schema": {"type": "string"}}]
    write(LIST, {"POST /pets": create})
    assert run("regenerate", "out") == 0
    assert lock().promises.tools["POST /pets"].arguments == {("body", "kind"): "kind", ("query", "kind"): "kind_query"}
    assert lock().version == "0.2.1"


def settle(text: str) -> None:
    """Write the text as mcpgen.yaml, and regenerate the project."""
    (OUT / "mcpgen.yaml").write_text(f"mcpgen: 1\n{text}")
    assert run("regenerate", "out") == 0


def test_names_by_hand_that_were_taken_back_are_nobodys_again(project: None) -> None:
    for name in ("getPetOld", "GetPet-V2"):
        settle(f"overrides: {{getPet: {{name: {name}}}}}\n")
    settle("")
    assert names()["GET /pets/{}"] == "get_pet"
    write(LIST, MOVED, DELETE)
    assert run("regenerate", "out") == 0
    write(LIST, GET, DELETE)
    assert run("regenerate", "out") == 0
    assert names()["GET /pets/{}"] == "get_pet"


def test_a_name_by_hand_is_taken_back_where_the_operation_is_then(project: None) -> None:
    settle("overrides: {getPet: {name: special}}\n")
    write(LIST, MOVED, DELETE)
    settle("overrides: {getPet: {name: special}}\n")
    settle("")
    assert names()["GET /animals/{}"] == "get_pet"


def test_two_names_that_a_person_exchanged_and_put_back(project: None) -> None:
    before = names()
    settle("overrides: {getPet: {name: list_pets}, listPets: {name: get_pet}}\n")
    assert names()["GET /pets"] == "get_pet"
    settle("")
    assert names() == before


def test_a_document_cannot_give_the_name_of_a_tool_to_another(
    project: None, capsys: pytest.CaptureFixture[str]
) -> None:
    write(LIST, GET, DELETE, {"DELETE /evil": operation("evil", "", **{"x-mcp": {"name": "get_pet"}})})
    assert run("regenerate", "out") == 0
    assert (names()["GET /pets/{}"], names()["DELETE /evil"]) == ("get_pet", "evil")
    assert "The name 'get_pet' belongs to another tool, so this tool is called evil." in capsys.readouterr().err
    write(LIST, DELETE, {"DELETE /evil": operation("evil", "", **{"x-mcp": {"name": "get_pet"}})})
    assert run("regenerate", "out") == 0
    assert names()["DELETE /evil"] == "evil"


def test_one_more_document_changes_no_name() -> None:
    write({"GET /foo/{id}": operation(None, "Foo", parameters=[PET])}, {"GET /bar": operation(None, "Bar")})
    write({"GET /toys": operation(None, "Toys")}, name="other.json")
    entries = "{document: api.json}"
    for more in ("", ", {document: other.json}"):
        head = "mcpgen: 1\nserver: {name: zoo}\nbase_url: https://api.example.com\n"
        Path("x.tools.yaml").write_text(f"{head}openapi: [{entries}{more}]\n")
        assert run("generate", "x.tools.yaml", "-o", "out") == 0
        assert {"get_foo", "get_bar"} <= {*names().values()}, more
    assert lock().version == "0.1.1"


FIRST, SECOND = "GET /phases/{phase}/entry", "GET /phases/{ruleset_phase}/entry"
ALONE = "GET /phases/{}/entry"


def twins(*requests: str, marked: str = "", **schema: object) -> dict[str, Any]:
    """Return a mapping from each of `requests` (`METHOD path`) to an operation.

    Each operation id ends in the value of `marked`; with "none", operations have no id. `schema`: keywords that replace
    the schema of the path parameters.
    """
    found = {}
    for request in requests:
        name = request.partition("{")[2].partition("}")[0]
        parameter = {**PET, "name": name, **({"schema": schema} if schema else {})}
        found[request] = operation(f"get_{name}{marked}" if marked != "none" else None, name, parameters=[parameter])
    return found


@pytest.mark.parametrize("flags", [(), ("--no-moves",)])
@pytest.mark.parametrize("stays", [FIRST, SECOND])
@pytest.mark.parametrize(
    ("marks", "schema"),
    [
        (("", ""), {}),
        (("none", "none"), {}),
        (("", "_other"), {}),
        (("", "_other"), {"type": "string", "enum": ["one"]}),
        (("none", "none"), {"type": "string", "enum": ["one"]}),
    ],
)
def test_a_twin_that_comes_and_goes_changes_no_name(
    flags: tuple[str, ...], stays: str, marks: tuple[str, str], schema: dict[str, object]
) -> None:
    """Check that tools keep their names if a similar operation appears and disappears.

    An operation is identified by method and path, even if its id or its arguments change.
    """
    goes = SECOND if stays == FIRST else FIRST
    write(LIST, twins(FIRST, SECOND, marked=marks[0], **schema))
    assert run("generate", "api.json", "-o", "out") == 0
    name, other = names()[stays], names()[goes]
    for turn, present in enumerate(((stays,), (goes, stays), (stays,))):
        write(LIST, twins(*present, marked=marks[turn % 2 == 0], **schema))
        assert run("regenerate", "out", *flags) == 0
        assert names()[stays if len(present) > 1 else ALONE] == name
        assert names().get(goes, other) == other


def test_a_twin_that_comes_to_one_alone_changes_no_name() -> None:
    for requests in ((FIRST,), (FIRST, SECOND), (FIRST,), (FIRST, SECOND), (SECOND,)):
        write(LIST, twins(*requests))
        assert run("generate", "api.json", "-o", "out") == 0
        found = names()
        assert found.get(FIRST, "get_phase") == "get_phase"
        assert requests != (FIRST,) or found[ALONE] == "get_phase"
    assert found[ALONE] == "get_ruleset_phase"


def test_an_argument_that_was_away_has_its_name_again(project: None) -> None:
    both = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in ("sort-by", "sort_by")]
    slots = {("query", "sort-by"): "sort_by", ("query", "sort_by"): "sort_by_query"}
    for parameters in (both[:1], both, both[1:], both):
        write({"GET /pets": operation("listPets", parameters=parameters)}, GET, DELETE)
        assert run("regenerate", "out") == 0
        found = lock().promises.tools["GET /pets"].arguments
        assert found == {slot: slots[slot] for slot in found}
        assert len(found) == len(parameters)
    settle("overrides: {listPets: {arguments: {sort-by: {hide: true}}}}\n")
    settle("")
    assert lock().promises.tools["GET /pets"].arguments == slots


def test_an_argument_that_comes_back_takes_no_name_from_one_that_is_called_so(project: None) -> None:
    apart, plain = ({"name": name, "in": "query", "schema": {"type": "string"}} for name in ("a-b", "a_b"))
    called = {"name": "a_b_query", "in": "query", "schema": {"type": "string"}}
    for parameters in ([apart, plain], [plain], [apart, plain, called]):
        write({"GET /pets": operation("listPets", parameters=parameters)}, GET, DELETE)
        assert run("regenerate", "out") == 0
        found = lock().promises.tools["GET /pets"].arguments
        assert len(parameters) != 2 or found["query", "a-b"] == "a_b_query"
    assert found["query", "a_b_query"] == "a_b_query"
    assert found["query", "a-b"] not in ("a_b", "a_b_query")


# -- Files of the user ------------------------------------------------------------------------------------------------

SETTINGS = """\
mcpgen: 1
overrides:
  deletePet: {description: Deletes a pet for good.}
  listPets: {title: All pets}
tools:
  - name: ping
    request: GET /ping
"""
HOOKS = """\
def before_delete_pet(arguments, call):
    return arguments


def after_list_pets(result, call):
    return result
"""


@pytest.fixture
def owned(project: None) -> Iterator[dict[str, bytes]]:
    """Return a project with edits in every file and place that belongs to the user."""
    theirs = {
        "mcpgen.yaml": SETTINGS,
        "zoo_mcp/hooks.py": HOOKS,
        "zoo_mcp/mine.py": "MINE = 1\n",
        "notes.txt": "mine\r\n",
        "tests/test_mine.py": "def test() -> None: ...\n",
        ".git/HEAD": "ref: refs/heads/main\n",
        ".mcpgen-mine/project": "mine",
    }
    for path, text in theirs.items():
        (OUT / path).parent.mkdir(parents=True, exist_ok=True)
        (OUT / path).write_text(text, newline="")
    kept = {path: text.encode() for path, text in theirs.items()}
    yield kept
    assert {path: data for path, data in files().items() if path in kept} == kept


def test_three_versions_lose_nothing_of_the_users(owned: dict[str, bytes], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("regenerate", "out") == 0
    readme = OUT / "README.md"
    readme.write_text(readme.read_text() + "\nMine.\n")
    edited = files()
    write(LIST, MOVED, {"GET /toys": operation("listToys")})
    capsys.readouterr()
    assert run("regenerate", "out") == 2
    said = capsys.readouterr().err
    assert "README.md in out was edited by hand. [edited-file]" in said
    assert "Move the edit to a file of your own, or discard the edit with --overwrite." in said
    assert files() == edited
    assert run("regenerate", "out", "--check") == 1
    assert files() == edited
    assert run("regenerate", "out", "--overwrite") == 0
    said = capsys.readouterr().err
    assert "[orphaned-override]" in said
    assert "[orphaned-hook]" in said
    assert names() == {
        "GET /pets": "list_pets", "GET /animals/{}": "get_pet", "GET /toys": "list_toys", "tool ping": "ping",
    }  # fmt: skip
    write(LIST, MOVED, DELETE)
    assert run("regenerate", "out") == 0
    said = capsys.readouterr().err
    assert "orphaned" not in said
    assert names()["DELETE /pets/{}"] == "delete_pet"
    strangers = files().keys() - lock().files.keys() - owned.keys()
    assert strangers == {locks.NAME, ".gitattributes", *OFFERED}
    listed = subprocess.run([sys.executable, "-m", "zoo_mcp", "--list"], cwd=OUT, capture_output=True, check=True)
    searched(listed.stdout + listed.stderr)
    assert b"delete_pet" in listed.stdout
    assert "Deletes a pet for good." in (OUT / "zoo_mcp" / "tools.json").read_text()
