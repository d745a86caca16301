"""Compare pairs of schemas, servers and documents. Every directory of `diff/` holds the pairs for one area of rules.

`schemas.yaml` has pairs of an old and a new schema, each with the effect on the set of valid values. From this effect
alone follows the grade (breaking, additive or cosmetic): for an argument and for a result, and in both directions.
`pairs.yaml` has pairs of servers or documents, each with its grade in both directions. `expected.txt` holds the
sentences that `mcpgen diff` prints for all pairs.

To add a case, add a row and no function. `pytest --update` writes the sentences; review the diff. Grades are written by
hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.model.options import Options
from mcpgen.pipeline import Project, compile_source
from mcpgen.read.fetch import Fetched
from mcpgen.regenerate.diff import Difference, Surface, compare, rules
from mcpgen.regenerate.regenerate import compile_after, surface_of
from tests.diff.surfaces import binding, grade, said, surface, tool

HERE = Path(__file__).parent / "diff"
AREAS = sorted(path.parent for path in HERE.glob("*/*.yaml"))

GRADES: dict[str, tuple[str, str, str, str]] = {
    "narrowed": ("breaking", "additive", "additive", "breaking"),
    "widened": ("additive", "breaking", "breaking", "additive"),
    "both": ("breaking", "breaking", "breaking", "breaking"),
    "same": ("cosmetic", "cosmetic", "cosmetic", "cosmetic"),
    "added": ("additive", "breaking", "additive", "breaking"),
    "required": ("breaking", "breaking", "additive", "breaking"),
    "listed": ("additive", "breaking", "breaking", "additive"),
}
"""Effect on the values of a schema → four grades: for an argument, an argument backwards, a result, a result backwards.

