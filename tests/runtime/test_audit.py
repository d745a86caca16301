"""Test the audit log without a process: exactly one line for each call, and no call runs that cannot be recorded."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from package.runtime.audit import audit as module
from package.runtime.audit.audit import Audit, problem
from package.runtime.core import log, stdio
from package.runtime.core.effects import Call, Dialogue, Origin, RejectedCall
from package.runtime.core.wire_formats import Failure, Question, Result
from package.runtime.files import safe_open

from tests.runtime.process import fill
from tests.runtime.table_stub import Catalog

TABLE: Any = Catalog({"look": {"binding": {"method": "GET", "path": ["/look"]}}})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def call(key: int = 1, client: object = None, **arguments: object) -> Call:
    return Call(key, "look", arguments, None, Dialogue("", ""), Origin(client))


def made(path: Path | str, with_arguments: bool = False) -> Audit:
    return Audit(str(path), TABLE, lambda: ["s3cret"], with_arguments, Clock())


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


OK, ERROR = Result.text("x"), Result.error("x")


@pytest.mark.parametrize(
    ("outcome", "confirmation", "refused", "word"),
    [
        (OK, "", False, "ok"),
        (OK, "accept", False, "ok"),
        (ERROR, "", False, "error"),
        (ERROR, "", True, "refused"),
        (ERROR, "decline", False, "declined"),
        (ERROR, "cancel", False, "declined"),
        (ERROR, "late", False, "refused"),
        (Question("Go on?", "state"), "", False, "asked"),
        (Failure("x"), "", False, "failed"),
        (Failure("x", -32021), "unable", False, "refused"),
        ("cancelled", "", False, "cancelled"),
    ],
)
def test_the_outcome_in_a_word(tmp_path: Path, outcome: Any, confirmation: str, refused: bool, word: str) -> None:
    audit, one = made(tmp_path / "a"), call()
    audit.begin(one)
    assert one.span is not None
    one.span.confirmation, one.span.refused = confirmation, refused
    audit.end(1, outcome)
    [line] = lines(tmp_path / "a")
    assert (line["outcome"], line.get("confirmation", "")) == (word, confirmation)


def test_a_call_is_recorded_as_what_it_was_when_it_began(tmp_path: Path) -> None:
    audit = made(tmp_path / "a")
    audit.begin(call(1))
    later: Any = Catalog({"look": {"binding": {"method": "DELETE", "path": ["/other"]}}})
    later.version = "9.9.9"
    audit.renew(later, list)
    audit.begin(call(2))
    audit.end(1, OK)
    audit.end(2, OK)
    seen = [(line["request"], line["version"]) for line in lines(tmp_path / "a")]
    assert seen == [("GET /look", TABLE.version), ("DELETE /other", "9.9.9")]


def test_the_first_who_says_so_counts_and_what_is_open_at_the_end_was_cut(tmp_path: Path) -> None:
    audit = made(tmp_path / "a")
    for key in (1, 2, 3):
        audit.begin(call(key))
    audit.end(2, "cancelled")
    audit.end(2, OK)
    audit.end(9, OK)
    audit.end(1, OK)
    audit.cut()
    audit.cut()
    assert [line["outcome"] for line in lines(tmp_path / "a")] == ["cancelled", "ok", "cut"]


def test_threads_that_end_the_same_calls_write_each_once(tmp_path: Path) -> None:
    audit = made(tmp_path / "a")
    for key in range(500):
        audit.begin(call(key))

    def end() -> None:
        for key in range(500):
            audit.end(key, OK)

    threads = [threading.Thread(target=end) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({line["call"] for line in lines(tmp_path / "a")}) == len(lines(tmp_path / "a")) == 500


def test_a_signal_while_a_line_is_written_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit, left = made(tmp_path / "a"), []
    monkeypatch.setattr(stdio, "_last", [audit])

    def end(code: int) -> None:
        left.append(code)
        raise SystemExit

    def write(descriptor: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", system_write)
        stdio.leave_by_signal(143)  # what the signal handler does, here in the middle of a write
        assert left == []
        return system_write(descriptor, data)

    system_write = os.write
    monkeypatch.setattr(os, "_exit", end)
    for key in (1, 2, 3):
        audit.begin(call(key))
    monkeypatch.setattr(os, "write", write)
    with pytest.raises(SystemExit):
        audit.end(1, OK)
    assert left == [143]
    assert [line["outcome"] for line in lines(tmp_path / "a")] == ["ok", "cut", "cut"]


def test_who_called_is_clipped_and_nothing_but_two_names(tmp_path: Path) -> None:
    audit = made(tmp_path / "a")
    said = [{"name": "x" * 900, "version": "1\n", "title": "t"}, {"name": ["x"]}, "x", None]
    for key, client in enumerate(said):
        audit.begin(call(key, client))
        audit.end(key, OK)
    found = [line["client"] for line in lines(tmp_path / "a")]
    assert found == [{"name": "x" * module.LONGEST_NAME, "version": "1\n"}, None, None, None]


def test_arguments_are_without_secrets_also_before_the_caller_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = made(tmp_path / "a", with_arguments=True)
    monkeypatch.setattr(log, "_redact", None)
    audit.begin(call(1, {"name": "s3cret"}, x="s3cret"))
    audit.end(1, "cancelled")
    audit.reject(RejectedCall("s3cret", Origin()))
    monkeypatch.setattr(log, "_redact", lambda text: text.replace("t0ken", "[redacted]"))
    audit.begin(call(2, x="t0ken", y="\u00e9" * 5000))
    audit.end(2, OK)
    first, rejected, second = lines(tmp_path / "a")
    assert (first["arguments"], first["client"]) == ('{"x":"[redacted]"}', {"name": "[redacted]"})
    assert rejected["tool"] == "[redacted]"
    assert second["arguments"].startswith('{"x":"[redacted]","y":"\\u00e9')
    assert max(map(len, (tmp_path / "a").read_text().splitlines())) < 4096


@pytest.mark.parametrize("text", ["\U0001f600", '"', "\\", "\u00e9", "\ud800", "\x00", "x"])
@pytest.mark.parametrize("with_arguments", [True, False])
def test_no_line_is_longer_than_a_pipe_takes_at_once(tmp_path: Path, text: str, with_arguments: bool) -> None:
    long = text * 5000
    table: Any = Catalog({"look": {"binding": {"method": "GET", "path": [f"/{long}"]}}})
    table.version = long
    audit = Audit(str(tmp_path / "a"), table, list, with_arguments, Clock())
    audit.begin(call(1, {"name": long, "version": long}, x=long))
    audit.end(1, OK)
    audit.reject(RejectedCall(long, Origin({"name": long, "version": long})))
    written = (tmp_path / "a").read_bytes().splitlines(keepends=True)
    assert len(written) == 2
    assert max(map(len, written)) <= module.LONGEST
    said = json.loads(written[0])
    assert said["client"]["name"][:1] == text.replace("\ud800", "\ufffd")
    if with_arguments:
        assert len(written[0]) > module.LONGEST - 8
        assert said["arguments"].endswith(" characters)")


def test_a_pipe_that_is_nearly_full_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a line in pieces if the pipe has less room than the line needs."""
    asked: list[int] = []
    monkeypatch.setattr("package.runtime.audit.audit._at_once", lambda: 100)
    monkeypatch.setattr(log, "writable", lambda: len(asked) < 2)

    def write(descriptor: int, data: bytes) -> int:
        if descriptor == 2:
            asked.append(len(data))
        return len(data)

    monkeypatch.setattr(os, "write", write)
    audit = made(module.STDERR)
    audit.begin(call(1))
    audit.end(1, OK)
    assert asked == [100, 100]
    assert audit.begin(call(2)) is not None


