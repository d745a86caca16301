# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fill texts, links and URIs with arguments and with parts of a response. The server's owner has written them as
`result` rules.

Pure functions.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..core.wire_formats import ABSENT
from ..pointers.pointers import find
from ..request.request import misleads
from ..result import projection
from ..templates import templates
from ..text.sanitize import clean, presentable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tables.table import ArgumentNode, Link, PointerNode, ShownText
    from ..tables.words import LinkText
    from ..text.redaction import Redactor

_TEXTS: tuple[LinkText, ...] = ("name", "title", "description", "mimeType")

LONGEST_ADDRESS, LONGEST_TEXT = 2_000, 500
"""Maximum length in characters of a link's address, and of a text of a link."""


class OwnerTexts:
    """Filler of the placeholders in the owner's texts about one result. Each placeholder names an argument of the call,
    or is a JSON Pointer into `value`: the response, a part of it, or ABSENT.

    `unseen` counts, per pointer, the invisible characters that were removed.
    """

    __slots__ = ("_arguments", "_mark", "_redactor", "unseen", "value")

    def __init__(self, value: Any, mark: str, arguments: dict[str, Any], redactor: Redactor) -> None:
        """Create a filler of placeholders. `value`: the response, or ABSENT. `mark`: prefix of those strings in `value`
        that stand for long numbers, so that these numbers keep all digits (projection.mark).
        """
        self.value = value
        self._mark = mark
        self._arguments = arguments
        self._redactor = redactor
        self.unseen: dict[str, int] = {}

    def inside(self, part: Any) -> OwnerTexts:
        """Return a copy of this object whose JSON Pointers are evaluated in `part`, a part of the response."""
        other = copy(self)
        other.value = part
        return other

    def find(self, place: ArgumentNode | PointerNode) -> Any:
        """Return the value for a placeholder in a text, without secrets and invisible characters; ABSENT if there is
        none.
        """
        if "argument" in place:
            return self._arguments.get(place["argument"], ABSENT)
        pointer = place["pointer"]
        part = find(self.value, pointer) if self.value is not ABSENT else ABSENT
        part, self.unseen[pointer] = presentable(part, self._redactor)
        return part

    def text(self, parts: ShownText) -> str:
        """Return a text with its placeholders filled and secrets removed.

        A placeholder without a value adds nothing.
        """
        return self._redactor.text(templates.written(parts, self.find, self._bare))

    def lacks(self, parts: ShownText) -> bool:
        """Return True if the text has placeholders, and none of them has a value."""
        found = [self.find(part) for part in parts if isinstance(part, dict)]
        return bool(found) and all(each is ABSENT or each is None for each in found)

    def address(self, parts: ShownText) -> str:
        """Return a URI with its placeholders filled by percent-encoded values.

        Return "" if a value is missing, or if it would change where the URI leads.
        """
        places = [part for part in parts if isinstance(part, dict)]
        values = [templates.written([place], self.find, self._bare) for place in places]
        if not all(values) or any(misleads(value) for value in values):
            return ""
        return templates.written(parts, self.find, lambda value: quote(self._bare(value), safe=""))

    def link(self, link: Link) -> dict[str, Any] | None:
        """Return the content block for a link, or None if a value for its address is missing."""
        if not (uri := self.address(link["uri"])):
            return None
        written: dict[str, Any] = {key: self.label(link[key]) for key in _TEXTS if key in link}
        return {"type": "resource_link", "uri": uri, **written, "name": written["name"] or uri}

    def label(self, parts: ShownText) -> str:
        """Return a text with its placeholders filled, without secrets and invisible characters."""
        return self._redactor.text(clean(templates.written(parts, self.find, self._bare))[0])

    def _bare(self, value: Any) -> str:
        """Return a value as it appears in a text: a string without quotes, other values as JSON, numbers as
        received.
        """
        if isinstance(value, str):
            return value.replace(self._mark, "") if self._mark else value
        return projection.exact(value, self._mark)


def short_links(links: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the link blocks with shortened texts. Links whose address is too long are left out.

    Also return notes about links left out and shortened texts.
    """
    fit = [link for link in links if len(link["uri"]) <= LONGEST_ADDRESS]
    cut = [{**link, **{key: _cut(link[key]) for key in _TEXTS if key in link}} for link in fit]
    told = []
    if left := len(links) - len(fit):
        what = "1 link is" if left == 1 else f"{left} links are"
        told.append(f"{what} left out: an address is longer than {LONGEST_ADDRESS:,} characters.")
    if cut != fit:
        told.append(f"Texts of links are cut to {LONGEST_TEXT} characters.")
    return cut, told


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "\u2026"
