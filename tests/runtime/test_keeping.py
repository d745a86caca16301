"""Test stored results: they are complete, encoded as UTF-8, and without secrets at any position."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from package.runtime.http.exchange import Response, Spool
from package.runtime.result import result_store
from package.runtime.result.result_store import KeptResults
from package.runtime.text.redaction import Redactor

URI = "petstore://result/1"


def kept(response: Response, redactor: Redactor, most: int = 10**6) -> list[Any] | None:
    resources = KeptResults(most)
    done = asyncio.run(result_store.keep(response, URI, redactor, resources))
    found = resources.read(URI)
    assert (done > 0) == (found is not None)
    return found


def text_kept(content: bytes, content_type: str, *secrets: str) -> str:
    [found] = kept(Response(200, "", [("Content-Type", content_type)], content), Redactor(secrets)) or [{}]
    return str(found["text"])


@pytest.mark.parametrize(
    ("charset", "codec"),
    [
        ("utf-8", "utf-8"),
        ("iso-8859-1", "latin-1"),
        ("utf-16", "utf-16"),
        ("utf-16", "utf-16-le"),
        ("utf-16be", "utf-16-be"),
        ("no-such", "utf-8"),
    ],
)
@pytest.mark.parametrize("piece", [1, 2, 3, 10_000])
def test_text_is_kept_as_utf_8(charset: str, codec: str, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_store, "PIECE", piece)
    assert text_kept("née hunter22 ✓".replace("✓", "").encode(codec), f"text/csv; charset={charset}", "hunter22") == (
        "née [redacted] "
    )


def test_bytes_that_are_no_text_are_marked_when_they_are_read() -> None:
    assert text_kept(b"a\xffb", "text/plain") == "a\ufffdb"


def test_bytes_are_kept_as_they_are() -> None:
    [found] = kept(Response(200, "", [("Content-Type", "application/zip")], b"PK\xff"), Redactor([])) or [{}]
    assert found == {"uri": URI, "mimeType": "application/zip", "blob": "UEv/"}


def test_what_is_in_a_file_is_kept_from_there() -> None:
    spool = Spool(10)
    spool.write(b"x" * 20_000)
    response = Response(200, "", [("Content-Type", "text/plain")], b"x" * 10, spool=spool)
    [found] = kept(response, Redactor([])) or [{}]
    assert found["text"] == "x" * 20_000
    assert spool._file is not None
    assert spool._file.closed


def test_what_there_is_no_room_for_is_not_kept() -> None:
    assert kept(Response(200, "", [], b"x" * 101), Redactor([]), most=100) is None


def test_what_is_kept_is_never_nothing() -> None:
    assert kept(Response(200, "", [("Content-Type", "text/plain")], bytes(1000)), Redactor([])) is None


@pytest.mark.parametrize(("spooled", "size"), [(False, 10), (True, 10), (False, 3)])
def test_when_the_time_is_over_what_was_done_so_far_is_kept(
    spooled: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Store only the part that was redacted in time. This part must not end with the beginning of a secret."""
    monkeypatch.setattr(result_store, "PIECE", 8)
    monkeypatch.setattr(result_store, "LEAST_SECONDS", 0.0)
    content, spool = b"a hunter22"[:size], Spool(1)
    spool.write(content)
    response = Response(200, "", [("Content-Type", "text/plain")], content, spool=spool if spooled else None)
    resources = KeptResults(1000)
    done = asyncio.run(result_store.keep(response, URI, Redactor(["hunter22"]), resources, 0.0))
    [found] = resources.read(URI) or [{}]
    assert (done, found["text"]) == ((8, "a ") if size > 8 else (3, "a h"))


def test_cred_06_a_call_that_is_given_up_keeps_nothing() -> None:
    async def main() -> None:
        resources = KeptResults(10**7)
        task = asyncio.ensure_future(
            result_store.keep(Response(200, "", [], b"x" * 10**6), URI, Redactor([]), resources)
        )
        await asyncio.sleep(0)
        assert resources.read(URI)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert resources.read(URI) is None

    asyncio.run(main())


@given(
    st.lists(st.sampled_from(["hunter22", "hunter", "22", "x", "hunt", "er2", "aHVudGVyMjI", "%"]), max_size=12),
    st.data(),
)
def test_cred_06_a_secret_across_pieces_is_redacted_as_in_one(words: list[str], data: st.DataObject) -> None:
    content, redactor = "".join(words).encode(), Redactor(["hunter22"])
    stream, made, at = redactor.stream(), b"", 0
    while at < len(content):
        size = data.draw(st.integers(1, 9))
        made += stream.feed(content[at : at + size])
        at += size
    assert made + stream.feed(b"", last=True) == redactor.content(content)


def test_cred_06_a_secret_that_begins_like_another_is_redacted_whole() -> None:
    stream = Redactor(["hunter22", "hunter22-and-more"]).stream()
    made = b"".join(stream.feed(bytes([byte])) for byte in b"x hunter22-and-more y hunter22-a")
    assert made + stream.feed(b"", last=True) == b"x [redacted] y [redacted]-a"
