# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Create the MCP content blocks that the server's owner has declared for a tool (`result.blocks`), from one response.

A block that cannot be created is left out, and a note says why, so that the other blocks still reach the model. If no
block can be created, the response is shown as it would be without blocks. All texts together get the bytes that a
result may show, and all files together MOST_INLINE bytes. The module does no input or output.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT
from ..pointers.pointers import find
from ..result.response import whole_lines
from ..settings.sizes import MOST_INLINE, inline
from ..text.signatures import OCTETS, TAKEN, settled, type_of
from .owner_texts import short_links

if TYPE_CHECKING:
    from ..core.wire_formats import Block
    from ..tables.table import EmbeddedResource, ShownBlock
    from ..text.redaction import Redactor
    from .owner_texts import OwnerTexts

MOST_BLOCKS = 50
"""Maximum number of blocks in a result that are created by pointers, not counting notes."""

MOST_REASONS = 5
"""Maximum number of notes about blocks that were left out."""

_MISSING = "there is no such part in the answer"
_DATA_URL = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)
_BLANKS = str.maketrans({**dict.fromkeys("\r\n\t "), "-": "+", "_": "/"})


class LeftOut(Exception):
    """Raised if a block cannot be created. The message is a clause that says why."""


# The API has executed the call, so an error would be wrong, and a model might repeat it.
class BlockMaker:
    """Creator of the blocks of one result. `content` holds the blocks created; `notes` says which were left out."""

    def __init__(self, texts: OwnerTexts, usual: list[Block], redactor: Redactor, shown: int) -> None:
        """Create a maker of blocks.

        `usual`: blocks that an entry `answer` of `result.blocks` inserts. `shown`: most bytes of text that all blocks
        may contain together.
        """
        self.content: list[Block] = []
        self._texts = texts
        self._usual = usual
        self._redactor = redactor
        self._room = shown
        self._largest = inline(shown)
        self._bytes = MOST_INLINE
        self._left: dict[str, int] = {}
        self._surplus = 0

    def add(self, rules: ShownBlock) -> None:
        """Add the blocks that one entry of `result.blocks` describes."""
        if "answer" in rules:
            self.content += [_annotated(each, rules, self._texts) for each in self._usual]
            return
        items = [self._texts.value]
        if "each" in rules:
            found = find(self._texts.value, rules["each"])
            if found is ABSENT:
                self._leave(rules["each"], _MISSING)
                return
            items = found if isinstance(found, list) else [found]
        for item in items:
            self._add(rules, self._texts.inside(item))

    @property
    def notes(self) -> list[str]:
        """Return sentences that say which content blocks were left out, and why."""
        told = [f"Left out: {what}{_times(count)}." for what, count in self._left.items()]
        if len(told) > MOST_REASONS:
            told[MOST_REASONS:] = [f"Left out for other reasons: {sum([*self._left.values()][MOST_REASONS:])} more."]
        if self._surplus:
            told.append(f"Only the first {MOST_BLOCKS} parts are shown; {self._surplus:,} more follow in the answer.")
        return told

    def _add(self, rules: ShownBlock, texts: OwnerTexts) -> None:
        """Add the content blocks for one item of the response, or record why none can be created."""
        for what, make in self._makers(rules, texts):
            if len(self.content) >= MOST_BLOCKS:
                self._surplus += 1
                continue
            try:
                self.content.append(_annotated(make(), rules, texts))
            except LeftOut as reason:
                self._leave(what, str(reason))

    def _makers(self, rules: ShownBlock, texts: OwnerTexts) -> Iterator[tuple[str, Callable[[], Block]]]:
        """Yield, for each block, its name in error messages and the function that creates it."""
        if "text" in rules:
            parts = rules["text"]
            yield "a text", lambda: self._text(texts, parts)
        elif "link" in rules:
            link = rules["link"]
            yield "a link", lambda: _link(texts, link)
        elif "resource" in rules:
            resource = rules["resource"]
            yield "a resource", lambda: self._resource(texts, resource)
        else:
            family = "image" if "image" in rules else "audio"
            pointer = rules.get("image") or rules["audio"]
            found = find(texts.value, pointer)
            for value in found if isinstance(found, list) else [found]:
                yield f"{family} {pointer}", lambda value=value: self._medium(family, value)  # type: ignore[misc]

    def _text(self, texts: OwnerTexts, parts: Any) -> Block:
        if texts.lacks(parts):
            raise LeftOut(_MISSING)
        return {"type": "text", "text": self._fitting(texts.text(parts))}

    def _resource(self, texts: OwnerTexts, rules: EmbeddedResource) -> Block:
        uri = texts.address(rules["uri"])
        if not uri:
            raise LeftOut("a part of its URI is missing")
        held: dict[str, object] = {"uri": uri}
        if "blob" in rules:
            content = self._file(find(texts.value, rules["blob"]))
            held["mimeType"] = type_of(content) or OCTETS
            held["blob"] = base64.b64encode(content).decode()
        else:
            if texts.lacks(rules["text"]):
                raise LeftOut(_MISSING)
            held["text"] = self._fitting(texts.text(rules["text"]))
        if "mimeType" in rules and (label := texts.label(rules["mimeType"])):
            held["mimeType"] = label[:100]
        return {"type": "resource", "resource": held}

    def _medium(self, family: str, value: Any) -> Block:
        content = self._file(value)
        media_type = settled(f"{family}/x-undeclared", content)
        if media_type not in TAKEN:
            kind = "image" if family == "image" else "audio"
            raise LeftOut(f"its bytes are no {kind} that clients accept")
        return {"type": family, "data": base64.b64encode(content).decode(), "mimeType": media_type}

    def _file(self, value: Any) -> bytes:
        """Return the bytes of a base64 text, with secrets removed.

        Raise LeftOut if it cannot be decoded or is too large.
        """
        if value is ABSENT or value is None:
            raise LeftOut(_MISSING)
        content = _decoded(value) if isinstance(value, str) else None
        if content is None:
            raise LeftOut("it is no base64")
        if len(content) > min(self._largest, self._bytes):
            raise LeftOut(f"its {len(content):,} bytes are more than there is room for")
        self._bytes -= len(content)
        return self._redactor.content(content)

    def _fitting(self, text: str) -> str:
        """Return the text, cut to the bytes that the result may still show.

        Raise LeftOut if it is empty or nothing of it fits.
        """
        if not text.strip():
            raise LeftOut("it is empty")
        size = len(text.encode(errors="replace"))
        if size > self._room:
            text, cut = whole_lines(text, self._room)
            if not text:
                raise LeftOut("there is no room for more text")
            text += f"\n[Cut: the first {cut:,} of {size:,} bytes are shown.]"
            size = self._room
        self._room -= size
        return text

    def _leave(self, what: str, why: str) -> None:
        told = f"{what}, since {why}"
        self._left[told] = self._left.get(told, 0) + 1


def _link(texts: OwnerTexts, rules: Any) -> Block:
    link = texts.link(rules)
    if link is None:
        raise LeftOut("a part of its address is missing")
    fit, _ = short_links([link])
    if not fit:
        raise LeftOut("its address is too long")
    return fit[0]


def _annotated(block: Block, rules: ShownBlock, texts: OwnerTexts) -> Block:
    """Return the content block with the annotations in `rules`, or unchanged if `rules` has none.

    A `lastModified` that is not an ISO 8601 date is left out.
    """
    if "annotations" not in rules:
        return block
    told: dict[str, object] = {**rules["annotations"]}
    if "lastModified" in rules["annotations"]:
        time = texts.label(rules["annotations"]["lastModified"])
        told["lastModified"] = time
        if not _TIME.fullmatch(time):
            del told["lastModified"]
    return {**block, "annotations": told} if told else block


def _decoded(text: str) -> bytes | None:
    """Return the bytes of a base64 text, or None if it is invalid.

    Both alphabets of RFC 4648 and data URLs are accepted.
    """
    if (prefix := _DATA_URL.match(text)) is not None:
        text = text[prefix.end() :]
    text = text.translate(_BLANKS).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""
