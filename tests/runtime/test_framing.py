"""Test the splitting of bytes into lines: the result does not depend on how bytes arrive, and memory is limited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from package.runtime.core.stdio import _SHORT, _TOGETHER, Lines, Outbox, Oversize

CASES = {
    "lines": (b"a\nb\n", ["a", "b"]),
    "IO-06: the last line may lack its end": (b"a\nb", ["a", "b"]),
    "IO-04: a byte order mark before the first line": (b"\xef\xbb\xbfa\n", ["a"]),
    "IO-04: a byte order mark elsewhere is text": (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
    "IO-04: one carriage return before the end goes": (b"a\r\nb\r\r\n", ["a", "b\r"]),
    "IO-04: a lone carriage return ends nothing": (b"a\rb\n", ["a\rb"]),
    "IO-04: blank lines are none": (b"\n\r\n \t\r\n\na\n", ["a"]),
    "IO-04: U+2028, U+0085 and vertical tabs end nothing": (
        "a\u2028b\u0085c\vd\fe\n".encode(),
        ["a\u2028b\u0085c\vd\fe"],
    ),
    "a line of just the limit": (b"x" * 16 + b"\na\n", ["x" * 16, "a"]),
    "IO-01: a line beyond the limit": (b"x" * 17 + b"\na\n", [17, "a"]),
    "IO-01: a line beyond the limit behind another": (b"a\n" + b"x" * 17 + b"\nb\n", ["a", 17, "b"]),
    "IO-01: an endless line": (b"x" * 100, [100]),
    "IO-01: blanks beyond the limit": (b" " * 40 + b"\n", [40]),
    "nothing": (b"", []),
}


def split(pieces: list[bytes], limit: int = 16) -> list[str | int]:
    lines = Lines(limit)
    found = [line for piece in pieces for line in lines.feed(piece)] + lines.close()
    return [line.length if isinstance(line, Oversize) else line.decode() for line in found]


@pytest.mark.parametrize(("data", "expected"), CASES.values(), ids=CASES.keys())
def test_lines(data: bytes, expected: list[str | int]) -> None:
    assert split([data]) == expected
    assert split([data[at : at + 1] for at in range(len(data))]) == expected
    for at in range(len(data)):
        assert split([data[:at], data[at:]]) == expected


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_any_bytes_in_any_pieces(pieces: list[bytes]) -> None:
    def found(parts: list[bytes]) -> list[bytes | int]:
        lines = Lines(16)
        all_lines = [line for part in parts for line in lines.feed(part)] + lines.close()
        return [line.length if isinstance(line, Oversize) else line for line in all_lines]

    assert found(pieces) == found([b"".join(pieces)])


def test_no_more_than_the_limit_is_held() -> None:
    """Test requirement IO-01: of an endless line, no more bytes are kept in memory than the length limit of a line."""
    lines = Lines(1000)
    for _ in range(10_000):
        assert lines.feed(b"x" * 100) == []
        assert sum(map(len, lines._pieces)) <= 1000
    [line] = lines.feed(b"\n")
    assert isinstance(line, Oversize)
    assert line.length == 1_000_000


class Held:
    """Outbox with a clock that the test sets, and the list of its writes."""

    def __init__(self) -> None:
        self.now = 0.0
        self.written: list[bytes] = []
        self.outbox = Outbox(self.written.append, lambda: self.now)

    def hold(self, *lines: bytes) -> list[bool]:
        return [self.outbox.hold(line) for line in lines]


def test_lines_that_are_held_leave_together_and_before_what_is_written() -> None:
    held = Held()
    held.outbox.write(b"now\n")
    assert held.hold(b"a\n", b"b\n") == [True, False]  # True: the first held line, so the caller of `hold` must flush
    assert held.written == [b"now\n"]
    held.outbox.write(b"c\n")
    assert held.written[1:] == [b"a\nb\nc\n"]
    assert held.hold(b"d\n") == [True]
    held.outbox.flush()
    held.outbox.flush()
    assert held.written[2:] == [b"d\n"]
    assert held.hold(b"e\n") == [True]
    held.outbox.write(b"x" * _SHORT + b"\n")  # long lines are written without a copy
    assert held.written[3:] == [b"e\n", b"x" * _SHORT + b"\n"]


def test_nothing_is_held_for_longer_than_a_moment_if_another_line_comes() -> None:
    held = Held()
    assert held.hold(b"a\n", b"b\n") == [True, False]
    held.now = 0.01
    assert held.hold(b"c\n", b"d\n") == [False, True]
    assert held.written == [b"a\nb\nc\n"]


def test_no_more_is_held_than_goes_into_a_pipe_and_nothing_long() -> None:
    held, line = Held(), b"x" * (_SHORT - 1) + b"\n"
    most = _TOGETHER // _SHORT
    assert held.hold(*[line] * (most + 1)) == [True, *[False] * most]
    assert held.written == [line * (most + 1)]
    assert held.hold(line, b"x" + line) == [True, False]
    assert held.written[1:] == [line, b"x" + line]


@given(
    st.lists(
        st.tuples(st.sampled_from(["write", "hold", "flush", "wait"]), st.binary(min_size=1, max_size=40)), max_size=20
    )
)
def test_whatever_is_held_when_lines_leave_in_the_order_in_which_they_came(steps: list[tuple[str, bytes]]) -> None:
    held, said, owed = Held(), b"", False
    for step, line in steps:
        if step == "hold":
            owed = held.outbox.hold(line) or owed
            said += line
        elif step == "write":
            held.outbox.write(line)
            owed = False
            said += line
        elif step == "flush":
            held.outbox.flush()
            owed = False
        else:
            held.now += 0.0007
        written = b"".join(held.written)
        assert said.startswith(written)
        assert owed or written == said  # lines may be unwritten only while a caller still has to flush
        owed = owed and written != said
    held.outbox.flush()
    assert b"".join(held.written) == said
