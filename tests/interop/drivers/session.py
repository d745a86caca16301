"""What every driver in Python does: takes a job, has its client carry it out step by step, prints one report.

The job comes as JSON on stdin: `{"server": {"command", "args", "env", "cwd"}, "mode", "asks", "steps": [...]}`, or
{"url"} for a server over HTTP; where `asks` is true, the client can ask its user, who does what the `answer` of a call
says. A step is `{"do": "list"}`, `{"do": "call", "tool", "arguments", "progress", "answer"}`, `{"do": "together",
"steps"}`, `{"do": "abandon", "tool", "arguments", "control"}`, or `{"do": "confirm", "tool", "arguments", "again"}`: a
call whose question the driver takes itself, and for each of `again` (`arguments`, `tamper`, `answer`) the call that
brings its state back. With `{"do": "change", "control", "then"}` the client listens, has the server changed, and once
it has heard of it, does the steps of `then`, one after the other. `{"do": "ask", "method", "params"}` is any other
request that clients have a function for.

The report is `{"steps": [...], "complaints": [...]}`: one outcome for each step, `{"tools"}`, `{"result", "progress"}`,
`{"error": {"code", "message"}}` for a protocol error, `{"together"}`, `{"abandoned"}`, `{"asked", "again"}`,
`{"then"}`, `{"answer"}`, or `{"failed"}` where the client itself could not go on; and whatever else the client found
wrong with what the server wrote. Values are in the shape of the wire. Standard library only: it runs where each client
is installed.
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
    """The client says that the server answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class Client(Protocol):
    """What a driver makes of its client. `complaints` grows while it works."""

    complaints: list[str]
    answer: str

    async def tools(self) -> list[Object]:
        """All tools."""

    async def call(self, tool: str, arguments: Object, progress: Progress | None) -> Object:
        """The result of a call. Raises ProtocolError. `progress` hears what the server reports; None asks for none."""

    async def by_hand(self, tool: str, arguments: Object, state: str | None, answer: str | None) -> Object:
        """The result of a call, even one that asks, which brings that state and answer along. Raises ProtocolError."""

    async def ask(self, method: str, params: Object) -> Object:
        """The result of another request, by the client's function for it. Raises ProtocolError."""

    async def hear_change(self, change: Awaitable[None]) -> None:
        """Listen, wait until the server has been `change`d, and come back once the client says that its tools have."""

    async def abandon(self, tool: str, arguments: Object, progress: Progress, begun: Awaitable[None]) -> None:
        """Begin a call, wait until it has `begun`, and cancel it in the way of this client."""


def drive(connect: Callable[[Object], AbstractAsyncContextManager[Client]]) -> None:
    """Carry out the job on stdin with the client that `connect` makes, and print the report."""
    job = json.load(sys.stdin)

    async def carried_out() -> Object:
        async with connect(job) as client:
            outcomes = [await _outcome(client, step) for step in job["steps"]]
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
        if step["do"] == "change":
            await client.hear_change(_happened(step["control"], "changed"))
            return {"then": [await _outcome(client, each) for each in step["then"]]}
        return await _abandoned(client, step)
    except ProtocolError as error:
        return {"error": {"code": error.code, "message": error.message}}
    except Exception as problem:  # whatever a client raises is for the test to see
        return {"failed": f"{type(problem).__name__}: {problem}"}


async def _called(client: Client, step: Object) -> Object:
    heard: list[Object] = []
    client.answer = step.get("answer", "")

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append({"progress": progress, "total": total, "message": message})

    result = await client.call(step["tool"], step["arguments"], hear if step.get("progress") else None)
    return {"result": result, "progress": heard}


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
    """A call counts as begun once the API has it and the client has heard of progress."""
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
    """Come back once the upstream says that it has."""
    with await asyncio.to_thread(urllib.request.urlopen, f"{control}/{event}"):
        pass
