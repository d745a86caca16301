"""Test binary arguments: `file:` reads only from the allowed directory, and the media type must fit the bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from package.runtime.files import files, safe_open
from package.runtime.files.files import Files, media_type
from package.runtime.request.argument_errors import Unsendable


@pytest.fixture
def opened(tmp_path: Path) -> Files:
    root = tmp_path / "open"
    (root / "inner").mkdir(parents=True)
    (root / "a.png").write_bytes(b"picture")
    (root / "inner" / "b c.txt").write_bytes(b"text")
    (root / "link.png").symlink_to(root / "a.png")
    (root / "away").symlink_to(tmp_path)
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "open-too").write_bytes(b"secret")
    os.mkfifo(root / "pipe")
    return Files(str(root), "PETSTORE_FILES_DIR")


@pytest.mark.parametrize(
    ("argument", "content", "name", "kind"),
    [
        ("file:a.png", b"picture", "a.png", "image/png"),
        ("file:inner/b c.txt", b"text", "b c.txt", "text/plain"),
        ("file:inner/../a.png", b"picture", "a.png", "image/png"),
        ("file:./a.png", b"picture", "a.png", "image/png"),
        ("AAE=", b"\x00\x01", "", ""),
    ],
)
def test_what_is_inside_is_read(opened: Files, argument: str, content: bytes, name: str, kind: str) -> None:
    assert opened.content(argument) == (content, name, kind)


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "/etc/passwd",
        "inner/../../secret",
        "link.png",
        "away/secret",
        "away/open/a.png",
        "../open-too",
        ".",
        "",
    ],
)
def test_what_is_outside_or_behind_a_link_is_refused(opened: Files, name: str) -> None:
    with pytest.raises(Unsendable, match=r"^expected a file inside the open directory, without links on the way$"):
        opened.content(f"file:{name}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.png", "there is no such file that can be read in the open directory"),
        ("a.png/x", "there is no such file that can be read in the open directory"),
        ("\ud800", "there is no such file that can be read in the open directory"),
        ("a\0b", "there is no such file that can be read in the open directory"),
        ("inner", "expected a regular file of at most 64 MiB"),
        ("pipe", "expected a regular file of at most 64 MiB"),
    ],
)
def test_what_is_no_file_is_refused_without_waiting(opened: Files, name: str, reason: str) -> None:
    with pytest.raises(Unsendable) as refused:
        opened.content(f"file:{name}")
    assert str(refused.value) == reason


def test_a_file_beyond_the_limit_is_refused(opened: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LIMIT", len(b"picture"))
    assert opened.content("file:a.png") == (b"picture", "a.png", "image/png")
    monkeypatch.setattr(files, "LIMIT", len(b"picture") - 1)
    with pytest.raises(Unsendable):
        opened.content("file:a.png")


def test_the_open_directory_may_itself_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"a")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert Files(str(tmp_path / "link"), "").content("file:a") == (b"a", "a", "")


RACES = 4000
EXCHANGE = """
import os, sys
root, outside = sys.argv[1:]
os.symlink(outside, f"{root}/link")
while True:  # until it is killed
    os.rename(f"{root}/inner", f"{root}/folder")
    os.rename(f"{root}/link", f"{root}/inner")
    os.rename(f"{root}/inner", f"{root}/link")
    os.rename(f"{root}/folder", f"{root}/inner")
"""


def test_hard_12_a_folder_that_is_exchanged_with_a_link_leads_nowhere(tmp_path: Path) -> None:
    root, outside = tmp_path / "open", tmp_path / "outside"
    for folder, content in ((root / "inner", b"inside"), (outside, b"outside")):
        folder.mkdir(parents=True)
        (folder / "a").write_bytes(content)
    opened, seen = Files(str(root), ""), Counter[str]()
    exchanging = subprocess.Popen([sys.executable, "-c", EXCHANGE, str(root), str(outside)])
    try:
        while sum(seen.values()) < RACES or len(seen) < 3:
            try:
                seen[opened.content("file:inner/a")[0].decode()] += 1
            except Unsendable as refused:
                seen[str(refused)] += 1
    finally:
        exchanging.kill()
        exchanging.wait()
    missing = "there is no such file that can be read in the open directory"
    link = "expected a file inside the open directory, without links on the way"
    assert seen.keys() == {"inside", missing, link}


@pytest.mark.parametrize("name", ["inner/b c.txt", "link.png", "away/secret", "pipe", "missing"])
def test_hard_12_without_openat_a_path_is_checked(opened: Files, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check paths also where Python has no openat, as on Windows."""
    monkeypatch.setattr(safe_open, "HAS_OPENAT", False)
    if name == "inner/b c.txt":
        assert opened.content(f"file:{name}") == (b"text", "b c.txt", "text/plain")
        return
    with pytest.raises(Unsendable):
        opened.content(f"file:{name}")


