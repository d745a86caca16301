"""Print messages for people and JSON for programs, and define the exit codes. Results go to stdout, all else to
stderr. The most serious findings come first, and equal ones once with a count.
"""

import contextlib
import io
import itertools
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import click

from mcpgen.base.diagnostics import IN_THE_WAY, Diagnostic, Where
from mcpgen.base.errors import FatalError, ProjectBusy, reason_of
from mcpgen.base.invisible import shown
from mcpgen.base.jsonvalue import JsonObject, JsonValue, tokens
from mcpgen.base.plurals import counted
from mcpgen.cli import streams
from mcpgen.model import MOST_WEBHOOKS, Skipped, Webhook


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic that is shown once. `other`: further places with an equal diagnostic.

    `operation`: METHOD and path of the operation that was skipped because of it, or "".
    """

    diagnostic: Diagnostic
    other: tuple[Where, ...] = ()
    operation: str = ""

    @property
    def count(self) -> int:
        """Return the number of places with this diagnostic."""
        return 1 + len(self.other)

    @property
    def message(self) -> str:
        """Return the message of the diagnostic. For a skipped operation it begins with METHOD and path."""
        said = self.diagnostic.message
        return f"{self.operation} was skipped: {said}" if self.operation else said

    @property
    def is_in_the_way(self) -> bool:
        """Return True if, because of this finding, a tool is missing or cannot be called, or nothing is written."""
        found = self.diagnostic
        return bool(self.operation) or found.severity == "error" or found.code in IN_THE_WAY


DONE, FINDINGS, CANNOT_GO_ON, LOCKED = 0, 1, 2, 3
SCHEMA = 1
"""Version of the format of every `--format json` document."""

_PLACES = 5
"""Limit on the places that are listed for a finding, beside the first place."""

_FAR = 120
"""Column beyond which a place on the first line is not worth printing: the whole document is one line then."""

_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"})
_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


def terminal_text(text: str) -> str:
    """Return `text` on one line, with control characters and hidden characters written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in shown(text))


def say(text: str = "", *, err: bool = True, **style: Any) -> None:
    """Print one line, styled if the stream is a terminal and NO_COLOR is not set.

    All text for people is printed here. Line breaks in it are escaped, so no text from a document or lock file can
    pretend to be a line of its own.
    """
    coloured = (sys.stderr if err else sys.stdout).isatty() and not os.environ.get("NO_COLOR")
    _print(click.style(terminal_text(text), **style) if style and coloured else terminal_text(text), err=err)


def say_lines(lines: Iterable[str], *, err: bool = True, **style: Any) -> None:
    """Print several lines by `say`."""
    for line in lines:
        say(line, err=err, **style)


def say_file(data: bytes) -> None:
    """Print the bytes of a file unchanged, as the result of the command."""
    _print(data, err=False)


def _print(text: str | bytes, *, err: bool) -> None:
    """Print a line or the bytes of a file.

    If writing to stdout fails, the command ends with an error. A failure is ignored if the reader has closed the pipe,
    or if the stream is stderr.
    """
    stream = sys.stderr if err else sys.stdout
    try:
        click.echo(text, file=stream, nl=isinstance(text, str))
    except OSError as error:
        streams.silence(stream)
        if not err and not streams.nobody_reads(error):
            cannot_write(error)


def cannot_write(error: OSError) -> NoReturn:
    """Say on stderr why stdout could not be written, and exit."""
    streams.silence(sys.stdout)
    reason = reason_of(error, "the stream refuses")
    say(f"The results could not be written to standard output: {reason}.", fg="red")
    raise SystemExit(CANNOT_GO_ON)


