"""Check the values of requests to the example APIs.

Each check takes a value and a `Report`, adds all faults to the report, and returns the converted value. A check never
raises and never stops at the first fault, so one response can list all faults. Values from places that carry only text,
such as the query, are of the class `Wire`. Checks read the `Wire` `12` as an integer, and `true` as a boolean. The
checks cover only the schemas of the example APIs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from difflib import get_close_matches
from math import inf
from typing import Any, NamedTuple

from mcpgen.demo.wire import Wire


class Fault(NamedTuple):
    """One fault of a request. `place`: path, query, header, cookie or body. `name`: name of a parameter, or a JSON
    Pointer into the body.
    """

    place: str
    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """Collector of faults, with the current place in the request. A report shares its list of faults with the reports
    that its method `inside` returns.
    """

    place: str
    name: str = ""
    faults: list[Fault] = field(default_factory=list)

    def wrong(self, detail: str) -> None:
        self.faults.append(Fault(self.place, self.name, detail))

    def inside(self, step: str | int) -> Report:
        name = f"{self.name}/{step}" if self.place == "body" else f"{self.name}[{step}]"
        return Report(self.place, name, self.faults)


Check = Callable[[Any, Report], Any]


def shown(value: Any) -> str:
    """Return a value for the description of a fault: as JSON, cut after 40 characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:40]}…"


def text(least: int = 0, most: int = 10_000, pattern: str | None = None, meaning: str = "") -> Check:
    """Return a check for strings. `meaning`: description of the pattern in words."""

    def check(value: Any, report: Report) -> Any:
        if not isinstance(value, str):
            report.wrong(f"must be a string, and is {shown(value)}")
        elif not least <= len(value) <= most:
            size = f"{least} to {most}" if 0 < least < most else f"at most {most}" if least < most else str(most)
            report.wrong(f"must have {size} characters, and has {len(value)}")
        elif pattern is not None and not re.fullmatch(pattern, value):
            report.wrong(f"must be {meaning}, and is {shown(value)}")
        return str(value)

    return check


def _plain(value: Any) -> Any:
    """Return the number or boolean that a string sent as plain text (`Wire`) spells: "12" gives 12.

    Return any other value unchanged.
    """
    if isinstance(value, Wire) and re.fullmatch(r"true|false|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", value):
        return json.loads(value)
    return value


def integer(least: int, most: int = 2**63 - 1) -> Check:
    """Return a check for integers as in JSON, where 3.0 is one. By default, `most` is the largest integer of SQLite."""

    def check(value: Any, report: Report) -> Any:
        number = _plain(value)
        if isinstance(number, bool) or not isinstance(number, int | float) or number % 1 != 0:
            report.wrong(f"must be an integer, and is {shown(value)}")
            return None
        if number < least:
            report.wrong(f"must be at least {least}, and is {shown(number)}")
        elif number > most:
            report.wrong(f"must be at most {most}, and is {shown(number)}")
        return int(number)

    return check


def number(least: float, most: float | None = None, exclusive: bool = False) -> Check:
    """Return a check for numbers from `least` to `most`. `exclusive`: True if `least` itself is excluded."""
    limits = f"{'more than' if exclusive else 'at least'} {least}" + ("" if most is None else f" and at most {most}")

    def check(value: Any, report: Report) -> Any:
        number = _plain(value)
        if isinstance(number, bool) or not isinstance(number, int | float) or number in (inf, -inf):
            report.wrong(f"must be a number, and is {shown(value)}")
        elif number < least or (exclusive and number == least) or (most is not None and number > most):
            report.wrong(f"must be {limits}, and is {shown(number)}")
        return number

    return check


def boolean(value: Any, report: Report) -> Any:
    """Check that a value is true or false."""
    truth = _plain(value)
    if not isinstance(truth, bool):
        report.wrong(f"must be true or false, and is {shown(value)}")
    return truth


def choice(*values: str) -> Check:
    """Return a check that a value is one of several strings."""

    def check(value: Any, report: Report) -> Any:
        if value not in values:
            report.wrong(f"must be one of {', '.join(values)}, and is {shown(value)}")
            return None
        return str(value)

    return check


