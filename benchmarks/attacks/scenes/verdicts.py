"""What a judge says of a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.attacks.subjects import Subject

SECRET = "s3cr3t-0123456789-abcdef"
EXTRA = 64
"""MiB that a server may take above what a small call takes."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the server stood, and what happened."""

    held: bool
    what: str


Judge = Callable[[Subject], Verdict]


@dataclass(frozen=True, slots=True)
class Scene:
    """One attack: the case of the threat model, what is done, and who judges."""

    case: str
    attack: str
    judge: Judge


def said(*each: tuple[bool, str], otherwise: str) -> Verdict:
    """The first finding that is true, which is a fault; else it held."""
    return next((Verdict(False, what) for found, what in each if found), Verdict(True, otherwise))
