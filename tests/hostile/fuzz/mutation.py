"""Mutate well-formed inputs at random: JSON values, their members, and bytes. The same seed gives the same mutations.

JSON is mutated as a tree that can also hold repeated members, numbers of any length and lone surrogates. So most
results are nearly valid, and parsers differ most on such texts.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any


class Raw(str):
    """A piece of JSON text that is written unchanged, whether it is valid or not."""


class Members(list[tuple[str, Any]]):
    """A JSON object as an ordered list of its members. Names may repeat."""


RAW = [
    *("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "-0", "1.0", "1e2", "1e400", "01", "+1", ".5", "0x10", "tru"),
    *("9" * 308, "9" * 309, "1" + "0" * 5000, "0." + "1" * 3000, str(2**63), str(2**53 + 1), "1E-400", "-", "'x'"),
    *(r'"\ud800"', r'"\ud83d\ude00"', r'"\udc00\ud800"', r'"\u0000"', r'"\x"', r'"\u12"', '"\t"', '"\x7f"', '"'),
    *("[" * 200, "[" * 129 + "]" * 129, "[" * 128 + "]" * 128, '{"a":' * 200 + "1" + "}" * 200, "[1,]", "{,}", '{"a"}'),
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 1.5, 2**31, "", " ", "x", "ping", [], {}, [None], {"a": 1}, [[]], "2.0", 7, "7"),
    *("..", ".", "...", "%2e%2e", "%252e", "a/b", "..\\", "a?x=1", "a#f", "a;b=c", "a&b=c", "//evil/x", "http://evil/"),
    *("a\r\nX-Evil: 1", "a\nb", "a\x00b", "\x7f", "é", "日本", "\u2028", "\u0085", "\u202e", "😀", "a; admin=1", '"'),
    *("x" * 1025, "x" * 40_000, "\ufeffx", "file:x", "file:../../etc/passwd", "2025-03-26", "2026-07-28", "2024-11-05"),
    *("__proto__", "constructor", "[redacted]", "{id}", "${x}", "%s%n", "\u001b[31m", "=", "/", "AAEC", "-32700"),
]
NAMES = [
    *(
        "jsonrpc",
        "id",
        "method",
        "params",
        "name",
        "arguments",
        "_meta",
        "result",
        "error",
        "cursor",
        "uri",
        "requestId",
    ),
    *("progressToken", "protocolVersion", "capabilities", "elicitation", "requestState", "inputResponses", "q", "tags"),
    *(
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientCapabilities",
        "",
        "Method",
        "ID",
        "x_t",
    ),
    *("sid", "count", "__proto__", "Authorization", "x_key", "X-Key", "task", "\ud800", "a" * 2000),
]
BYTES = [
    *(b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\t", b" "),
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b"e", b"\x1b[31m", b"\xe2\x80\xa8", b"\xc2\x85"),
]


def text(chance: Random, tree: Any) -> str:
    """Return the tree as JSON text, sometimes with needless escapes or white space."""
    if isinstance(tree, Raw):
        return tree
    gap = chance.choice(("", "", "", "", " ", "\r", "\t")) if chance.random() < 0.05 else ""
    if isinstance(tree, Members):
        return "{" + ",".join(f"{gap}{_string(chance, name)}:{text(chance, each)}" for name, each in tree) + gap + "}"
    if isinstance(tree, list):
        return "[" + gap.join(("", ",".join(text(chance, each) for each in tree), "")) + "]"
    return _string(chance, tree) if isinstance(tree, str) else json.dumps(tree)


def parsed(source: str | bytes) -> Any:
    """Parse a JSON text into a tree, in which each object is a list of its members (`Members`)."""
    return json.loads(source, object_pairs_hook=Members)


def tree_of(value: Any) -> Any:
    """Convert a JSON value into a tree as `parsed` returns it, in which each object is a list of its members."""
    return parsed(json.dumps(value))


def mutated(chance: Random, tree: Any, times: int) -> Any:
    """Return the tree with this many changes at random places."""
    for _ in range(times):
        places = list(_places(tree))
        if not places:
            return _value(chance)
        _change(chance, *chance.choice(places))
    return tree


def torn(chance: Random, data: bytes, times: int, other: bytes = b"") -> bytes:
    """Return the bytes with this many random changes. A change may insert a piece of `other`."""
    for _ in range(times):
        at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + chance.choice((1, 2, 8, 64, 10**9)))
        kind = chance.randrange(7)
        if kind == 0 and data:
            at = min(at, len(data) - 1)
            data = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + chance.choice(BYTES) + data[at:]
        elif kind == 2:
            data = data[:at] + data[to:]
        elif kind == 3:
            data = data[:to] + data[at:to] * chance.choice((1, 1, 2, 50)) + data[to:]
        elif kind == 4:
            data = data[:to] if chance.random() < 0.5 else data[at:]
        elif kind == 5 and other:
            data = data[:at] + other[chance.randrange(len(other)) :]
        else:
            data = data[:at] + bytes(chance.randrange(256) for _ in range(chance.randrange(1, 9))) + data[at:]
    return data


def _string(chance: Random, value: str) -> str:
    if chance.random() < 0.02 and 0 < len(value) < 100:
        return '"' + "".join(f"\\u{ord(each):04x}" if ord(each) < 65536 else each for each in value) + '"'
    return json.dumps(value, ensure_ascii=chance.random() < 0.5 or any("\ud800" <= each <= "\udfff" for each in value))


def _places(tree: Any) -> Any:
    """Return a pair (list, index) for each item of each list in the tree."""
    if isinstance(tree, list) and not isinstance(tree, str):
        for index, each in enumerate(tree):
            yield tree, index
            yield from _places(each[1] if isinstance(tree, Members) else each)


def _change(chance: Random, home: list[Any], index: int) -> None:
    kind = chance.randrange(10)
    if isinstance(home, Members):
        name, value = home[index]
        if kind < 4:
            home[index] = name, _value(chance)
        elif kind == 4:
            home[index] = chance.choice((name.upper(), name + "x", name[:-1], chance.choice(NAMES))), value
        elif kind == 5:
            del home[index]
        elif kind == 6:
            home.insert(chance.randrange(len(home) + 1), (name, chance.choice((value, _value(chance)))))
        elif kind == 7:
            home.insert(index, (chance.choice(NAMES), _value(chance)))
        elif kind == 8:
            home[index] = name, [value] * chance.choice((1, 2, 20))
        else:
            home.append(home.pop(index))
    elif kind < 5:
        home[index] = _value(chance)
    elif kind == 5:
        del home[index]
    else:
        home.insert(index, chance.choice((home[index], _value(chance))))


def _value(chance: Random) -> Any:
    kind = chance.randrange(10)
    if kind < 6:
        return tree_of(chance.choice(VALUES))
    if kind < 9:
        return Raw(chance.choice(RAW))
    return "".join(chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x3000)))) for _ in range(20))
