"""Read the tasks of a server from `SERVER.jsonl`: a line for each task, followed by a line for each of its calls, in
order.

A call has `asks` (words with which a person would search for its tool), `tool` and `arguments`. An argument
`"$N/POINTER"` stands for the value at this JSON Pointer in the result of call N of the task; `"$N"` is the text of that
result.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
SERVERS = tuple(sorted(path.stem for path in HERE.glob("*.jsonl")))
_REFERENCE = re.compile(r"\$(\d+)((?:/[^/]*)*)")


class Call(NamedTuple):
    """One tool call of a test task."""

    asks: str
    tool: str
    arguments: dict[str, Any]


class Task(NamedTuple):
    """A test task of several steps over one server."""

    name: str
    calls: list[Call]


def tasks(server: str) -> list[Task]:
    """Return the test tasks for a server. Each task is a sequence of tool calls."""
    found: list[Task] = []
    for line in (HERE / f"{server}.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if "task" in entry:
            found.append(Task(entry["task"], []))
        else:
            found[-1].calls.append(Call(**entry))
    return found


def resolved(value: Any, answers: list[str]) -> Any:
    """Return arguments with each reference replaced by a value of an earlier result."""
    if isinstance(value, dict):
        return {key: resolved(each, answers) for key, each in value.items()}
    if isinstance(value, list):
        return [resolved(each, answers) for each in value]
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    number, pointer = match.groups()
    if not pointer:
        return answers[int(number)]
    found = json.loads(answers[int(number)])
    for part in pointer.split("/")[1:]:
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found
