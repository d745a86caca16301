"""Test overrides of operations that the API no longer has: a warning if the project had the operation, else
an error.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.lower.inputs.changes import settled
from mcpgen.merge.overrides import apply, former
from mcpgen.model import Api, ArgumentChange, Change, Decisions, Operation, PathTemplate, PreviousNames
from mcpgen.model.pins import Pin, Pins, Retired
from mcpgen.read.openapi import paths

HERE = Where("x.tools.yaml", "/overrides")
FORMER = PreviousNames(
    {
        "GET /pets/{}": "get_pet",
        "getPet": "get_pet",
        "listPet": "list_pet",
        "PUT /pets/{petId}": "replace_pet",
        "billing GET /bills/{}": "billing_get_bill",
        "tool count_pets": "count_pets",
        "GET /v1/owners": "list_owners",
        "listOwners": "list_owners",
        "GET /v2/owners": "list_owners",
        "GET /shops": "list_shops",
        "listShops": "list_shops",
    },
    {"GET /pets": ("limit", "X-Trace", "x_trace")},
)
GONE = "was removed from the API, so this override has no effect."


def operation(method: str, path: str, name: str) -> Operation:
    return Operation(paths.operation_key(method, path), method, path, PathTemplate((path,)), HERE, id=name)


PETS = operation("GET", "/pets", "listPets")
HELD = (PETS, operation("GET", "/v2/owners", "allOwners"))
LEFT_OUT = (operation("GET", "/shops", "everyShop"),)


def applied(
    key: str, former: PreviousNames, left_out: Sequence[Operation] = LEFT_OUT
) -> tuple[Api, list[tuple[str, str, str]]]:
    diagnostics = Diagnostics()
    decided = Decisions(title="New", arguments={"limit": ArgumentChange(HERE, hidden=True)})
    change = Change(key, HERE.inside(key), decided)
    api = apply(Api("Pets", HELD, {}), [change], left_out, former, diagnostics)
    return api, [(each.code, each.message, each.hint) for each in diagnostics]


@pytest.mark.parametrize(
    ("key", "message", "hint"),
    [
        (
            "GET /pets/{}",
            f"GET /pets/{{}} (get_pet) {GONE}",
            "Did you mean 'GET /pets'? Otherwise, remove the override.",
        ),
        (
            "get /pets/{petId} ",
            f"GET /pets/{{}} (get_pet) {GONE}",
            "Did you mean 'GET /pets'? Otherwise, remove the override.",
        ),
        ("getPet", f"GET /pets/{{}} (get_pet) {GONE}", "Remove the override."),
        ("listPet", f"listPet (list_pet) {GONE}", "Did you mean 'listPets'? Otherwise, remove the override."),
        ("PUT /pets/{id}", f"PUT /pets/{{petId}} (replace_pet) {GONE}", "Remove the override."),
        ("GET /bills/{id}", f"billing GET /bills/{{}} (billing_get_bill) {GONE}", "Remove the override."),
        ("count_pets", f"count_pets {GONE}", "Remove the override."),
    ],
)
def test_what_is_gone_is_a_warning(key: str, message: str, hint: str) -> None:
    api, [(code, told, advice)] = applied(key, FORMER)
    assert (code, told, advice) == ("orphaned-override", message, hint)
    assert api.operations == HELD


@pytest.mark.parametrize(
    ("key", "message", "hint"),
    [
        ("getPett", "There is no operation 'getPett'.", "Use one of listPets,"),
        ("GET /dogs/{id}", "There is no operation 'GET /dogs/{id}'.", ""),
        ("DELETE /pets/{}", "There is no operation 'DELETE /pets/{}'.", ""),
        ("GET ", "There is no operation 'GET '.", ""),
        ("", "There is no operation ''.", ""),
        (
            "listOwners",
            "There is no operation 'listOwners' any more: list_owners is now GET /v2/owners.",
            "Use the new name of the operation in the override.",
        ),
        (
            "GET /v1/owners",
            "There is no operation 'GET /v1/owners' any more: list_owners is now",
            "Use the new name of the operation in the override.",
        ),
        (
            "listShops",
            "There is no operation 'listShops' any more: list_shops is now GET /shops.",
            "Use the new name of the operation in the override.",
        ),
    ],
)
def test_what_never_was_or_is_there_still_is_an_error(key: str, message: str, hint: str) -> None:
    _, [(code, told, advice)] = applied(key, FORMER)
    assert code == "unknown-operation"
    assert told.startswith(message)
    assert advice.startswith(hint)


@pytest.mark.parametrize("key", ["GET /pets/{}", "getPet", "count_pets", "listOwners"])
def test_a_project_that_knows_nothing_has_the_error(key: str) -> None:
    _, [(code, told, _)] = applied(key, PreviousNames())
    assert (code, told) == ("unknown-operation", f"There is no operation '{key}'.")


@pytest.mark.parametrize(("name", "known"), [("limit", True), ("X-Trace", True), ("limits", False), ("Limit", False)])
def test_an_argument_that_is_gone_is_a_warning(name: str, known: bool) -> None:
    diagnostics = Diagnostics()
    change = Change("listPets", HERE, Decisions(arguments={name: ArgumentChange(HERE.inside(name), hidden=True)}))
    api = apply(Api("Pets", (PETS,), {}), [change], (), FORMER, diagnostics)
    settled(api.operations[0], [], [], {}, {}, None, diagnostics)
    [found] = diagnostics
    assert found.where == HERE.inside(name)
    assert (found.code, found.message) == (
        (
            "orphaned-override",
            f"GET /pets no longer has the argument '{name}', so this entry of the override has no effect.",
        )
        if known
        else ("unknown-argument", f"GET /pets has no argument '{name}'.")
    )


def test_a_project_knows_what_it_promised_and_what_it_retired() -> None:
    pets = Pin("list_pets", {("query", "X-Limit"): "x_limit"}, {("query", "q"): "text"}, id="listPets")
    found = former(Pins({"GET /pets": pets}, {"get_pet": Retired("GET /pets/{}", "getPet"), "old": Retired("GET /o")}))
    assert found.tools == {
        "GET /pets": "list_pets",
        "listPets": "list_pets",
        "GET /pets/{}": "get_pet",
        "getPet": "get_pet",
        "GET /o": "old",
    }
    assert found.arguments == {"GET /pets": {"X-Limit", "x_limit", "q", "text"}}