def test_hard_12_without_openat_what_was_exchanged_meanwhile_is_refused(
    opened: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safe_open, "HAS_OPENAT", False)
    open_regular, root = safe_open.open_regular, tmp_path / "open"

    def exchanging(path: str, *rest: int) -> int:
        (root / "inner").rename(root / "moved")
        (root / "inner").symlink_to(tmp_path)
        (tmp_path / "b c.txt").write_bytes(b"secret")
        descriptor = open_regular(path, *rest)
        (root / "inner").unlink()
        (root / "moved").rename(root / "inner")
        return descriptor

    monkeypatch.setattr(safe_open, "open_regular", exchanging)
    with pytest.raises(Unsendable):
        opened.content("file:inner/b c.txt")


@pytest.mark.parametrize(
    ("uri", "content", "kind"),
    [
        ("data:image/png;base64,AAE=", b"\x00\x01", "image/png"),
        ("DATA:Image/PNG;Base64,AAE%3D", b"\x00\x01", "image/png"),
        ("data:text/csv;charset=utf-8,a%2Cb,%C3%BC", "a,b,ü".encode(), "text/csv;charset=utf-8"),
        ("data:;base64,AAE=", b"\x00\x01", ""),
        ("data:,x", b"x", ""),
    ],
)
def test_a_data_uri_holds_the_content_and_its_media_type(opened: Files, uri: str, content: bytes, kind: str) -> None:
    assert opened.content(uri) == (content, "", kind)


@pytest.mark.parametrize(
    "uri", ["data:image/png;base64", "data:a/b\r\nX: y,x", "data:image/png;base64,*", "data:png,x"]
)
def test_what_is_no_data_uri_is_refused(opened: Files, uri: str) -> None:
    with pytest.raises(Unsendable, match="a data: URI"):
        opened.content(uri)


PNG, JPEG, PDF = b"\x89PNG\r\n\x1a\n...", b"\xff\xd8\xff\xe0...", b"%PDF-1.7"
ZIP, DOCX = b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("choice", "content", "name", "own", "sent"),
    [
        ("image/png", JPEG, "", "", "image/png"),
        ("image/png, image/jpeg", JPEG, "", "", "image/jpeg"),
        ("image/png, image/jpeg", PDF, "", "", "image/png"),
        ("image/*", PNG, "", "", "image/png"),
        ("image/*", PDF, "", "", "application/octet-stream"),
        ("*/*", PDF, "", "", "application/pdf"),
        ("*/*", b"?", "", "", "application/octet-stream"),
        ("*/*", b"", "", "", "application/octet-stream"),
        ("*/*", b"a,b", "table.CSV", "", "text/csv"),
        ("*/*", PNG, "a.csv", "", "image/png"),
        ("*/*", ZIP, "a.docx", "", DOCX),
        ("*/*", ZIP, "a.bin", "", "application/zip"),
        ("*/*", b"?", "csv", "", "application/octet-stream"),
        ("", PNG, "", "", "application/octet-stream"),
        ("", PNG, "a.png", "", "application/octet-stream"),
        ("", PNG, "", "image/png", "image/png"),
        ("", PNG, "a.csv", "text/plain;charset=utf-8", "text/plain;charset=utf-8"),
        ("image/*", PNG, "", "text/plain", "image/png"),
        ("text/*", b"?", "", "text/plain;charset=utf-8", "text/plain;charset=utf-8"),
        ("image/png", b"a,b", "a.csv", "text/csv", "image/png"),
    ],
)
def test_a_file_keeps_its_media_type_where_the_document_allows_it(
    choice: str, content: bytes, name: str, own: str, sent: str
) -> None:
    assert media_type(choice, content, name, own) == sent


def test_a_new_file_takes_the_place_of_none_that_came_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    file = safe_open.NewFile(str(tmp_path), ["inner", "a"], replaces=False)
    file.write(b"ours")
    (tmp_path / "inner" / "a").write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        file.finish()
    assert {each.name: each.read_bytes() for each in (tmp_path / "inner").iterdir()} == {"a": b"theirs"}


def test_a_new_file_stays_in_the_folder_that_was_opened(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "other").mkdir()
    file = safe_open.NewFile(str(tmp_path), ["inner", "a"], replaces=True)
    file.write(b"ours")
    (tmp_path / "inner").rename(tmp_path / "moved")
    (tmp_path / "inner").symlink_to(tmp_path / "other")
    file.finish()
    assert (tmp_path / "moved" / "a").read_bytes() == b"ours"
    assert not list((tmp_path / "other").iterdir())
    with pytest.raises(safe_open.LinkFound):
        safe_open.NewFile(str(tmp_path), ["inner", "b"], replaces=True)


def test_a_file_that_is_discarded_leaves_nothing(tmp_path: Path) -> None:
    descriptors = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    file = safe_open.NewFile(str(tmp_path), ["a"], replaces=False)
    file.write(b"x" * 100_000)
    file.discard()
    assert not list(tmp_path.iterdir())
    assert not descriptors or len(os.listdir("/proc/self/fd")) == descriptors
