"""Ask FastMCP's search, over the tools that FastMCP makes of the same document."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from benchmarks.retrieval.rankers import Answer
from tests.interop import environments

NAME = "FastMCP 4.2.3"
REQUIREMENTS = ("fastmcp==4.2.3", "pyyaml>=6,<7")
SCRIPT = Path(__file__).with_name("fastmcp_search.py")
PATIENCE = 3600


class Unavailable(Exception):
    """Raised if FastMCP cannot be installed here, or cannot read a document. The message says why."""


@cache
def python() -> str:
    """Return the path of Python in FastMCP's environment. Raise Unavailable if FastMCP cannot be installed."""
    try:
        return str(environments.python("fastmcp-search", *REQUIREMENTS) / "bin" / "python")
    except (RuntimeError, OSError, subprocess.SubprocessError) as failure:
        raise Unavailable(f"{REQUIREMENTS[0]} cannot be installed: {str(failure)[-300:]}") from failure


class Peer:
    """FastMCP's search over one or several documents. One FastMCP process answers all search queries, because its start
    takes seconds.

    `names`: method and path of an operation → names of our tools that call the operation. FastMCP's results name
    operations.
    """

    def __init__(
        self,
        documents: Iterable[Path],
        names: Mapping[str, set[str]],
        questions: Iterable[str],
        most: int,
        schemas: bool,
    ) -> None:
        asked = list(dict.fromkeys(questions))
        job = {"documents": [*map(str, documents)], "most": most, "questions": asked, "schemas": schemas}
        command = [python(), str(SCRIPT)]
        done = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        if done.returncode:
            raise Unavailable(f"{NAME} cannot serve {', '.join(each.name for each in documents)}: {done.stderr[-200:]}")
        lines = map(json.loads, done.stdout.splitlines())
        self._answers = {
            question: Answer(
                [sorted(names.get(operation, ())) for operation in line["operations"]],
                json.loads(line["text"] or "[]"),
                ms=line["ms"],
            )
            for question, line in zip(asked, lines, strict=True)
        }

    def answer(self, question: str, most: int) -> Answer:
        """Return the best `most` tools for the question."""
        found = self._answers[question]
        return found._replace(names=found.names[:most])
