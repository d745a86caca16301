"""Run the converters of three official SDKs of model providers over every tool.

The models of a provider never see a tool that the provider's converter refuses.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from benchmarks.bars import Bar
from benchmarks.surface.documents import Surface, Tool
from tests.converters.converters import CONVERTERS, Unavailable, has_map, verdicts

_BARS = {"gemini": 100, "anthropic": 100, "openai": 95}


@dataclass(frozen=True, slots=True)
class Row:
    """The name and the tools of one document. The function `show` tests the tools with the converter of each SDK."""

    name: str
    tools: tuple[Tool, ...]


def measure(surface: Surface) -> Row:
    """Return the tools of a document. `show` converts them: each SDK gets the tools of all documents in one run."""
    return Row(surface.name, surface.tools)


def show(rows: list[Row], examples: int) -> list[Bar]:
    """Print which tools each converter refuses. Return the results with their limits, or [] if the SDKs cannot be
    installed.
    """
    every = [(row.name, tool) for row in rows for tool in row.tools]
    held: list[Bar] = []
    for converter, called in CONVERTERS.items():
        asked = [entry for entry in every if converter != "openai" or not has_map(_schema(entry[1]))]
        try:
            found = verdicts(converter, [tool.listed for _, tool in asked])
        except Unavailable as reason:
            print(f"\n{called}: not shown: {reason}")
            continue
        refused = [(entry, verdict) for entry, verdict in zip(asked, found, strict=True) if verdict is not None]
        left_out = f", {len(every) - len(asked):,} with maps left out" if len(asked) < len(every) else ""
        print(f"\n{called}: {len(asked):,} tools{left_out}, {len(refused):,} refused")
        for verdict, count in Counter(verdict[:100] for _, verdict in refused).most_common():
            print(f"    {count:6} {verdict}")
        for (document, tool), verdict in refused[: max(examples, 3)]:
            print(f"    {document}: {tool.called}: {verdict[:200]}")
        share = 100 * (1 - len(refused) / len(asked)) if asked else 100
        held.append(Bar(f"per cent of tools taken by {called.partition(' ')[0]}", share, ">=", _BARS[converter]))
    return held


def _schema(tool: Tool) -> Any:
    return tool.listed["inputSchema"]
