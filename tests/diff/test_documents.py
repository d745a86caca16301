"""Compare whole documents: equal documents have no changes, every edit is reported, and newly refused calls are
breaking.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from package.runtime.core.catalog import Tool
from package.runtime.request.arguments import Checker

from mcpgen.base.errors import FatalError
from mcpgen.model.options import Options
from mcpgen.pipeline import Project, compile_source
from mcpgen.read.fetch import Fetched
from mcpgen.regenerate.diff import GRADES, Difference, Surface, compare
from mcpgen.regenerate.regenerate import compile_after, surface_of
from tests.diff.document_edits import BASE, EDITS, Edit, edited
from tests.diff.instances import instances
from tests.diff.mutations import mutations
from tests.diff.surfaces import grade, said
from tests.properties.schemas import DEFINITIONS, VALID
from tests.runtime.parts import part

ROOT = Path(__file__).parents[2]
STRUCTURED = Options(structured=True)
Document = dict[str, Any]
PETSTORE: Document = json.loads(json.dumps(yaml.safe_load((ROOT / "specs" / "petstore.openapi.yaml").read_text())))


def followed(old: Document, new: Document, options: Options = STRUCTURED) -> tuple[Surface, Surface]:
    """Compile both documents, and return the descriptions of the generated servers for a comparison.

    The second document is compiled with the lock file of the first, as when a project is generated again.
    """
    before = compile_source(Fetched("d.json", json.dumps(old).encode()), options)
    first = surface_of(before)
    after = compile_after(Fetched("d.json", json.dumps(new).encode()), options, Project(lock=before.lock))
    return first, surface_of(after)


# -- Equal documents --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("examples", [30, pytest.param(settings().max_examples, marks=pytest.mark.slow)])
def test_a_document_does_not_differ_from_itself(examples: int) -> None:
    settings(max_examples=examples)(given(VALID, DEFINITIONS)(assert_same))()


def assert_same(schema: Document, definitions: Document) -> None:
    content = {"application/json": {"schema": schema}}
    operation = {"requestBody": {"content": content}, "responses": {"200": {"description": "Ok.", "content": content}}}
    whole = {"openapi": "3.1.0", "paths": {"/a": {"post": operation}}, "components": {"schemas": definitions}}
    assert not compare(*followed(whole, whole))


@pytest.mark.parametrize("project", sorted((ROOT / "generated").iterdir()), ids=lambda path: path.name)
def test_a_generated_project_does_not_differ_from_its_source(project: Path) -> None:
    lock = json.loads((project / "mcpgen.lock.json").read_text(encoding="utf-8"))
    # in a process of its own, since compiles within tests choose all parts
    command = [sys.executable, "-m", "mcpgen", "diff", str(project), str((project / lock["source"]).resolve())]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, "Nothing changed.\n")


# -- Single edits -----------------------------------------------------------------------------------------------------


def difference(old: Document, new: Document) -> Difference:
    return compare(*followed(old, new))


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.what)
def test_an_edit_has_its_grade_there_and_back(edit: Edit) -> None:
    there, back = difference(BASE, edited(edit)), difference(edited(edit), BASE)
    silent = not edit.code
    assert [grade(there), grade(back)] == (["none", "none"] if silent else [edit.grade, edit.back]), said(there.changes)
    assert silent or edit.code in [change.code for change in there.changes]


@given(st.lists(st.sampled_from(EDITS), unique_by=lambda edit: edit.what, min_size=2, max_size=6))
@settings(max_examples=25)
def test_no_edit_hides_another(edits: list[Edit]) -> None:
    found = difference(BASE, edited(*edits))
    told = {(change.code, change.grade) for change in found.changes}
    assert {(edit.code, edit.grade) for edit in edits if edit.code} <= told
    assert grade(found) == next((each for each in GRADES if each in {e.grade for e in edits if e.code}), "none")


# -- Calls that are newly refused -------------------------------------------------------------------------------------

CALLS = 12
"""Number of calls that are tried for each changed tool."""


def refused(old: Surface, new: Surface, chance: Random) -> list[tuple[str, Any]]:
    """Return pairs (tool, value): calls that were valid and are now refused, and results that the old output schema
    refuses.

    The runtime's checker judges calls, jsonschema_rs judges results. At most one call and one result per tool are
    returned. If a tool is gone, its value is None.
    """
    found: list[tuple[str, Any]] = []
    after = {tool.name: tool for tool in new.tools}
    for tool in old.tools:
        other = after.get(tool.name)
        if other is None:
            found.append((tool.name, None))
        elif (tool.shown, tool.binding) != (other.shown, other.binding):
            sides = [Tool(f"{id(each)}", each.schema, part(each.binding)) for each in (tool, other)]
            checkers = [Checker(), Checker()]
            for call in instances(tool.schema, chance, CALLS):
                problems = [checker.check(side, call) for checker, side in zip(checkers, sides, strict=True)]
                if problems[1] and not problems[0]:
                    found.append((tool.name, call))
                    break
            found += _unpromised(tool.name, tool.shown.get("outputSchema"), other.shown.get("outputSchema"), chance)
    return found


def _unpromised(name: str, old: Any, new: Any, chance: Random) -> list[tuple[str, Any]]:
    if old is None or new is None or old == new:
        return []
    known = jsonschema_rs.Draft202012Validator(old)
    return [(name, answer) for answer in instances(new, chance, CALLS) if not known.is_valid(answer)][:1]


DOCUMENTS = st.sampled_from([BASE, BASE, PETSTORE])


@pytest.mark.parametrize("examples", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_a_call_that_is_refused_now_is_breaking(examples: int) -> None:
    drawn = given(DOCUMENTS, st.integers(0, 2**32), st.integers(1, 3), st.booleans())
    settings(max_examples=examples)(drawn(assert_refused_is_breaking))()


def assert_refused_is_breaking(document: Document, seed: int, count: int, backwards: bool) -> None:
    chance, changed, done = Random(seed), document, []
    for _ in range(count):
        changed, what = mutations(changed, chance)
        done.append(what)
    old, new = (changed, document) if backwards else (document, changed)
    try:
        surfaces = followed(old, new)
    except FatalError:
        return
    breaking = {change.tool for change in compare(*surfaces).changes if change.grade == "breaking"}
    assert [each for each in refused(*surfaces, chance) if each[0] not in breaking] == [], done


def test_what_is_refused_is_found() -> None:
    """Check that `refused` returns something for edits that break callers.

    If `refused` always returned nothing, the test above would pass for every implementation.
    """
    edits = {edit.what: edit for edit in EDITS}
    for what in ("a value gone", "required", "no null", "an arm gone", "inside recursion"):
        surfaces = followed(BASE, edited(edits[what]))
        assert any(refused(*surfaces, Random(seed)) for seed in range(10)), what