def day(value: Any, report: Report) -> Any:
    """Check that a value is a date, YYYY-MM-DD. Return it as a string."""
    try:
        return date.fromisoformat(value if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else "").isoformat()
    except (TypeError, ValueError):
        report.wrong(f"must be a date like 2026-01-31, and is {shown(value)}")
        return None


def moment(value: Any, report: Report) -> Any:
    """Check that a value is a date and time with an offset (RFC 3339).

    Return it as a string in UTC, to the second, so that such strings can be sorted.
    """
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", value):
            raise ValueError
        return datetime.fromisoformat(value.upper()).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (TypeError, ValueError):
        report.wrong(f"must be a date and time with an offset, like 2026-01-31T09:00:00Z, and is {shown(value)}")
        return None


def nullable(check: Check) -> Check:
    """Return a check that accepts null, and otherwise applies `check`."""
    return lambda value, report: None if value is None else check(value, report)


def array(item: Check, least: int = 0, most: int = 1000, unique: bool = True) -> Check:
    """Return a check for lists that applies `item` to each item."""

    def check(value: Any, report: Report) -> Any:
        if not isinstance(value, list):
            report.wrong(f"must be an array, and is {shown(value)}")
            return []
        if not least <= len(value) <= most:
            report.wrong(f"must have {least} to {most} items, and has {len(value)}")
        if unique and len({json.dumps(entry) for entry in value}) < len(value):
            report.wrong("must not have the same item twice")
        return [item(entry, report.inside(index)) for index, entry in enumerate(value)]

    return check


def mapping(value_check: Check) -> Check:
    """Return a check for objects with arbitrary member names, which applies `value_check` to each value."""

    def check(value: Any, report: Report) -> Any:
        if not isinstance(value, dict):
            report.wrong(f"must be an object, and is {shown(value)}")
            return {}
        return {name: value_check(inner, report.inside(name)) for name, inner in value.items()}

    return check


_LEFT_OUT: Any = object()  # stands for "no default": if a request lacks the member, its checked value lacks it too


@dataclass(frozen=True, slots=True)
class Member:
    """Rule for one property of an object. The function `record` makes a check from such rules."""

    check: Check
    required: bool = False
    default: Any = _LEFT_OUT


def read_only(_: Any, report: Report) -> Any:
    """Report that the request contains a property that only responses may contain (`readOnly`)."""
    report.wrong("is set by the service; leave it out")


def unknown(name: str, known: Mapping[str, Any], what: str) -> str:
    """Return the description of a fault: an unknown name, with the known names."""
    near = get_close_matches(name, known, n=1)
    return f"is not {what}" + (f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}")


def record(members: Mapping[str, Member], what: str = "a property here", least: int = 0) -> Check:
    """Return a check for objects with fixed properties. Other properties are refused, and defaults are filled in."""

    def check(value: Any, report: Report) -> Any:
        if not isinstance(value, dict):
            report.wrong(f"must be an object, and is {shown(value)}")
            return {}
        for name in value:
            if name not in members:
                report.inside(name).wrong(unknown(name, members, what))
        if len(value) < least:
            report.wrong("must have at least one property")
        return _filled(members, value, report)

    return check


def _filled(members: Mapping[str, Member], value: dict[str, Any], report: Report) -> dict[str, Any]:
    clean = {}
    for name, member in members.items():
        if name in value:
            clean[name] = member.check(value[name], report.inside(name))
        elif member.required:
            report.inside(name).wrong("is required")
        elif member.default is not _LEFT_OUT:
            clean[name] = member.default
    return clean


def tagged(tag: str, kinds: Mapping[str, Check]) -> Check:
    """Return a check for objects whose member `tag` selects one of the checks in `kinds`."""

    def check(value: Any, report: Report) -> Any:
        if not isinstance(value, dict):
            report.wrong(f"must be an object, and is {shown(value)}")
        elif tag not in value:
            report.inside(tag).wrong(f"is required: one of {', '.join(kinds)}")
        elif not isinstance(value[tag], str) or value[tag] not in kinds:
            report.inside(tag).wrong(f"must be one of {', '.join(kinds)}, and is {shown(value[tag])}")
        else:
            return kinds[value[tag]](value, report)
        return {}

    return check
