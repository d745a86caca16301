# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Data classes for errors that prevent a call from being sent, and the texts of these errors for a language model.

Every refusal happens before a byte is sent. A message says what was expected and what was given. It contains no message
of a library, and at most 60 characters of the given value.
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
    """One problem with the arguments: the dotted path of the argument ("" for the whole call), and a text that says
    what is wrong.
    """

    __slots__ = ("argument", "text")

    def __init__(self, argument: str, text: str) -> None:
        self.argument = argument
        self.text = text

    def __str__(self) -> str:
        return f"{self.argument}: {self.text}" if self.argument else self.text


class Problems(list[Problem]):
    """List of the problems of one call, up to the number that is shown to the model.

    `complete` is False if the arguments may have more problems.
    """

    __slots__ = ("complete",)

    def __init__(self) -> None:
        super().__init__()
        self.complete = True

    def add(self, problems: Iterable[Problem]) -> None:
        """Add problems that are not in the list yet, until the list is full.

        If `problems` is a generator, it is not advanced any further then.
        """
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
    """Raised if a value cannot be encoded for its place in the request.

    The message does not name the argument, which the raising code does not know: `problems_of` adds the name.
    """


class Refused(Exception):
    """Raised if the arguments cannot be turned into a request. The model can correct the arguments."""

    def __init__(self, *problems: Problem, complete: bool = True) -> None:
        """Create the error. `complete` is False if there may be more problems."""
        super().__init__(len(problems))
        self.problems = list(problems)
        self.complete = complete


class HookFailed(Exception):
    """Raised if a user's hook raised an exception or returned an invalid value.

    The message is a sentence that names the hook.
    """


class Refuse(Exception):
    """Raised by a user's hook to refuse a call. The message is a sentence for the model."""


class Unanswered(Refuse):
    """Raised if the user did not answer a question. If no hook catches the exception, the call ends with an error.

    `said`: why there is no answer. Examples are `decline`, `cancel`, `late` if the time to answer was over, `wrong` if
    no answer fitted the form, and `unable` if the client cannot ask.
    """

    def __init__(self, said: str) -> None:
        super().__init__("The user did not answer a question.")
        self.said = said


class CannotAsk(Exception):
    """Raised if a function in hooks.py asks the client's user when that is impossible.

    A question is impossible outside of a hook's run, and from the moment when the request is about to be sent.
    """


class CannotReport(Exception):
    """Raised if `context.progress` or `context.log` gets wrong values, or is called while no hook of a call runs.

    The message is a clause that ends a sentence, such as `context.log takes data that JSON can hold`.
    """


def problems_of(reason: Unsendable | Refused, name: str) -> list[Problem]:
    """Return the problems that an exception reports. `name` is the argument to name if the exception names none."""
    return reason.problems if isinstance(reason, Refused) else [Problem(name, str(reason))]


def gather(write: Callable[[Given], Iterable[Written]], named: Iterable[tuple[str, Given]]) -> list[Written]:
    """Return the results of `write` for each named value, joined in order.

    All values are tried, so that the model learns all problems at once. If there are problems, raise Refused with them,
    each under the name of its value.
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
    """Return all problems as one text for the model. `complete`: False if there may be more problems."""
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
    """Return a value as JSON, cut to `limit` characters. To save time, the rest of a longer value is not encoded."""
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
