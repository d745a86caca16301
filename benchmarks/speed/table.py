"""Write the table of speed from the stored results: a row for each case, a column for each measured server.

A shorter version of the table is for the README.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.replicas.client import NEWER, OLDER
from benchmarks.speed import idle
from benchmarks.speed.core import WHERE
from benchmarks.speed.http_calls import ERAS, case_of
from benchmarks.speed.programs import ALONE, ASGI, FASTMCP_ASGI, GENERATOR_NAME, SDK_ASGI
from benchmarks.speed.results import BUSY, Results

BEGIN = "<!-- speed: written by `make bench` -->"
END = "<!-- /speed -->"
BEGIN_SHORT = "<!-- speed in short: written by `make bench` -->"
END_SHORT = "<!-- /speed in short -->"
PEERS = ("FastMCP", "SDK lowlevel", GENERATOR_NAME)
NONE = "\u2013"
Instead = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Row of the table: one case of a family. `more`: True if higher values are better.

    `instead`: program → the program whose results the row shows in its place.
    """

    label: str
    family: str
    case: str
    unit: str
    more: bool = False
    instead: Instead = ()

    def value(self, results: Results, subject: str) -> float | None:
        """Return the median of this program, or None if it was not measured."""
        return results.median(self.family, self.case, dict(self.instead).get(subject, subject), self.unit)


_TYPED = (
    ("mcpgen", "mcpgen --structured"),
    ("FastMCP", "FastMCP, output schemas"),
    ("SDK lowlevel", ""),
    (GENERATOR_NAME, ""),
)
_CONNECTIONS = {1: "1 connection", 64: "64 connections", 512: "512 connections"}
_UNDER_UVICORN = (("mcpgen", ASGI), ("FastMCP", FASTMCP_ASGI), ("SDK lowlevel", SDK_ASGI))


def _http(label: str, era: str, connections: int, unit: str = "calls/s", instead: Instead = ()) -> Row:
    """Return a row for calls over HTTP with this number of connections. `era`: with or without MCP sessions."""
    return Row(label, "http", case_of(era, connections), unit, more=unit == "calls/s", instead=instead)


ROWS = (
    Row("first list of 20 tools, ms", "start", "first list, 20 tools", "ms"),
    Row("first list of 1,200 tools, ms", "start", "first list, 1,200 tools", "ms"),
    Row("first call, ms", "start", "first call", "ms"),
    Row("calls a second, 200 B", "calls", "200 B, 1 at a time", "calls/s", more=True),
    Row("the same, 64 at a time", "calls", "200 B, 64 at a time", "calls/s", more=True),
    Row("their 99th percentile, ms", "calls", "200 B, 64 at a time", "ms p99"),
    Row("CPU a call, ms", "calls", "200 B, 1 at a time", "ms CPU"),
    Row("calls a second, 200 B, all on one core", "core", "200 B, 1 at a time, one core", "calls/s", more=True),
    Row("calls a second, 10 kB, 64 at a time", "calls", "10 kB, 64 at a time", "calls/s", more=True),
    Row("the same with output schemas", "calls", "10 kB, 64 at a time", "calls/s", more=True, instead=_TYPED),
    Row("calls a second, 1 MB", "calls", "1 MB, 1 at a time", "calls/s", more=True),
    Row("CPU of a call with 30 arguments, ms", "arguments", "30 arguments", "ms CPU"),
    *(_http(f"calls a second over HTTP, {OLDER}, {told}", OLDER, many) for many, told in _CONNECTIONS.items()),
    *(_http(f"calls a second over HTTP, {NEWER}, {told}", NEWER, many) for many, told in _CONNECTIONS.items()),
    *(
        Row(f"over HTTP, {era}, 1 connection, all on one core", "core", case_of(era, 1, WHERE), "calls/s", more=True)
        for era in ERAS
    ),
    *(
        _http(f"the same under uvicorn, {told}", NEWER, many, instead=_UNDER_UVICORN)
        for many, told in _CONNECTIONS.items()
    ),
    _http(f"99th percentile over HTTP, {OLDER}, 64 connections, ms", OLDER, 64, "ms p99"),
    _http(f"the same in {NEWER}, ms", NEWER, 64, "ms p99"),
    Row("memory of an idle session over HTTP, bytes", "idle", idle.SESSION, idle.BYTES),
    Row(f"memory of a listening stream, {OLDER}, KiB", "idle", f"{idle.STREAM}, {OLDER}", idle.KIB),
    Row(f"memory of a listening stream, {NEWER}, KiB", "idle", f"{idle.STREAM}, {NEWER}", idle.KIB),
    Row("memory until the first list, MiB", "memory", "until the first list", "MiB peak RSS"),
    Row("memory after a call, MiB", "memory", "after a call", "MiB peak RSS"),
    Row("memory under 64 calls at a time, MiB", "memory", "under 64 at a time", "MiB peak RSS"),
)
SHORT = (
    "first list of 20 tools, ms",
    "first call, ms",
    "calls a second, 200 B",
    "calls a second, 10 kB, 64 at a time",
    f"calls a second over HTTP, {NEWER}, 64 connections",
    "memory after a call, MiB",
)
"""Names of the rows that the short table has."""

