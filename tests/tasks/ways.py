"""Define the ways to carry out a test task (a sequence of tool calls) with a server.

Each way is a function from a server and a test task to the results of the calls.

To add a way, add such a function to WAYS, with the value of `--tools` for its servers. The test compares all ways.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META
from tests.tasks.gold import Task, resolved

ASKS: dict[str, Any] = {META + "clientCapabilities": {"elicitation": {}}}
_TOOL = re.compile(r"(?ms)^(?: {4}\S+ \u2190 )?(\w+)\((?:\n.*?\n\)|[^\n]*?\))( \[writes\])?")
MOST_QUERIES = 8

Answer = dict[str, Any]


class Way(NamedTuple):
    """A way to carry out test tasks (`gold.py`). `surface`: value of `--tools` with which the server is generated."""

    surface: str
    carry_out: Callable[[Server, Task], list[Answer]]


def direct(server: Server, task: Task) -> list[Answer]:
    """Call the tools by their names, without the tool search."""
    answers: list[Answer] = []
    for call in task.calls:
        answers.append(_called(server, call.tool, resolved(call.arguments, _texts(answers))))
    return answers


def through_the_search(server: Server, task: Task) -> list[Answer]:
    """Search for the tools of all calls in one search, then make each call by `call_tool` or `call_writing_tool`."""
    queries = list(dict.fromkeys(call.asks for call in task.calls))
    assert len(queries) <= MOST_QUERIES
    shown = text(_called(server, "search_tools", {"queries": queries}))
    writes = {match[1]: bool(match[2]) for match in _TOOL.finditer(shown)}
    answers: list[Answer] = []
    for call in task.calls:
        assert call.tool in writes, f"a search for {queries} does not show {call.tool}:\n{shown}"
        through = "call_writing_tool" if writes[call.tool] else "call_tool"
        given = {"name": call.tool, "arguments": resolved(call.arguments, _texts(answers))}
        answers.append(_called(server, through, given))
    return answers


WAYS: dict[str, Way] = {"direct": Way("all", direct), "search": Way("search", through_the_search)}


def text(answer: Answer) -> str:
    """Return the first text of a result."""
    return next((str(block["text"]) for block in answer["content"] if block["type"] == "text"), "")


def _texts(answers: list[Answer]) -> list[str]:
    return [text(answer) for answer in answers]


def _called(server: Server, tool: str, arguments: dict[str, Any]) -> Answer:
    """Call a tool, accept every elicitation (request to confirm the call), and return the call's result."""
    params: dict[str, Any] = {"name": tool, "arguments": arguments, "_meta": {**ENVELOPE, **ASKS}}
    result = _asked(server, params)
    if "inputRequests" in result:
        yes = {name: {"action": "accept", "content": {}} for name in result["inputRequests"]}
        result = _asked(server, {**params, "inputResponses": yes, "requestState": result["requestState"]})
    assert "content" in result, result
    return {"content": result["content"], "isError": result.get("isError", False)}


def _asked(server: Server, params: dict[str, Any]) -> Answer:
    server.say(json.dumps({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": params}).encode() + b"\n")
    message = server.message()
    found: Answer = message.get("result", message)
    return found
