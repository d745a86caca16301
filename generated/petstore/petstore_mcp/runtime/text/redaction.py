# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Takes secrets out of what is on its way to the model: upstreams repeat headers and URLs in their errors.

A secret is looked for as it is, in base64 at each of the three offsets, and each of these behind escapes (escapes.py).
Most texts hold none: that is known by one look for the parts of all forms that nothing escapes. Not recognised are
secrets in hexadecimal, in base64 of base64, and with letters that are percent-encoded or in another case.

All of it takes time that is linear in the text, whatever the secrets are: an upstream chooses some of them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

from . import escapes

REDACTED = "[redacted]"

MOST_LEARNT = 4
"""Of each source. Tokens that are renewed come without end; those before have expired."""

_SHORTEST_LINE = 16

# Shorter pieces of base64 occur by chance, and shorter texts once their escapes are undone.
_SHORTEST_BASE64 = 8
_SHORTEST_UNDONE = 6

_LOOKED_FOR = 32
"""Characters of an anchor by which the first look finds it."""

HEAD = 6
"""Characters by which the beginning of a secret is known; fewer say little of it."""

Span = tuple[int, int]


class Form:
    """One text to replace. `anchor` is in it however it is escaped; `reach` is how many bytes it may become."""

    __slots__ = ("_head", "_letters", "_undone", "anchor", "content", "encoded", "folded", "reach", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.content = _bytes(text)
        self.anchor = escapes.anchor(text)
        self.encoded = self.anchor.encode()
        self.folded = self.anchor.lower()
        self.reach = len(text) * escapes.LONGEST
        self._letters = any(character in text for character in "\n\r\t\b\f")
        self._undone: bytes | None = None
        self._head: Form | None = None

    def plain(self, content: Content) -> list[Span]:
        """Return where it stands in the content as it is."""
        return list(_places(content.raw, self.content))

    def escaped(self, content: Content) -> Iterator[Span]:
        """Yield where it stands in the content, as it is or behind escapes."""
        undone = content.undone(self._letters)
        for start, end in _places(undone.text, self._without_escapes()):
            yield undone.start(start), undone.end(end)

    def may_be_escaped(self, content: Content, plain: list[Span]) -> bool:
        """Return whether its anchor stands anywhere but where it stands as it is: escapes are undone for that alone."""
        return not self.encoded or content.raw.count(self.encoded) > len(plain) * self.content.count(self.encoded)

    def head(self) -> Form:
        """Return the beginning, by which it is known where its end was cut off."""
        self._head = self._head or Form(self.text[:HEAD])
        return self._head

    def _without_escapes(self) -> bytes:
        """Return what is left of it once its own escapes are undone; nothing where that is too little."""
        if self._undone is None:
            undone = escapes.undo(self.content, self._letters).text
            self._undone = undone if len(undone) >= _SHORTEST_UNDONE else b""
        return self._undone


class Content:
    """Bytes in which secrets are looked for, and, once that was asked for, the same without escapes. Where it is
    `folded`, both are in lower case.
    """

    __slots__ = ("_folded", "_given", "_undone", "raw")

    def __init__(self, given: bytes, folded: bool = False) -> None:
        self.raw = given.lower() if folded else given
        self._given = given
        self._folded = folded
        self._undone: dict[bool, escapes.Unescaped] = {}

    def undone(self, letters: bool) -> escapes.Unescaped:
        """Return it without escapes."""
        if letters not in self._undone:
            undone = self._undone[letters] = escapes.undo(self._given, letters)
            undone.text = undone.text.lower() if self._folded else undone.text
        return self._undone[letters]


def _places(content: bytes, wanted: bytes) -> Iterator[Span]:
    """Yield where that stands. CPython's search is linear (two-way, from 3.10 on)."""
    at = content.find(wanted) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted)
        at = content.find(wanted, at + len(wanted))


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


# Decision 0077: Redaction undoes escapes and then looks for bytes.
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
        return finds(text) or ("\\" in text and bool(self._forms) and escapes.has_escaped_letters(text))

    def _finder(self) -> Callable[[str], bool]:
        """What finds the anchors. Their beginnings say enough, and of long ones too much would have to be built."""
        from .patterns import finder  # some are made before anything heavy is loaded, and not asked until later

        return finder({form.anchor[:_LOOKED_FOR] for form in self._forms})

    def text(self, text: str) -> str:
        """The text without secrets."""
        if not self.may_be_in(text):
            return text
        return _replaced(self._forms, _bytes(text)).decode(errors="surrogatepass")

    def field(self, text: str) -> str:
        """The same for the value of a header field, parts of which may have come to be in lower case."""
        folded = text.lower()
        escaped = "\\" in text and escapes.has_escaped_letters(text)
        if not escaped and not any(map(folded.__contains__, self._folded)):
            return text  # as most
        in_lower_case = [Form(form.text.lower()) for form in self._forms]
        return _replaced(in_lower_case, _bytes(text), folded=True).decode(errors="surrogatepass")

    def content(self, content: bytes) -> bytes:
        """The bytes without secrets."""
        return _replaced(self._forms, content)

    def begun(self, text: str) -> str:
        """The beginning of a longer text without the head of a secret whose rest was cut off."""
        reach = max((form.reach for form in self._forms), default=0)
        tail = _bytes(text[-reach:]) if reach else b""
        heads = [form.head() for form in self._forms]
        starts = [start for start, _ in _spans(heads, Content(tail))]
        return text[: len(text) - len(tail[starts[0] :].decode(errors="surrogatepass"))] if starts else text

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
        self._forms = forms
        self._reach = max((form.reach for form in forms), default=1) - 1
        self._rest = b""

    def feed(self, data: bytes, last: bool = False) -> bytes:
        """What can be said of the bytes so far: all but the end, in which a secret may have begun."""
        buffer = self._rest + data
        sure = len(buffer) if last else max(0, len(buffer) - self._reach)
        made, at = [], 0
        for start, end in _spans(self._forms, Content(buffer)):
            if start >= sure:
                break
            made += [buffer[at:start], REDACTED.encode()]
            at = end
        self._rest = buffer[max(at, sure) :]
        return b"".join([*made, buffer[at : max(at, sure)]])


def _replaced(forms: list[Form], content: bytes, folded: bool = False) -> bytes:
    """Return the content with the forms replaced; `folded` is whether they are in lower case, and it may not be."""
    made, at = [], 0
    for start, end in _spans(forms, Content(content, folded)):
        made += [content[at:start], REDACTED.encode()]
        at = end
    return b"".join([*made, content[at:]]) if made else content


def _spans(forms: list[Form], content: Content) -> list[Span]:
    """Return where any of the forms stands, in order. Those that overlap are one."""
    has_letters = b"\\u00" in content.raw
    found: list[Span] = []
    for form in forms:
        if has_letters or form.encoded in content.raw:
            found += (plain := form.plain(content))
            if has_letters or form.may_be_escaped(content, plain):
                found += form.escaped(content)
    merged: list[Span] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _forms(secret: str) -> list[Form]:
    texts = {secret}
    for offset in range(3):
        raw = b"\0" * offset + secret.encode(errors="surrogatepass")
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
