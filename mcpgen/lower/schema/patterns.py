"""Decide which patterns a tool's schema shows: those that a linear-time regex engine accepts, and that need little
memory. Report the patterns that it lacks or contains in a corrected form.

Patterns are regular expressions as JSON Schema defines them: ECMA 262 with the flag `u` (2020-12, 6.3.3). With this
flag, ECMA 262 refuses much that other dialects accept. A client whose library refuses one pattern may lose the whole
tool.

Some authors write something else in place of a regular expression: literals of JavaScript with slashes and flags
(`/^a$/i`), masks for dates (`YYYY-MM-DD`), and patterns that no text can match.

The memory of a compiled pattern is estimated from its text alone. A regex engine could measure this memory. But its
measure changes with its releases, and what mcpgen emits must not.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, compact
from mcpgen.base.once import ValueCache

if TYPE_CHECKING:
    from jsonschema_rs import Validator
from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.model import ToolSpec

_MOST_REPORTED = 3
_REPORTS = {
    "unchecked-pattern": (
        "are left to the API",
        "A server validates values only against patterns that take linear time and little memory. To limit a length, "
        "write `maxLength` instead of a pattern.",
    ),
    "impossible-pattern": (
        "match no value, or none of their own format, default, example or values, so the server does not validate "
        "against them",
        "Correct the pattern, or the keywords beside it.",
    ),
    "date-mask": (
        "are masks for dates and not regular expressions, so the server does not validate against them",
        "Write `format: date`, or a regular expression such as `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`.",
    ),
    "foreign-pattern": (
        "are not regular expressions of ECMA 262 with the flag u, so the server does not validate against them",
        "Write these patterns as regular expressions without slashes around them.",
    ),
    "mended-pattern": (
        "have slashes and flags around them or needless backslashes, which were removed",
        "Write these patterns as regular expressions without slashes around them.",
    ),
}
"""Code → the end of its sentence, and its hint."""

_HEX = "[0-9A-Fa-f]"
_CODE = rf"[fnrtv]|c[A-Za-z]|0(?![0-9])|x{_HEX}{{2}}|u{_HEX}{{4}}|u\{{{_HEX}{{1,6}}\}}|[\^$\\.*+?()\[\]{{}}|/]"
_SET = r"[dDwWsS]|[pP]\{[A-Za-z_]+(?:=[A-Za-z0-9_]+)?\}"
_NAME = r"<[A-Za-z_$][A-Za-z0-9_$]*>"
_TOKEN = re.compile(
    rf"(?P<open>\((?:\?(?::|(?P<around><?[=!])|{_NAME}))?)|(?P<close>\))|(?P<border>[|^$]|\\[bB])"
    rf"|(?P<repeat>(?:[*+?]|\{{[0-9]+(?:,[0-9]*)?\}})\??)"
    rf"|(?P<list>\[\^?(?:[^\]\\]|\\.)*\])|(?P<atom>\\(?:{_CODE}|{_SET}|[1-9][0-9]*|k{_NAME})|[^\\()\[\]{{}}*+?|^$])",
    re.DOTALL,
)
_MEMBER = re.compile(rf"\\(?P<set>{_SET})|\\(?:{_CODE}|[b-])|[^\\\]]", re.DOTALL)
_NEEDLESS = re.compile(r"\\(?:([^\s\w<>^$.*+?()\[\]{}|/\\-])|([-_ ])|(.))", re.DOTALL)
_JAVASCRIPT = re.compile(r"/(\^.*|.*(?<!\\)\$)/([a-z]*)", re.DOTALL)
_WITHOUT_EFFECT = frozenset("dguy")
"""Flags of JavaScript that change nothing about which texts match."""
_MASK = re.compile(r"\^?(?:[YyMmDdHhSs]+|'?T'?|Z{1,2}|[-/.: ,])+\$?")
_DATE = re.compile(r"[Yy]{4}|(?:[Yy]{2}|[Hh]{2}|[Dd]{2})[-/.: ,]?[Mm]{2}|M{2}[-/.: ,]?D{2}")
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
_COSTLY_MEMBER = re.compile(rf"\\([pP])(?:\{{[^}}]*\}})?|\\([sSdDwW])|{_ONE}(?:-{_ONE})?", re.DOTALL)


@lru_cache(maxsize=1024)  # cached, since many members of a document share one pattern
def is_ecma(pattern: str) -> bool:
    """Return True if `pattern` is a regular expression of ECMA 262 with the flag `u`."""
    position, groups, may_repeat = 0, list[bool](), False
    while position < len(pattern):
        token = _TOKEN.match(pattern, position)
        if token is None:
            return False
        position = token.end()
        if token["open"]:
            groups.append(token["around"] is None)
        if (token["close"] and not groups) or (token["repeat"] and not may_repeat):
            return False
        if token["list"] and not _is_list(token["list"]):
            return False
        may_repeat = groups.pop() if token["close"] else bool(token["list"] or token["atom"])
    return not groups


@lru_cache(maxsize=1024)
def without_needless_escapes(pattern: str) -> str:
    """Return `pattern` without backslashes before ordinary characters, which the flag `u` refuses."""
    written = "".join(_unescaped(pattern))
    return written if is_ecma(written) else pattern


def _unescaped(pattern: str) -> Iterator[str]:
    """Yield `pattern` piece by piece without needless backslashes.

    Inside a character class `-` keeps its backslash, since a bare `-` means a range.
    """
    position, inside = 0, False
    for escape in _NEEDLESS.finditer(pattern):
        between = pattern[position : escape.start()]
        for character in between:
            inside = character == "[" or (inside and character != "]")
        position = escape.end()
        plain, perhaps, _ = escape.groups()
        is_range = inside and perhaps == "-"
        yield between + (escape[0] if is_range or not (plain or perhaps) else plain or perhaps)
    yield pattern[position:]


def _is_list(text: str) -> bool:
    """Return True if `text` is a character class whose ranges run between single characters in ascending order."""
    members = text[1:-1].removeprefix("^")
    found: list[re.Match[str]] = []
    position = 0
    while position < len(members):
        member = _MEMBER.match(members, position)
        if member is None:
            return False
        found.append(member)
        position = member.end()
    index = 1
    while index < len(found) - 1:
        if found[index][0] != "-":
            index += 1
            continue
        low, high = found[index - 1], found[index + 1]
        if low["set"] or high["set"] or (len(low[0]) == len(high[0]) == 1 and low[0] > high[0]):
            return False
        index += 3
    return True


@lru_cache(maxsize=4096)
def without_slashes(pattern: str) -> str:
    """Return `pattern` without the slashes and flags of a JavaScript literal (`/^a$/`), if it has `^` after the first
    slash or `$` before the last one: no text matches it as it is.

    For the flag `i`, the pattern matches letters of both cases. Return it unchanged if a flag cannot be written out.
    """
    literal = _JAVASCRIPT.fullmatch(pattern)
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
    for token in _TOKEN.finditer(pattern):
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
    found = [each[0] for each in _MEMBER.finditer(members.removeprefix("^"))]
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


@lru_cache(maxsize=1024)
def matches_nothing(pattern: str) -> bool:
    """Return True if no text matches `pattern`, because `^` follows a character or a character follows `$`.

    `pattern` must have no look-around and no backreference.
    """
    if not is_ecma(pattern):
        return False
    groups = [_Sequence()]
    tokens = list(_TOKEN.finditer(pattern))
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


@lru_cache(maxsize=4096)
def pattern_cost(pattern: str) -> int | None:
    """Return about how many bytes the compiled `pattern` takes, or None if its parentheses do not match.

    A repetition with a count takes its content as often as its upper bound, or its lower bound if it has no upper one.
    """
    totals, last, position = [0], 0, 0
    while position < len(pattern):
        token = _TOKEN.match(pattern, position)
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
    members = [each[0] for each in _COSTLY_MEMBER.finditer(inside)]
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


LONGEST = 256
MOST_BYTES = 1024 * 1024
r"""Limit on the memory of one compiled pattern, as `pattern_cost` estimates it.

