"""Draw `speed.svg`, four bar charts, from the stored results. Its colors are readable on white and on black."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.speed.results import Results
from benchmarks.speed.table import PEERS, ROWS, Row

PATH = Path(__file__).parents[1] / "speed.svg"
SHOWN = {
    "first list of 20 tools, ms": "Start to the first list, ms",
    "calls a second, 200 B": "Calls a second, one at a time",
    "the same, 64 at a time": "Calls a second, 64 at a time",
    "memory after a call, MiB": "Memory after a call, MiB",
}
"""Rows of the results table that become charts, and the titles of the charts."""
OURS, THEIRS, TEXT = "#2f81f7", "#8b949e", "#6e7781"
WIDTH, LABEL, HEIGHT, GAP, TITLE, MARGIN = 720, 180, 16, 6, 30, 12
NUMBER = 70
"""Width reserved for the number behind the longest bar."""


def made(results: Results) -> str:
    """Return the picture as SVG. A row that was not measured is left out."""
    parts: list[str] = []
    top = MARGIN
    for row in ROWS:
        values = {name: row.value(results, name) for name in ("mcpgen", *PEERS)}
        measured = {name: value for name, value in values.items() if value is not None}
        if row.label in SHOWN and measured:
            parts += _panel(row, measured, top)
            top += TITLE + len(measured) * (HEIGHT + GAP) + MARGIN
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" font-family="sans-serif" font-size="12">'
    )
    return "\n".join([opening, "<title>mcpgen beside other servers for the same API</title>", *parts, "</svg>", ""])


def update(results: Results, path: Path = PATH) -> None:
    """Write the picture to `path`."""
    path.write_text(made(results), encoding="utf-8")


def _panel(row: Row, values: dict[str, float], top: int) -> list[str]:
    """Return a chart as SVG: a title and one bar for each value. The longest bar fills the width."""
    better = "more is better" if row.more else "less is better"
    title = f'{escape(SHOWN[row.label])} <tspan font-weight="normal">({better})</tspan>'
    parts = [f'<text x="{MARGIN}" y="{top + 16}" font-weight="bold" fill="{TEXT}">{title}</text>']
    scale = (WIDTH - LABEL - NUMBER) / max(values.values())
    for number, (name, value) in enumerate(values.items()):
        y = top + TITLE + number * (HEIGHT + GAP)
        length = max(1.0, value * scale)
        colour = OURS if name == "mcpgen" else THEIRS
        parts += [
            f'<text x="{LABEL - 8}" y="{y + 12}" text-anchor="end" fill="{TEXT}">{escape(name)}</text>',
            f'<rect x="{LABEL}" y="{y}" width="{length:.1f}" height="{HEIGHT}" rx="2" fill="{colour}"/>',
            f'<text x="{LABEL + length + 6:.1f}" y="{y + 12}" fill="{TEXT}">{_number(value)}</text>',
        ]
    return parts


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