def diagnostics(found: Sequence[Diagnostic], skipped: Sequence[Skipped] = (), *, most: int | None = None) -> None:
    """Print findings as `file:line:column: severity: sentence [code]` with a hint below, notes last.

    Equal findings are printed once, with their places. `most`: number of findings that are printed for each code.
    """
    counts: Counter[str] = Counter()
    for finding in sorted(_together(found), key=lambda finding: finding.diagnostic.severity == "note"):
        code = finding.diagnostic.code
        counts[code] += 1
        if most is None or counts[code] <= most:
            findings([finding])
    for code, count in counts.items():
        if most is not None and count > most:
            say(f"… and {count - most} more of {code}; `mcpgen check` shows all.")
    for entry in untold(found, skipped):
        _line(entry.reason, f"{entry.operation} was skipped: {entry.reason.message}")


def untold(found: Sequence[Diagnostic], skipped: Sequence[Skipped]) -> list[Skipped]:
    """Return the skipped operations that still have to be reported.

    An operation is left out if the reason for skipping it is an error in `found`, because that error is printed anyway.
    """
    errors = {diagnostic for diagnostic in found if diagnostic.severity == "error"}
    return [entry for entry in skipped if entry.reason not in errors]


def findings(found: Iterable[Finding]) -> None:
    """Print findings like `diagnostics` does, with the count and the other places of one that occurs several times."""
    for finding in found:
        times = f" ({finding.count:,} times)" if finding.other else ""
        _line(finding.diagnostic, finding.message + times)
        if finding.other:
            shown = ", ".join(map(str, finding.other[:_PLACES]))
            more = f" and {counted(len(finding.other) - _PLACES, 'more place')}" if len(finding.other) > _PLACES else ""
            say(f"    Also at {shown}{more}.")


def _operation_at(pointer: str) -> str:
    """Return the operation or component of an OpenAPI document that contains the place `pointer`, or ""."""
    match tokens(pointer):
        case ["paths", path, method, *_] if method in _METHODS:
            return f"{method.upper()} {path}"
        case ["paths" | "webhooks" | "definitions", name, *_] | ["components", _, name, *_]:
            return name
    return ""


def _line(diagnostic: Diagnostic, message: str) -> None:
    where = diagnostic.where
    place = f"{where}: " if where is not None else ""
    if where is not None and where.line == 1 and (where.column or 0) > _FAR:
        inside = _operation_at(where.pointer)
        message += f" (in {inside})" if inside and inside not in message else ""
    say(f"{place}{diagnostic.severity}: {message} [{diagnostic.code}]", fg=_COLOURS[diagnostic.severity])
    if diagnostic.hint:
        say(f"    {diagnostic.hint}")


def finding_json(finding: Finding) -> JsonObject:
    """Return one finding as JSON: its diagnostic, the operation that contains it, its count and its other places."""
    found = finding.diagnostic
    inside = _operation_at(found.where.pointer) if found.where else ""
    also: list[JsonValue] = [str(where) for where in finding.other]
    return {**diagnostic_json(found), "operation": inside or None, "count": finding.count, "also": also}


def diagnostic_json(diagnostic: Diagnostic) -> JsonObject:
    """Return one diagnostic in the JSON format of reports."""
    where = diagnostic.where
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "file": where.file if where else None,
        "pointer": where.pointer if where else None,
        "line": where.line if where else None,
        "column": where.column if where else None,
    }


def skipped_json(entry: Skipped) -> JsonObject:
    """Return one skipped operation in the JSON format of reports."""
    where = entry.reason.where
    place = str(where) if where else None
    return {"operation": entry.operation, "code": entry.reason.code, "reason": entry.reason.message, "where": place}


def result_json(value: JsonObject) -> None:
    """Print the one JSON document of a command on stdout."""
    say_json({"schema": SCHEMA, **value})


def webhooks(found: Sequence[Webhook]) -> None:
    """Print the requests that the API sends itself, on stdout. Print nothing if there are none."""
    if not found:
        return
    say_lines(["", f"The API sends {counted(len(found), 'request')} itself, which servers do not receive:"], err=False)
    say_lines((f"  {each.name} ({each.method}) {each.meaning}".rstrip() for each in found[:MOST_WEBHOOKS]), err=False)
    if (more := len(found) - MOST_WEBHOOKS) > 0:
        say(f"  … and {more:,} more", err=False)


