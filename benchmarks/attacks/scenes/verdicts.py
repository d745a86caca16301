"""Verdicts of judges: whether a server withstood an attack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.attacks.subjects import Subject

SECRET = "s3cr3t-0123456789-abcdef"
EXTRA = 64
"""Limit in MiB on the memory that a server may use in addition to a small call."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of an attack: whether the server withstood it, and what happened."""

    held: bool
    what: str


Judge = Callable[[Subject], Verdict]


@dataclass(frozen=True, slots=True)
class Scene:
    """One attack: its case in the threat model, a description, and the function that performs and judges it."""

    case: str
    attack: str
    judge: Judge


def said(*each: tuple[bool, str], otherwise: str) -> Verdict:
    """Return a failed verdict with the text of the first finding whose condition is true.

    If no condition is true, return a passed verdict with the text `otherwise`.
    """
    return next((Verdict(False, what) for found, what in each if found), Verdict(True, otherwise))
