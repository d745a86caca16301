# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Convert an HTTP response into a tool result. Pure functions.

Text is passed on as received. JSON is passed on like text, so that nothing is lost and numbers stay exact. In three
cases, the result is made from the parsed JSON: the call selects fields, the JSON is too long, or the tool has an output
schema. With an output schema, text and structured value must be equal. If nothing in the value was changed, the text is
still the received one, put on one line.

JSON that is too long is cut along its structure. A note says what was cut and how to see it, and a link leads to the
whole response. The result of a failed call is one text block, since some clients show only the first block. Invisible
characters are left out, bytes that are not text become U+FFFD, and a note says so.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import tuning
from ..core.jsonrpc import NotJSON, in_ascii, loads
from ..core.wire_formats import ABSENT, Result
from ..settings.sizes import Sizes, inline
from ..text.sanitize import beginning, brief, charset, clean, decode, holds_nothing, is_text, presentable, written
from ..text.signatures import OCTETS, TAKEN, type_of
from .page_arguments import is_paged, narrower

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from ..http.exchange import Response, Sent
    from ..text.redaction import Redactor

TEXT = "_text"
"""Member of a structured result for text that is not JSON, and for notes."""


# A text from which nothing is removed stays unchanged, with all digits of its numbers. Any other text is written again,
# as compact JSON.
def read_json(text: str, mark: str = "") -> tuple[Any, bool]:
    """Return the JSON value of a text, and True if an object repeats a member name. Return ABSENT and False if it is
    not JSON.

    With a `mark`, numbers that Python would write back differently become texts that begin with the mark.
    """
    try:
        value, repeated = loads(text, _marking(mark) if mark else None)
    except NotJSON:
        return ABSENT, False
    return value, bool(repeated)


def _marking(mark: str) -> Callable[[str], float | str]:
    def literal(digits: str) -> float | str:
        number = float(digits)
        return number if repr(number) == digits else mark + digits

    return literal


def wrapped(value: Any, form: str, text: str = "") -> dict[str, Any]:
    """Return the structured object for a response whose JSON value is `value`.

    If `form` (words.OutputForm) is "value", every value is put under `value`. Otherwise an object stays as it is, an
    array is put under `items`, and any other value under `value`. `text`: notes about the response, put under TEXT.
    """
    if isinstance(value, dict) and form != "value":
        made = dict(value)
    else:
        made = {"items" if isinstance(value, list) and form != "value" else "value": value}
    return {**made, TEXT: text} if text and TEXT not in made else made


def wrapped_text(text: str, value: Any, form: str) -> str:
    """Return the JSON text of `wrapped(value, form)`. `text` is the JSON text of `value`."""
    if isinstance(value, dict) and form != "value":
        return text
    return f'{{"{"items" if isinstance(value, list) and form != "value" else "value"}":{text}}}'


SHOWN = Sizes().shown

LARGEST_PARSED = 512 * 1024
"""Maximum number of bytes of JSON that are parsed, or twice the shown size if that is more.

Of longer JSON, only the beginning is parsed. Parsing blocks all other calls, for a tenth of a second at worst, and
takes up to 25 times the memory.
"""

GROWTH_IN_UTF_8 = 3
"""Most bytes of UTF-8 for a byte of a response: the euro sign in Windows-1252, and U+FFFD for an invalid byte."""

_OF_CONTENT = ("Content-Type", "Content-Length", "Content-Encoding", "Last-Modified", "ETag")
_FILE_NAME = re.compile(r'filename="?([^";]+)', re.IGNORECASE)


def interpret(response: Response, sent: Sent, redactor: Redactor, shown: int = SHOWN) -> Result:
    """Return the result of a call that got a response, with at most about `shown` bytes of text."""
    status, size = response.status, response.size
    if not (200 <= status < 300 or status == 304 or leads_elsewhere(response, sent)):
        from . import failures  # imported late: needed only for an error status

        return Result.error(failures.explain(response, sent, redactor))
    if response.media_type == "text/html" and response.content[:100].lstrip()[:1] == b"<" and _wants_json(sent):
        from . import failures  # imported late: needed only for an HTML page where JSON is expected

        return Result.error(failures.explain_page(response, sent, redactor))
    if not size and sent.method == "HEAD" and (fields := _described_content(response, sent)):
        return Result.text("\n".join([response.named, *dict.fromkeys([*fields, *_notes(response, sent)])]))
    if not size:
        done = "Done" if status < 300 else "Not modified" if status == 304 else "What was asked for is elsewhere"
        return Result.text(" ".join([f"{done} ({response.named}).", *_notes(response, sent)]))
    if not is_text(response.media_type, response.content):
        return _binary(response, sent, redactor, shown)
    parsed, size = None, _text_size(response, size, shown)
    if sent.fields or sent.tool.output_schema is not None or (size > shown and _is_json(response)):
        parsed = _json(response, sent, redactor, shown)
    return parsed or _text(response, sent, redactor, shown, size)


