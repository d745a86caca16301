"""Test that every single edit is reported for arguments and results, with the grade (breaking, additive or cosmetic) of
its effect.
"""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.regenerate.diff import compare
from tests.diff.edits import SCHEMAS, Edit, Schema, edits
from tests.diff.schemas import UNLISTED, VALUES
from tests.diff.surfaces import grade, of_parts, of_result, said

OF_ARGUMENTS = {
    "narrowed": "breaking",
    "widened": "additive",
    "both": "breaking",
    "words": "cosmetic",
    "gone": "breaking",
    "added": "additive",
}
OF_RESULTS = {**OF_ARGUMENTS, "narrowed": "additive", "widened": "breaking"}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Schema, Edit]:
    schema = draw(SCHEMAS)
    return schema, draw(st.sampled_from(list(edits(schema))))


@given(pairs())
def test_an_edit_of_an_argument_has_the_grade_that_it_was_made_for(pair: tuple[Schema, Edit]) -> None:
    old, edit = pair
    difference = compare(of_parts(old), of_parts(edit.schema))
    assert grade(difference) == OF_ARGUMENTS[edit.effect], (edit.what, said(difference.changes))


@given(pairs())
def test_an_edit_of_a_result_has_the_grade_that_it_was_made_for(pair: tuple[Schema, Edit]) -> None:
    old, edit = pair
    difference = compare(of_result(old), of_result(edit.schema))
    assert grade(difference) == OF_RESULTS[edit.effect], (edit.what, said(difference.changes))


@given(pairs(), st.sampled_from(["list", "map", "member", "null", "reference"]))
def test_an_edit_deeper_inside_has_the_same_grade(pair: tuple[Schema, Edit], around: str) -> None:
    old, edit = pair
    before, after = _around(old, around), _around(edit.schema, around)
    if around == "null" and ("anyOf" in old or edit.what == "null too"):
        return  # skipped, because the value may be null already
    for build, grades in ((of_parts, OF_ARGUMENTS), (of_result, OF_RESULTS)):
        difference = compare(build(before[0], defs=before[1]), build(after[0], defs=after[1]))
        assert grade(difference) == grades[edit.effect], (edit.what, said(difference.changes))


def _around(schema: Schema, how: str) -> tuple[Schema, dict[str, Any] | None]:
    if how == "reference":
        node = {"type": "object", "properties": {"value": schema, "next": {"$ref": "#/$defs/N"}}}
        return {"$ref": "#/$defs/N"}, {"N": node}
    around: dict[str, Schema] = {
        "list": {"type": "array", "items": schema},
        "map": {"type": "object", "additionalProperties": schema},
        "member": {"type": "object", "properties": {"inside": schema}, "required": ["inside"]},
        "null": {"anyOf": [schema, {"type": "null"}]},
    }
    return around[how], None


@given(SCHEMAS)
def test_nothing_changed(schema: Schema) -> None:
    again = json.loads(json.dumps(schema))
    assert not compare(of_parts(schema), of_parts(again))
    assert not compare(of_result(schema), of_result(again))


@given(pairs())
def test_what_narrows_one_way_widens_the_other(pair: tuple[Schema, Edit]) -> None:
    """Check that an edit that narrows the schema has the grade of a widening edit if old and new are exchanged."""
    old, edit = pair
    opposite = {"narrowed": "widened", "widened": "narrowed", "added": "gone"}
    found = grade(compare(of_parts(edit.schema), of_parts(old)))
    if edit.effect == "gone":
        # from the edited schema back to `old`, a member is added: breaking if it is required, else additive
        assert found in ("additive", "breaking")
    else:
        assert found == OF_ARGUMENTS[opposite.get(edit.effect, edit.effect)]


# -- Changes that are reported too weakly or too often ----------------------------------------------------------------


def closed(schema: Any) -> Any:
    """Return `schema`, with the member names limited for each object that has `properties`.

    Allowed are the members in `properties`, and the member UNLISTED, which no schema lists. Members that only another
    schema lists are refused, because callers do not send them. Schemas with `additionalProperties` are not limited.
    """
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    for keyword in ("items", "additionalProperties"):
        if keyword in found:
            found[keyword] = closed(found[keyword])
    if "anyOf" in found:
        found["anyOf"] = [closed(branch) for branch in found["anyOf"]]
    if "properties" in found:
        found["properties"] = {name: closed(member) for name, member in found["properties"].items()}
        if "additionalProperties" not in found:
            found |= {"additionalProperties": False, "patternProperties": {f"^{UNLISTED}$": True}}
    return found


@given(SCHEMAS, SCHEMAS)
def test_what_was_accepted_and_is_refused_is_breaking(old: Schema, new: Schema) -> None:
    before, after = jsonschema.Draft202012Validator(closed(old)), jsonschema.Draft202012Validator(new)
    refused = [value for value in VALUES if before.is_valid(value) and not after.is_valid(value)]
    difference = compare(of_parts(old), of_parts(new))
    assert grade(difference) == "breaking" or not refused, refused[:3]


@given(SCHEMAS, SCHEMAS)
def test_what_was_never_sent_and_may_be_is_breaking(old: Schema, new: Schema) -> None:
    before, after = jsonschema.Draft202012Validator(old), jsonschema.Draft202012Validator(new)
    strange = [value for value in VALUES if after.is_valid(value) and not before.is_valid(value)]
    difference = compare(of_result(old), of_result(new))
    assert grade(difference) == "breaking" or not strange, strange[:3]


@given(pairs())
def test_every_change_of_an_edit_lies_where_the_edit_does(pair: tuple[Schema, Edit]) -> None:
    """Edit one of two properties of an object. Check that breaking and additive changes are reported only for the
    edited property.
    """
    old, edit = pair
    whole = {"type": "object", "properties": {"same": old, "edited": old}}
    other = {"type": "object", "properties": {"same": old, "edited": edit.schema}}
    for build in (of_parts, of_result):
        for change in compare(build(whole), build(other)).changes:
            assert change.grade == "cosmetic" or change.path.startswith("x.edited"), said((change,))
