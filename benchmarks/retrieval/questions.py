"""Read the questions in `questions/API.txt`. A line has a question and the tools that it needs, written by hand.

Lines 1, 3, 5, … were used to tune the search. Lines 2, 4, 6, … were written at the same time, and only their totals
were looked at while tuning. `questions/nothing.txt` has questions that the named API cannot answer. All of them were
used to choose the thresholds. The questions in `nothing_held_out.txt` were written later.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

FOLDER = Path(__file__).with_name("questions")
DOCUMENTS = {
    "tmdb": "tmdb.json",
    "spotify": "spotify.json",
    "github": "github-rest.json",
    "stripe": "stripe.yaml",
    "jira": "jira.json",
}
"""Name of an API → file of its document in the corpus."""

Half = Literal["tuned", "held out"]


class Question(NamedTuple):
    """A question and the names of the tools that it needs."""

    text: str
    needs: frozenset[str]


def questions(api: str, half: Half) -> list[Question]:
    """Return the search queries of one half, with the needed tools: those used for tuning, or those held out."""
    lines = (FOLDER / f"{api}.txt").read_text(encoding="utf-8").splitlines()
    chosen = lines[0 if half == "tuned" else 1 :: 2]
    return [
        Question(text.strip(), frozenset(names.split())) for text, _, names in (row.partition("|") for row in chosen)
    ]


def unanswerable(api: str, half: Half) -> list[str]:
    """Return the questions that no tool of the API can answer: those used for tuning, or those held out."""
    path = FOLDER / ("nothing.txt" if half == "tuned" else "nothing_held_out.txt")
    rows = (row.partition("|") for row in path.read_text(encoding="utf-8").splitlines())
    return [text.strip() for name, _, text in rows if name.strip() == api]
