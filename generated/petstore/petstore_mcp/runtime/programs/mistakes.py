# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Describe errors of a program that a model wrote, and the lines where they occurred, so that the model can correct the
program.
"""

from __future__ import annotations

import re

MOST_TOLD = 8
LONGEST = 400

_FINDING = re.compile(r"^[^\s:]+:(\d+):\d+: \w+(?:\[[^\]]*\])? (.+)$", re.MULTILINE)
_OF_LIMITS = (
    ("TimeoutError: feed time limit", "The program ran longer than its {seconds:g} seconds. Waiting does not count."),
    ("MemoryError: memory limit", "The program needs more memory than its {memory:,} bytes."),
    ("MemoryError: the worker exceeded", "The program needs more memory than its {memory:,} bytes."),
    ("RecursionError", "The program called its own functions too deeply."),
    (
        "NotImplementedError: external function",
        "A tool cannot be called there, as in a key of sorted(). Call it before.",
    ),
    ("RuntimeError: suspension limit", "The program stopped too often for what it may not do."),
)


def of_types(told: str) -> str:
    """Return the findings of the type checker, one per line.

    `told` is the type checker's output, with lines of the form `FILE:LINE:COLUMN: KIND TEXT`.
    """
    found = [(each[1], _clipped(each[2])) for each in _FINDING.finditer(told)]
    lines = [f"Line {line}: {text}" for line, text in found[:MOST_TOLD]]
    if len(found) > MOST_TOLD:
        lines.append(f"and {len(found) - MOST_TOLD} more")
    return "\n".join(dict.fromkeys(lines)) or _clipped(told)


def of_run(said: str, frames: list[tuple[int, str]], seconds: float, memory: int) -> str:
    """Return why a program that a model wrote ended early.

    `said`: type and message of the exception. `frames`: line number and source of each line in its traceback.
    """
    for beginning, words in _OF_LIMITS:
        if said.startswith(beginning):
            said = words.format(seconds=seconds, memory=memory)
            break
    else:
        said = _clipped(said, 20 * LONGEST)
    if not frames:
        return said
    line, source = frames[-1]
    shown = f" ({_clipped(source.strip(), 120)})" if source.strip() else ""
    return f"Line {line}{shown}: {said}"


def of_printing(most: int) -> str:
    """Return the error message to the model if the Python code that it sent has printed more than `most` bytes."""
    return f"The program printed more than {most:,} bytes. Print less: only what you want to see."


def of_process(timed_out: bool, seconds: float) -> str:
    """Return the error message to the model if the process that ran its Python code has ended early."""
    if timed_out:
        return f"The program ran longer than its {seconds:g} seconds, and its process was ended."
    return "The process that ran the program ended by itself, and so did the program."


def _clipped(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}\u2026"
