"""Test the tool that reads the remaining text of a truncated result, with a real process and a raw socket."""

from __future__ import annotations

import re
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
server: {name: long}
base_url: https://api.example.com
tools:
  - {name: read_text, request: GET /text}
  - {name: Read_Result, request: GET /result}
  - {name: write_text, request: POST /text}
"""
KEPT = re.compile(r"call (\w+) with uri=(\S+)\.")
TEXT = "".join(f"line {number} ü\n" for number in range(5000))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    (folder / "t.tools.yaml").write_text(TOOLS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "t.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


@contextmanager
def served(project: Path, **environ: str) -> Iterator[tuple[Server, list[bytes]]]:
    with (
        upstream() as (url, said),
        Server(
            project, package="long_mcp", env={"LONG_BASE_URL": url, "LONG_MAX_RESULT": "2k tokens", **environ}
        ) as server,
    ):
        said.append(answer(TEXT.encode(), "text/plain; charset=utf-8"))
        yield server, said


def texts(result: dict[str, Any]) -> list[str]:
    return [block["text"] for block in result["content"] if block["type"] == "text"]


def names(server: Server) -> list[str]:
    return [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]


def test_it_is_listed_where_the_operator_says_so_under_a_name_of_its_own(project: Path) -> None:
    with served(project) as (server, _):
        assert names(server) == ["Read_Result", "read_text", "write_text"]
        assert "resources/read of long://result/1." in texts(server.result("read_text"))[0]
    with served(project, LONG_RESULT_TOOL="1") as (server, _):
        assert names(server) == ["Read_Result", "read_text", "write_text", "read_result_2"]
    with served(project, LONG_RESULT_TOOL="1", LONG_READ_ONLY="1") as (server, _):
        assert names(server) == ["Read_Result", "read_text", "read_result_2"]


def test_a_model_reads_all_of_a_result_with_it(project: Path) -> None:
    with served(project, LONG_RESULT_TOOL="1", LONG_AUDIT="stderr") as (server, _):
        found = KEPT.search(texts(server.result("read_text"))[0])
        assert found is not None
        tool, uri = found.groups()
        whole, calls = "", 0
        while uri:
            result = server.result(tool, uri=uri)
            assert not result.get("isError")
            piece, *following = texts(result)
            assert len(piece.encode()) <= 8000
            whole, calls = whole + piece, calls + 1
            uri = following[0].partition(" Next: ")[2] if following else ""
        assert whole == TEXT
        assert calls == -(-len(TEXT.encode()) // 8000)
        # The log line of a call is written after the call's result. So wait for the end of the server before counting
        # the log lines.
        server.end()
        server.rest()
        assert server.written.count(b'"tool":"read_result_2"') == calls


@pytest.mark.parametrize(
    "uri", ["", "long://result/9", "file:///etc/passwd", "long://result/1?from=x", "long://result/1?from=999999"]
)
def test_there_is_nothing_elsewhere(project: Path, uri: str) -> None:
    with served(project, LONG_RESULT_TOOL="1") as (server, _):
        assert texts(server.result("read_text"))
        result = server.result("read_result_2", uri=uri)
        assert result["isError"]
        assert texts(result)[0].startswith("Nothing is kept at this URI.")


def test_a_file_is_not_read_as_text(project: Path) -> None:
    with served(project, LONG_RESULT_TOOL="1") as (server, said):
        said.append(answer(b"\xff\x00" * 400_000, "application/pdf"))
        assert "resources/read of long://result/1." in texts(server.result("read_text"))[0]
        result = server.result("read_result_2", uri="long://result/1")
        assert texts(result) == ["What is kept at this URI is a file (application/pdf), which cannot be read as text."]
        assert "problem with the arguments" in texts(server.result("read_result_2"))[0]


def test_it_sends_nothing(project: Path) -> None:
    with served(project, LONG_RESULT_TOOL="1", LONG_LOG_LEVEL="debug") as (server, _):
        server.result("read_result_2", uri="long://result/1")
        assert b'"event":"request"' not in server.written
