"""Test stored results: slices that add up to the whole, limits, and removal of the least recently used result."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
from package.runtime.core.limits import displaced
from package.runtime.http.exchange import Spool
from package.runtime.result import result_store as module
from package.runtime.result.result_store import LARGEST_SLICE, MOST_KEPT, SLICE, SMALLEST_SLICE, KeptResults

URI = "petstore://result/{}"


def kept(most: int, *contents: bytes, text: bool = True) -> KeptResults:
    resources = KeptResults(most)
    for number, content in enumerate(contents):
        resources.begin(URI.format(number), "text/plain", text)
        resources.add(URI.format(number), content)
    return resources


def present(resources: KeptResults, count: int) -> list[int]:
    return [number for number in range(count) if resources.read(URI.format(number))]


def whole(resources: KeptResults, uri: str) -> list[Any]:
    """Return the contents of this slice and all later ones. Each slice names the URI of the next."""
    found = []
    while uri:
        contents = resources.read(uri)
        assert contents is not None
        found.append(contents[0])
        assert contents[0]["uri"] == uri
        uri = str(contents[1]["uri"]) if contents[1:] else ""
    return found


@pytest.mark.parametrize("size", ["", "?size=1000", "?size=4097&from=0"])
@pytest.mark.parametrize("in_memory", [10, 10**6])
def test_the_slices_of_a_text_add_up_to_it(size: str, in_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IN_MEMORY", in_memory)
    text = "".join(f"{number} é 語 😀\n" for number in range(9000))
    slices = whole(kept(10**6, text.encode()), URI.format(0) + size)
    assert "".join(each["text"] for each in slices) == text
    assert len(slices) > 4
    assert "\ufffd" not in text


def test_the_slices_of_bytes_add_up_to_them() -> None:
    content = bytes(range(256)) * 500
    slices = whole(kept(10**6, content, text=False), URI.format(0))
    assert b"".join(b64decode(each["blob"]) for each in slices) == content


@pytest.mark.parametrize(
    ("query", "length"),
    [
        ("", SLICE),
        ("?size=1", SMALLEST_SLICE),
        ("?size=999999999", LARGEST_SLICE),
        (f"?from={2 * LARGEST_SLICE - 3}", 3),
    ],
)
def test_a_slice_has_a_bounded_size(query: str, length: int) -> None:
    contents = kept(10**8, b"x" * 2 * LARGEST_SLICE).read(URI.format(0) + query)
    assert contents is not None
    assert len(str(contents[0]["text"])) == length


def test_what_was_used_longest_ago_makes_room() -> None:
    resources = kept(300, b"a" * 100, b"b" * 100, b"c" * 100)
    assert present(resources, 2) == [0, 1]  # after these reads, stored result 2 is the least recently used
    resources.begin(URI.format(3), "text/plain", True)
    assert resources.add(URI.format(3), b"d")
    assert present(resources, 4) == [0, 1, 3]
    assert not resources.add(URI.format(3), b"d" * 300)
    assert present(resources, 4) == []


def test_no_more_than_so_many_are_kept() -> None:
    resources = kept(10**6, *[b"x"] * (MOST_KEPT + 2))
    assert present(resources, MOST_KEPT + 2) == list(range(2, MOST_KEPT + 2))


def test_what_the_disk_does_not_take_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(spool: Spool, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    resources = kept(100, b"a")
    monkeypatch.setattr(Spool, "write", full)
    assert not resources.add(URI.format(0), b"b")
    assert resources.read(URI.format(0)) is None


def test_what_cannot_be_seen_is_taken_out_of_a_slice() -> None:
    contents = kept(100, "a\x1b[31m\u202eb".encode()).read(URI.format(0))
    assert contents is not None
    assert contents[0]["text"] == "a[31mb"


def test_what_comes_in_crumbs_is_held_in_few_pieces() -> None:
    spool = Spool(100_000)
    for number in range(50_000):
        spool.write(bytes([number % 256]))
    assert len(spool._pieces) < 1100
    assert spool.read(40_000, 5) == bytes((40_000 + each) % 256 for each in range(5))
    spool.write(b"more")
    assert spool.read(0, 100_000) == bytes(number % 256 for number in range(50_000)) + b"more"


def test_what_is_large_lies_in_a_file_without_a_name() -> None:
    spool = Spool(10)
    spool.write(b"x" * 10)
    assert spool._file is None
    spool.write(b"y")
    file: Any = spool._file
    assert isinstance(file.fileno(), int)
    assert (spool.read(8, 100), spool.size) == (b"xxy", 11)


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        (URI.format(0), module.MADE_ROOM),
        (URI.format(0) + "?from=5&size=1000", module.MADE_ROOM),
        (URI.format(1) + "?from=500", ""),
        (URI.format(2), ""),
        (URI.format(77), ""),
        ("petstore://other", ""),
    ],
)
def test_only_what_was_kept_once_is_told_to_have_made_room(uri: str, reason: str) -> None:
    resources = kept(100, b"x" * 60)
    resources.begin(URI.format(1), "text/plain", True)
    assert resources.add(URI.format(1), b"y" * 60)
    too_large = KeptResults(100)
    too_large.begin(URI.format(2), "text/plain", True)
    assert not too_large.add(URI.format(2), b"z" * 101)
    resources = too_large if uri == URI.format(2) else resources
    found = resources.look_up(uri)
    assert (found.contents, found.reason) == (None, reason)


def test_what_made_room_is_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REMEMBERED", 2)
    resources = kept(100, *([b"x" * 60] * 5))
    told = [bool(resources.look_up(URI.format(number)).reason) for number in range(5)]
    assert told == [False, False, True, True, False]


@pytest.mark.parametrize(
    ("held", "most", "most_bytes", "dropped"),
    [
        ("a1=1 b1=1 a2=1", 3, 9, ""),
        ("b1=1 a1=1 a2=1 a3=1", 3, 9, "a1"),
        ("b1=1 a1=1 a2=1 c1=1", 3, 9, "a1"),
        ("a1=1 b1=1 c1=1 d1=1", 3, 9, "a1"),
        ("b1=4 a1=3 a2=3 a3=1", 9, 10, "a1"),
        ("b1=4 a1=3 a2=3 a3=5", 9, 10, "a1 b1"),
        ("b1=1 b2=1 b3=1 a1=5 c1=4", 9, 9, "a1"),
        ("a1=5 b1=9", 9, 10, "a1"),
        ("a1=1 b1=1 b2=1", 2, 9, "b1"),
        ("a1=1 b1=2 a2=11", 9, 10, "b1 a1 a2"),
        ("a1=11", 9, 10, "a1"),
    ],
)
def test_who_keeps_most_makes_room(held: str, most: int, most_bytes: int, dropped: str) -> None:
    """Remove results of the caller that stores most.

    An entry such as `a1=5` is result 1 of caller `a`, with 5 bytes. The last entry is new.
    """
    entries = [(name, name[0], int(size)) for name, _, size in (each.partition("=") for each in held.split())]
    assert displaced(entries, entries[-1][0], most, most_bytes) == dropped.split()
