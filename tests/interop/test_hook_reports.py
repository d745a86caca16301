"""Test that official clients get the progress and the log messages of hooks.

The clients use both transports, revisions with a handshake, and the stateless revision.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mcpgen.demo import petstore
from tests.interop.clients import Client, Step, Work
from tests.interop.conftest import _carried_out, _generated, _installed
from tests.interop.test_over_http import OFFICIAL, found_wrong, over_http
from tests.leaks import SECRET

HOOKS = """
import asyncio
import os
import time

from .runtime.hooks import context


async def before_count(arguments):
    context.log("notice", "Counts with " + os.environ["REPORTS_API_KEY"], {"shelf": 3})
    context.log("debug", "Nobody hears this.")
    for done in (1, 2):
        context.progress(done, 4, f"shelf {done}")
        await asyncio.sleep(0.4)


def after_count_in_thread(result):
    context.log("warning", "Counted.")
    context.progress(1, 2, "sorting")
    time.sleep(0.4)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interop") / "reports"
    made = _generated(Path(__file__).with_name("reports.tools.yaml"), folder)
    (made / "reports_mcp" / "hooks.py").write_text(HOOKS)
    return made


@pytest.fixture(scope="module")
def server(project: Path) -> Path:
    """Return the console script of the project."""
    return _installed(project, "reports", "reports")


def worked(client: Client, way: str, project: Path, server: Path, record: Path) -> Work:
    call: Step = {"do": "call", "arguments": {}, "progress": True, "log": "info"}
    steps: list[Step] = [{**call, "tool": "count"}, {**call, "tool": "count_in_thread"}]
    with petstore.serve(api_key=SECRET, token=SECRET) as api:
        variables = {"REPORTS_BASE_URL": api.url, "REPORTS_API_KEY": SECRET}
        if way == "http":
            return over_http(client, project, variables, steps)
        return _carried_out(client, server, variables, steps, record)


@pytest.mark.parametrize("way", ["stdio", "http"])
@pytest.mark.parametrize("client", OFFICIAL, ids=str)
def test_progress_and_log_messages(client: Client, way: str, project: Path, server: Path, tmp_path: Path) -> None:
    work = worked(client, way, project, server, tmp_path / "lines")
    first, second = work.outcomes
    assert "cat" in first["result"]["content"][0]["text"]
    counted = [(each["progress"], each.get("total"), each.get("message")) for each in first["progress"]]
    assert counted[:2] == [(1, 4, "shelf 1"), (2, 4, "shelf 2")]
    assert "sorting" in [each["message"] for each in second["progress"]]
    for outcome in work.outcomes:
        numbers = [each["progress"] for each in outcome["progress"]]
        assert numbers == sorted({*numbers})
    told = [(each["level"], each["logger"], each["data"]) for each in second["log"]]
    about = {"tool": "count", "message": "Counts with [redacted]", "data": {"shelf": 3}}
    assert told == [
        ("notice", "reports", about),
        ("warning", "reports", {"tool": "count_in_thread", "message": "Counted."}),
    ]
    assert found_wrong(work) == []
