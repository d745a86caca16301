"""Estimate the memory of a compiled regular expression from its text alone.

A regex engine could measure this memory. But its measure changes with its releases, and what mcpgen emits must not.
"""

import re
from functools import lru_cache

from mcpgen.lower.schema.ecma import TOKEN

_LITERAL, _FOREIGN_LITERAL = 56, 80
_RANGE, _FOREIGN_RANGE, _CLASS = 24, 512, 64
_ANY = 1024
_ESCAPES = {"d": 88, "D": _ANY, "s": 800, "S": 2200, "w": 128, "W": 1200}
_PROPERTY = 48 * 1024
_GROUP, _BRANCH, _REPETITION = 96, 48, 40
r"""Bytes that each part of a pattern takes: a character in ASCII or outside, a member of a character class, a class,
`.` or a negated class, a class by an escape or a property (`\p{L}`), a group, an alternative, a repetition.

They are rounded from what the engine of jsonschema-rs took in two releases, for patterns that repeat one part.
"""
_ONE = r"(?:\\u[0-9A-Fa-f]{4}|\\u\{[^}]*\}|\\x[0-9A-Fa-f]{2}|\\.|[^\\])"
_MEMBER = re.compile(rf"\\([pP])(?:\{{[^}}]*\}})?|\\([sSdDwW])|{_ONE}(?:-{_ONE})?", re.DOTALL)


@lru_cache(maxsize=4096)
def pattern_cost(pattern: str) -> int | None:
    """Return about how many bytes the compiled `pattern` takes, or None if its parentheses do not match.

    A repetition with a count takes its content as often as its upper bound, or its lower bound if it has no upper one.
    """
    totals, last, position = [0], 0, 0
    while position < len(pattern):
        token = TOKEN.match(pattern, position)
        position = token.end() if token else position + 1
        if token is not None and token["open"]:
            totals.append(0)
            last = 0
            continue
        if token is not None and token["close"]:
            if len(totals) == 1:
                return None
            last = totals.pop() + _GROUP
        elif token is not None and token["repeat"]:
            totals[-1] -= last
            last = last * _most_times(token["repeat"]) + _REPETITION
        elif token is not None and token["border"]:
            last = _BRANCH
        else:
            last = _atom(token[0]) if token else _FOREIGN_LITERAL
        totals[-1] += last
    return totals[0] if len(totals) == 1 else None


def _most_times(repetition: str) -> int:
    """Return how often the engine writes out the content of `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`."""
    counts = [int(count) for count in re.findall(r"\d+", repetition)]
    return max(1, *counts, counts[0] + 1 if repetition.rstrip("?").endswith(",}") else 1) if counts else 1


def _atom(written: str) -> int:
    """Return the cost of one character, escape or character class."""
    if written == ".":
        return _ANY
    if not written.startswith("["):
        return _member(written, _LITERAL)
    inside = written[1:-1]
    members = [each[0] for each in _MEMBER.finditer(inside)]
    if any(rf"\{letter}" in members and rf"\{letter.upper()}" in members for letter in "dsw"):
        return _ANY  # `[\s\S]` is every character
    negated = _ANY if inside.startswith("^") else 0
    return negated + _CLASS + sum(_member(member, _RANGE) for member in members)


def _member(written: str, ascii_cost: int) -> int:
    """Return the cost of one character, escape or range; `ascii_cost` is that of an ASCII character or range."""
    if written[:2] in (r"\p", r"\P"):
        return _PROPERTY
    if written[:1] == "\\" and written[1:] in _ESCAPES:
        return _ESCAPES[written[1:]]
    if written.isascii() and written[:2] not in (r"\u", r"\x"):
        return ascii_cost
    return _FOREIGN_RANGE if "-" in written[1:-1] else _FOREIGN_LITERAL
