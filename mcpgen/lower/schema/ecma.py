"""Check regular expressions as JSON Schema defines them: ECMA 262 with the flag `u` (2020-12, 6.3.3).

With this flag, ECMA 262 refuses much that other dialects accept. A client whose library refuses one pattern may lose
the whole tool.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

_HEX = "[0-9A-Fa-f]"
_CODE = rf"[fnrtv]|c[A-Za-z]|0(?![0-9])|x{_HEX}{{2}}|u{_HEX}{{4}}|u\{{{_HEX}{{1,6}}\}}|[\^$\\.*+?()\[\]{{}}|/]"
_SET = r"[dDwWsS]|[pP]\{[A-Za-z_]+(?:=[A-Za-z0-9_]+)?\}"
_NAME = r"<[A-Za-z_$][A-Za-z0-9_$]*>"
TOKEN = re.compile(
    rf"(?P<open>\((?:\?(?::|(?P<around><?[=!])|{_NAME}))?)|(?P<close>\))|(?P<border>[|^$]|\\[bB])"
    rf"|(?P<repeat>(?:[*+?]|\{{[0-9]+(?:,[0-9]*)?\}})\??)"
    rf"|(?P<list>\[\^?(?:[^\]\\]|\\.)*\])|(?P<atom>\\(?:{_CODE}|{_SET}|[1-9][0-9]*|k{_NAME})|[^\\()\[\]{{}}*+?|^$])",
    re.DOTALL,
)
MEMBER = re.compile(rf"\\(?P<set>{_SET})|\\(?:{_CODE}|[b-])|[^\\\]]", re.DOTALL)
_NEEDLESS = re.compile(r"\\(?:([^\s\w<>^$.*+?()\[\]{}|/\\-])|([-_ ])|(.))", re.DOTALL)


@lru_cache(maxsize=1024)  # cached, since many members of a document share one pattern
def is_ecma(pattern: str) -> bool:
    """Return True if `pattern` is a regular expression of ECMA 262 with the flag `u`."""
    position, groups, may_repeat = 0, list[bool](), False
    while position < len(pattern):
        token = TOKEN.match(pattern, position)
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
        member = MEMBER.match(members, position)
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