Most published patterns take up to 16 KiB. `^.{1,255}$` takes a quarter of this limit, and `^\p{L}{60}$` takes three
times this limit.
"""
MOST_BYTES_OF_TOOL = 2 * 1024 * 1024
"""Limit on the memory of all compiled patterns of one tool, which a server keeps."""

_CHEAP = 64 * 1024
"""Limit on the memory of a pattern that the compiler itself matches with texts."""
_MOST_COMPILED = 16 * _CHEAP
"""Limit that the regex engine obeys. It is wide, since engines measure otherwise than `pattern_cost`."""
_LOOK_AROUND = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\(\?P?<|\(\?>|[*+?]\+|[\d,]\}\+")
_SAMPLES = {
    "date": ("2026-01-31",),
    "date-time": tuple(f"2026-01-31T12:30:45{rest}" for rest in ("Z", ".123Z", ".123456Z", "+00:00", ".123+00:00")),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "9b2f1c7e-5d4a-4b6c-8e3f-2a1b0c9d8e7f"),
}
"""Format → sample values. A pattern that matches no sample contradicts the format."""

_DATA = ("enum", "const", "default", "examples")
_OF_ARGUMENTS = frozenset(("type", "properties", "required"))
"""Keywords of schemas that only list arguments."""


def is_linear(pattern: str) -> bool:
    """Return True if `pattern` is short and takes little memory, and a linear-time engine accepts it."""
    return _fits(pattern, _CHEAP) and _compiled(pattern) is not None


@lru_cache(maxsize=4096)
def matches(pattern: str, text: str) -> bool:
    """Return True if `pattern` matches `text`; False also if a linear-time engine refuses it (see `is_linear`)."""
    validator = _compiled(pattern) if _fits(pattern, _CHEAP) else None
    return validator is not None and validator.is_valid(text)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> "Validator | None":
    import jsonschema_rs  # imported here, since only documents with patterns need it

    options = jsonschema_rs.RegexOptions(size_limit=_MOST_COMPILED)
    try:
        return jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options, offline=True)
    except ValueError:
        return None


def admits(pattern: str) -> bool:
    """Return True if a tool's schema may contain `pattern`, which must be short and cheap to check.

    The answer depends on the text of the pattern alone. No release of a library changes what is emitted.
    """
    return _fits(pattern, MOST_BYTES)


def _fits(pattern: str, most: int) -> bool:
    if len(pattern) > LONGEST or _LOOK_AROUND.search(pattern):
        return False
    cost = pattern_cost(pattern)
    return cost is not None and cost <= most


class HiddenPattern(NamedTuple):
    """A pattern that is shown differently from the document, or not at all, with the code of its diagnostic."""

    code: str
    pattern: str


def shown(node: JsonObject) -> tuple[str | None, HiddenPattern | None]:
    """Return the `pattern` that the tool's schema shows for `node`, or None if it shows none.

    Also return the finding about the pattern, or None.
    """
    written = node.get("pattern")
    if not isinstance(written, str):
        return None, None
    pattern = without_needless_escapes(without_slashes(written))
    if is_date_mask(written):
        return None, HiddenPattern("date-mask", written)
    if _is_impossible(pattern, node):
        return None, HiddenPattern("impossible-pattern", written)
    if not admits(pattern):
        return None, HiddenPattern("unchecked-pattern", written)
    if not is_ecma(pattern):
        return None, HiddenPattern("foreign-pattern", written)
    return pattern, HiddenPattern("mended-pattern", written) if pattern != written else None


def _is_impossible(pattern: str, node: JsonObject) -> bool:
    """Return True if a pattern matches nothing, or no value that the format, default, examples or enum beside it
    allow.
    """
    if not is_linear(pattern):
        return False
    if matches_nothing(pattern):
        return True
    told = [*as_list(node.get("examples")), node.get("default")]
    samples = _SAMPLES.get(str(node.get("format")), ())
    values = [value for value in as_list(node.get("enum")) if isinstance(value, str)]
    return (
        not all(matches(pattern, value) for value in told if isinstance(value, str))
        or bool(samples and not any(matches(pattern, sample) for sample in samples))
        or bool(values and not any(matches(pattern, value) for value in values))
    )


def unchecked(schemas: Iterable[JsonObject], once: ValueCache) -> tuple[str, ...]:
    """Return the patterns in the schemas of one tool that a server does not check.

    These are patterns that `admits` refuses, and patterns beyond the memory limit of a tool.
    """
    left = MOST_BYTES_OF_TOOL
    found: dict[str, bool] = {}
    for pattern in (pattern for schema in schemas for pattern in _of_tool(schema, once)):
        if pattern not in found:
            found[pattern] = _fits(pattern, min(left, MOST_BYTES))
            left -= (pattern_cost(pattern) or 0) if found[pattern] else 0
    return tuple(pattern for pattern, checked in found.items() if not checked)


def _of_tool(schema: JsonObject, once: ValueCache) -> Iterator[str]:
    """Yield the patterns of a tool's schema in order. Arguments that several tools share are searched once."""
    if schema.keys() <= _OF_ARGUMENTS:
        for name, argument in as_object(schema.get("properties")).items():
            yield from once.ask(_found, argument) if name not in _DATA else ()
    else:
        yield from _found(schema)


