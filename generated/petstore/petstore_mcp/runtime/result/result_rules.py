# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Apply the `result` rules of a tool's owner to a response: remove parts, select a part, show a text, add links. Pure.

Parts are removed before anything else reads the response. Its other bytes, header fields and reason are dropped as
well, so that no later step can show, keep or log them. Parts cannot be removed with certainty from a response that is
not JSON, too large or cut off. Such a response is not shown at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..core.wire_formats import ABSENT, Result
from ..request import templates
from ..request.request import misleads
from ..text.invisible import clean
from ..text.sanitize import decode, presentable
from . import failures, paging, projection, response, wrapping
from .drop_fields import tokens, without

if TYPE_CHECKING:
    from ..core import table
    from ..core.table import ArgumentNode, Link, LinkText, PointerNode, ShownText
    from ..http.exchange import Response, Sent
    from ..text.redaction import Redactor

_KEPT_FIELDS = ("retry-after", "date")
"""Header fields that remain after parts were removed. Only numbers and dates are read from them."""

_TEXTS: tuple[LinkText, ...] = ("name", "title", "description", "mimeType")

LONGEST_ADDRESS, LONGEST_TEXT = 2_000, 500
"""Longest address of a link, and longest text of a link, in characters."""

_CUT = "it did not come whole"
_LARGE = "it is too large to be looked through"
_NO_JSON = "it is no JSON"


# Decision 0053: A select that leads nowhere is no error.
class ResultRules:
    """Result rules of one call. Call `take` first, then `dressed`."""

    __slots__ = ("_mark", "_rules", "_value")

    def __init__(self, rules: table.View) -> None:
        """Create a view. `rules` is the `result` entry of a binding."""
        self._rules = rules
        self._value: Any = ABSENT
        self._mark = ""

    def take(self, answer: Response, sent: Sent, shown: int) -> Result | None:
        """Apply `remove` and `select` to the response. Return a result to show instead, or None if the response may be
        shown.
        """
        good = 200 <= answer.status < 300
        if not answer.size or not (good or "remove" in self._rules):
            why = ""
        elif why := self._read(answer, shown):
            self._value = ABSENT
        if "remove" in self._rules and (refusal := self._removed(answer, sent, why)) is not None:
            return refusal
        sent.answer = self._value
        return self._selected(answer, sent, why) if good and answer.size else None

    def _read(self, answer: Response, shown: int) -> str:
        """Parse the response into `_value`. Return why that failed, or ""."""
        if answer.cut:
            return _CUT
        if answer.partial or answer.size > max(response.LARGEST_PARSED, 2 * shown):
            return _LARGE
        text, whole = decode(answer.content, answer.header("content-type"))
        self._mark = projection.mark(text)
        self._value, _ = wrapping.read(text, self._mark)
        return "" if whole and self._value is not ABSENT else _NO_JSON

    def _removed(self, answer: Response, sent: Sent, why: str) -> Result | None:
        """Remove the parts that must not leave, and everything else that could repeat them.

        Return a result if a successful response cannot be shown, else None. Of an unreadable response, only the status
        is left.
        """
        there = bool(answer.size)
        _discard(answer)
        answer.content, answer.cut, answer.reason = b"", False, ""
        answer.fields = [(name, value) for name, value in answer.fields if name.lower() in _KEPT_FIELDS]
        if self._value is not ABSENT:
            self._value = without(self._value, self._rules["remove"])
        if self._value is not ABSENT:
            self._write(answer, self._value)
            return None
        return _not_shown(answer, sent, why) if there and 200 <= answer.status < 300 else None

    def _write(self, answer: Response, value: Any) -> None:
        """Replace the response's content by this value as JSON."""
        _discard(answer)
        answer.content = projection.exact(value, self._mark).encode(errors="replace")
        others = [(name, field) for name, field in answer.fields if name.lower() != "content-type"]
        answer.fields = [*others, ("Content-Type", "application/json")]

    def _selected(self, answer: Response, sent: Sent, why: str) -> Result | None:
        """Reduce the response to the selected part. Return a sentence as the result if that part is missing, else
        None.
        """
        select = self._rules.get("select")
        if select is None:
            return None
        if isinstance(select, str):
            value = find(self._value, select)
        else:
            parts = {name: find(self._value, pointer) for name, pointer in select.items()}
            value = {name: part for name, part in parts.items() if part is not ABSENT} or ABSENT
        if value is ABSENT:
            _discard(answer)
            wanted = select if isinstance(select, str) else " and ".join(select.values())
            missing = f"nothing can be taken from it, since {why}" if why else "there is no such part in it"
            advice = paging.narrower(sent.tool) if why is _LARGE else ""
            return Result.text(f"Of the answer only {wanted} is shown, and {missing}. {advice}".rstrip())
        self._write(answer, value)
        return None

    def dressed(self, result: Result, answer: Response, sent: Sent, redactor: Redactor, shown: int) -> Result:
        """Return the result with the owner's text in place of the JSON, and with the owner's links."""
        unseen: dict[str, int] = {}

        def found(place: ArgumentNode | PointerNode) -> Any:
            if "argument" in place:
                return sent.arguments.get(place["argument"], ABSENT)
            pointer = place["pointer"]
            part = find(self._value, pointer) if self._value is not ABSENT else ABSENT
            part, unseen[pointer] = presentable(part, redactor)
            return part

        links = [self._link(link, found, redactor) for link in self._rules.get("links", ())]
        parts = self._rules.get("text")
        if parts is not None and self._fills(parts, result):
            text = redactor.text(templates.written(parts, found, self._text))
            result.content = response.told(text, sum(unseen.values()), answer, sent, shown)
        result.content += _short([link for link in links if link is not None])
        return result

    def _fills(self, parts: ShownText, result: Result) -> bool:
        """Return whether the owner's text can replace the response. A text with parts of the response needs a JSON
        response.
        """
        speaks = any(isinstance(part, dict) and "pointer" in part for part in parts)
        return self._value is not ABSENT or (not speaks and all(block["type"] == "text" for block in result.content))

    def _text(self, value: Any) -> str:
        """Return a value as it appears in a text: strings bare, others as JSON, numbers as they came."""
        if isinstance(value, str):
            return value.replace(self._mark, "") if self._mark else value
        return projection.exact(value, self._mark)

    def _link(self, link: Link, found: templates.Find, redactor: Redactor) -> dict[str, Any] | None:
        """Return the block for a link; None if a part of its address is missing or would change where the address
        leads.
        """
        places = [part for part in link["uri"] if isinstance(part, dict)]
        values = [templates.written([place], found, self._text) for place in places]
        if not all(values) or any(misleads(value) for value in values):
            return None
        uri = templates.written(link["uri"], found, lambda value: quote(self._text(value), safe=""))
        written = {key: templates.written(link[key], found, self._text) for key in _TEXTS if key in link}
        texts: dict[str, str] = {key: redactor.text(clean(text)[0]) for key, text in written.items()}
        return {"type": "resource_link", "uri": uri, **texts, "name": texts["name"] or uri}


