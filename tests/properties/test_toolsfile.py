"""Test that the JSON Schema of the tools file and mcpgen's reader agree, on valid files and on the place of
a mistake.
"""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import pointer, tokens
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import Fetched
from mcpgen.read.toolsfile import schema_check
from tests.properties.toolsfiles import KINDS, TOOLS_FILES, mistakes

JUDGE = jsonschema.Draft202012Validator(schema_check.schema())
CODES = {"unknown-key", "missing-key", "invalid-value", "invalid-name"}


def told(document: Any) -> list[tuple[str, str]]:
    """Return a pair for each diagnostic about the structure of `document`: its code, and its JSON Pointer or ""."""
    found = Diagnostics()
    schema_check.check(document, Where("f"), found)
    assert all(each.hint and each.message.endswith(".") for each in found)
    return [(each.code, each.where.pointer if each.where else "") for each in found]


def compiled(document: Any) -> None:
    """Compile a document. Any mistake must end in diagnostics or in a one-sentence error."""
    with contextlib.suppress(FatalError):
        compile_source(Fetched("f", json.dumps(document).encode()), Options())


@given(TOOLS_FILES)
def test_what_the_schema_calls_right_has_the_shape_of_a_tools_file(document: Any) -> None:
    JUDGE.validate(document)
    assert told(document) == []
    compiled(document)


@given(TOOLS_FILES, st.data())
def test_one_mistake_is_told_at_its_place_alone(document: Any, data: st.DataObject) -> None:
    possible = list(mistakes(document, schema_check.schema()))
    mistake = data.draw(st.sampled_from(possible), "mistake")
    changed = mistake.applied(document)
    assert told(changed) == [(mistake.code, mistake.told)], mistake.what
    # Python's `$` also matches before a final line feed; the `$` of editors does not
    if not mistake.what.startswith("a line break"):
        assert not JUDGE.is_valid(changed)
    compiled(changed)


def _anywhere(value: Any, at: str = "") -> list[str]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, member in inner for place in _anywhere(member, pointer(at, key)))]


@given(TOOLS_FILES, st.data())
def test_what_the_schema_calls_wrong_is_told_at_or_above_its_place(document: Any, data: st.DataObject) -> None:
    """Replace two nodes of a tools file by random values.

    For each node that the JSON Schema refuses, the reader must report this node, one around it, or one within it.
    """
    for _ in range(2):
        at = data.draw(st.sampled_from(_anywhere(document)[1:]))
        value = copy.deepcopy(data.draw(st.sampled_from([*KINDS.values(), "yes", 0, -1, 1.0, 5000])))
        *above, last = tokens(at)
        around: Any = document
        for token in above:
            around = around[int(token) if isinstance(around, list) else token]
        around[int(last) if isinstance(around, list) else last] = value
    wrong = [pointer("", *error.absolute_path) for error in JUDGE.iter_errors(document)]
    places = [place for code, place in told(document) if code in CODES]
    for place in wrong:
        assert any((place + "/").startswith(where + "/") or where.startswith(place + "/") for where in places), place
    assert bool(wrong) == bool(places)
    compiled(document)
