# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Redaction: remove secrets from texts for the model, because upstreams repeat headers and URLs in their errors.

A secret is found in plain form, in base64 at each of the three byte offsets, and in each of these forms under JSON,
HTML and percent escapes, each of which may be nested several times. Escapes are undone in both the secret and the text.
Then the secret's bytes are searched in the text's bytes. This takes linear time for every secret, unlike a regular
expression with all escapes of each character. All backslashes are removed, because each layer of escaping doubles them.

An anchor is the part of a secret that no escape changes. A quick search for anchors shows that most texts contain no
secret. Secrets in hexadecimal, in base64 of base64, with percent-encoded letters or in another letter case are not
found.

Every step takes time linear in the text, whatever the secrets are. This matters because an upstream chooses some of
them (tokens).
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

LONGEST = 36
"""Maximum number of bytes for one escaped character.

These are four UTF-8 bytes, each percent-encoded three times, plus backslashes.
"""

_ROUNDS = 3
"""Number of layers of escapes that are undone after the first. Consecutive layers of one kind count as one."""

#: Names of ASCII punctuation in HTML. The module `html` would hold two thousand more names in memory.
_CALLED = (
    "excl quot num dollar percnt amp apos lpar rpar ast plus comma period sol colon semi lt equals gt quest commat "
    "lsqb|lbrack bsol rsqb|rbrack Hat lowbar grave lcub|lbrace verbar|vert|VerticalLine rcub|rbrace"
)
_NAMES = {
    name: character
    for names, character in zip(_CALLED.split(" "), "!\"#$%&'()*+,./:;<=>?@[\\]^_`{|}", strict=True)
    for name in names.split("|")
}
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}

_ESCAPES = (
    rb"\\+u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2})|\\+u(?P<unit>[0-9a-fA-F]{4})"
    rb"|\\+x(?P<byte>[0-9a-fA-F]{2})%b|\\+"
    rb"|(?P<percent>(?:%%(?:25)*[0-9a-fA-F]{2})+)"
    rb"|&(?:amp;)*(?:#0*(?P<decimal>[0-9]{1,7})|#[xX]0*(?P<hex>[0-9a-fA-F]{1,6})|(?P<name>%b));?"
)
_HTML = "|".join(sorted(_NAMES, key=len, reverse=True)).encode()
_PLAIN = re.compile(_ESCAPES % (b"", _HTML))
_WITH_LETTERS = re.compile(_ESCAPES % (rb"|\\+(?P<letter>[nrtbf])", _HTML))
_TRIPLE = re.compile(rb"%(?:25)*([0-9a-fA-F]{2})")
_BLANK = bytes.maketrans(b"+", b" ")
_ALPHANUMERIC = re.compile("[0-9A-Za-z]+")
_ESCAPED_LETTER = re.compile(r"\\u00(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])")


class Unescaped:
    """Content with one layer of escapes undone (`text`), and a mapping from positions in `text` to positions in the
    content.
    """

    __slots__ = ("_before", "_content", "_text", "text")

    def __init__(self, content: bytes, letters: bool, before: Unescaped | None = None) -> None:
        r"""Undo one layer of escapes in `content`, and map positions in the result to positions in `content`.

        With `letters`, also undo escapes of a backslash and a letter, such as `\n`. This is needed for secrets that
        contain control characters.
        `before`: the layer that was undone before this layer, and whose `text` is therefore `content`; or None.
        """
        self._before = before
        # After a first 0, each list holds two positions for each escape. `_content`: its start and end in `content`.
        # `_text`: start and end, in `self.text`, of the bytes that replace the escape.
        self._text: list[int] = [0]
        self._content: list[int] = [0]
        pieces, done, size = [], 0, 0
        for found in (_WITH_LETTERS if letters else _PLAIN).finditer(content):
            start, end = found.span()
            meant = _meaning(found)
            pieces += [content[done:start], meant]
            size += start - done
            self._text += [size, size + len(meant)]
            self._content += [start, end]
            size, done = size + len(meant), end
        self.text = b"".join([*pieces, content[done:]])

    @property
    def is_changed(self) -> bool:
        """Return True if at least one escape (JSON, HTML or percent-encoding) was undone."""
        return len(self._text) > 1

    def start(self, at: int) -> int:
        """Return the position in the original content at which the byte at position `at` of `text` begins.

        A byte that was escaped begins where its escape begins. A byte that followed removed backslashes begins at the
        first of these backslashes.
        """
        index = bisect_left(self._text, at)
        if index < len(self._text) and self._text[index] == at:
            found = self._content[index]
        elif index % 2:
            found = self._content[index - 1] + at - self._text[index - 1]
        else:
            found = self._content[index - 1]  # `at` is inside the text that one escape represents
        return found if self._before is None else self._before.start(found)

    def end(self, at: int) -> int:
        """Return the position in the original content just after the bytes that became `text[:at]`."""
        index = bisect_left(self._text, at)
        if index < len(self._text) and index % 2 == 0:
            found = self._content[index]  # `at` is inside or at the end of a decoded escape: return that escape's end
        else:
            found = self._content[index - 1] + at - self._text[index - 1]
        return found if self._before is None else self._before.end(found)


