# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the progress messages of a long call: what it waits for, bytes received, and seconds since its start."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.spans import Span

USER = "waiting for the user"
_REQUEST = ("", "sent", "headers", "body")
"""Phases of a request, for which `_doing` writes the message. Any other phase, such as `page 3, 300 items`, is added
before that message."""


def beat(done: int, said: str, span: Span | None, seconds: float) -> tuple[int, int | None, str]:
    """Return the fields of a progress message: progress, total (or None) and text.

    `done`: the last progress; the new one is greater. `said`: the text that the call reported last, "" for none, or
    USER while the call waits for its user. `seconds`: duration of the call so far. While a response is read, progress
    is at least the number of bytes received. The total is the length of this response, or None if it is unknown or the
    call has sent other requests before.
    """
    received = span.reads.received if span is not None and span.reads is not None else 0
    expected = span.reads.expected if span is not None and span.reads is not None and span.requests == 1 else None
    grown = max(done + 1, received)
    total = expected if expected is not None and received and grown <= expected else None
    words = [said] if said == USER else [*([] if said in _REQUEST else [said]), _doing(span)]
    return grown, total, f"{'; '.join(words)}, {seconds:.0f} s"


def _doing(span: Span | None) -> str:
    if span is None or not span.acted:
        return "working"
    if span.reads is None:
        return "working on the answer" if span.status else "waiting for the API"
    if not span.reads.began:
        return "waiting for the API"
    expected = span.reads.expected
    return f"reading the answer, {span.reads.received:,}{'' if expected is None else f' of {expected:,}'} bytes"
