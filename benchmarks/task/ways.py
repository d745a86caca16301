"""Carry out the benchmark's task as a model would, for each way to offer a server's tools. A call uses only what an
answer has shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.task.conversation import Conversation
from benchmarks.task.steps import PLACE, STEPS, Answers

PROGRAM = Path(__file__).with_name("program.txt")
_TOOL = re.compile(r"(?ms)^(?:\S+ \u2190 )?(\w+)\((?:\n.*?\n\)|[^\n]*?\))(?: \[writes\])?")
Names = Mapping[str, str]
"""Method and path of an operation → name of its tool."""


class Done(NamedTuple):
    """The benchmark's task, carried out in one of the ways of this module.

    `found`: number of the task's tools that the search showed; without a search, the number of all its tools.
    """

    found: int


def all_tools(conversation: Conversation, names: Names) -> Done:
    """Call the listed tools directly."""
    answers: Answers = []
    for step in STEPS:
        answers.append(conversation.call(names[step.operation], step.arguments(answers)))
    return Done(len(STEPS))


def one_by_one(conversation: Conversation, names: Names) -> Done:
    """Search for the tool of each step by FastMCP's search, and call it before the search for the next step.

    If the search does not find the tool of a step, call this tool nevertheless.
    """
    answers: Answers = []
    found = 0
    for step in STEPS:
        for query in step.queries:
            text = conversation.call("search_tools", {"query": query})
            if names[step.operation] in (tool["name"] for tool in json.loads(text)):
                found += 1
                break
        given = {"name": names[step.operation], "arguments": step.arguments(answers)}
        answers.append(conversation.call("call_tool", given))
    return Done(found)


def batched(conversation: Conversation, names: Names) -> Done:
    """Search for the tools of all steps together, then call the tools."""
    shown = _searched(conversation, names)
    answers: Answers = []
    for step in STEPS:
        name, arguments = names[step.operation], step.arguments(answers)
        block = shown[name]
        if not all(re.search(rf"\b{argument}\b", block) for argument in arguments):
            block += conversation.call("describe_tools", {"names": [name]})
        through = "call_writing_tool" if "[writes]" in block else "call_tool"
        answers.append(conversation.call(through, {"name": name, "arguments": arguments}))
    return Done(len(STEPS))


def program(conversation: Conversation, names: Names) -> Done:
    """Search for the tools of all steps together, then call `run_program` with Python code that makes all calls.

    Only some servers list the tool `run_program`, which runs the code.
    """
    _searched(conversation, names)
    conversation.call("run_program", {"code": PROGRAM.read_text(encoding="utf-8")})
    return Done(len(STEPS))


def workflow(conversation: Conversation, names: Names) -> Done:
    """Call the workflow, which makes all calls of the task. Its server lists no other tool."""
    conversation.call("report_failed_run", {**PLACE, "title": "tests fail on main"})
    return Done(len(STEPS))


def _searched(conversation: Conversation, names: Names) -> dict[str, str]:
    """Search for the tools of all steps of the benchmark's task. Return a mapping from the name of each found tool to
    its signature in the search results.

    Search a second time, with other queries, for tools that the first search does not show.
    """
    shown: dict[str, str] = {}
    for attempt in (0, 1):
        lacking = [step for step in STEPS if names[step.operation] not in shown]
        if lacking:
            queries = [step.queries[attempt] for step in lacking]
            text = conversation.call("search_tools", {"queries": queries})
            shown |= {match[1]: match[0] for match in reversed([*_TOOL.finditer(_unindented(text))])}
    missing = [names[step.operation] for step in STEPS if names[step.operation] not in shown]
    assert not missing, f"the search does not show {missing}"
    return shown


def _unindented(text: str) -> str:
    """Return `text`, the result of `search_tools`, without the indentation before tools.

    The search indents a tool that produces an argument of the tool above it.
    """
    return re.sub(r"(?m)^ {4}(?=\S+ \u2190 )", "", text)


WAYS: Mapping[str, Callable[[Conversation, Names], Done]] = {
    "all": all_tools,
    "one by one": one_by_one,
    "batched": batched,
    "program": program,
    "workflow": workflow,
}
