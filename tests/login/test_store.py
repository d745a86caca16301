"""Test where logins are stored: a file that only its owner can read, or the keyring, and two processes at once."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from package.runtime.login import lock, token_store
from package.runtime.login.entry import Entry, pointed, pointer, read
from package.runtime.login.errors import LoginFailed
from package.runtime.login.token_store import FileStore, KeyringStore, open_store, stores_to_search

on_posix = pytest.mark.skipif(os.name != "posix", reason="POSIX modes")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))


def test_a_file_keeps_texts_by_key(tmp_path: Path) -> None:
    kept = FileStore(str(tmp_path / "new" / "logins.json"))
    assert kept.read("a") is None
    kept.write("a", "1")
    kept.write("b", "2")
    kept.delete("a")
    kept.delete("a")
    assert (kept.read("a"), kept.read("b")) == (None, "2")
    assert os.listdir(tmp_path / "new") == ["logins.json"]
    if os.name == "posix":
        assert os.stat(kept.where).st_mode & 0o777 == 0o600
        assert os.stat(tmp_path / "new").st_mode & 0o777 == 0o700


@on_posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    kept = FileStore(str(tmp_path / "logins.json"))
    kept.write("a", "1")
    os.chmod(kept.where, mode)
    for step in (kept.read, kept.delete, partial(kept.write, text="2")):
        with pytest.raises(LoginFailed, match="can be read by others"):
            step("a")


@on_posix
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    FileStore(str(tmp_path / "real.json")).write("a", "1")
    (tmp_path / "logins.json").symlink_to(tmp_path / "real.json")
    kept = FileStore(str(tmp_path / "logins.json"))
    for step in (kept.read, partial(kept.write, text="2")):
        with pytest.raises(LoginFailed, match="is a link"):
            step("a")
    assert FileStore(str(tmp_path / "real.json")).read("a") == "1"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"a": 1}', b"\xff", b"[" * 100_000])
def test_a_file_that_holds_something_else_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "logins.json"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(LoginFailed, match="is no file of logins"):
        FileStore(str(path)).read("a")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "logins.json"
    path.write_bytes(b" " * (token_store.LARGEST + 1))
    path.chmod(0o600)
    with pytest.raises(LoginFailed, match="too large"):
        FileStore(str(path)).read("a")


class Ring:
    """A keyring in memory. It can be locked."""

    def __init__(self, locked: bool = False) -> None:
        self.held: dict[tuple[str, str], str] = {}
        self.locked = locked

    def get_password(self, service: str, key: str) -> str | None:
        if self.locked:
            raise RuntimeError("s3cret of the backend")
        return self.held.get((service, key))

    def set_password(self, service: str, key: str, text: str) -> None:
        self.get_password(service, key)
        self.held[service, key] = text

    def delete_password(self, service: str, key: str) -> None:
        del self.held[service, key]


def test_the_keyring_keeps_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    monkeypatch.setitem(sys.modules, "keyring", ring)
    kept = open_store("store", "", "STORE_TOKEN_STORE")
    kept.write("a", "1")
    assert ring.held == {("store-mcp", "a"): "1"}
    assert kept.read("a") == "1"
    kept.delete("a")
    kept.delete("a")
    assert ring.held == {}


@pytest.mark.parametrize(
    ("library", "told"), [(None, "The library keyring is not installed"), (Ring(locked=True), "cannot be used here")]
)
def test_a_keyring_that_is_absent_or_locked_is_a_sentence(
    library: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", library)
    with pytest.raises(LoginFailed, match=told) as failed:
        KeyringStore("store-mcp", "STORE_TOKEN_STORE").write("a", "1")
    assert "STORE_TOKEN_STORE=file" in str(failed.value)
    assert "s3cret" not in str(failed.value)


def test_without_a_choice_a_file_that_is_there_is_searched_too(tmp_path: Path) -> None:
    assert [type(each) for each in stores_to_search("store", "", "X")] == [KeyringStore]
    open_store("store", "file", "X").write("a", "1")
    assert [type(each) for each in stores_to_search("store", "", "X")] == [FileStore, KeyringStore]
    assert [type(each) for each in stores_to_search("store", "keyring", "X")] == [KeyringStore]
    assert [each.where for each in stores_to_search("store", str(tmp_path / "x"), "X")] == [str(tmp_path / "x")]


@pytest.mark.parametrize(
    "text", [None, "", "[]", "{}", '{"client_id": 1}', '{"client_id": "a", "port": "1"}', '{"last_client": "a"}']
)
def test_what_is_no_entry_is_none(text: str | None) -> None:
    assert read(text) is None


def test_an_entry_comes_back() -> None:
    entry = Entry("app", "refresh", scopes="a b", registered=True, port=7, refresh_ends=1.5)
    assert read(entry.written()) == entry
    assert read(json.dumps({**json.loads(entry.written()), "later": 1})) == entry
    assert pointed(pointer("app")) == "app"


def test_the_lock_is_held_by_one_at_a_time() -> None:
    async def main() -> list[str]:
        seen: list[str] = []

        async def hold(name: str) -> None:
            async with lock.locked("store"):
                seen.append(f"{name} in")
                await asyncio.sleep(0)
                seen.append(f"{name} out")

        await asyncio.gather(hold("a"), hold("b"))
        async with lock.locked("store"):
            with pytest.raises(LoginFailed, match="does not finish"):
                async with lock.locked("store", 0.01):
                    pass
        return seen

    seen = asyncio.run(main())
    assert seen in (["a in", "a out", "b in", "b out"], ["b in", "b out", "a in", "a out"])
