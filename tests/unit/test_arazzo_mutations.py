"""Test that no value at any place of an Arazzo document makes its reader fail: a workflow is left out with its place,
or the document is refused.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import lookup, pointer, tokens
from mcpgen.read.arazzo.facts import read_facts
from mcpgen.read.arazzo.read import read
from mcpgen.read.document import Library
from mcpgen.read.openapi.references import References

CASE = Path(__file__).parent.parent / "cases" / "arazzo" / "whole"
DOCUMENT = yaml.safe_load((CASE / "pets.arazzo.yaml").read_text(encoding="utf-8"))
JUNK: list[Any] = [None, True, -1, "", "x", "$x", "$inputs.a b", "{$steps.a}", [], [1], {}, {"a": 1}, {"$ref": "#/x"}]


def places(value: Any, at: str = "") -> Iterator[str]:
    yield at
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(each, pointer(at, key))


def changed(at: str, junk: Any) -> Any:
    """Return the document with another value at a place."""
    *around, last = tokens(at)
    found = copy.deepcopy(DOCUMENT)
    holder = lookup(found, around)
    assert isinstance(holder, (dict, list))
    if isinstance(holder, dict):
        holder[last] = junk
    else:
        holder[int(last)] = junk
    return found


def check(document: Any, library: Library, references: References) -> None:
    """Read a document, and check what is said of the workflows that are left out."""
    parsed = library.add("changed.arazzo.json", json.dumps(document).encode(), None)
    try:
        _, skipped = read(parsed, read_facts(parsed, ["api.yaml"], {parsed.name: ""}), references)
    except FatalError:
        return
    for each in skipped:
        assert each.reason.where is not None
        assert each.reason.where.file == parsed.name
        assert each.reason.message.endswith(".")
        assert each.reason.hint.endswith((".", "?"))


@pytest.mark.parametrize("junk", JUNK, ids=json.dumps)
def test_a_reader_survives_any_value_at_any_place(junk: Any) -> None:
    library = Library(Diagnostics())
    references = References(library)
    for at in places(DOCUMENT):
        if at:
            check(changed(at, junk), library, references)
