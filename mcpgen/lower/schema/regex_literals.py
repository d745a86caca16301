"""Recognise what authors write in place of a regular expression: literals of JavaScript with slashes and flags
(`/^a$/i`), masks for dates (`YYYY-MM-DD`), and patterns that no text can match.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from mcpgen.lower.schema.ecma import MEMBER, TOKEN, is_ecma

_LITERAL = re.compile(r"/(\^.*|.*(?<!\\)\$)/([a-z]*)", re.DOTALL)
_WITHOUT_EFFECT = frozenset("dguy")
"""Flags of JavaScript that change nothing about which texts match."""

_MASK = re.compile(r"\^?(?:[YyMmDdHhSs]+|'?T'?|Z{1,2}|[-/.: ,])+\$?")
_DATE = re.compile(r"[Yy]{4}|(?:[Yy]{2}|[Hh]{2}|[Dd]{2})[-/.: ,]?[Mm]{2}|M{2}[-/.: ,]?D{2}")


@lru_cache(maxsize=4096)
def without_slashes(pattern: str) -> str:
    """Return `pattern` without the slashes and flags of a JavaScript literal (`/^a$/`), if it has `^` after the first
    slash or `$` before the last one: no text matches it as it is.

    For the flag `i`, the pattern matches letters of both cases. Return it unchanged if a flag cannot be written out.
    """
    literal = _LITERAL.fullmatch(pattern)
    if literal is None:
        return pattern
    inner, flags = literal[1], set(literal[2]) - _WITHOUT_EFFECT
    if flags - {"i"}:
        return pattern
    return (_both_cases(inner) or pattern) if flags else inner


def _both_cases(pattern: str) -> str:
    """Return `pattern` with each letter of ASCII in both cases. Return "" if another part of it depends on case."""
    if not is_ecma(pattern):
        return ""
    written = ""
    for token in TOKEN.finditer(pattern):
        text = token[0]
        if "\\p" in text or "\\x" in text or "\\u" in text or not text.isascii():
            return ""
        if token["list"]:
            text = f"{text[:-1]}{_other_case(text[1:-1])}]"
        elif token["atom"] and text.isalpha():
            text = f"[{text}{text.swapcase()}]"
        written += text
    return written


def _other_case(members: str) -> str:
    """Return the letters and ranges of letters in a character class, in the other case."""
    found = [each[0] for each in MEMBER.finditer(members.removeprefix("^"))]
    added, index = "", 0
    while index < len(found):
        is_range = found[index + 1 : index + 2] == ["-"] and index + 2 < len(found)
        low, high = found[index], found[index + 2] if is_range else found[index]
        for first, last in (("A", "Z"), ("a", "z")):
            begin, end = max(low, first), min(high, last)
            if len(low) == len(high) == 1 and begin <= end:
                added += begin.swapcase() if begin == end else f"{begin}-{end}".swapcase()
        index += 3 if is_range else 1
    return added


def is_date_mask(pattern: str) -> bool:
    """Return True if `pattern` has no metacharacter but reads like a mask for dates or times, such as `dd/mm/yyyy`."""
    return _MASK.fullmatch(pattern) is not None and _DATE.search(pattern) is not None


@dataclass(slots=True)
class _Sequence:
    """What is known of one alternative of a group: whether it `takes` a character, and whether it `ended` by `$`.

    `dead`: no text matches it. `all_take`, `all_dead`: the same for all earlier alternatives of the group.
    """

    takes: bool = False
    ended: bool = False
    dead: bool = False
    all_take: bool = True
    all_dead: bool = True

    def closed(self) -> tuple[bool, bool]:
        """Return whether each alternative takes a character, and whether no text matches any of them."""
        return self.all_take and self.takes, self.all_dead and self.dead


def matches_nothing(pattern: str) -> bool:
    """Return True if no text matches `pattern`, because `^` follows a character or a character follows `$`.

    `pattern` must have no look-around and no backreference.
    """
    if not is_ecma(pattern):
        return False
    groups = [_Sequence()]
    tokens = list(TOKEN.finditer(pattern))
    for token, following in zip(tokens, [*tokens, None][1:], strict=True):
        here = groups[-1]
        may_be_absent = following is not None and following[0].startswith(("*", "?", "{0"))
        if token["open"]:
            groups.append(_Sequence())
        elif token[0] == "|":
            takes, dead = here.closed()
            groups[-1] = _Sequence(all_take=takes, all_dead=dead)
        elif token[0] == "^":
            here.dead = here.dead or here.takes
        elif token[0] == "$":
            here.ended = True
        elif token["close"] or token["list"] or token["atom"]:
            takes, dead = (True, False) if not token["close"] else groups.pop().closed()
            here = groups[-1]
            if not may_be_absent:
                here.dead = here.dead or dead or (takes and here.ended)
                here.takes = here.takes or takes
    return groups[0].closed()[1]
