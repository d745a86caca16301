"""Shared part of the Python drivers: read a job, let the client carry it out step by step, and print one report.

The job is JSON on stdin: `{"server": {"command", "args", "env", "cwd"}, "mode", "asks", "steps": [...]}`. For a server
over HTTP, `server` is `{"url"}`. `mode`: how the client chooses the protocol revision (`clients.py`). If `asks` is
true, the client can ask its user. The user's action is the `answer` of the step, and `content` is filled into each
form.

The steps, where `control` is the URL of the upstream's control paths:

- `{"do": "list"}` lists the tools. `{"do": "call", "tool", "arguments", "progress", "answer", "content"}` makes a call.
  With a `log` (a level), the client first asks for log messages of that level. They are in the outcome under `log`.
- `{"do": "together", "steps"}` does several steps at once. `{"do": "abandon", "tool", "arguments", "control"}` cancels
  a call. `{"do": "ask", "method", "params"}` sends a request for resources, prompts or completion.
- `{"do": "confirm", "tool", "arguments", "again"}` makes a call whose question the driver receives instead of the
  client. Each item of `again` (`arguments`, `tamper`, `answer`) is then a call that sends the `requestState` back,
  changed in one character if `tamper` is true.
- `{"do": "change", "control", "then"}` waits until the client is notified of changed tools, then does the steps `then`.
- `{"do": "begin", "tool", "arguments"}` calls a tool as a task. `{"do": "look" | "cancel" | "finish", "task"}` reads
  the state of a task, cancels it, or reads its state until it ends. Without `task`, the latest task is meant.

The JavaScript drivers also restart a call's `timeout` (milliseconds) at each progress, and know `{"do": "many", "tool",
"arguments", "count", "callers", "seconds"}`. Several callers then make `count` calls that ask for progress, but begin
none after `seconds`. The outcome is `{"made", "heard", "failed"}`: calls, progress messages and errors.

The report is `{"steps": [...], "complaints": [...]}`, with one outcome for each step: `{"tools"}`, `{"result",
"progress"}`, `{"error": {"code", "message"}}` for a protocol error, `{"together"}`, `{"abandoned"}`, `{"asked",
"again"}`, `{"then"}`, `{"answer"}`, `{"task"}` with the state of a task, or `{"failed"}` if the client itself failed.
`complaints` are further faults that the client found in the server's output. Values have their form in MCP messages.

Only the standard library is used, because the module runs in the environment of each client.
"""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

Object = dict[str, Any]
Progress = Callable[[float, float | None, str | None], Awaitable[None]]