`added`: an optional member is new. `required`: a required member is new. Readers of results ignore a new member, but
miss a removed one. `listed`: members were listed before, and are no longer.
"""

Compared = tuple[str, str, Difference]
"""Description of a comparison, the grade that the difference must have, and the difference."""


def of_schemas(rows: list[Any]) -> Iterator[Compared]:
    for what, effect, old, new in rows:
        grades = iter(GRADES[effect])
        for side, build in (("argument", _argument), ("result", _result)):
            for way, pair in (("", (old, new)), (", back", (new, old))):
                difference = compare(build(pair[0]), build(pair[1]))
                expected = next(grades)
                yield f"{what}: {side}{way}", expected, difference


def _moved(schema: Any) -> tuple[Any, dict[str, Any]]:
    """Return a schema without its `$defs`, and these `$defs`, which the caller puts at the root of the whole schema."""
    if not isinstance(schema, dict) or "$defs" not in schema:
        return schema, {}
    return {key: schema[key] for key in schema if key != "$defs"}, {"$defs": schema["$defs"]}


def _argument(schema: Any) -> Surface:
    own, definitions = _moved(schema)
    return surface(tool(inputSchema={"type": "object", "properties": {"x": own}, **definitions}))


def _result(schema: Any) -> Surface:
    own, definitions = _moved(schema)
    root = {"type": "object", "properties": {"x": own}, "required": ["x"], **definitions}
    return surface(tool(outputSchema=root))


def of_pairs(rows: list[Any]) -> Iterator[Compared]:
    for row in rows:
        build = _documents if "documents" in row else _servers
        for way, expected in (("", row["grade"]), (", back", row["back"])):
            old, new = build(row, backwards=bool(way))
            difference = compare(old, new)
            yield f"{row['what']}{way}", expected, difference


def _servers(row: dict[str, Any], *, backwards: bool) -> tuple[Surface, Surface]:
    """Return the two servers that a row of `pairs.yaml` describes, in reverse order if `backwards`.

    `shown` in `row` holds what differs in the tool, `sent` in its binding, `header` in the server: two values each, one
    for each server. Without `tools`, each server has one tool.
    """
    both = [_server(row, side) for side in (0, 1)]
    return (both[1], both[0]) if backwards else (both[0], both[1])


def _server(row: dict[str, Any], side: int) -> Surface:
    given = [tool(**each) for each in row["tools"][side]] if "tools" in row else [tool(**_side(row, "shown", side))]
    sent = {each["name"]: _side(row, "sent", side) for each in given}
    return surface(*given, bindings=sent, **_side(row, "header", side))


def _side(row: dict[str, Any], key: str, side: int) -> dict[str, Any]:
    return dict(row[key][side]) if key in row else {}


def _documents(row: dict[str, Any], *, backwards: bool) -> tuple[Surface, Surface]:
    """Compile the two documents that a row of `pairs.yaml` contains, and return their servers.

    The second document is compiled with the first one's tool names, as in a regeneration.
    """
    old, new = reversed(row["documents"]) if backwards else row["documents"]
    options = Options(structured=bool(row.get("structured")))
    before = compile_source(_document(old), options)
    first = surface_of(before)
    return first, surface_of(compile_after(_document(new), options, Project(lock=before.lock)))


def _document(parts: dict[str, Any]) -> Fetched:
    whole: dict[str, Any] = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, **parts}
    if "mcpgen" in parts:
        whole = parts
    return Fetched("document.yaml", yaml.safe_dump(whole, sort_keys=False).encode())


@cache
def found_in(area: Path) -> tuple[Compared, ...]:
    found: list[Compared] = []
    for name, read in (("schemas.yaml", of_schemas), ("pairs.yaml", of_pairs)):
        if (area / name).is_file():
            found += read(yaml.safe_load((area / name).read_text(encoding="utf-8")))
    return tuple(found)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_each_pair_has_its_grade_and_its_sentences(area: Path, request: pytest.FixtureRequest) -> None:
    found = found_in(area)
    wrong = [(what, said(came.changes)) for what, expected, came in found if grade(came) != expected]
    text = "".join(f"{what}\n" + "".join(f"    {line}\n" for line in said(came.changes)) for what, _, came in found)
    expected = area / "expected.txt"
    if request.config.getoption("--update"):
        expected.write_text(text, encoding="utf-8")
    assert not wrong
    assert text == expected.read_text(encoding="utf-8")


LIMITS = (
    *("minimum", "maximum", "multipleOf", "minLength", "maxLength", "pattern", "format", "contentEncoding"),
    *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
)
"""JSON Schema keywords whose own names are the codes of their changes."""

NEVER = {"result-member-unlisted"}
"""Codes that a table has only for the other direction. A result whose member was removed always has the code `gone`."""


def test_every_rule_has_a_pair_and_every_change_a_rule() -> None:
    places = (*rules.OF_SCHEMAS, *LIMITS)
    known = {
        *rules.OF_TOOLS,
        *rules.OF_SERVER,
        *(f"{side}-{each}" for side in ("argument", "result") for each in places),
    }
    told = {change.code for area in AREAS for _, _, found in found_in(area) for change in found.changes}
    assert told == known - NEVER


def test_hard_08_what_concerns_security_is_breaking_and_stands_first() -> None:
    grades = {code: grade for table in (rules.OF_TOOLS, rules.OF_SERVER) for code, (grade, _) in table.items()}
    assert {grades[code] for code in rules.SECURITY} == {"breaking"}
    for found in (difference.changes for area in AREAS for _, _, difference in found_in(area)):
        marks = [change.security for change in found]
        assert marks == sorted(marks, reverse=True)
        assert marks == [change.code in rules.SECURITY for change in found]


def test_there_are_pairs_enough() -> None:
    assert sum(len(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in HERE.glob("*/*.yaml")) >= 200


def test_what_a_tool_of_these_tests_sends_names_its_arguments() -> None:
    listed = tool(inputSchema={"type": "object", "properties": {"a": {}}})
    assert binding(listed)["query"][0]["argument"] == "a"
