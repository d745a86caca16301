"""Verdicts of the judges on a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.attacks.subjects import Subject

SECRET = "s3cr3t-0123456789-abcdef"
EXTRA = 64
"""Limit on the MiB that a server may take above a small call."""


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
    """Return a failed verdict with the first finding that is true; else a passed one."""
    return next((Verdict(False, what) for found, what in each if found), Verdict(True, otherwise))
