"""Compile published documents of real APIs, which lie beside the repository. The tests are skipped if they are missing.

Each document compiles once. Every operation becomes a tool, is a login operation, or is skipped for a reason in
REASONS. The compiler's check of finished tools (`mcpgen/check/catalog.py`) removes none. Every client and model
provider accepts every input schema.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
import pytest

from benchmarks.surface import descriptions, names
from mcpgen.base import tokens
from mcpgen.base.errors import FatalError
from mcpgen.check.catalog import DEEPEST
from mcpgen.lower.tool.outputs import BUDGET, RESERVED
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read import fetch

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
MANIFEST = CORPUS / "manifest.tsv"

REASONS = {
    "invalid-path",
    "unsupported-body",
    "invalid-media-type",
    "invalid-parameter",
    "broken-reference",
    "unsupported-method",
}
"""Codes of the reasons for which operations of published documents may be skipped. None comes from `check/catalog`."""


NOWHERE = ("empty", "over 1,000", "no title", "hints missing", "characters that are", "equal to the name", "markup: ")
"""Beginnings of findings of `benchmarks.surface.descriptions` that no tool may have."""


class Entry(NamedTuple):
    path: str
    operations: int


def entries() -> list[Entry]:
    if not MANIFEST.is_file():
        return []
    with MANIFEST.open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [Entry(row["path"], int(row["operations"])) for row in rows if row["path"].startswith("dev/")]


DOCUMENTS = entries()
pytestmark = pytest.mark.skipif(not DOCUMENTS, reason="the corpus is not beside the repository")


def compiled(entry: Entry, options: Options) -> Compiled | str:
    """Compile the document, and return the result, or the message of the error that ended the compile."""
    try:
        return compile_source(fetch.read(str(CORPUS / entry.path)), options)
    except FatalError as end:
        return str(end)


def members(schema: Any, depth: int = 0) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield every subschema with its depth. A property with the name of a keyword is not taken for the keyword."""
    yield schema, depth
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inner += [schema[keyword] for keyword in ("items", "additionalProperties") if keyword in schema]
    for member in inner:
        yield from members(member, depth + 1)


def assert_portable(result: Compiled) -> None:
    for tool in result.catalog.tools:
        schema = tool.input_schema
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
        assert schema["type"] == "object"
        for node, depth in members(schema):
            assert depth <= DEEPEST
            assert not node.keys() & {"$ref", "$defs", "allOf", "oneOf", "not", "const", "title", "nullable"}, tool.name
            assert ("anyOf" in node) != isinstance(node.get("type"), str), tool.name
            assert node.get("type") != "array" or isinstance(node["items"], dict), tool.name
            assert isinstance(node.get("additionalProperties", {}), dict), tool.name
        assert 0 < len(tool.description) <= 1000
        assert 0 < len(tool.title) <= 60


def assert_legible(result: Compiled) -> None:
    """Check what a client lists: names are unique and legal, and no tool has a fault that no document may cause
    (NOWHERE), such as a missing title.
    """
    tools = json.loads(result.tree[f"{result.catalog.identity.package}/tools.json"])
    assert len({tool["name"].casefold() for tool in tools}) == len(tools)
    for tool in tools:
        assert names.LEGAL.fullmatch(tool["name"])
        found = dict(descriptions.findings(tool))
        assert not [what for what in found if what.startswith(NOWHERE)], (tool["name"], found)


@pytest.mark.parametrize("entry", DOCUMENTS, ids=lambda entry: entry.path.removeprefix("dev/"))
def test_a_published_document_compiles(entry: Entry) -> None:
    result = compiled(entry, Options())
    if isinstance(result, str):
        assert not entry.operations, result
        return
    catalog = result.catalog
    logins = sum(each.code == "login-operation" for each in result.diagnostics)
    assert len(catalog.tools) + len(catalog.skipped) + logins == entry.operations
    codes = Counter(skipped.reason.code for skipped in catalog.skipped)
    assert codes.keys() <= REASONS, codes
    assert all(reason.where is None or reason.where.line is not None for reason in result.diagnostics)
    assert_portable(result)
    assert_legible(result)


@pytest.mark.parametrize("entry", DOCUMENTS, ids=lambda entry: entry.path.removeprefix("dev/"))
def test_the_full_profile_of_a_published_document_can_be_read(entry: Entry) -> None:
    result = compiled(entry, Options(schema_profile="full"))
    if isinstance(result, str):
        return
    portable = compiled(entry, Options())
    assert not isinstance(portable, str)
    assert [tool.name for tool in result.catalog.tools] == [tool.name for tool in portable.catalog.tools]
    for tool, plain in zip(result.catalog.tools, portable.catalog.tools, strict=True):
        dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        jsonschema_rs.validator_for({**dialect, **tool.input_schema}, offline=True)
        assert tool.input_schema["type"] == "object"
        for key in ("properties", "required"):
            ours: Any = tool.input_schema.get(key, ())
            theirs: Any = plain.input_schema.get(key, ())
            assert list(ours) == list(theirs), tool.name


def assert_promisable(schema: dict[str, Any]) -> None:
    """Check that clients accept an output schema, and that responses with the described types satisfy it."""
    jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    assert schema["type"] == "object"
    assert not schema.get("properties", {}).keys() & RESERVED
    assert tokens.estimate(schema) <= BUDGET
    for node, _ in members(schema):
        assert node.keys() <= {"type", "properties", "items", "additionalProperties"}
        assert "type" not in node or node["type"] in ("object", "array") or "null" in node["type"]


@pytest.mark.parametrize("entry", DOCUMENTS, ids=lambda entry: entry.path.removeprefix("dev/"))
def test_the_output_schemas_of_a_published_document_can_be_kept(entry: Entry) -> None:
    result = compiled(entry, Options(structured=True))
    if isinstance(result, str):
        return
    promised = [tool for tool in result.catalog.tools if tool.output_schema is not None]
    without = sum(each.code == "no-output-schema" for each in result.diagnostics)
    assert len(promised) + without == len(result.catalog.tools)
    for tool in promised:
        assert tool.output_schema is not None
        assert tool.output_form in ("object", "items", "value")
        assert_promisable(tool.output_schema)
