"""Test selectors of operations (`--include`, `--exclude`) with a table of cases."""

from __future__ import annotations

import pytest

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.model import Operation, PathTemplate
from mcpgen.model.selection import select


def operation(method: str, path: str, name: str | None, *tags: str, deprecated: bool = False) -> Operation:
    return Operation(
        f"{method} {path}", method, path, PathTemplate((path,)), Where("f"), id=name, tags=tags, deprecated=deprecated
    )


PETS = [
    operation("GET", "/pets", "listPets", "Pets"),
    operation("POST", "/pets", "addPet", "Pets", "Write"),
    operation("DELETE", "/pets/{id}", "deletePet", "Pets", deprecated=True),
    operation("GET", "/orders", None, "orders"),
]


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        ([], [], "0123"),
        (["tag:pets"], [], "012"),
        (["tag:PETS,method:get"], [], "0"),
        (["tag:write", "path:/orders"], [], "13"),
        (["path:/pets*"], [], "012"),
        (["path:/pets/*"], [], "2"),
        (["id:*Pet"], [], "12"),
        (["deprecated"], [], "2"),
        ([], ["deprecated"], "013"),
        (["tag:pets"], ["method:POST", "method:DELETE"], "0"),
        ([" tag:pets , deprecated "], [], "2"),
        (["tag:nothing"], [], ""),
        (["id:*"], [], "012"),
    ],
)
def test_select(include: list[str], exclude: list[str], expected: str) -> None:
    assert select(PETS, include, exclude) == tuple(PETS[int(index)] for index in expected)


@pytest.mark.parametrize("selector", ["", "tag", "tag:", "tags:x", "pets", "tag:x,", ",", "deprecated:yes", "Tag:x"])
def test_what_is_no_selector_is_refused(selector: str) -> None:
    with pytest.raises(FatalError) as refused:
        select(PETS, [selector], [])
    assert refused.value.diagnostic.code == "invalid-flag"