def undo(content: bytes, letters: bool = False) -> Unescaped:
    """Return the content with all layers of escapes undone. A plus sign becomes a space, as in forms."""
    found = Unescaped(content, letters)
    for _ in range(_ROUNDS if found.is_changed else 0):
        undone = Unescaped(found.text, letters, found)
        if not undone.is_changed:
            break
        found = undone
    found.text = found.text.translate(_BLANK)
    return found


def _meaning(found: re.Match[bytes]) -> bytes:
    """Return the bytes that an escape, or a sequence of percent-encoded bytes, represents.

    Return b"" for backslashes that begin no escape, since `undo` removes all backslashes.
    """
    kind = found.lastgroup
    if kind is None:
        return b""
    said = found[kind]
    if kind == "percent":
        return _in_utf_8(bytes(int(digits, 16) for digits in _TRIPLE.findall(said)))
    if kind == "pair":
        units = bytes.fromhex((said[:4] + said[-4:]).decode())
        return units.decode("utf-16-be").encode()
    if kind == "letter":
        return _LETTERS[said]
    if kind == "name":
        return _NAMES[said.decode()].encode()
    code = int(said, 10 if kind == "decimal" else 16)
    return chr(code).encode(errors="replace") if code <= 0x10FFFF else b""


def _in_utf_8(content: bytes) -> bytes:
    """Return valid UTF-8 unchanged; decode other bytes as Latin-1 and return them as UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1").encode()
    return content


def anchor(text: str) -> str:
    """Return the longest part of `text` that escaping leaves unchanged, so that a search need not undo escapes.

    Texts with escaped letters (`has_escaped_letters`) must be searched in another way.
    """
    return max(_ALPHANUMERIC.findall(text), key=len, default="")


def has_escaped_letters(text: str) -> bool:
    """Return True if the text contains letters or digits as JSON escapes, which no common JSON writer produces."""
    return _ESCAPED_LETTER.search(text) is not None


REDACTED = "[redacted]"

MOST_LEARNT = 4
"""Maximum number of fetched secrets that are kept per source.

