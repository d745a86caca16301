"""Test that content codings are decoded in steps: the result is complete, and never much is in memory at
once (UP-02).
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable

import pytest
from package.runtime.http import client
from package.runtime.http.client import BadCoding, undoing

CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "identity": bytes,
}


def inflated(coding: str, coded: bytes, piece: int, limit: int = 10**6) -> tuple[bytes, bool, int]:
    """Decode `coded` in pieces.

    Return the output, True if it exceeded the limit, and the size of the largest decoded step.
    """
    taken: list[bytes] = []
    made = undoing(coding, limit, taken.append)
    for at in range(0, len(coded), piece):
        made.feed(coded[at : at + piece])
    made.finish()
    return b"".join(taken), made.full, max(map(len, taken), default=0)


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("piece", [1, 7, 10**6])
@pytest.mark.parametrize("step", [1, 16, 259, 4096])
@pytest.mark.parametrize("size", [0, 1, 258, 259, 4095, 4096, 4097, 12_288])
def test_what_was_coded_comes_out(
    coding: str, piece: int, step: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_STEP", step)
    for content in (b"0" * size, os.urandom(size), (b"abc" * size)[:size]):
        out, full, most = inflated(coding, CODINGS[coding](content), piece)
        assert (out, full) == (content, False)
        assert coding == "identity" or most <= step


@pytest.mark.parametrize("limit", [1, 4096, 5000])
def test_of_more_than_the_limit_no_more_is_passed_on(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_STEP", 4096)
    out, full, _ = inflated("gzip", gzip.compress(b"0" * 10_000), 10**6, limit)
    assert (out, full) == (b"0" * limit, True)


def test_a_stream_that_ends_too_early_is_told_from_one_of_a_whole_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_STEP", 100)
    coded = gzip.compress(b"0" * 1000)
    for cut in range(1, len(coded)):
        with pytest.raises(BadCoding):
            inflated("gzip", coded[:cut], 10**6)
