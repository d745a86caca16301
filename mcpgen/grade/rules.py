"""The rules of a grade. Each rule is one entry of a table: its name, weight, reason, advice and question.

The question gets the facts of one tool, and returns which share of the weight the tool loses, and for what. To add a
rule, add an entry, and a fault to `tests/grade/faults.py` that shows where the grade falls.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from mcpgen.base.jsonvalue import JsonObject, as_list
from mcpgen.base.runtime import stems, synonyms
from mcpgen.grade.facts import Argument, Facts
from mcpgen.lower.schema.compose import types
from mcpgen.retrieval import producers

CHEAP, COSTLY = 600, 2000
"""Tokens of a tool's definition that cost no point, and tokens that cost all points of the rule."""

_BOUNDS = frozenset(
    ("enum", "const", "format", "pattern", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
) | {"minLength", "maxLength"}
"""Keywords that show how to write a text or a number."""

_SHOWS_A_VALUE = re.compile(r"\d|[\"'`]|\be\.g\.|\bsuch as\b|\bfor example\b|\bexample:|\bFrom \w+\.", re.IGNORECASE)
_FREE_TEXT = re.compile(
    r"(?:.*[_-])?(?:name|title|label|description|text|message|body|comment|content|note|notes|subject|summary|query|q"
    r"|search|keyword|reason)",
    re.IGNORECASE,
)
_OPAQUE = re.compile(r"-?[\d.]+|\W*\w{1,2}\W*|(?=.*\d)[A-Z\d_]{3,}")
"""A value of an enum that says nothing to a reader: a number, one or two characters, a code with digits."""


_STANDARD = re.compile(r"(?:lang|language|locale|country|currency|region)(?:_?code)?s?$", re.IGNORECASE)
"""Names of arguments whose values are codes of a standard, which every model knows."""


class Answer(NamedTuple):
    """The answer to a rule's question.

    `share`: from 0 (no fault) to 1. `about`: what is at fault, such as arguments.
    """

    share: float
    about: tuple[str, ...] = ()


NO_FAULT = Answer(0.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `weight`: the points that a tool can lose. `reason`: why a model fails. `advice`: what to change."""

    name: str
    weight: int
    reason: str
    advice: str
    ask: Callable[[Facts], Answer]


def _yes(fault: bool, *about: str) -> Answer:
    return Answer(1.0, tuple(filter(None, about))) if fault else NO_FAULT


def _among(all_: Iterable[Argument], is_faulty: Callable[[Argument], bool]) -> Answer:
    """Return the share of the arguments that are at fault, and their paths."""
    arguments = list(all_)
    faulty = tuple(each.path for each in arguments if is_faulty(each))
    return Answer(len(faulty) / len(arguments), tuple(dict.fromkeys(faulty))) if faulty else NO_FAULT


def _branches(schema: JsonObject) -> list[JsonObject]:
    """Return a schema, or the alternatives of it that are not null."""
    return [
        each for each in as_list(schema.get("anyOf")) if isinstance(each, dict) and set(types(each)) != {"null"}
    ] or [schema]


def is_unbounded(name: str, schema: JsonObject, description: str) -> bool:
    """Return True if nothing shows how to write a text or a number. Any free text is right, and an id comes from
    another call.
    """
    open_ = all(
        set(types(each)) & {"string", "number", "integer"} and _BOUNDS.isdisjoint(each) for each in _branches(schema)
    )
    known = _FREE_TEXT.fullmatch(name) or producers.is_id(name) or "default" in schema
    return open_ and not known and not _SHOWS_A_VALUE.search(description)


def _is_unbounded(argument: Argument) -> bool:
    return is_unbounded(argument.path.rpartition(".")[2], argument.schema, argument.description)


def _is_opaque(argument: Argument) -> bool:
    values = [str(value) for each in _branches(argument.schema) for value in as_list(each.get("enum"))]
    codes = [each for each in values if _OPAQUE.fullmatch(each)]
    told = argument.description
    if _STANDARD.search(argument.path):
        return False
    return len(values) > 1 and bool(codes) and not any(re.search(rf"\b{re.escape(code)}\b", told) for code in codes)


def _contradicts(facts: Facts) -> Answer:
    """Compare the verbs of the tool's first sentence with its hints. The first word must be a verb.

    A name such as `Open-Meteo` is no verb.
    """
    said, first = stems.stems(facts.purpose), stems.stems(facts.purpose.partition(" ")[0])
    verbs = {synonyms.VERBS[word] for word in said if word in synonyms.VERBS}
    if not said or said[0] not in synonyms.VERBS or len(first) > 1:
        return NO_FAULT
    hints = facts.tool.annotations
    wrong = "r" not in verbs if hints.read_only else verbs == {"r"} or (verbs == {"d"} and not hints.destructive)
    return _yes(wrong, f"the hints say that the tool {hints.effect}")


def _errors(facts: Facts) -> Answer:
    told = [each for each in facts.tool.operation.responses if each.status[:1] in ("4", "5", "d") and each.description]
    return _yes(not told)


def _cost(facts: Facts) -> Answer:
    share = min(1.0, (facts.tokens - CHEAP) / (COSTLY - CHEAP))
    return Answer(share, (f"{facts.tokens:,} tokens",)) if share > 0 else NO_FAULT


RULES: tuple[Rule, ...] = (
    Rule(
        "no-purpose",
        30,
        "Neither summary nor description says what the tool does, so a model guesses from its name.",
        "Write a summary that says what the operation does and when to use it.",
        lambda facts: _yes(not facts.purpose),
    ),
    Rule(
        "repeats-name",
        10,
        "The text says nothing that the name and the path do not say.",
        "Add what the operation returns or changes, and when to use it.",
        lambda facts: _yes(bool(facts.purpose) and not facts.news),
    ),
    Rule(
        "looks-like-another",
        15,
        "A search for the tool's own words ranks another tool as high, so a model may choose that tool.",
        "Say in the first sentence how the two operations differ.",
        lambda facts: _yes(bool(facts.twin), facts.twin),
    ),
    Rule(
        "argument-without-meaning",
        20,
        "The description of an argument is missing or repeats its name.",
        "Describe what the value means, and what it changes.",
        lambda facts: _among(facts.arguments, lambda each: not each.meaning),
    ),
    Rule(
        "argument-without-bounds",
        8,
        "An argument has no format, values, bounds, default or example, so a model guesses how to write it.",
        "Add a format, a pattern, bounds, a default, or an example in the description.",
        lambda facts: _among(facts.arguments, _is_unbounded),
    ),
    Rule(
        "id-without-source",
        8,
        "A call needs an id, and no tool is known that lists or searches what it identifies.",
        "Offer the operation that lists these ids, or say in the description where an id comes from.",
        lambda facts: _yes(bool(facts.sourceless), *facts.sourceless),
    ),
    Rule(
        "enum-without-meaning",
        5,
        "The values of an argument are codes that its description does not explain.",
        "Explain each value in the description.",
        lambda facts: _among([each for each in facts.arguments if _has_values(each)], _is_opaque),
    ),
    Rule(
        "contradicting-hint",
        10,
        "The verb of the text and the hints about the effect contradict each other.",
        "Correct the verb, or set the hints under `x-mcp` or in the tools file.",
        _contradicts,
    ),
    Rule(
        "endless-result",
        6,
        "The result is a list, and no argument limits its length or selects a page.",
        "Offer an argument such as `limit`, or select fields by `result` rules in the tools file.",
        lambda facts: _yes(facts.is_endless),
    ),
    Rule(
        "undocumented-errors",
        5,
        "No error is described, so nobody knows which mistakes a call can make.",
        "Describe the responses of status 4xx.",
        _errors,
    ),
    Rule(
        "costly",
        8,
        f"The definition costs more than {CHEAP:,} tokens; from {COSTLY:,} tokens on, all points are lost.",
        "Shorten the texts, or hide arguments that no model needs, in the tools file.",
        _cost,
    ),
)
"""All rules."""


def _has_values(argument: Argument) -> bool:
    return any("enum" in each for each in _branches(argument.schema))