Tokens are renewed repeatedly, and the oldest have expired.
"""

_SHORTEST_LINE = 16

# Minimum lengths of two forms of a secret: its base64, and the secret after undoing what looks like an escape in it.
# A shorter form is not searched for, since its characters occur in other texts by chance.
_SHORTEST_BASE64 = 8
_SHORTEST_UNDONE = 6

_LONGEST_CLEAN = 32 * 1024
"""Number of characters up to which a text without secrets stays remembered after it was asked for again."""

_ESCAPES_THAT_HIDE = ("\\b", "\\f", "\\u")  # looked for together with secrets (docs/decisions/speed.md)
"""Beginnings of JSON escapes that may stand for a letter of a secret, or for a hidden character."""

_LOOKED_FOR = 32
"""Number of characters of an anchor that the quick search uses."""

_MOST_DOUBLED = 8  # backslashes that stand for one backslash under three layers of escapes

HEAD = 6
"""Number of characters by which the beginning of a secret is recognized. A shorter beginning reveals little."""

Span = tuple[int, int]


class SecretForm:
    """One text to find and replace: a secret in one encoding.

    `anchor` is its longest part that no escape changes. `reach` is the maximum size in bytes of an escaped occurrence.
    """

    __slots__ = ("_head", "_letters", "_undone", "anchor", "content", "encoded", "folded", "reach", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.content = _bytes(text)
        self.anchor = anchor(text)
        self.encoded = self.anchor.encode()
        self.folded = self.anchor.lower()
        self.reach = len(text) * LONGEST
        self._letters = any(character in text for character in "\n\r\t\b\f")
        self._undone: bytes | None = None
        self._head: SecretForm | None = None

    def plain(self, content: Content) -> list[Span]:
        """Return the spans at which the text occurs unescaped in the content.

        A span includes adjacent backslashes that may belong to the JSON escape of the text's first or last character.
        If these backslashes stayed behind, the content would no longer be valid JSON.
        """
        opens = len(self.text) - len(self.text.lstrip("\\")) or int(self.text[:1] == '"')
        closes = len(self.text) - len(self.text.rstrip("\\"))
        found, raw = [], content.raw
        for start, end in _places(raw, self.content):
            before, after = raw[max(start - opens, 0) : start], raw[end : end + closes]
            found.append((start - _backslashes(before[::-1]), end + _backslashes(after)))
        return found

    def escaped(self, content: Content) -> Iterator[Span]:
        """Yield the spans of the content at which the text occurs after undoing escapes. If the text ends with
        backslashes, a span includes those that follow: an even number, so that the content stays valid JSON.
        """
        closes = (len(self.text) - len(self.text.rstrip("\\"))) * _MOST_DOUBLED
        undone = content.undone(self._letters)
        for start, end in _places(undone.text, self._without_escapes()):
            behind = undone.end(end)
            yield undone.start(start), behind + _backslashes(content.raw[behind : behind + closes]) // 2 * 2

    def may_be_escaped(self, content: Content, plain: list[Span]) -> bool:
        """Return True if `text` may also occur with escapes: its anchor is empty, or occurs outside the spans `plain`.

        The anchor is the longest part of `text` that no escape changes. `plain`: where `text` occurs unescaped.
        """
        return not self.encoded or content.raw.count(self.encoded) > len(plain) * self.content.count(self.encoded)

    def head(self) -> SecretForm:
        """Return the `SecretForm` of the first HEAD characters of this text, to find a secret whose end was cut off."""
        self._head = self._head or SecretForm(self.text[:HEAD])
        return self._head

    def _without_escapes(self) -> bytes:
        """Return the bytes of `text` after undoing parts that look like escapes (such as `%41`). The content in which
        `text` is searched is treated likewise. Return b"" if the result is too short to search for.
        """
        if self._undone is None:
            undone = undo(self.content, self._letters).text
            self._undone = undone if len(undone) >= _SHORTEST_UNDONE else b""
        return self._undone


class Content:
    """Bytes in which secrets are searched; on demand also the same bytes with escapes undone.

    With `folded`, all bytes are converted to lower case, so that letter case is ignored.
    """

    __slots__ = ("_folded", "_given", "_undone", "raw")

    def __init__(self, given: bytes, folded: bool = False) -> None:
        self.raw = given.lower() if folded else given
        self._given = given
        self._folded = folded
        self._undone: dict[bool, Unescaped] = {}

    def undone(self, letters: bool) -> Unescaped:
        r"""Return the content with JSON, HTML and percent escapes undone.

        `letters`: True if escapes of one letter, such as `\n`, are undone too.
        """
        if letters not in self._undone:
            undone = self._undone[letters] = undo(self._given, letters)
            undone.text = undone.text.lower() if self._folded else undone.text
        return self._undone[letters]


def _backslashes(content: bytes) -> int:
    """Return the number of backslashes at the beginning of `content`."""
    return len(content) - len(content.lstrip(b"\\"))


def _places(content: bytes, wanted: bytes) -> Iterator[Span]:
    """Yield the spans (start, end) at which the bytes `wanted` occur.

    CPython's search takes linear time (two-way algorithm).
    """
    at = content.find(wanted) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted)
        at = content.find(wanted, at + len(wanted))


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


# Escapes are decoded and then bytes compared, which takes linear time for any secret (docs/decisions/origins.md).

WORDS_AT_ONCE = 500
"""Words that one pattern searches for. 1,500 words of 32 characters would exceed patterns.PATTERN_BYTES."""


def finder(words: Collection[str]) -> Callable[[str], bool]:
    """Return a function that returns True if a text contains one of `words`, which consist of ASCII characters.

    WORDS_AT_ONCE words are searched at once. That takes 0.1 ms per megabyte; Python's `in` takes 3 ms for each word.
    """
    from .patterns import searcher  # imported here: loads the validator library, too slow for the start

    if not words:
        return lambda text: False
    if len(words) > WORDS_AT_ONCE:
        listed = list(words)
        parts = [listed[start : start + WORDS_AT_ONCE] for start in range(0, len(listed), WORDS_AT_ONCE)]
        finders = [finder(part) for part in parts]
        return lambda text: any(found(text) for found in finders)
    holds = searcher("|".join(map(re.escape, words)))

    def found(text: str) -> bool:
        try:
            return holds(text)
        except UnicodeEncodeError:  # a lone surrogate, which only a hook can produce
            return any(word in text for word in words)

    return found


class Redactor:
    """Remover of secrets from texts: fixed secrets, and learned ones such as fetched tokens.

    Of each source of learned secrets, such as a token endpoint, the latest MOST_LEARNT are kept. An older secret is
    kept as well if it was learned, or learned again, after the start of the oldest running call.

    `has_digits`: whether a number can hold a secret, because a part of a secret that no escape changes is digits only.
    """

    __slots__ = (
        *("_calls", "_clean", "_finds", "_folded", "_forms", "_learnt", "_may_hold", "_secrets", "_turn", "has_digits"),
    )

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets: dict[str, list[SecretForm]] = {}
        self._learnt: dict[tuple[str, str], tuple[list[SecretForm], int]] = {}
        self._calls: dict[int, None] = {}
        self._turn = 0
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Add secrets that are redacted permanently."""
        self._secrets |= {each: _forms(each) for each in secrets if each not in self._secrets}
        self._prepare()

    def learn(self, secret: str, source: str = "token") -> None:
        """Redact `secret` too from now on.

        `source`: where the secret comes from, such as `hook`. Of each source, the latest MOST_LEARNT secrets stay
        redacted. Older secrets may be dropped, unless a running call may have used them.
        """
        key = source, secret
        known = self._learnt.pop(key, None)
        # Store it again, so that the most recently used secret is last.
        self._learnt[key] = (known[0] if known else _forms(secret)), self._turn
        if known is None:
            self._forget()

    @contextmanager
    def during(self) -> Iterator[None]:
        """Inside the `with` block, which counts as a call, every secret that is learned stays redacted, however many
        newer secrets are learned.
        """
        turn = self.begin()
        try:
            yield
        finally:
            self.end(turn)

    def begin(self) -> int:
        """Begin a call, as the `with` block of `during` does. Return the number of the call, for `end`."""
        self._turn = turn = self._turn + 1
        self._calls[turn] = None
        return turn

    def end(self, turn: int) -> None:
        """End the call that has this number."""
        del self._calls[turn]

    def _forget(self) -> None:
        """Drop old secrets that were added by `learn`.

        Keep the latest MOST_LEARNT secrets of each `source`, and all secrets that a running call may have used.
        """
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
        # Longest first, because one form may be part of another.
        self._forms = sorted(forms.values(), key=lambda form: (-len(form.text), form.text))
        self._folded = [form.folded for form in self._forms]
        self.has_digits = any(anchor.strip("0123456789e") == "" for anchor in self._anchors())
        self._finds: Callable[[str], bool] | None = None
        self._may_hold: Callable[[str], bool] | None = None
        self._clean: str | None = None

    def holds_nothing(self, text: str) -> bool:
        r"""Return True if the text contains neither a secret nor a JSON escape that may stand for a letter, or for a
        hidden character. One pass finds out; most texts contain neither.

        Of each secret, only the beginning of its anchor (the part that no escape changes) is searched for, since long
        search words take memory.
        """
        if self._may_hold is None:
            self._may_hold = finder({*_ESCAPES_THAT_HIDE, *self._anchors()})
        if self._may_hold(text):
            return False
        self._clean = text
        return True

    def may_be_in(self, text: str) -> bool:
        """Return False if the text certainly contains no secret in any form. Fast, and sufficient for most texts."""
        if text is self._clean or not self._forms or self.holds_nothing(text):
            return False
        finds = self._finds = self._finds or finder(self._anchors())
        return finds(text) or has_escaped_letters(text)

    def _anchors(self) -> set[str]:
        return {form.anchor[:_LOOKED_FOR] for form in self._forms}

    def text(self, text: str) -> str:
        """Return the text with secrets replaced by a placeholder."""
        if text is self._clean:
            # Fast path: a result is redacted again when it is finished. Then a long text need not stay in memory.
            self._clean = text if len(text) <= _LONGEST_CLEAN else None
            return text
        if not self.may_be_in(text):
            return text
        return _replaced(self._forms, _bytes(text)).decode(errors="surrogatepass")

    def field(self, text: str) -> str:
        """Return the value of a header field with secrets replaced.

        Secrets are found in any letter case, since an upstream may change the case.
        """
        folded = text.lower()
        escaped = "\\" in text and has_escaped_letters(text)
        if not escaped and not any(map(folded.__contains__, self._folded)):
            return text  # fast path: no secret is here, as a part of each is missing and no letter is escaped
        in_lower_case = [SecretForm(form.text.lower()) for form in self._forms]
        return _replaced(in_lower_case, _bytes(text), folded=True).decode(errors="surrogatepass")

    def content(self, content: bytes) -> bytes:
        """Return the bytes with secrets replaced."""
        return _replaced(self._forms, content)

    def begun(self, text: str) -> str:
        """Return `text`, the beginning of a longer text.

        If it ends with the first part of a secret, remove that part.
        """
        reach = max((form.reach for form in self._forms), default=0)
        tail = _bytes(text[-reach:]) if reach else b""
        heads = [form.head() for form in self._forms]
        starts = [start for start, _ in _spans(heads, Content(tail))]
        return text[: len(text) - len(tail[starts[0] :].decode(errors="surrogatepass"))] if starts else text

    def stream(self) -> Stream:
        """Return a redactor for bytes that arrive in several pieces."""
        return Stream(self._forms)

    def whole(self, value: Any) -> Any:
        """Return a JSON value with secrets replaced, as the method `value` does, but faster for large values.

        Usually, one search of the value's JSON text finds no secret. Then the parts of the value are not examined.
        """
        try:
            written = json.dumps(value, ensure_ascii=False)
        except (ValueError, TypeError):  # not JSON: only a hook can return such a value
            return self.value(value)
        return self.value(value) if self.may_be_in(written) else value

    def value(self, value: Any) -> Any:
        """Return a JSON value with secrets replaced, also in member names. A number that is a secret becomes text."""
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
    """Redactor for bytes in several pieces, which also finds secrets that are split between two pieces."""

    __slots__ = ("_forms", "_reach", "_rest")

    def __init__(self, forms: list[SecretForm]) -> None:
        self._forms = forms
        self._reach = max((form.reach for form in forms), default=1) - 1
        self._rest = b""

    def feed(self, data: bytes, last: bool = False) -> bytes:
        """Return the redacted bytes that later pieces cannot change.

        Keep the last bytes back, since a secret may begin there.
        """
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


