"""Test the removal of JSON pointers from values, with a table of cases: no value that a pointer leads to remains, in
any structure.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from package.runtime.pointers.drop_fields import without
from package.runtime.text.folded_names import alike

PERSON = {"first": "Erika", "last": "M"}


@pytest.mark.parametrize(
    ("remove", "value", "left"),
    [
        (["/row/0", "/row/1"], {"row": ["Erika", "M", "public"]}, {"row": ["public"]}),
        (["/row/1", "/row/0"], {"row": ["Erika", "M", "public"]}, {"row": ["public"]}),
        (["/row/2", "/row/0/a"], {"row": [{"a": 1, "b": 2}, 3, 4]}, {"row": [{"b": 2}, 3]}),
        (["/0/0"], [["a", "b"], ["c", "d"]], [["b"], ["c", "d"]]),
        (["/0/ssn"], [{"ssn": 1, "id": 1}, {"ssn": 2}], [{"id": 1}, {"ssn": 2}]),
        (["/*/*/name"], [[{"name": 1, "id": 2}]], [[{"id": 2}]]),
    ],
)
def test_a_pointer_means_what_came_at_its_place(remove: list[str], value: Any, left: Any) -> None:
    assert without(value, remove) == left


@pytest.mark.parametrize(
    ("remove", "value", "left"),
    [
        (["/patients/*/name"], {"patients": {"id": {}, "name": PERSON}}, {"patients": {"id": {}}}),
        (
            ["/patients/*/name/first"],
            {"patients": {"id": {}, "name": PERSON}},
            {"patients": {"id": {}, "name": {"last": "M"}}},
        ),
        (["/arms/*/members"], {"arms": {"members": {"member": PERSON}}}, {"arms": {}}),
        (["/arms/*/*/name"], {"arms": {"name": PERSON}}, {"arms": {}}),
        (["/patients/*"], {"patients": {"name": PERSON}}, {"patients": {}}),
        (["/patients/0/name"], {"patients": {"id": 7, "name": PERSON}}, {"patients": {"id": 7}}),
        (["/patients/1/name"], {"patients": {"id": 7, "name": PERSON}}, {"patients": {"id": 7, "name": PERSON}}),
        (["/patients/0"], {"patients": {"id": 7, "name": PERSON}}, {"patients": {}}),
        (["/by/0"], {"by": {"0": PERSON, "1": 2}}, {"by": {"1": 2}}),
        (["/years/2024/name"], {"years": [{"2024": {"name": "x", "id": 1}}]}, {"years": [{"2024": {"id": 1}}]}),
        (["/years/2024/name"], {"years": [[{"2024": "x", "2025": 1}]]}, {"years": [[{"2025": 1}]]}),
        (["/0/ssn"], [{"0": {"ssn": 1}}, {"0": {"ssn": 2}}], [{"0": {}}, {"0": {}}]),
    ],
)
def test_of_another_shape_more_is_removed(remove: list[str], value: Any, left: Any) -> None:
    assert without(value, remove) == left


NAMES = ["pr\u00e9nom", "pre\u0301nom", "pr\u200b\u00e9nom", "pre\u200b\u0301nom", "pr\u00ad\u00e9nom", "Pr\u00c9nom"]
NAMES += ["pr\u00e9nom\ufe0f", "\u3164pr\u00e9nom", " pr\u00e9nom\n", "\uff50r\u00e9nom", "pr\ud800\u00e9nom"]


@pytest.mark.parametrize("step", NAMES)
@pytest.mark.parametrize("name", NAMES)
def test_names_that_look_the_same_are_the_same(step: str, name: str) -> None:
    assert alike(name) == "pr\u00e9nom"
    assert without({"a": [{name: "Erika", "prenom": 1}]}, [f"/a/*/{step}"]) == {"a": [{"prenom": 1}]}


def test_a_composed_name_is_composed_whatever_stood_in_it() -> None:
    dots = "q\u0307\u200b\u0323"
    assert without({dots: 1}, ["/" + unicodedata.normalize("NFC", dots.replace("\u200b", ""))]) == {}


def test_a_name_without_end_is_not_composed_for_hours() -> None:
    name = "a" + "\u0301\u0323" * 130_000
    assert alike(name) == name
    assert without({f"{name}\u200b": 1, "b": 2}, [f"/{name}", "/c"]) == {"b": 2}


def test_many_pointers_and_items_are_one_walk() -> None:
    value = {"a": list(range(50_000)), "b": [{"n": index} for index in range(10_000)]}
    left = without(value, [f"/a/{index}" for index in range(0, 50_000, 2)] + ["/b/*/n"])
    assert left == {"a": list(range(1, 50_000, 2)), "b": [{}] * 10_000}
