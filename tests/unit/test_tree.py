"""Test that a tree of files to write cannot contain paths outside of itself (OUT-01, OUT-02)."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.tree import FileTree


@pytest.mark.parametrize(
    "path", ["a", "a/b.py", ".hidden", "a b", "a..b", "x_mcp/runtime/é.py", "console", "con_mcp/a"]
)
def test_plain_relative_paths_are_kept(path: str) -> None:
    tree = FileTree({path: b"x"})
    assert dict(tree) == {path: b"x"}


@pytest.mark.parametrize(
    "path",
    [
        "", ".", "..", "/", "/etc/passwd", "../x", "a/../b", "a/./b", "a//b", "a/", "~/..",
        "C:\\x", "c:x", "\\\\host\\share", "a\\b", "con", "CON", "nul.txt", "aux/x", "com1", "lpt9.log",
        "a.", "a ", " a", "a/b. ", "a*", "a?", 'a"', "a<b", "a|b", "a\nb", "a\0b",
    ],
)  # fmt: skip
def test_paths_that_lead_elsewhere_or_that_some_system_cannot_store_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="not a"):
        FileTree({path: b""})


@given(st.text(st.characters(), max_size=20))
def test_whatever_is_kept_stays_inside_on_every_system(path: str) -> None:
    try:
        FileTree({path: b""})
    except ValueError:
        return
    for kind in (PurePosixPath, PureWindowsPath):
        parts = kind(path).parts
        assert "".join(parts) == path.replace("/", "")
        assert ".." not in parts
        assert not kind(path).is_absolute()


def test_paths_are_sorted_and_differ_in_more_than_case() -> None:
    assert list(FileTree({"b": b"", "a": b"", "a/c": b""})) == ["a", "a/c", "b"]
    with pytest.raises(ValueError, match="case"):
        FileTree({"a": b"", "A": b""})
