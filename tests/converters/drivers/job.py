"""Shared part of the drivers of Python frameworks: let a framework use some servers, and print a report for each.

The jobs are a JSON array on stdin: `{"server": {"command", "args", "env"}, "tool", "arguments"}`. The report of a job
is `{"tools": {NAME: [ARGUMENT, ...]}, "answer": TEXT}`: the tools as the framework offers them to its model, and the
text that it makes of the response to one call. The report is `{"failed": TEXT}` if the framework raised an exception
before it had tools.

Only the standard library is used, because the module runs in the environment of each framework.
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
    """Pass each job of the JSON array on stdin to the function `use`, and print the reports of all jobs on stdout."""
    jobs = json.load(sys.stdin)
    stdout, sys.stdout = sys.stdout, sys.stderr  # some frameworks print to stdout, where only reports belong
    reports = [asyncio.run(_carry_out(use, job)) for job in jobs]
    print(json.dumps(reports), file=stdout)


async def _carry_out(use: Use, job: Job) -> Report:
    try:
        return await use(job)
    except Exception as error:  # any exception means that the framework's user gets no tools
        return {"failed": f"{type(error).__name__}: {error}"}


async def answered(call: Awaitable[Any]) -> str:
    """Return the answer to `call` as text, or the text of the exception that the framework raised."""
    try:
        return str(await call)
    except Exception as error:  # some frameworks raise an exception for a result with `isError`
        return f"{type(error).__name__}: {error}"


def arguments_of(schema: dict[str, Any]) -> list[str]:
    """Return the names of the arguments in a tool's JSON Schema.

    An argument that can only be an empty object is marked. Some strict modes make such an argument of an object that
    may have arbitrary members.
    """
    found = schema.get("properties", {})
    return sorted(f"{name} (always empty)" if _is_always_empty(each) else name for name, each in found.items())


def _is_always_empty(schema: Any) -> bool:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return False
    return schema.get("additionalProperties") is False and not schema.get("properties")