def _described_content(response: Response, sent: Sent) -> list[str]:
    """Return a line for each header field about the content, and for each that the API description declares."""
    names = {name.lower(): name for name in (*_OF_CONTENT, *sent.tool.binding.get("shows", ()))}
    fields = ((name, response.header(key)) for key, name in names.items())
    return [f"{name}: {brief(value, 500)}" for name, value in fields if value]


def leads_elsewhere(response: Response, sent: Sent) -> bool:
    """Return whether the response is a redirect that the API description declares. Its Location is then the result."""
    declared = sent.tool.binding.get("redirects", ()) if 300 <= response.status < 400 else ()
    return str(response.status) in declared or "3XX" in declared


def _wants_json(sent: Sent) -> bool:
    """Return whether the API description declares JSON and no HTML.

    If so, a response that is an HTML page comes from a website or a login form, not from the API.
    """
    accept = sent.tool.binding.get("accept", "")
    return "json" in accept and "html" not in accept


def told(text: str, unseen: int, response: Response, sent: Sent, shown: int) -> list[dict[str, Any]]:
    """Return the content blocks for a text that the tool's owner shows instead of the response.

    `text` is already redacted. `unseen`: number of invisible characters removed from the response's values in `text`.
    """
    size = len(text.encode(errors="replace"))
    if large := size > shown:
        text, cut = whole_lines(text, shown)
        text += f"\n[Cut: the first {cut:,} of {size:,} bytes are shown.{_to_see_more(response, sent)}]"
    notes = [*_notes(response, sent), *_damage(True, unseen)]
    return _linked({"type": "text", "text": text}, notes, response, sent, large).content


def beside(unseen: int, response: Response, sent: Sent) -> list[dict[str, Any]]:
    """Return content blocks to add to the blocks of the rule `result.blocks`: notes on a response, and a link to its
    stored copy, if there are any.
    """
    notes = [*_notes(response, sent), *_damage(True, unseen)]
    text: dict[str, Any] = {"type": "text", "text": "\n".join(notes)}
    return _linked(text, [], response, sent, True).content[0 if notes else 1 :]


def is_large(response: Response, shown: int) -> bool:
    """Return whether a result cannot show the whole response, so that the response should be stored."""
    if not 200 <= response.status < 300:
        return False
    text, size = is_text(response.media_type, response.content), response.size
    return _text_size(response, size, shown) > shown if text else size > inline(shown)


def _text_size(response: Response, size: int, shown: int) -> int:
    """Return the size of a text in bytes, as it came or in UTF-8: the larger one if only that exceeds `shown`."""
    if size > shown or size * GROWTH_IN_UTF_8 <= shown:
        return size
    content, kind = response.content, response.header("content-type")
    plain = content.isascii() and charset(content, kind) == "utf-8"
    return size if plain else max(size, len(decode(content, kind)[0].encode(errors="replace")))


def _is_json(response: Response) -> bool:
    return "json" in response.media_type or not response.media_type


def _text(response: Response, sent: Sent, redactor: Redactor, shown: int, size: int) -> Result:
    large = size > shown
    text, whole = decode(response.content[: 2 * shown] if large else response.content, response.header("content-type"))
    text, unseen = clean(text)
    text = redactor.text(text)
    if large or response.partial:
        text = redactor.begun(text)
    paged = not large and _is_paged(sent.tool) and _is_json(response)
    notes = _notes(response, sent, read_json(text)[0] if paged else ABSENT)
    if large:
        text, cut = whole_lines(text, shown)
        text += f"\n[Cut: the first {cut:,} of {size:,} bytes are shown.{_to_see_more(response, sent)}]"
    if sent.fields:
        notes.append("The answer is no JSON, so fields could not be taken from it.")
    if unseen or response.cut or not (whole or large):
        notes += [*_damage(whole or large, unseen), *unread(response, sent)]
    text = text or "Nothing of the answer can be seen."  # never empty: some model providers reject empty text
    return _linked({"type": "text", "text": text}, notes, response, sent, large)


def _is_paged(tool: Tool) -> bool:
    return is_paged(tool) if tool.paged is None else tool.paged  # found once for each tool


