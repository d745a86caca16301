"""Read the conversation files in `specs/examples`.

A scene is a block of lines. The first line is its title, after `#`. Below it may be the following lines:

    @ 2025-06-18 2025-11-25      the revisions in which it is played, by default all five, or `none`
    + elicitation                a capability of the client
    $ CLINICAL_ROLES=researcher  a variable of the server's environment

The lines after these show the exchange in order: `>` a message of the client, `<` a message of the server, `*` a
request that reaches the API, `~` a line of the audit file. Consecutive lines of the client are sent together, and their
responses may come in any order. Members that all messages of a revision have are left out (`jsonrpc`, the `_meta` of
2026-07-28 and the members that its results have in addition). The handshake of the other revisions is left out, too.
With `none`, the client sends neither a handshake nor a protocol revision.

In a message of the server, `…` stands for any value, also at the end of a text; as a member it stands for any further
members. `$API` is the URL of the API. Any other `$WORD` is a text that the client remembers, and may send later.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.runtime.revisions import REVISIONS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "specs" / "examples"
NAMES = tuple(sorted(path.parent.name for path in EXAMPLES.glob("*/*.tools.yaml")))
BARE = "none"
ANYTHING = "…"


class Exchange(NamedTuple):
    """Messages that the client sends together, all messages that it then receives, and all requests to the API."""

    said: list[dict[str, Any]]
    heard: list[dict[str, Any]]
    requests: list[str]


class Scene(NamedTuple):
    """One block of a conversation file. `audited`: the lines of the audit file."""

    title: str
    revisions: tuple[str, ...]
    capabilities: tuple[str, ...]
    environment: Mapping[str, str]
    exchanges: list[Exchange]
    audited: list[dict[str, Any]]

    @property
    def opens(self) -> bool:
        """Return True if the first message of this block is an `initialize` request."""
        return self.exchanges[0].said[0].get("method") == "initialize"


def scenes(name: str) -> list[Scene]:
    """Read an example's `conversation.jsonl`. Return its scenes: blocks of lines, separated by blank lines."""
    blocks = (EXAMPLES / name / "conversation.jsonl").read_text(encoding="utf-8").strip().split("\n\n")
    return [_scene([(line[0], line[2:]) for line in block.splitlines()]) for block in blocks]


def _scene(lines: list[tuple[str, str]]) -> Scene:
    def marked(mark: str) -> list[str]:
        return [text for each, text in lines if each == mark]

    assert lines[0][0] == "#", "a scene begins with what it shows"
    assert {mark for mark, _ in lines} <= set("#@+$><*~")
    revisions = tuple(" ".join(marked("@")).split()) or REVISIONS
    assert {*revisions} <= {*REVISIONS, BARE}, lines[0]
    return Scene(
        title=lines[0][1],
        revisions=revisions,
        capabilities=tuple(" ".join(marked("+")).split()),
        environment=dict(pair.split("=", 1) for pair in marked("$")),
        exchanges=list(_exchanges(lines)),
        audited=[json.loads(text) for text in marked("~")],
    )


def _exchanges(lines: list[tuple[str, str]]) -> Iterator[Exchange]:
    current = Exchange([], [], [])
    for mark, text in lines:
        if mark == ">":
            if current.heard or current.requests:
                yield current
                current = Exchange([], [], [])
            current.said.append(json.loads(text))
        elif mark == "<":
            current.heard.append(json.loads(text))
        elif mark == "*":
            current.requests.append(text)
    yield current


def fits(expected: Any, found: Any, remembered: dict[str, str]) -> bool:
    """Return True if `found` matches `expected`. Values for `$WORD` are stored in `remembered`."""
    if isinstance(expected, str) and expected[:1] == "$" and expected[1:].isupper() and isinstance(found, str):
        return remembered.setdefault(expected, found) == found
    if isinstance(expected, str) and expected.endswith(ANYTHING):
        beginning = with_words(expected, remembered).removesuffix(ANYTHING)
        return not beginning or (isinstance(found, str) and found.startswith(beginning))
    if isinstance(expected, dict) and isinstance(found, dict):
        known = expected.keys() - {ANYTHING}
        enough = known <= found.keys() if ANYTHING in expected else known == found.keys()
        return enough and all(fits(expected[key], found[key], remembered) for key in known)
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(fits(*pair, remembered) for pair in pairs)
    return type(expected) is type(found) and bool(with_words(expected, remembered) == found)


def with_words(value: Any, remembered: Mapping[str, str]) -> Any:
    """Return the value with each `$WORD` replaced by its remembered text."""
    if isinstance(value, dict):
        return {key: with_words(each, remembered) for key, each in value.items()}
    if isinstance(value, list):
        return [with_words(each, remembered) for each in value]
    if isinstance(value, str):
        for word, text in remembered.items():
            value = value.replace(word, text)
    return value
