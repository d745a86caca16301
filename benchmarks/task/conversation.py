"""A conversation of a model with a server: its calls and their answers, kept as the texts that make up its context."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.attacks.subjects import Session
from benchmarks.task.steps import TASK

MODEL_READS = ("name", "description", "inputSchema")
"""Members of a listed tool that hosts pass on to a model."""


class Failed(Exception):
    """A call failed. The message has its answer."""


class Conversation:
    """The context of a model. `listed`: the tools. `said`: the task, then a call and an answer for each trip."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.listed: dict[str, Any] = session.tools()
        self.said = [TASK]

    @property
    def trips(self) -> int:
        return len(self.said) // 2

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Call a listed tool, and return the text of its answer. Raises Failed."""
        assert tool in self.listed, f"{tool} is not listed"
        called = self._session.ask("tools/call", {"name": tool, "arguments": arguments})
        result = (called or {}).get("result", {"isError": True, "content": [{"text": str(called)}]})
        text = "\n".join(block.get("text", "") for block in result["content"])
        self.said += [_compact({"name": tool, "arguments": arguments}), text]
        if result.get("isError"):
            raise Failed(f"{tool}: {text[:500]}")
        return text

    def texts(self) -> list[str]:
        """Return what the model reads: the list, and all that was said."""
        listed = [{key: tool[key] for key in MODEL_READS if key in tool} for tool in self.listed.values()]
        return [_compact(listed), *self.said]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
