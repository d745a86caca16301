"""Keep the conversation of a model with a server: the texts of calls and answers that make up the model's context."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.attacks.subjects import Session
from benchmarks.task.steps import TASK

MODEL_READS = ("name", "description", "inputSchema")
"""Members of a listed tool that MCP hosts pass on to a model."""


class Failed(Exception):
    """Raised if a call fails. The message is the text of the error."""


class Conversation:
    """The context of a model. `listed`: the listed tools.

    `said`: the task, then the call and the answer of each round trip.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.listed: dict[str, Any] = session.tools()
        self.said = [TASK]

    @property
    def trips(self) -> int:
        return len(self.said) // 2

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Call a listed tool, and return the text of its answer. Raise Failed if the result is an error."""
        assert tool in self.listed, f"{tool} is not listed"
        called = self._session.ask("tools/call", {"name": tool, "arguments": arguments})
        result = (called or {}).get("result", {"isError": True, "content": [{"text": str(called)}]})
        text = "\n".join(block.get("text", "") for block in result["content"])
        self.said += [_compact({"name": tool, "arguments": arguments}), text]
        if result.get("isError"):
            raise Failed(f"{tool}: {text[:500]}")
        return text

    def texts(self) -> list[str]:
        """Return the texts that the model reads: the list of tools, the task, and all calls and answers."""
        listed = [{key: tool[key] for key in MODEL_READS if key in tool} for tool in self.listed.values()]
        return [_compact(listed), *self.said]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
