"""Add up the points that tools lose, and find the changes that would help most."""

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.grade.facts import Facts, collect
from mcpgen.grade.rules import RULES, Rule
from mcpgen.model import Catalog, ToolSpec

MOST_CHANGES = 5
LEAST_GAIN = 0.05
"""Limits on the changes that a grade names: their number, and the points that each must gain."""

LETTERS = {"A": 90, "B": 80, "C": 70, "D": 60, "F": 0}
"""Letter → the lowest score that earns it, of 100 points. The best letter comes first."""


def letter_of(score: float) -> str:
    """Return the best letter that a score earns. The score counts as it is shown, with one decimal."""
    return next(letter for letter, least in LETTERS.items() if round(score, 1) >= least)


_COLOURS = {"A": "brightgreen", "B": "green", "C": "yellow", "D": "orange", "F": "red"}


def badge(letter: str) -> str:
    """Return the line of Markdown that shows the letter as a badge. The address is the same for all servers with this
    letter.
    """
    return f"![MCP tools: {letter}](https://img.shields.io/badge/MCP%20tools-{letter}-{_COLOURS[letter]})"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a tool. `points`: what the tool loses. `about`: what is at fault, such as names of arguments."""

    rule: Rule
    points: float
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GradedTool:
    """A tool with its score, from 0 to 100, and its faults, the gravest first."""

    tool: ToolSpec
    score: float
    faults: tuple[Fault, ...]

    @property
    def letter(self) -> str:
        return letter_of(self.score)


@dataclass(frozen=True, slots=True)
class Change:
    """All faults of one rule, as one change. `gain`: the points by which the change would raise the server's score."""

    rule: Rule
    gain: float
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of a server. `score`: the mean of its tools' scores. `changes`: those that would help most."""

    score: float
    tools: tuple[GradedTool, ...]
    changes: tuple[Change, ...]

    @property
    def letter(self) -> str:
        return letter_of(self.score)


def grade(catalog: Catalog, definitions: Mapping[str, JsonObject]) -> Grade:
    """Return the grade of the tools of a catalog. A server without tools has no faults.

    `definitions`: the named schemas to which schemas of responses refer.
    """
    tools = tuple(map(_graded, collect(catalog, definitions)))
    score = sum(each.score for each in tools) / len(tools) if tools else 100.0
    return Grade(score, tools, _changes(tools))


def _graded(facts: Facts) -> GradedTool:
    answers = [(rule, rule.ask(facts)) for rule in RULES]
    faults = [Fault(rule, rule.weight * share, about) for rule, (share, about) in answers if share > 0]
    faults.sort(key=lambda fault: -fault.points)
    return GradedTool(facts.tool, max(0.0, 100.0 - sum(fault.points for fault in faults)), tuple(faults))


def _changes(tools: tuple[GradedTool, ...]) -> tuple[Change, ...]:
    found = []
    for rule in RULES:
        faulty = [(fault.points, each.tool.name) for each in tools for fault in each.faults if fault.rule is rule]
        gain = sum(points for points, _ in faulty) / max(1, len(tools))
        if gain >= LEAST_GAIN:
            faulty.sort(key=lambda each: (-each[0], each[1]))
            found.append(Change(rule, gain, tuple(name for _, name in faulty)))
    return tuple(sorted(found, key=lambda change: -change.gain)[:MOST_CHANGES])


def as_json(found: Grade) -> JsonObject:
    """Return a grade as `shape.schema.json` describes it, without the members about the server around the tools."""
    return {
        "letter": found.letter,
        "score": _shown(found.score),
        "badge": badge(found.letter),
        "changes": [
            {
                "rule": change.rule.name,
                "gain": _shown(change.gain),
                "reason": change.rule.reason,
                "advice": change.rule.advice,
                "tools": list[JsonValue](change.tools),
            }
            for change in found.changes
        ],
        "tools": [
            {
                "name": each.tool.name,
                "letter": each.letter,
                "score": _shown(each.score),
                "faults": [
                    {"rule": fault.rule.name, "points": _shown(fault.points), "about": list[JsonValue](fault.about)}
                    for fault in each.faults
                ],
            }
            for each in found.tools
        ],
        "rules": [
            {"name": rule.name, "weight": rule.weight, "reason": rule.reason, "advice": rule.advice} for rule in RULES
        ],
    }


def _shown(points: float) -> float:
    return round(points, 1)