def whole_lines(text: str, most: int) -> tuple[str, int]:
    """Return the beginning of a text, at most `most` bytes of UTF-8, and the size of this beginning in bytes.

    If more than half of the characters that fit come before the last line break that fits, end there. Otherwise
    return all characters that fit.
    """
    start = text.encode(errors="replace")[:most].decode(errors="ignore")
    line_end = start.rfind("\n")
    start = start[:line_end] if line_end > len(start) // 2 else start
    return start, len(start.encode())


def _json(response: Response, sent: Sent, redactor: Redactor, shown: int) -> Result | None:
    """Return the result for a JSON response, cut along its structure if needed; None if the response is not JSON."""
    size, most = response.size, max(LARGEST_PARSED, 2 * shown)
    complete = size <= most and not response.partial
    text, whole = decode(response.content[:most], response.header("content-type"))
    text = text if complete else redactor.begun(text)
    promised = sent.tool.output_schema is not None
    marked = ""
    if sent.fields and not promised:
        from .projection import mark  # imported late: few calls select fields

        marked = mark(text)
    value, twice = read_json(text if complete else beginning(text), marked)
    if value is ABSENT:
        return None
    if whole and complete and size <= shown and not twice and _shows_all(sent):
        line = _line(text, value, redactor)
        if line is text or (line and len(line.encode()) <= shown):
            return _as_it_is(line, value, response, sent, redactor)
    from .projection import exact, shortened  # imported late: most responses are shown whole

    value, unseen = presentable(value, redactor, text if tuning.ON else "")
    cut, missing = shortened(value, sent, shown, complete)
    notes = [*_notes(response, sent, value, cut.items), *map(redactor.text, missing)]
    if twice:
        notes.append("Some objects in the answer name a member twice; the last one is shown.")
    notes += _damage(whole or not complete, unseen)
    if cut.left_out:
        notes.append(f"Cut: {cut.told()} are left out.{_to_see_more(response, sent, cut.items)}")
    elif sent.fields and response.kept:
        notes.append(told_kept(response, sent.uri, sent.reader))
    notes += unread(response, sent)
    block = {"type": "text", "text": exact(cut.value, marked)}
    result = _linked(block, notes, response, sent, bool(cut.left_out or sent.fields))
    if promised:
        beside = redactor.text("\n".join(notes))
        result.structured = wrapped(cut.value, sent.tool.binding.get("output", "written"), beside)
    return result


def _shows_all(sent: Sent) -> bool:
    """Return whether the tool has an output schema and shows the whole response.

    With the argument `fields` or with `result` rules, a tool shows only parts.
    """
    return not (sent.fields or "result" in sent.tool.binding or sent.tool.output_schema is None)


def _line(text: str, value: Any, redactor: Redactor) -> str:
    """Return the JSON text reformatted to one line; unchanged if it already is on one line.

    Return "" if the text must not be shown, because it contains a secret or an invisible character.
    """
    broken = "\n" in text or "\r" in text or ("\t" in text and not text.isascii())
    if not broken and holds_nothing(text, redactor):
        return text
    line = written(value)
    return line if holds_nothing(line, redactor) else ""


def _as_it_is(text: str, value: Any, response: Response, sent: Sent, redactor: Redactor) -> Result:
    """Return a result with the JSON text as content and the value as structured content.

    The structured content also contains the notes, if there are any.
    """
    notes = _notes(response, sent, value)
    result = _linked({"type": "text", "text": text}, notes, response, sent, False)
    form = sent.tool.binding.get("output", "written")
    if notes:
        result.structured = wrapped(value, form, redactor.text("\n".join(notes)))
    else:
        result.structured, result.written = wrapped(value, form), wrapped_text(in_ascii(text), value, form)
    return result


def _to_see_more(response: Response, sent: Sent, items: int = 0) -> str:
    """Return sentences on how to see the rest of a cut response: by other arguments, and in the stored copy."""
    found = [narrower(sent.tool, items)]
    if response.kept:
        found.append(told_kept(response, sent.uri, sent.reader))
    return "".join(f" {sentence}" for sentence in found if sentence)


def told_kept(response: Response, uri: str, reader: str = "") -> str:
    """Return a sentence on how much of the response is stored, where, and whether a tool or the client can read it."""
    reader = reader if is_text(response.media_type, response.content) else ""
    way = f"call {reader} with uri={uri}" if reader else f"resources/read of {uri}"
    if response.kept < response.size:
        beginning = f"The first {response.kept:,} of {response.size:,} bytes are kept, for which there was time"
        return f"{beginning}: {way}."
    return f"All that came, {response.size:,} bytes, is kept: {way}."