_COMPILES = ("GitHub, 13 MB of JSON", "Stripe, 4 MB of YAML", "37 MB of YAML", "8,000 operations", "mcpgen --help")


def put(text: str, results: Results) -> str:
    """Return the text with the part between its markers replaced. Raise ValueError if the markers are missing."""
    for begin, end, write in ((BEGIN, END, made), (BEGIN_SHORT, END_SHORT, made_short)):
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if found and closed:
            return f"{before}{begin}\n{write(results)}{end}{after}"
    raise ValueError(f"the text has no {BEGIN} … {END}")


def update(path: Path, results: Results) -> None:
    """Replace the part of a file between its markers."""
    path.write_text(put(path.read_text(encoding="utf-8"), results), encoding="utf-8")


def made(results: Results) -> str:
    """Return the table and the notes below it as Markdown."""
    columns = [name for name in ("mcpgen", *PEERS) if any(row.value(results, name) is not None for row in ROWS)]
    named = [_named(name, results) for name in columns]
    lines = [f"| | {' | '.join(named)} | FastMCP to mcpgen |", "|---" * (len(columns) + 2) + "|"]
    lines += [_row(row, columns, results) for row in ROWS if row.value(results, "mcpgen") is not None]
    return "\n".join([*lines, "", *_sentences(results), ""])


def made_short(results: Results) -> str:
    """Return the short table, with our results and FastMCP's, as Markdown."""
    columns = ["mcpgen", "FastMCP"]
    rows = [
        _row(row, columns, results) for row in ROWS if row.label in SHORT and row.value(results, "mcpgen") is not None
    ]
    head = f"| | {' | '.join(_named(name, results) for name in columns)} | FastMCP to mcpgen |"
    return "\n".join([head, "|---" * (len(columns) + 2) + "|", *rows, ""])


def _named(name: str, results: Results) -> str:
    version = results.about.get(f"version of {name}", "")
    return f"{name} {version}" if version and name != "mcpgen" else name


def _row(row: Row, columns: list[str], results: Results) -> str:
    ours, theirs = row.value(results, "mcpgen"), row.value(results, "FastMCP")
    ratio = NONE
    if ours and theirs:
        ratio = f"{ours / theirs if row.more else theirs / ours:.1f} \u00d7"
    values = [_number(row.value(results, name)) for name in columns]
    return f"| {row.label} | {' | '.join(values)} | {ratio} |"


def _number(value: float | None) -> str:
    """Return a number with three significant digits."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _sentences(results: Results) -> list[str]:
    about = results.about
    found = [
        f"The servers were measured in turn, several times, on {about.get('python')}, {about.get('machine')}. The "
        f"figures are medians. The API is {about.get('upstream')}. Compare the ratios, because the milliseconds "
        f"depend on the machine."
    ]
    if results.rough:
        found.append(f"{BUSY}, so that they are rough.")
    if (alone := results.median("calls", "200 B, 1 at a time", ALONE, "calls/s")) is not None:
        at_once = results.median("calls", "200 B, 64 at a time", ALONE, "calls/s")
        found.append(
            f"Without an MCP server, aiohttp's client makes {_number(alone)} calls a second one at a time, and "
            f"{_number(at_once)} with 64 at a time (200 B each)."
        )
    taken = [(name, results.median("compile", name, "mcpgen", "s")) for name in _COMPILES]
    if told := [f"{name} {value:.2f} s" for name, value in taken if value is not None]:
        found.append(f"Compiling: {'; '.join(told)}.")
    return [" ".join(found)]