def _short(links: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the link blocks without those with too long addresses, and with texts shortened; add a note if any
    changed.
    """
    fit = [link for link in links if len(link["uri"]) <= LONGEST_ADDRESS]
    cut = [{**link, **{key: _cut(link[key]) for key in _TEXTS if key in link}} for link in fit]
    told = []
    if left := len(links) - len(fit):
        what = "1 link is" if left == 1 else f"{left} links are"
        told.append(f"{what} left out: an address is longer than {LONGEST_ADDRESS:,} characters.")
    if cut != fit:
        told.append(f"Texts of links are cut to {LONGEST_TEXT} characters.")
    return [*cut, {"type": "text", "text": "\n".join(told)}] if told else cut


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "\u2026"


def _discard(answer: Response) -> None:
    """Release the spool of the response."""
    if answer.spool is not None:
        answer.spool.close()
        answer.spool = None


def _not_shown(answer: Response, sent: Sent, why: str) -> Result:
    """Return the error result for a successful response from which parts cannot be removed."""
    told = failures.answered(answer, sent)
    if not why:
        return Result.error(f"{told} Nothing of the answer may be shown.")
    advice = "Tell the operator of this server." if why is _NO_JSON else paging.narrower(sent.tool) or "Ask for less."
    since = f"since {why}, and what must not leave this server cannot be taken out of it"
    return Result.error(f"{told} The answer is not shown, {since}. {advice}")


def find(value: Any, pointer: str) -> Any:
    """Return the value at a pointer, or ABSENT. A pointer with `*` returns the list of all values that match."""
    steps = tokens(pointer)
    found = _found(value, steps)
    if "*" not in steps:
        return found[0] if found else ABSENT
    several = _found(value, steps[: steps.index("*")])
    return found if any(isinstance(each, (list, dict)) for each in several) else ABSENT


def _found(value: Any, steps: list[str]) -> list[Any]:
    found = [value]
    for step in steps:
        found = [inner for each in found for inner in _step(each, step)]
    return found


def _step(value: Any, step: str) -> list[Any]:
    if step == "*":
        return list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    if isinstance(value, dict):
        return [value[step]] if step in value else []
    index = int(step[:9]) if step.isascii() and step.isdecimal() else -1
    if isinstance(value, list) and str(index) == step and index < len(value):
        return [value[index]]
    return []