class ProtocolError(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class Client(Protocol):
    """Interface that a driver implements with its client.

    `complaints`: faults of the server that the client has reported so far.
    """

    complaints: list[str]
    answer: str
    content: Object
    logged: list[Object]

    async def hear_log(self, level: str) -> None:
        """Ask for log messages. They go to `logged`."""

    async def tools(self) -> list[Object]:
        """Return all tools that the server lists."""

    async def call(self, tool: str, arguments: Object, progress: Progress | None) -> Object:
        """Return the result of a call. Raise ProtocolError if the server answers with an error.

        `progress`: function called with each progress notification; None asks for none.
        """

    async def by_hand(self, tool: str, arguments: Object, state: str | None, answer: str | None) -> Object:
        """Return the result of a call that sends this `requestState` and answer, even if the result is another
        question.

        Raise ProtocolError if the server answers with an error.
        """

    async def ask(self, method: str, params: Object) -> Object:
        """Send a request for resources, prompts or completion by the client's own function for `method`, and return the
        result.

        Raise ProtocolError if the server answers with an error.
        """

    async def hear_change(self, change: Awaitable[None]) -> None:
        """Listen for notifications, call `change` to change the server, and return once the client reports changed
        tools.
        """

    async def abandon(self, tool: str, arguments: Object, progress: Progress, begun: Awaitable[None]) -> None:
        """Start a call, wait for `begun`, and cancel the call in the client's own way."""

    async def begin(self, tool: str, arguments: Object) -> Object:
        """Call a tool as a task, and return the task. Raise ProtocolError if the server answers with an error."""

    async def look(self, task: str) -> Object:
        """Return the state of an MCP task, with its result if it has ended. Raise ProtocolError if the server answers
        with an error.
        """

    async def cancel(self, task: str) -> None:
        """Cancel a task. Raise ProtocolError if the server answers with an error."""


def drive(connect: Callable[[Object], AbstractAsyncContextManager[Client]]) -> None:
    """Carry out the job on stdin with the client from `connect`, and print the report."""
    job = json.load(sys.stdin)

    async def carried_out() -> Object:
        async with connect(job) as client:
            outcomes: list[Object] = []
            for step in job["steps"]:
                begun = [each["task"]["taskId"] for each in outcomes if "taskId" in each.get("task", {})]
                outcomes.append(await _outcome(client, {**step, "task": step.get("task") or (begun or [None])[-1]}))
        return {"steps": outcomes, "complaints": client.complaints}

    print(json.dumps(asyncio.run(carried_out())))


async def _outcome(client: Client, step: Object) -> Object:
    try:
        if step["do"] == "list":
            return {"tools": await client.tools()}
        if step["do"] == "call":
            return await _called(client, step)
        if step["do"] == "together":
            return {"together": await asyncio.gather(*[_outcome(client, each) for each in step["steps"]])}
        if step["do"] == "confirm":
            return await _confirmed(client, step)
        if step["do"] == "ask":
            return {"answer": await client.ask(step["method"], step["params"])}
        if step["do"] == "begin":
            return {"task": await client.begin(step["tool"], step["arguments"])}
        if step["do"] in ("look", "cancel", "finish"):
            return {"task": await _of_task(client, step["do"], step["task"])}
        if step["do"] == "change":
            await client.hear_change(_happened(step["control"], "changed"))
            return {"then": [await _outcome(client, each) for each in step["then"]]}
        return await _abandoned(client, step)
    except ProtocolError as error:
        return {"error": {"code": error.code, "message": error.message}}
    except Exception as problem:  # any exception of a client goes into the report
        return {"failed": f"{type(problem).__name__}: {problem}"}


async def _called(client: Client, step: Object) -> Object:
    heard: list[Object] = []
    client.answer, client.content = step.get("answer", ""), step.get("content", {})
    if "log" in step:
        await client.hear_log(step["log"])

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append({"progress": progress, "total": total, "message": message})

    result = await client.call(step["tool"], step["arguments"], hear if step.get("progress") else None)
    return {"result": result, "progress": heard, **({"log": client.logged} if "log" in step else {})}


async def _of_task(client: Client, what: str, task: str) -> Object:
    if what == "cancel":
        await client.cancel(task)
        return {}
    found = await client.look(task)
    while what == "finish" and found["status"] == "working":
        found = await client.look(task)
    return found


async def _confirmed(client: Client, step: Object) -> Object:
    asked = await client.by_hand(step["tool"], step["arguments"], None, None)
    again = []
    for each in step["again"]:
        state = asked["requestState"]
        if each.get("tamper"):
            state = state[:-1] + ("0" if state[-1] != "0" else "1")
        try:
            arguments = each.get("arguments", step["arguments"])
            again.append({"result": await client.by_hand(step["tool"], arguments, state, each.get("answer"))})
        except ProtocolError as error:
            again.append({"error": {"code": error.code, "message": error.message}})
    return {"asked": asked, "again": again}


async def _abandoned(client: Client, step: Object) -> Object:
    """Cancel a call once the API has received its request and the client has received progress."""
    heard = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.set()

    async def begun() -> None:
        await _happened(step["control"], "called")
        await heard.wait()

    await client.abandon(step["tool"], step["arguments"], hear, begun())
    await _happened(step["control"], "closed")
    return {"abandoned": True}


async def _happened(control: str, event: str) -> None:
    """Return once the upstream confirms that the event `event` has happened.

    `control`: URL of the upstream's control paths.
    """
    with await asyncio.to_thread(urllib.request.urlopen, f"{control}/{event}"):
        pass
