# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Takes secrets out of what is on its way to the model: upstreams repeat headers and URLs in their errors.

A secret is looked for as it is, in base64 at each of the three offsets, and each of these in all ways of escaping
(escapes.py). Most texts hold none: that is known by one look for the parts of all forms that nothing escapes.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from . import escapes

REDACTED = "[redacted]"

MOST_LEARNT = 4
"""Of each source. Tokens that are renewed come without end; those before have expired."""

_SHORTEST_LINE = 16

# Shorter pieces of base64 occur by chance.
_SHORTEST_BASE64 = 8

_LOOKED_FOR = 32
"""Characters of an anchor by which the first look finds it."""

HEAD = 6
"""Characters by which the beginning of a secret is known; fewer say little of it."""


class Form:
    """One text to replace, in all ways of escaping. `anchor` is in each of them; `reach` is how long the longest is."""

    __slots__ = ("_head", "_pattern", "anchor", "encoded", "folded", "reach", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.anchor = escapes.anchor(text)
        self.encoded = self.anchor.encode()
        self.folded = self.anchor.lower()
        self.reach = sum(1 if each.isascii() and each.isalnum() else escapes.LONGEST for each in text)
        self._pattern = ""
        self._head: Form | None = None

    @property
    def pattern(self) -> str:
        """The regular expression; made when it is first needed, since most secrets never come back."""
        self._pattern = self._pattern or escapes.pattern(self.text)
        return self._pattern

    def head(self, text: str) -> int:
        """Where at the end of a text it may have begun; the length of the text where it has not."""
        self._head = head = self._head or Form(self.text[:HEAD])
        tail = max(0, len(text) - self.reach)
        if text.find(head.anchor, tail) < 0:
            return len(text)
        found = re.compile(head.pattern).search(text, tail)
        return found.start() if found else len(text)


class Redactor:
    """Replaces some secrets: those that it is made with, and those that it learnt, of each source the latest and
    whatever came up since the oldest call began that has not ended."""

    __slots__ = ("_calls", "_finds", "_folded", "_forms", "_learnt", "_secrets", "_turn")

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets: dict[str, list[Form]] = {}
        self._learnt: dict[tuple[str, str], tuple[list[Form], int]] = {}
        self._calls: dict[int, None] = {}
        self._turn = 0
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """More to replace, for good."""
        self._secrets |= {each: _forms(each) for each in secrets if each not in self._secrets}
        self._prepare()

    def learn(self, secret: str, source: str = "token") -> None:
        """One more, which is in use now. One source does not make the secrets of another forgotten."""
        key = source, secret
        known = self._learnt.pop(key, None)
        self._learnt[key] = (known[0] if known else _forms(secret)), self._turn  # the latest at the end
        if known is None:
            self._forget()

    def during(self) -> During:
        """A call, in which nothing is forgotten that was in use since it began."""
        self._turn += 1
        return During(self._calls, self._turn)

    def _forget(self) -> None:
        """Keep what calls may still bring back, and the latest of each source."""
        oldest = next(iter(self._calls), self._turn + 1)
        count: dict[str, int] = {}
        for key, (_, turn) in reversed(list(self._learnt.items())):
            count[key[0]] = count.get(key[0], 0) + 1
            if count[key[0]] > MOST_LEARNT and turn < oldest:
                del self._learnt[key]
        self._prepare()

    def _prepare(self) -> None:
        learnt = (forms for forms, _ in self._learnt.values())
        forms = {form.text: form for each in (*self._secrets.values(), *learnt) for form in each}
        # The longest first: one form may be a part of another.
        self._forms = sorted(forms.values(), key=lambda form: (-len(form.text), form.text))
        self._folded = [form.folded for form in self._forms]
        self._finds: Callable[[str], bool] | None = None

    def may_be_in(self, text: str) -> bool:
        """Whether the text may hold a secret, in whatever way it is written: false of most texts, at little cost."""
        finds = self._finds = self._finds or self._finder()
        return finds(text)

    def _finder(self) -> Callable[[str], bool]:
        """What finds the anchors. Their beginnings say enough, and of long ones too much would have to be built."""
        from .validators import finder  # some are made before anything heavy is loaded, and not asked until later

        return finder({form.anchor[:_LOOKED_FOR] for form in self._forms})

    def text(self, text: str) -> str:
        """The text without secrets."""
        if self.may_be_in(text) and (found := [form.pattern for form in self._forms if form.anchor in text]):
            return re.sub("|".join(found), REDACTED, text)
        return text

    def field(self, text: str) -> str:
        """The same for the value of a header field, parts of which may have come to be in lower case."""
        folded = text.lower()
        if not any(map(folded.__contains__, self._folded)):
            return text  # as most
        if found := [form.pattern for form in self._forms if form.folded in folded]:
            return re.sub("|".join(found), REDACTED, text, flags=re.IGNORECASE)
        return text

    def content(self, content: bytes) -> bytes:
        """The bytes without secrets."""
        found = _search(self._forms, content)
        return found.sub(REDACTED.encode(), content) if found else content

    def begun(self, text: str) -> str:
        """The beginning of a longer text without the head of a secret whose rest was cut off."""
        return text[: min((form.head(text) for form in self._forms), default=len(text))]

    def stream(self) -> Stream:
        """Something that does it piece by piece."""
        return Stream(self._forms)

    def whole(self, value: Any) -> Any:
        """As `value`, for what may be large: most need not be walked, as one look at all of it written out says."""
        try:
            written = json.dumps(value, ensure_ascii=False)
        except (ValueError, TypeError):  # a hook made it
            return self.value(value)
        return self.value(value) if self.may_be_in(written) else value

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


class During:
    """A call and its turn, which is among those of `calls` inside a `with` block."""

    __slots__ = ("_calls", "_turn")

    def __init__(self, calls: dict[int, None], turn: int) -> None:
        self._calls = calls
        self._turn = turn

    def __enter__(self) -> None:
        self._calls[self._turn] = None

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        del self._calls[self._turn]


class Stream:
    """Takes secrets out of bytes that come in pieces, also where one lies across two of them."""

    __slots__ = ("_forms", "_reach", "_rest")

    def __init__(self, forms: list[Form]) -> None:
        """`forms` are what is looked for, the longest first."""
        self._forms = forms
        self._reach = max((form.reach for form in forms), default=1) - 1
        self._rest = b""

    def feed(self, data: bytes, last: bool = False) -> bytes:
        """What can be said of the bytes so far: all but the end, in which a secret may have begun."""
        buffer = self._rest + data
        sure = len(buffer) if last else max(0, len(buffer) - self._reach)
        made, at = [], 0
        if search := _search(self._forms, buffer):
            for found in search.finditer(buffer):
                if found.start() >= sure:
                    break
                made += [buffer[at : found.start()], REDACTED.encode()]
                at = found.end()
        self._rest = buffer[max(at, sure) :]
        return b"".join([*made, buffer[at : max(at, sure)]])


def _search(forms: list[Form], content: bytes) -> re.Pattern[bytes] | None:
    """What finds those of the forms that may be there; None where none is."""
    found = [form.pattern for form in forms if form.encoded in content]
    return re.compile("|".join(found).encode()) if found else None


def _forms(secret: str) -> list[Form]:
    texts = {secret}
    for offset in range(3):
        raw = b"\0" * offset + secret.encode()
        # Only the characters that no neighbour of the secret has a part in.
        inner = slice(-(-offset * 8 // 6), len(raw) * 8 // 6)
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            encoded = encode(raw).decode()[inner]
            if len(encoded) >= _SHORTEST_BASE64:
                texts.add(encoded)
    return [Form(each) for each in texts | _lines(secret)]


def _lines(secret: str) -> set[str]:
    """The lines of a key of many lines, which may come back with other line ends, or in part."""
    lines = [line.strip() for line in secret.split("\n")] if "\n" in secret else []
    return {line for line in lines if len(line) >= _SHORTEST_LINE}
