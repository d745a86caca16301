"""Compare tool names with the verdicts of a person who read the operations: `tests/corpus/names.yaml`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from benchmarks.bars import Bar
from benchmarks.surface.documents import Surface

TABLE = Path(__file__).parents[2] / "tests" / "corpus" / "names.yaml"
MOST_MISLEADING = 4
VERDICTS = ("ok", "ugly", "misleads")


@dataclass(slots=True)
class Row:
    """Results of one document: the number of judged names with each verdict, and the names that have changed since they
    were judged.
    """

    name: str
    verdicts: Counter[str] = field(default_factory=Counter)
    changed: list[str] = field(default_factory=list)


@cache
def table() -> dict[str, list[tuple[str, str, str, str]]]:
    """Return a mapping from each document to tuples of operation, name, verdict and reason."""
    written = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return {name: [(row[0], row[1], row[2], row[3]) for row in rows] for name, rows in written.items()}


def measure(surface: Surface) -> Row:
    """Count the verdicts on the tool names of one document, and list names that have changed since.

    The result is empty if none of the names was judged.
    """
    row = Row(surface.name)
    names = {" ".join(tool.request): tool.name for tool in surface.tools}
    for operation, judged, verdict, _ in table().get(surface.name, []):
        if names.get(operation) == judged:
            row.verdicts[verdict] += 1
        else:
            row.changed.append(f"{operation} was judged as {judged}, is {names.get(operation)}")
    return row


def show(rows: list[Row], examples: int) -> list[Bar]:
    """Print the verdicts, and return each overall result with its limit, or [] if nothing was judged."""
    found = sum((row.verdicts for row in rows), Counter[str]())
    changed = [text for row in rows for text in row.changed]
    if not found and not changed:
        return []
    print("\nnames as judged: " + ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS))
    for text in changed[:examples]:
        print(f"    {text}")
    return bars(rows)


def bars(rows: list[Row]) -> list[Bar]:
    """Return, over all documents, the numbers of misleading and of changed tool names, each with its upper limit."""
    misleading = sum(row.verdicts["misleads"] for row in rows)
    return [
        Bar("of 100 names judged by a person, those that mislead", misleading, "<=", MOST_MISLEADING),
        Bar("judged names that changed since", sum(len(row.changed) for row in rows), "<=", 0),
    ]