def test_what_a_full_disk_leaves_of_a_line_comes_later_and_nothing_is_called_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit, room = made(tmp_path / "a"), [7, 0]
    system_write = os.write

    def write(descriptor: int, data: bytes) -> int:
        if descriptor == 2:
            return system_write(descriptor, data)
        if not room.pop(0):
            room.insert(0, 0)
            raise OSError
        return system_write(descriptor, data[:7])

    audit.begin(call(1))
    monkeypatch.setattr(os, "write", write)
    audit.end(1, OK)
    refusal = audit.begin(call(2))
    assert refusal is not None
    audit.end(2, refusal)
    assert len((tmp_path / "a").read_bytes()) == 7
    monkeypatch.undo()
    assert audit.begin(call(3)) is None
    assert [line["outcome"] for line in lines(tmp_path / "a")] == ["ok", "refused"]


def test_no_more_lines_wait_than_can_be_held(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    audit = made(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    (tmp_path / "a").mkdir()
    for key in range(module.MOST_WAITING + 5):
        audit.begin(call(key))
        audit.end(key, OK)
    (tmp_path / "a").rmdir()
    assert audit.begin(call()) is None
    assert len(lines(tmp_path / "a")) == module.MOST_WAITING
    assert '"event":"audit_written_again","lost":5' in capfd.readouterr().err


def test_a_stderr_that_nobody_reads_keeps_calls_from_being_made() -> None:
    read, write = os.pipe()
    kept = os.dup(2)
    os.dup2(write, 2)
    try:
        fill(2)
        audit = made(module.STDERR)
        assert audit.begin(call(1)) is None
        audit.end(1, OK)
        assert audit.begin(call(2)) is not None
        os.read(read, 1 << 20)
        assert audit.begin(call(3)) is None
    finally:
        os.dup2(kept, 2)
        for descriptor in (read, write, kept):
            os.close(descriptor)


def test_an_existing_file_is_appended_to_and_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("{}\n")
    (tmp_path / "a").chmod(0o640)
    audit = made(tmp_path / "a")
    audit.begin(call())
    audit.end(1, OK)
    assert len(lines(tmp_path / "a")) == 2
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_link_put_there_meanwhile_is_not_followed(tmp_path: Path) -> None:
    audit = made(tmp_path / "a")
    (tmp_path / "a").unlink()
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    audit.begin(call(1))
    audit.end(1, OK)
    assert audit.begin(call(2)) is not None
    assert not (tmp_path / "elsewhere").exists()


def test_hard_23_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """Refuse an audit file whose folder is a link.

    Other users could have put a link there, since everybody may write to `tmp_path`.
    """
    tmp_path.chmod(0o777)
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    assert problem(str(tmp_path / "real" / "a")) == ""
    assert "without links on the way" in problem(str(tmp_path / "linked" / "a"))
    with pytest.raises(OSError, match="is a link"):
        made(tmp_path / "linked" / "a")
    assert list((tmp_path / "real").iterdir()) == []


def test_hard_23_a_folder_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    (tmp_path / "logs").mkdir()
    (tmp_path / "elsewhere").mkdir()
    audit = made(tmp_path / "logs" / "a")
    (tmp_path / "logs").rename(tmp_path / "moved")
    (tmp_path / "logs").symlink_to(tmp_path / "elsewhere")
    audit.begin(call(1))
    audit.end(1, OK)
    assert audit.begin(call(2)) is not None
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(("mode", "followed"), [(0o755, True), (0o700, True), (0o775, False), (0o777, False)])
def test_hard_23_a_link_in_a_folder_that_nobody_else_writes_to_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, followed: bool
) -> None:
    """Follow a link to a folder, such as /var/run, if no other user may write to the folder that holds the link."""
    home, is_ours = tmp_path / "home", safe_open._is_ours
    (home / "real" / "deep").mkdir(parents=True)
    (home / "linked").symlink_to("real")
    (home / "real" / "on").symlink_to(home / "real" / "deep")
    monkeypatch.setattr(safe_open, "_is_ours", lambda folder: len(folder) < len(str(home)) or is_ours(folder))
    home.chmod(mode)
    path = str(home / "linked" / ".." / "linked" / "on" / "a")
    assert (problem(path) == "") is followed
    if followed:
        assert safe_open.without_links(path) == str(home / "real" / "deep" / "a")
        (home / "linked").unlink()
        (home / "linked").symlink_to("linked")
        assert problem(path) != ""


def test_hard_23_a_folder_of_another_user_is_not_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert safe_open._is_ours(str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(tmp_path).st_uid + 1)
    assert safe_open._is_ours(str(tmp_path)) is (os.stat(tmp_path).st_uid == 0)