def _found(schema: JsonValue) -> tuple[str, ...]:
    # few schemas have patterns, and this test is faster than a walk over the schema
    return tuple(_patterns(schema)) if '"pattern' in compact(schema) else ()


def _patterns(value: JsonValue) -> Iterator[str]:
    """Yield the patterns of a schema in order: values of `pattern`, and keys of `patternProperties`."""
    left: list[JsonValue] = [value]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if isinstance(pattern := node.get("pattern"), str):
                yield pattern
            yield from as_object(node.get("patternProperties"))
            left += [member for key, member in reversed(node.items()) if key not in _DATA]
        elif isinstance(node, list):
            left += reversed(node)


# -- reports -----------------------------------------------------------------------------------------------------------


def report_patterns(tool: ToolSpec, unshown: Iterable[HiddenPattern], diagnostics: Diagnostics) -> None:
    """Report the patterns in `unshown`, which the input schema of `tool` lacks or contains in a corrected form.

    Each reason gets one diagnostic.
    """
    by_code: dict[str, dict[str, None]] = {}
    for code, pattern in unshown:
        by_code.setdefault(code, {})[pattern] = None
    for code, patterns in by_code.items():
        shown = ", ".join(clipped(pattern) for pattern in list(patterns)[:_MOST_REPORTED])
        more = f" and {len(patterns) - _MOST_REPORTED} more" if len(patterns) > _MOST_REPORTED else ""
        end, hint = _REPORTS[code]
        diagnostics.add(code, f"Patterns of {tool.name} {end}: {shown}{more}.", tool.operation.where, hint)
