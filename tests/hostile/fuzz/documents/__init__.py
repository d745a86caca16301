"""Compile hostile API descriptions.

The compilation of a description of at most 1 MB must end within 60 seconds and use at most 1 GiB. The outcome is a
result or a one-sentence error.

Test HARD-16 and HARD-25. `grammar.py` makes the documents, and `compiling.py` compiles each in a child process with
limits.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.hostile.fuzz.documents.compiling import Command, Ended, command_for, import_all, problem_of, run
from tests.hostile.fuzz.documents.grammar import Hostile, document

__all__ = ["Cost", "Costs", "Found", "document", "fuzz", "judge"]


class Cost(NamedTuple):
    """The highest cost of compiling a document, in seconds or MiB, and the document's name."""

    most: float
    case: str


class Costs(NamedTuple):
    """The most time and the most memory that any of the compiled documents took, each with the document's name."""

    seconds: Cost = Cost(0, "")
    memory: Cost = Cost(0, "")

    def and_those(self, others: Costs) -> Costs:
        """Return the longer time and the larger memory of `self` and `others`, each with its document's name."""
        return Costs(*(max(mine, other) for mine, other in zip(self, others, strict=True)))

    def __str__(self) -> str:
        seconds, memory = self
        return f"most work: {seconds.most:.1f} s, {seconds.case}\nmost memory: {memory.most:.0f} MiB, {memory.case}"


class Found(AssertionError):
    """A document that shows a fault. The document is written to a file."""

    def __init__(self, named: str, case: Hostile, ended: Ended, problem: str) -> None:
        handle, path = tempfile.mkstemp(prefix="mcpgen-found-", suffix=case.name)
        with open(handle, "wb") as file:
            file.write(case.data)
        figures = f"{ended.code} after {ended.seconds:.1f} s and {ended.memory} MiB"
        super().__init__(f"{problem}\n{named}, {path} ({len(case.data):,} bytes)\n{figures}\n{ended.said[-3000:]}")


def fuzz(_project: Path | None, seed: int, count: int) -> Costs:
    """Compile `count` documents drawn from a seed. Raise Found for the first document that shows a fault."""
    import_all()
    costs = Costs()
    for number in range(count):
        chance = Random(f"{seed} {number}")
        case = document(chance)
        costs = costs.and_those(judge(f"document {number} of seed {seed}", case, command_for(chance, case)))
    return costs


def judge(named: str, case: Hostile, command: Command) -> Costs:
    """Run a command on a document.

    Raise Found if the command crashes, exceeds a limit, or gives output that its contract forbids.
    """
    named = f"{named}: {case.family}, mcpgen {' '.join(command)}"
    ended = run(case, command)
    if problem := problem_of(ended):
        raise Found(named, case, ended, problem)
    return Costs(Cost(ended.seconds, named), Cost(ended.memory, named))
