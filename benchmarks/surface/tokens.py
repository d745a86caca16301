"""Count the tokens of each tool as a model reads them, and compare the compiler's estimate with the count.

A tool is counted as compact JSON. The limit on the mean number of tokens applies to the part that a model gets (`name`,
`description`, `inputSchema`). The estimate is for the whole list entry, with title and hints.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bars import Bar
from benchmarks.surface import tokenizer
from benchmarks.surface.documents import Surface
from mcpgen.base.tokens import estimate

_MODEL_READS = ("name", "description", "inputSchema")
_MEANS = {"github-rest.json": ("GitHub", 250), "stripe.yaml": ("Stripe", 450)}
_PEER = {"github-rest.json": (2_300_000, 289), "stripe.yaml": (39_000_000, 712)}
"""Tokens of FastMCP 4.1: its whole list with output schemas, and the mean tokens that a model reads of a tool."""


@dataclass(frozen=True, slots=True)
class Row:
    """Results of one document. Each tuple has one item per tool.

    `texts`: the tool's entry in `tools/list`. `read`: tokens of the members that a model gets (`name`, `description`,
    `inputSchema`). `listed`: tokens of the whole entry. `estimated`: the compiler's estimate of `listed`.
    """

    name: str
    called: tuple[str, ...]
    texts: tuple[str, ...]
    read: tuple[int, ...]
    listed: tuple[int, ...]
    estimated: tuple[int, ...]

    @property
    def ratio(self) -> float:
        """Return the ratio of estimated to counted tokens, over all tools."""
        return sum(self.estimated) / sum(self.listed)


def measure(surfaces: list[Surface]) -> list[Row]:
    """Return the results of each document. Raise tokenizer.Unavailable if the tokenizer is not installed."""
    every = [tool for surface in surfaces for tool in surface.tools]
    read = [_compact({key: tool.listed[key] for key in _MODEL_READS}) for tool in every]
    counts = iter(tokenizer.count(read + [_compact(tool.listed) for tool in every]))
    counts_read = {id(tool): next(counts) for tool in every}
    counts_listed = {id(tool): next(counts) for tool in every}
    return [
        Row(
            surface.name,
            tuple(tool.called for tool in surface.tools),
            tuple(_compact(tool.listed) for tool in surface.tools),
            tuple(counts_read[id(tool)] for tool in surface.tools),
            tuple(counts_listed[id(tool)] for tool in surface.tools),
            tuple(estimate(tool.listed) for tool in surface.tools),
        )
        for surface in surfaces
    ]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_pairs(rows: list[Row], path: Path) -> None:
    """Write each listed tool with its number of tokens, one JSON object per line.

    Such pairs are used to fit the estimate.
    """
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            for text, count in zip(row.texts, row.listed, strict=True):
                file.write(json.dumps({"document": row.name, "text": text, "tokens": count}) + "\n")


def show(rows: list[Row], examples: int) -> list[Bar]:
    """Print the token counts of each document as a table. Return the figures that have a limit, each with its limit:
    mean tokens of a tool, and the ratio of estimated to counted tokens.
    """
    head = f"{'total':>9} {'mean':>6} {'median':>6} {'p95':>6} {'max':>6} {'listed':>9} {'mean':>6} ratio"
    print(f"\n{'tokens':52} {head}")
    for row in rows:
        figures = f"{statistics.mean(row.read):6.0f} {statistics.median(row.read):6.0f} {_p95(row.read):6}"
        whole = f"{sum(row.listed):9,} {statistics.mean(row.listed):6.0f} {row.ratio:5.2f}"
        print(f"{row.name[-52:]:52} {sum(row.read):9,} {figures} {max(row.read):6} {whole}")
        heaviest = sorted(zip(row.read, row.called, strict=True), reverse=True)[:examples]
        for count, called in heaviest:
            print(f"    {count:6} {called}")
        if row.name in _PEER:
            total, mean = _PEER[row.name]
            print(f"    FastMCP's whole list: {total:,} tokens; {mean} a tool on average of what a model reads")
    means = [
        Bar(f"tokens of a tool, mean of {_MEANS[row.name][0]}", statistics.mean(row.read), "<=", _MEANS[row.name][1])
        for row in rows
        if row.name in _MEANS
    ]
    ratios = [row.ratio for row in rows]
    lowest = Bar("estimated / real tokens of a document, lowest", min(ratios), ">=", 0.9)
    return [*means, lowest, Bar("estimated / real tokens of a document, highest", max(ratios), "<=", 1.1)]


def _p95(counts: tuple[int, ...]) -> int:
    return sorted(counts)[min(len(counts) - 1, round(0.95 * len(counts)))]
