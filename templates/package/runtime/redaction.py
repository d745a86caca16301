# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Takes secrets out of what is on its way to the model: upstreams repeat headers and URLs in their errors.

A secret is looked for as it is and as it may have been encoded on the way: percent-encoded, inside JSON or HTML, inside
base64 at each of the three offsets. Searching is plain, one pass for each form, so its cost is linear in the text.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"

MOST_LEARNT = 16
"""Tokens that are renewed come without end; those before have expired."""

_SHORTEST_LINE = 16

# Shorter pieces of base64 occur by chance.
_SHORTEST_BASE64 = 8

#: What HTML writes for them. The module `html` holds two thousand more, and all of them in memory.
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class Redactor:
    """Replaces the forms of some secrets: of those that it is made with, and of the latest that it learnt."""

    __slots__ = ("_encoded", "_forms", "_learnt", "_secrets")

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = list(secrets)
        self._learnt: dict[str, list[str]] = {}
        self._prepare()

    def add(self, secrets: Iterable[str]) -> None:
        """More to replace, for good."""
        self._secrets = list(dict.fromkeys([*self._secrets, *secrets]))
        self._prepare()

    def learn(self, secret: str, source: str = "token") -> None:
        """One more, which came up on the way. One source does not make the secrets of another forgotten."""
        learnt = self._learnt.get(source, [])
        self._learnt[source] = [*(each for each in learnt if each != secret), secret][-MOST_LEARNT:]
        self._prepare()

    def _prepare(self) -> None:
        secrets = [*self._secrets, *(each for learnt in self._learnt.values() for each in learnt)]
        forms = {form for secret in secrets for form in _forms(secret)}
        # The longest first: one form may be a part of another.
        self._forms = sorted(forms, key=lambda form: (-len(form), form))
        self._encoded = [form.encode() for form in self._forms]

    def text(self, text: str) -> str:
        """The text without secrets."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, REDACTED)
        return text

    def content(self, content: bytes) -> bytes:
        """The bytes without secrets."""
        for form in self._encoded:
            if form in content:
                content = content.replace(form, REDACTED.encode())
        return content

    def stream(self) -> Stream:
        """Something that does it piece by piece."""
        return Stream(self._encoded)

    def value(self, value: Any) -> Any:
        """A JSON value without secrets, names of members included; a number that is one becomes text."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value if self.text(written := json.dumps(value)) == written else REDACTED
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(member) for name, member in value.items()}
        return value


class Stream:
    """Takes secrets out of bytes that come in pieces, also where one lies across two of them."""

    __slots__ = ("_any", "_forms", "_reach", "_rest")

    def __init__(self, forms: list[bytes]) -> None:
        """`forms` are what is looked for, the longest first."""
        self._forms = forms
        self._any = re.compile(b"|".join(map(re.escape, forms)))
        self._reach = len(forms[0]) - 1 if forms else 0
        self._rest = b""

    def feed(self, data: bytes, last: bool = False) -> bytes:
        """What can be said of the bytes so far: all but the end, in which a secret may have begun."""
        buffer = self._rest + data
        sure = len(buffer) if last else max(0, len(buffer) - self._reach)
        made, at = [], 0
        if any(form in buffer for form in self._forms):  # many times as quick as to look for all at once
            for found in self._any.finditer(buffer):
                if found.start() >= sure:
                    break
                made += [buffer[at : found.start()], REDACTED.encode()]
                at = found.end()
        self._rest = buffer[max(at, sure) :]
        return b"".join([*made, buffer[at : max(at, sure)]])


def _forms(secret: str) -> set[str]:
    forms = {secret, quote(secret, safe=""), quote(secret), quote_plus(secret)}
    forms |= {form.replace("%", "%25") for form in forms if "%" in form}
    forms |= {_lowered(form) for form in forms}
    escaped = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    unquoted = secret.translate(_MARKUP)
    marked_up = unquoted.replace('"', "&quot;").replace("'", "&#x27;")
    forms |= {marked_up, marked_up.replace("&quot;", "&#34;").replace("&#x27;", "&#39;"), unquoted}
    forms |= escaped | {form.replace("/", "\\/") for form in escaped}
    for offset in range(3):
        raw = b"\0" * offset + secret.encode()
        # Only the characters that no neighbour of the secret has a part in.
        inner = slice(-(-offset * 8 // 6), len(raw) * 8 // 6)
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            encoded = encode(raw).decode()[inner]
            if len(encoded) >= _SHORTEST_BASE64:
                forms.add(encoded)
    return forms | _lines(secret)


def _lines(secret: str) -> set[str]:
    """The lines of a key of many lines, which may come back with other line ends, or in part."""
    lines = [line.strip() for line in secret.split("\n")] if "\n" in secret else []
    return {form for line in lines if len(line) >= _SHORTEST_LINE for form in (line, line.replace("/", "\\/"))}


def _lowered(text: str) -> str:
    """With percent-encoded triples in lower case, as some write them."""
    head, *pieces = text.split("%")
    return "%".join([head, *(piece[:2].lower() + piece[2:] for piece in pieces)])
