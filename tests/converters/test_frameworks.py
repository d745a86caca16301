"""Test that eight agent frameworks list the tools of each example, and of a server with unusual names, and call one.

They do so in two modes: with every tool listed, and with a tool search through which tools are called.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import pytest

from tests.converters import frameworks
from tests.converters.servers import CALLS, NAMES, Folder, Used, tools, use
from tests.golden.projects import NAMES as EXAMPLES
from tests.golden.projects import project
from tests.tasks.projects import generated, of_source

pytestmark = pytest.mark.world

SEARCH = {
    "search_tools": ["group", "limit", "queries"],
    "describe_tools": ["names"],
    "call_tool": ["arguments", "name"],
    "call_writing_tool": ["arguments", "name"],
}


@pytest.fixture(scope="module", params=["all", "search"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a function that gives the project of a server by name. The project lists all tools, or only a tool
    search.
    """

    @cache
    def found(name: str) -> Path:
        target = tmp_path_factory.mktemp(request.param) / name
        if name == NAMES:
            return of_source(Path(__file__).with_name("names.openapi.yaml"), request.param, target)
        return project(name) if request.param == "all" else generated(name, request.param, target)

    return found


@pytest.fixture(scope="module")
def search(folder: Folder) -> bool:
    """Return True if the project's server lists a tool search instead of all tools."""
    return any(folder(NAMES).glob("*_mcp/search.json"))


@pytest.fixture(scope="module", params=frameworks.FRAMEWORKS)
def used(request: pytest.FixtureRequest, folder: Folder, search: bool) -> Used:
    try:
        return use(partial(frameworks.carry_out, request.param), folder, search=search)
    except frameworks.Unavailable as reason:
        pytest.skip(str(reason))


def _arguments(project: Path) -> dict[str, list[str]]:
    """Return a mapping from each tool to its argument names in the project's `tools.json`."""
    return {name: sorted(tool["inputSchema"].get("properties", {})) for name, tool in tools(project).items()}


def test_every_generated_example_is_used() -> None:
    assert {*CALLS} == {*EXAMPLES} | {NAMES}


@pytest.mark.parametrize("name", CALLS)
def test_a_framework_offers_every_tool_with_every_argument(used: Used, folder: Folder, search: bool, name: str) -> None:
    report = used.reports[name]
    assert "failed" not in report
    assert report["tools"] == (SEARCH if search else _arguments(folder(name)))


@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_a_framework_reaches_the_api_and_its_answer_the_framework(used: Used, name: str) -> None:
    report, call = used.reports[name], CALLS[name]
    assert call.answer in report.get("answer", "")
    assert tuple(used.heard[name]) == call.heard
