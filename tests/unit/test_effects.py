"""Test the effects of operations in the style of AWS, of vector databases and of shops against a table.

Each line of the table has the effect, the method, the path, the operationId and the summary. A person wrote the
effects, by what an operation of this name does.
"""

from pathlib import Path

import pytest

from mcpgen.base.diagnostics import Where
from mcpgen.lower.tool.annotations import derive
from mcpgen.model import MediaType, Operation, PathTemplate, Response

TABLE = Path(__file__).with_name("effects.tsv")
ROWS = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]
ANSWER = (Response("200", "ok", (MediaType("application/json", {"type": "object"}),)),)


def effect(method: str, path: str, name: str, summary: str) -> str:
    """Return the effect that the hints of such an operation tell."""
    operation = Operation(
        f"{method} {path}", method, path, PathTemplate((path,)), Where("a"), name, summary, responses=ANSWER
    )
    hints = derive(operation, {})
    return "reads" if hints.read_only else "changes" if hints.destructive else "adds"


def test_the_table_has_two_hundred_operations() -> None:
    assert len(ROWS) >= 200
    assert {row[1] for row in ROWS} == {"GET", "POST"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[1:4]))
def test_an_operation_has_the_effect_that_a_person_told(row: list[str]) -> None:
    assert effect(*row[1:]) == row[0]
