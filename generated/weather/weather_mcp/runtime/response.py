# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""An HTTP response becomes a tool result. Pure.

Text is passed on as it came: JSON is not parsed, so nothing in it is lost and its numbers stay exact. That of a tool
with an output schema is parsed, and its text is made from the value, so that both say the same. An error is one block
of text, since some clients show only the first. What a model cannot read is left out and said: bytes that are no text,
characters that cannot be seen, whatever is beyond the limits.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from . import failures
from .readable import brief, clean, decode, is_text
from .shapes import ABSENT, Result

if TYPE_CHECKING:
    from .exchange import Response, Sent
    from .redaction import Redactor

LONGEST_TEXT = 100_000
"""Characters of a text that are passed on: more than clients show to a model, and a bound for the line it makes."""

LARGEST_BINARY = 5 * 1024 * 1024
"""Bytes of an image, a sound or a file that are passed on: as base64 they must fit into a message of 10 MB."""

LARGEST_PARSED = 512 * 1024
"""Bytes of JSON that are parsed, some times of what is shown: it holds up all other calls, a tenth of a second at
worst, and takes up to 25 times the memory."""

_NEXT = re.compile(r'<([^<>]*)>[^<]*?;\s*rel\s*=\s*(?:next\b|"[^"]*\bnext\b)', re.IGNORECASE)
_FILE_NAME = re.compile(r'filename="?([^";]+)', re.IGNORECASE)


def interpret(response: Response, sent: Sent, redactor: Redactor) -> Result:
    """The result of a call that was answered."""
    if not (200 <= response.status < 300 or response.status == 304):
        return Result.error(failures.explain(response, sent, redactor))
    if not response.content:
        done = "Not modified" if response.status == 304 else "Done"
        return Result.text(" ".join([f"{done} ({response.named}).", *_notes(response)]))
    if is_text(response.media_type, response.content):
        promised = _structured(response, sent, redactor) if sent.tool.output_schema is not None else None
        return promised or _text(response, redactor)
    return _binary(response, sent, redactor)


def _text(response: Response, redactor: Redactor) -> Result:
    text, whole = decode(response.content, response.header("content-type"))
    text = redactor.text(text)
    shown, unseen = clean(text[:LONGEST_TEXT])
    notes = [*_notes(response), *_damage(whole, unseen)]
    if len(text) > LONGEST_TEXT or response.partial:
        size = "is too long to be read whole" if response.partial else f"has {len(text):,} characters"
        shown += f"\n[Cut after {LONGEST_TEXT:,} characters. The answer {size}; ask for less to see the rest.]"
    return _with_notes({"type": "text", "text": shown}, notes)


def _structured(response: Response, sent: Sent, redactor: Redactor) -> Result | None:
    """The text and the structured value of a JSON answer; None where it is none, or too large to be parsed."""
    if response.partial or len(response.content) > LARGEST_PARSED:
        return None
    from . import shortening, structured  # most servers promise nothing

    text, whole = decode(response.content, response.header("content-type"))
    value, twice = structured.read(text)
    if value is ABSENT:
        return None
    value, unseen = structured.presentable(value, redactor)
    value, left_out = shortening.shortened(value, LONGEST_TEXT)
    notes = _notes(response)
    if twice:
        notes.append("Some objects in the answer name a member twice; the last one is shown.")
    notes += _damage(whole, unseen)
    if left_out:
        notes.append(f"Cut: {shortening.told(left_out)} are left out. Ask for less to see the rest.")
    result = _with_notes({"type": "text", "text": shortening.written(value)}, notes)
    beside = redactor.text("\n".join(notes))
    result.structured = structured.wrapped(value, sent.tool.binding.get("output", "written"), beside)
    return result


def _damage(whole: bool, unseen: int) -> list[str]:
    """What cannot be shown of a text: bytes that are none, and characters that nobody sees."""
    notes = []
    if not whole:
        notes.append("Some bytes of the answer are no text in its encoding; \ufffd stands for them.")
    if unseen:
        notes.append(f"{unseen} invisible or control characters were taken out of the answer.")
    return notes


def _binary(response: Response, sent: Sent, redactor: Redactor) -> Result:
    kind, size = response.media_type or "application/octet-stream", len(response.content)
    name = _FILE_NAME.search(response.header("content-disposition"))
    described = f"{kind}, {size:,} bytes" + (f", {brief(name[1], 100)}" if name else "")
    if response.partial or size > LARGEST_BINARY:
        more = "more than " if response.partial else ""
        return Result.text(f"The answer is a file ({kind}) of {more}{size:,} bytes, too large to be passed on.")
    data = base64.b64encode(redactor.content(response.content)).decode()
    family = kind.partition("/")[0]
    if family in ("image", "audio"):
        return _with_notes({"type": family, "data": data, "mimeType": kind}, _notes(response))
    block = {"type": "resource", "resource": {"uri": sent.uri, "mimeType": kind, "blob": data}}
    return _with_notes(block, [f"The answer is a file: {described}.", *_notes(response)])


def _with_notes(block: dict[str, Any], notes: list[str]) -> Result:
    return Result([block, {"type": "text", "text": "\n".join(notes)}] if notes else [block])


def _notes(response: Response) -> list[str]:
    """What stands in the headers and is needed to go on: where the thing is, which version it is, what comes next."""
    told = []
    if response.status in (201, 202) or not response.content:
        told.append(("Location", response.header("location")))
    # A weak one is of no use for If-Match (RFC 9110 section 13.1.1).
    if response.header("etag").startswith('"'):
        told.append(("ETag", response.header("etag")))
    if following := _NEXT.search(response.header("link")[:8000]):
        told.append(("Next page", following[1]))
    return [f"{name}: {brief(value, 500)}" for name, value in told if value]
