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


class Problem:
    """One thing wrong with the arguments: the argument as a dotted path ("" for the call itself), and a text."""

    __slots__ = ("argument", "text")

    def __init__(self, argument: str, text: str) -> None:
        self.argument = argument
        self.text = text

    def __str__(self) -> str:
        return f"{self.argument}: {self.text}" if self.argument else self.text


class Unsendable(ValueError):
    """A value has no form in the place where it would go. Raised where the argument's name is not known yet."""


class Refused(Exception):
    """The arguments cannot become a request; the model can mend that."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(len(problems))
        self.problems = list(problems)


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


def report(problems: list[Problem], tool: str) -> str:
    """All problems as one text for a model."""
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    lines = [f"{tool} was not called: {count} with the arguments.", *(f"- {each}" for each in problems[:MOST_SHOWN])]
    if len(problems) > MOST_SHOWN:
        lines.append(f"- and {len(problems) - MOST_SHOWN} more")
    return "\n".join(lines)


def shown(value: Any, limit: int = SHOWN_CHARACTERS) -> str:
    """A value as JSON, clipped. A long string is cut before it is encoded, so that the cost does not grow with it."""
    if isinstance(value, str):
        value = value[: limit + 1]
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=lambda other: type(other).__name__)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= limit else f"{text[:limit]}\u2026"
