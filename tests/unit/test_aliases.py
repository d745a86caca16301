"""Test that an alias always leads to the same operation: no other tool gets the name, even after the alias
was removed.
"""

from __future__ import annotations

import json

from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.read.fetch import Fetched


def compiled(operations: list[str], settings: str = "", before: Compiled | None = None) -> Compiled:
    """Compile a document with operations of these ids, a tools file, and the lock file of an earlier compile."""
    responses = {"200": {"description": "ok"}}
    paths = {f"/at/{name[-1]}": {"get": {"operationId": name, "responses": responses}} for name in operations}
    document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}
    file = Fetched("mcpgen.yaml", f"mcpgen: 1\n{settings}".encode()) if settings else None
    project = Project(lock=before.lock if before else None, settings=file)
    return compile_source(Fetched("api.json", json.dumps(document).encode()), Options(), project)


def names(found: Compiled) -> dict[str, str]:
    return {str(tool.operation.id): tool.name for tool in found.catalog.tools}


def test_an_alias_is_no_derived_name() -> None:
    settings = "overrides: {getPet: {aliases: [list_pets]}}"
    first = compiled(["getPet"], settings)
    both = compiled(["getPet", "listPets"], settings, first)
    assert names(first).items() <= names(both).items()
    assert names(both)["listPets"] != "list_pets"
    assert first.catalog.tools[0].aliases == ("list_pets",)


def test_an_alias_that_is_gone_stays_with_its_operation() -> None:
    first = compiled(["getPet"], "overrides: {getPet: {aliases: [list_pets]}}")
    later = compiled(["getPet", "listPets"], before=first)
    assert later.catalog.tools[0].aliases == ()
    assert names(later)["listPets"] != "list_pets"
    again = compiled(["getPet", "listPets"], before=later)
    assert names(again) == names(later)


def test_a_person_may_give_an_alias_away() -> None:
    first = compiled(["getPet", "listPets"])
    settings = "overrides: {listPets: {name: pets}, getPet: {aliases: [list_pets]}}"
    later = compiled(["getPet", "listPets"], settings, first)
    assert names(later) == {**names(first), "listPets": "pets"}
    assert [tool.aliases for tool in later.catalog.tools if tool.operation.id == "getPet"] == [("list_pets",)]
