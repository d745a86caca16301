"""Test responses that are saved as files in a folder that the operator allows: a real process, and a raw socket."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.functional.test_removed import answer, upstream
from tests.runtime.process import Server

TOOLS = """
mcpgen: 1
server: {name: archive}
base_url: https://api.example.com
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
  - name: read_report
    request: GET /report
    responses: {'200': {description: A., content: {application/pdf: {}}}}
  - name: read_sheet
    request: GET /sheet
    responses: {'200': {description: A., headers: {Content-Disposition: {schema: {type: string}}}, content: {text/csv: {}}}}
  - name: read_word
    request: GET /word
    responses: {'200': {description: A., content: {application/json: {}}}}
  - name: read_both
    request: GET /both
    output: structured
    responses: {'200': {description: A., content: {application/pdf: {}, application/json: {schema: {type: object, properties: {a: {type: integer}}}}}}}
"""  # noqa: E501
PDF = b"%PDF-1.7\n\xff\xfe" + bytes(range(256)) * 40
LINK = "expected a name without links on the way"
NAME = "expected a plain file name such as report.pdf, or one in a folder that is there, such as reports/may.pdf"
NOWHERE = "there is no such folder that can be written to; give a name alone"
TAKEN = "there is a file of that name, which stays; give another name"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    (folder / "t.tools.yaml").write_text(TOOLS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "t.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    return downloads_of(tmp_path)


@pytest.fixture(scope="module")
def archive(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    opened = downloads_of(tmp_path_factory.mktemp("archive"))
    with served(project, opened, ARCHIVE_LOG_LEVEL="debug") as (server, _):
        yield server, opened


def downloads_of(place: Path) -> Path:
    """Make the folder for downloads, and files beside it that the server must not read or change."""
    folder = place / "open"
    (folder / "inner").mkdir(parents=True)
    (folder / "there.pdf").write_bytes(b"stays")
    (folder / "away").symlink_to(place)
    (folder / "link.pdf").symlink_to(place / "outside")
    return folder


@contextmanager
def served(project: Path, folder: Path | None, **environ: str) -> Iterator[tuple[Server, list[bytes]]]:
    opened = {"ARCHIVE_DOWNLOADS_DIR": str(folder)} if folder else {}
    with (
        upstream() as (url, said),
        Server(project, package="archive_mcp", env={**opened, "ARCHIVE_BASE_URL": url, **environ}) as server,
    ):
        said.append(answer(PDF, "application/pdf"))
        yield server, said


def told(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"])


def properties(server: Server) -> dict[str, list[str]]:
    listed = server.ask("tools/list")["result"]["tools"]
    return {tool["name"]: list(tool["inputSchema"].get("properties", {})) for tool in listed}


def test_the_argument_is_listed_where_a_folder_is_open(project: Path, opened: Path) -> None:
    with served(project, opened) as (server, _):
        assert properties(server) == {
            "read_report": ["save_as"],
            "read_sheet": ["save_as"],
            "read_word": [],
            "read_both": [],
        }
    with served(project, None) as (server, _):
        assert set(map(len, properties(server).values())) == {0}
        assert "save_as: is not an argument" in told(server.result("read_report", save_as="a.pdf"))


@pytest.mark.parametrize("name", ["a.pdf", "inner/Bericht für Mai.pdf", "x", "a..b", "con1"])
def test_a_file_is_written_whole(project: Path, opened: Path, name: str) -> None:
    with served(project, opened) as (server, _):
        result = server.result("read_report", save_as=name)
    assert told(result) == f"The answer was written to {opened / name}: application/pdf, {len(PDF):,} bytes."
    assert (opened / name).read_bytes() == PDF
    assert (opened / name).stat().st_mode & 0o777 == 0o600
    assert len(list(opened.rglob("*"))) == 5  # no other file was written


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *[(name, NAME) for name in ("", ".", "..", "/etc/passwd", "../a", "inner/../a", "inner//a", "inner/", "./a")],
        *[(name, NAME) for name in (".bashrc", "~", "-rf", "a\n", "a ", "a.", "a:b", "a\\b", "NUL", "com1.txt")],
        ("a\u202eb", NAME),
        *[(name, NAME) for name in ("a" * 201, "/".join("a" * 9), "a\0b", "a/.x")],
        ("away/a.pdf", LINK),
        ("away/open/a.pdf", LINK),
        ("nowhere/a.pdf", NOWHERE),
        ("there.pdf/a", NOWHERE),
        ("there.pdf", TAKEN),
        ("link.pdf", TAKEN),
        ("inner", TAKEN),
    ],
)  # fmt: skip
def test_other_names_are_refused_before_a_request(archive: tuple[Server, Path], name: str, reason: str) -> None:
    server, opened = archive
    result = server.result("read_report", save_as=name)
    assert result["isError"]
    assert told(result) == f"read_report was not called: 1 problem with the arguments.\n- save_as: {reason}"
    assert b'"event":"request"' not in server.written
    assert sorted(each.name for each in opened.rglob("*")) == ["away", "inner", "link.pdf", "there.pdf"]
    assert sorted(each.name for each in opened.parent.iterdir()) == ["open"]
    assert (opened / "there.pdf").read_bytes() == b"stays"


def test_a_file_gives_way_where_the_operator_says_so(project: Path, opened: Path) -> None:
    with served(project, opened, ARCHIVE_DOWNLOADS_OVERWRITE="1") as (server, _):
        assert not server.result("read_report", save_as="there.pdf").get("isError")
        assert (opened / "there.pdf").read_bytes() == PDF
        assert not server.result("read_report", save_as="link.pdf").get("isError")
        result = server.result("read_report", save_as="inner")
        assert "could not be written" in told(result)
    assert not (opened / "link.pdf").is_symlink()  # the link was replaced, not the file that it leads to
    assert sorted(each.name for each in opened.parent.iterdir()) == ["open"]


def test_no_secret_is_in_a_file_and_the_name_of_the_upstream_is_only_told(project: Path, opened: Path) -> None:
    with served(project, opened, ARCHIVE_KEY="k3y-0123456789abcdef") as (server, said):
        large = b"\x00" * 200_000 + b"k3y-0123456789abcdef" + b"\x00" * 600_000
        disposition = 'Content-Disposition: attachment; filename="../../may.csv"'
        said.append(answer(large, "text/csv", "200 OK", disposition, 'ETag: "v1"'))
        result = server.result("read_sheet", save_as="a.csv")
    written = (opened / "a.csv").read_bytes()
    assert told(result) == (
        f'The answer was written to {opened / "a.csv"}: text/csv, {len(written):,} bytes, ../../may.csv.\nETag: "v1"'
    )
    assert written == large.replace(b"k3y-0123456789abcdef", b"[redacted]")


def test_what_did_not_come_whole_is_no_file(project: Path, opened: Path) -> None:
    with served(project, opened, ARCHIVE_MAX_RESULT="8k tokens, 1 MiB") as (server, said):
        said.append(answer(b"\xff" * 2**21, "application/pdf"))
        result = server.result("read_report", save_as="a.pdf")
        assert told(result).endswith("bytes were read, so no file was written.")
        assert result["isError"]
        said.append(answer(b"{}", "application/json", "404 Not Found"))
        assert "HTTP 404" in told(server.result("read_report", save_as="a.pdf"))
        said.append(answer(b"", "application/pdf"))
        assert told(server.result("read_report", save_as="a.pdf")) == "Done (HTTP 200 OK)."
    assert sorted(each.name for each in opened.rglob("*")) == ["away", "inner", "link.pdf", "there.pdf"]


def test_a_file_that_is_too_large_to_be_shown_can_be_saved(project: Path, opened: Path) -> None:
    with served(project, opened, ARCHIVE_MAX_RESULT="2k tokens") as (server, said):
        said.append(answer(PDF * 100, "application/pdf"))
        result = server.result("read_report")
        assert "too large to be passed on." in told({"content": result["content"][:1]})
        assert "Call again with save_as to have it written to a file." in told({"content": result["content"][:1]})
        assert len(json.dumps(result)) < 2000
        result = server.result("read_report", save_as="large.pdf")
    assert os.stat(opened / "large.pdf").st_size == len(PDF) * 100


def test_a_folder_that_cannot_be_used_ends_the_start(project: Path, tmp_path: Path) -> None:
    with served(project, tmp_path / "none") as (server, _):
        assert server.ended() == 78
        assert "ARCHIVE_DOWNLOADS_DIR must name a directory that exists." in server.complaint()