def unread(response: Response, sent: Sent) -> list[str]:
    """Return a note if only the beginning of the response was read, else nothing."""
    if not response.cut:
        return []
    if response.late:
        told = f"The stream had not ended after {response.late}; its first {response.size:,} bytes were read."
        return [f"{told} {sent.longer}".rstrip()]
    return [f"Only the first {response.size:,} bytes of the answer were read; then the connection was closed."]


def _damage(whole: bool, unseen: int) -> list[str]:
    """Return notes on the parts of a text that are not shown: undecodable bytes and invisible characters."""
    notes = []
    if not whole:
        notes.append("Some bytes of the answer are no text in its encoding; \ufffd stands for them.")
    if unseen:
        notes.append(f"{unseen} invisible or control characters were taken out of the answer.")
    return notes


def _binary(response: Response, sent: Sent, redactor: Redactor, shown: int) -> Result:
    kind, size = _kind(response), response.size
    described = _described(response, size)
    if response.partial or size > inline(shown):
        kept = f" {told_kept(response, sent.uri, sent.reader)}" if response.kept else ""
        argument = sent.tool.binding.get("saves")
        listed = argument in sent.tool.schema.get("properties", ())
        save = f" Call again with {argument} to have it written to a file." if listed else ""
        text = f"The answer is a file: {described}, too large to be passed on.{kept}{save}"
        return _linked({"type": "text", "text": text}, unread(response, sent), response, sent, linked=True)
    data = base64.b64encode(redactor.content(response.content)).decode()
    if kind in TAKEN:
        medium = {"type": kind.partition("/")[0], "data": data, "mimeType": kind}
        return _with_notes(medium, _notes(response, sent))
    block = {"type": "resource", "resource": {"uri": sent.uri, "mimeType": kind, "blob": data}}
    return _with_notes(block, [f"The answer is a file: {described}.", *_notes(response, sent)])


def saved(response: Response, sent: Sent, path: str, size: int) -> Result:
    """Return the result for a response of `size` bytes that was written to a file at `path`."""
    told = f"The answer was written to {path}: {_described(response, size)}."
    return Result.text("\n".join([told, *_notes(response, sent)]))


def _kind(response: Response) -> str:
    """Return the media type of a response: the declared type, else the type that its first bytes indicate."""
    return response.media_type or type_of(response.content) or OCTETS


def _described(response: Response, size: int) -> str:
    """Return a clause with the media type, the size and the file name of a response."""
    kind, name = _kind(response), _FILE_NAME.search(response.header("content-disposition"))
    labelled = f", labelled {response.label}" if response.label not in ("", kind) else ""
    return f"{kind}{labelled}, {size:,} bytes" + (f", {brief(name[1], 100)}" if name else "")


def _with_notes(block: dict[str, Any], notes: list[str]) -> Result:
    return Result([block, {"type": "text", "text": "\n".join(notes)}] if notes else [block])


def _linked(block: dict[str, Any], notes: list[str], response: Response, sent: Sent, linked: bool) -> Result:
    """Return a result with the content block `block`, and a text block with `notes` if there are any.

    With `linked`, add a link to the stored response, if there is one.
    """
    result = Result([block, {"type": "text", "text": "\n".join(notes)}] if notes else [block])
    if linked and response.kept:
        link: dict[str, Any] = {
            "type": "resource_link",
            "uri": sent.uri,
            "name": f"The whole answer of {sent.tool.name}",
        }
        result.content.append({**link, "mimeType": response.media_type} if response.media_type else link)
    return result


def _notes(response: Response, sent: Sent, value: Any = ABSENT, shown: int = 0) -> list[str]:
    """Return notes that the model needs to continue: Location, ETag, and the arguments for the next page.

    `value` is the parsed JSON response, and `shown` how many items of its list are shown, 0 for all. If the tool shows
    only a part of the response, the whole response in `sent.answer` is used instead.
    """
    value = value if sent.answer is ABSENT else sent.answer
    told = []
    if response.status in (201, 202) or response.status >= 300 or not response.content:
        told.append(("Location", response.header("location")))
    if response.status >= 300 and sent.unfollowed:
        told.append(("Not followed", sent.unfollowed))
    # Do not show a weak ETag: it cannot be used with If-Match (RFC 9110 section 13.1.1).
    if (tag := response.header("etag")).startswith('"'):
        told.append(("ETag", tag))
    if sent.pages:
        told.append(("Pages", sent.pages))
    elif response.header("link") or (value is not ABSENT and _is_paged(sent.tool)):
        from . import paging  # imported late: many tools have no pages

        if found := paging.next_page(value, sent, response, shown):
            told.append(("Next page", found.told(sent.tool)))
    return [f"{name}: {brief(value, 500)}" for name, value in told if value] if told else []