def webhooks_json(found: Sequence[Webhook]) -> list[JsonValue]:
    """Return the requests that the API sends itself, as JSON."""
    return [
        {"name": each.name, "method": each.method, "says": each.says, **({"after": each.after} if each.after else {})}
        for each in found
    ]


def say_json(value: JsonObject) -> None:
    """Print JSON on stdout, in ASCII, so that it contains no control sequences for a terminal."""
    _print(json.dumps(value, indent=2, ensure_ascii=True), err=False)


def asks_for_json(given: Sequence[str]) -> bool:
    """Return True if a command line that could not be parsed asks for JSON."""
    flags = list(itertools.takewhile(lambda argument: argument != "--", given))
    return "--format=json" in flags or ("--format", "json") in itertools.pairwise(flags)


def misused(error: click.ClickException) -> None:
    """Print the error in a command line, with click's message."""
    told = io.StringIO()
    error.show(file=told)
    say_lines(told.getvalue().rstrip("\n").split("\n"))


def misused_json(error: click.ClickException) -> None:
    """Print the error in a command line as a JSON document."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else "mcpgen"
    found = Diagnostic("invalid-flag", error.format_message(), f"See `{path} --help`.")
    result_json({"diagnostics": [diagnostic_json(found)]})


def leave(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise SystemExit(code)


@contextlib.contextmanager
def ending(output: str = "text") -> Iterator[None]:
    """If the `with` block raises FatalError, print its diagnostics as text or as one JSON document, and exit.

    The exit code is 2, or 3 if another run is working on the same project.
    """
    try:
        yield
    except FatalError as end:
        if output == "json":
            result_json({"diagnostics": [diagnostic_json(found) for found in (*end.before, end.diagnostic)]})
        else:
            diagnostics([*end.before, end.diagnostic])
        leave(LOCKED if isinstance(end, ProjectBusy) else CANNOT_GO_ON)


@contextlib.contextmanager
def progress(what: str) -> Iterator[None]:
    """Show a line on the terminal during long work, and erase it afterwards.

    Nothing is shown if stderr is no terminal, or a terminal that cannot erase a line.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    started = time.monotonic()
    stop, shown = threading.Event(), threading.Event()

    def tick() -> None:
        while not stop.wait(1.0):
            shown.set()
            click.echo(f"\r{what} … {time.monotonic() - started:.0f} s", err=True, nl=False)

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        stop.set()
        ticker.join()
        if shown.is_set():
            click.echo("\r\x1b[K", err=True, nl=False)


# -- grouping of findings ----------------------------------------------------------------------------------------------


def _together(found: Iterable[Diagnostic]) -> list[Finding]:
    """Return the findings in the order in which they occur first. Equal ones at several places are one finding."""
    places: dict[Diagnostic, list[Where]] = {}
    first: dict[tuple[str, str, str, str], Diagnostic] = {}
    for each in found:
        key = (each.severity, each.code, each.message, each.hint)
        shown = first.setdefault(key, each)
        others = places.setdefault(shown, [])
        if each is not shown and each.where is not None:
            others.append(each.where)
    return [Finding(shown, tuple(places[shown])) for shown in first.values()]


def group(found: Iterable[Diagnostic], skipped: Sequence[Skipped] = ()) -> list[Finding]:
    """Return the findings, the most serious first.

    The order is: errors, skipped operations, warnings that calls will fail (IN_THE_WAY), other warnings, violations of
    the OpenAPI schema, notes.
    If the reason for a skipped operation is already an error among `found`, it is not repeated.
    """
    findings = _together(found)
    errors = {each.diagnostic for each in findings if each.diagnostic.severity == "error"}
    findings += [Finding(each.reason, (), each.operation) for each in skipped if each.reason not in errors]
    return sorted(findings, key=_gravity)


def _gravity(finding: Finding) -> int:
    found = finding.diagnostic
    ranks = (
        found.severity == "error",
        bool(finding.operation),
        finding.is_in_the_way,
        found.severity == "warning" and found.code != "invalid-document",
        found.severity == "warning",
    )
    return ranks.index(True) if True in ranks else len(ranks)
