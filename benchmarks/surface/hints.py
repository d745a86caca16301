"""Compare the hints of POST operations with the judgments of people who read them: `tests/corpus/hints.yaml`.

HTTP does not say what a POST does, so the compiler derives hints from words. No dangerous error is allowed: a change
that is hinted as additive or read-only, or an addition hinted as read-only. The number of hints that are too cautious
has a limit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import yaml

from benchmarks.bars import Bar
from benchmarks.surface.documents import Surface, Tool

Effect = Literal["reads", "adds", "changes"]

TABLE = Path(__file__).parents[2] / "tests" / "corpus" / "hints.yaml"
MOST_CAUTIOUS = 14.0
"""Limit in percent on additive operations that are hinted as destructive: at paths of single items, and where words say
nothing.
"""

LEAST_READS = 58.0
"""Lower limit in percent on reading operations that are hinted as read-only.

The other reading operations are named `create…`, or return 201.
"""

_GRAVITY: tuple[Effect, ...] = ("reads", "adds", "changes")


@dataclass(slots=True)
class Row:
    """Results of one document. `pairs`: (what a POST does, what its hints say) → count."""

    name: str
    pairs: Counter[tuple[Effect, Effect]] = field(default_factory=Counter)
    dangerous: list[str] = field(default_factory=list)
    cautious: list[str] = field(default_factory=list)


@cache
def table() -> dict[str, dict[str, Effect]]:
    """Return by document and `POST /path` whether people judged that the operation reads, adds or changes data."""
    written = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return {
        name: {request: effect for effect, requests in verdicts.items() for request in requests}
        for name, verdicts in written.items()
    }


def measure(surface: Surface) -> Row:
    """Compare the hints of one document's POST operations with people's judgments. Return the results.

    The results are empty if nobody has judged these operations.
    """
    row = Row(surface.name)
    judged = table().get(surface.name, {})
    for tool in surface.tools:
        request = " ".join(tool.request)
        if request in judged:
            does, told = judged[request], _told(tool)
            row.pairs[does, told] += 1
            if _GRAVITY.index(told) != _GRAVITY.index(does):
                errors = row.dangerous if _GRAVITY.index(told) < _GRAVITY.index(does) else row.cautious
                errors.append(f"{does}, told as {told}: {tool.called}")
    return row


def _told(tool: Tool) -> Effect:
    """Return what the tool's hints say of a call: that it reads, adds or changes data."""
    hints = tool.listed["annotations"]
    if hints["readOnlyHint"]:
        return "reads"
    return "changes" if hints["destructiveHint"] else "adds"


def show(rows: list[Row], examples: int) -> list[Bar]:
    """Print a row for each document whose POST operations people judged. Return each overall result with its upper or
    lower limit.
    """
    judged = [row for row in rows if row.pairs]
    print(f"\n{'hints of POST':52} {'judged':>7} {'dangerous':>10} {'too cautious':>13}")
    for row in judged:
        cautious = sum(count for (does, told), count in row.pairs.items() if (does, told) == ("adds", "changes"))
        print(f"{row.name[-52:]:52} {row.pairs.total():7,} {len(row.dangerous):10} {cautious:13}")
        for example in [*row.dangerous, *row.cautious][:examples]:
            print(f"    {example}")
    return bars(judged) if judged else []


def bars(rows: list[Row]) -> list[Bar]:
    """Return the results of all documents together, each with its limit."""
    pairs = sum((row.pairs for row in rows), Counter[tuple[Effect, Effect]]())
    adds = sum(count for (does, _), count in pairs.items() if does == "adds")
    reads = sum(count for (does, _), count in pairs.items() if does == "reads")
    return [
        Bar("POST told as safer than it is", sum(len(row.dangerous) for row in rows), "<=", 0),
        Bar(
            "per cent of POST that add, told as destructive",
            100 * pairs["adds", "changes"] / max(1, adds),
            "<=",
            MOST_CAUTIOUS,
        ),
        Bar(
            "per cent of POST that read, told as read-only",
            100 * pairs["reads", "reads"] / max(1, reads),
            ">=",
            LEAST_READS,
        ),
    ]
