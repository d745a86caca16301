"""What every driver of a framework in Python does: has its framework use some servers, and prints what came of each.

The jobs come as a JSON array on stdin: `{"server": {"command", "args", "env"}, "tool", "arguments"}`. For each there is
a report: `{"tools": {NAME: [ARGUMENT, ...]}, "answer": TEXT}` has the tools as the framework offers them to its model,
and what the framework makes of the answer to one call; `{"failed": TEXT}` says what the framework raised before it had
tools. Standard library only: it runs where each framework is installed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

Job = dict[str, Any]
Report = dict[str, Any]
Use = Callable[[Job], Awaitable[Report]]


def drive(use: Use) -> None:
    """Carry out the jobs on stdin by `use`, and print the reports on stdout."""
    jobs = json.load(sys.stdin)
    stdout, sys.stdout = sys.stdout, sys.stderr  # some frameworks print
    reports = [asyncio.run(_carry_out(use, job)) for job in jobs]
    print(json.dumps(reports), file=stdout)


async def _carry_out(use: Use, job: Job) -> Report:
    try:
        return await use(job)
    except Exception as error:  # whatever a framework raises, its user has no tools
        return {"failed": f"{type(error).__name__}: {error}"}


async def answered(call: Awaitable[Any]) -> str:
    """Return the answer to `call` as text, or the error that the framework made of it."""
    try:
        return str(await call)
    except Exception as error:  # some frameworks raise what a tool answers with `isError`
        return f"{type(error).__name__}: {error}"


def arguments_of(schema: dict[str, Any]) -> list[str]:
    """Return the names of the arguments that a JSON Schema of a tool has."""
    return sorted(schema.get("properties", {}))