def _replaced(forms: list[SecretForm], content: bytes, folded: bool = False) -> bytes:
    """Return the content with all forms of secrets replaced.

    With `folded`, the forms are in lower case, and the letter case of the content is ignored.
    """
    made, at = [], 0
    for start, end in _spans(forms, Content(content, folded)):
        made += [content[at:start], REDACTED.encode()]
        at = end
    return b"".join([*made, content[at:]]) if made else content


def _spans(forms: list[SecretForm], content: Content) -> list[Span]:
    """Return the spans of the content that hold a secret in one of the encodings `forms`, in order.

    Overlapping spans are merged into one.
    """
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


def _forms(secret: str) -> list[SecretForm]:
    texts = {secret}
    for offset in range(3):
        raw = b"\0" * offset + secret.encode(errors="surrogatepass")
        # Use only base64 characters that do not depend on bytes before or after the secret.
        inner = slice(-(-offset * 8 // 6), len(raw) * 8 // 6)
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            encoded = encode(raw).decode()[inner]
            if len(encoded) >= _SHORTEST_BASE64:
                texts.add(encoded)
    return [SecretForm(each) for each in texts | _lines(secret)]


def _lines(secret: str) -> set[str]:
    """Return the lines of a multi-line secret, such as a private key, that have at least _SHORTEST_LINE characters.

    An upstream may repeat single lines of the secret, so each of these lines is redacted.
    """
    lines = [line.strip() for line in secret.split("\n")] if "\n" in secret else []
    return {line for line in lines if len(line) >= _SHORTEST_LINE}
