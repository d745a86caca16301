# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Why a call is not made: the reasons as values, and their wording for the model that called.

Every refusal happens before a byte is sent. A reason says what was expected and what came; it never holds text of a
library, and of what came at most 60 characters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Given = TypeVar("Given")
Written = TypeVar("Written")

MOST_SHOWN = 20
SHOWN_CHARACTERS = 60


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=lambda other: type(other).__name__)


class Problem:
    """One thing wrong with the arguments: the argument as a dotted path ("" for the call itself), and a text."""

    __slots__ = ("argument", "text")

    def __init__(self, argument: str, text: str) -> None:
        self.argument = argument
        self.text = text

    def __str__(self) -> str:
        return f"{self.argument}: {self.text}" if self.argument else self.text


class Problems(list[Problem]):
    """Problems of one call, no more than are shown. `complete` is whether there are no others, as far as is known."""

    __slots__ = ("complete",)

    def __init__(self) -> None:
        super().__init__()
        self.complete = True

    def add(self, problems: Iterable[Problem]) -> None:
        """Add problems that are not there yet, as long as there is room. No more are made than fit."""
        told = {str(problem) for problem in self}
        for problem in problems:
            if str(problem) in told:
                continue
            if len(self) >= MOST_SHOWN:
                self.complete = False
                return
            told.add(str(problem))
            self.append(problem)


class Unsendable(ValueError):
    """A value has no form in the place where it would go. Raised where the argument's name is not known yet."""


class Refused(Exception):
    """The arguments cannot become a request; the model can mend that."""

    def __init__(self, *problems: Problem, complete: bool = True) -> None:
        """`complete` is whether these are all, as far as is known."""
        super().__init__(len(problems))
        self.problems = list(problems)
        self.complete = complete


class HookFailed(Exception):
    """A hook of the user raised, or returned what it may not. The message is a sentence that names it."""


class Refuse(Exception):
    """Raised by a hook of the user that refuses a call. The message is a sentence for the model."""


def problems_of(reason: Unsendable | Refused, name: str) -> list[Problem]:
    """What was refused; `name` is the argument that it is about, where the reason does not say so itself."""
    return reason.problems if isinstance(reason, Refused) else [Problem(name, str(reason))]


def gather(write: Callable[[Given], Iterable[Written]], named: Iterable[tuple[str, Given]]) -> list[Written]:
    """What `write` makes of each, in order. Tries everything before it gives up, so that a model hears of all its
    problems at once: raises Refused with them, each under the name that came with it.
    """
    found: list[Written] = []
    problems: list[Problem] = []
    for name, given in named:
        try:
            found += write(given)
        except (Unsendable, Refused) as reason:
            problems += problems_of(reason, name)
    if problems:
        raise Refused(*problems)
    return found


def report(problems: list[Problem], tool: str, complete: bool = True) -> str:
    """Return all problems as one text for a model. `complete` is whether there are no others, as far as is known."""
    if not problems:
        return f"{tool} was not called: its arguments do not fit its schema, and are too large to be told where."
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    few = "" if complete else "at least "
    lines = [
        f"{tool} was not called: {few}{count} with the arguments.",
        *(f"- {each}" for each in problems[:MOST_SHOWN]),
    ]
    if len(problems) > MOST_SHOWN:
        lines.append(f"- and {len(problems) - MOST_SHOWN} more")
    elif not complete:
        lines.append("- and perhaps more, which were not looked for")
    return "\n".join(lines)


def shown(value: Any, limit: int = SHOWN_CHARACTERS) -> str:
    """Return a value as JSON, clipped. No more of it is written than is shown, so that the cost stays small."""
    if isinstance(value, str):
        value = value[: limit + 1]
    text, size = [], 0
    for piece in _ENCODER.iterencode(value):
        text.append(piece[: limit + 1])
        size += len(piece)
        if size > limit:
            break
    made = "".join(text).encode("utf-8", "backslashreplace").decode()
    return made if len(made) <= limit else f"{made[:limit]}\u2026"
