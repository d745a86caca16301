"""Test that eight agent frameworks list every generated example, and a server with awkward names, and call a tool of
each.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.converters import frameworks
from tests.converters.servers import CALLS, NAMES, Used, use
from tests.golden.projects import NAMES as EXAMPLES
from tests.golden.projects import project

pytestmark = pytest.mark.world


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a project whose parameters have awkward names."""
    document, project = Path(__file__).with_name("names.openapi.yaml"), tmp_path_factory.mktemp("names") / NAMES
    command = [sys.executable, "-m", "mcpgen", "generate", str(document), "-o", str(project)]
    subprocess.run(command, check=True, capture_output=True)
    return project


@pytest.fixture(scope="module", params=frameworks.FRAMEWORKS)
def used(request: pytest.FixtureRequest, names: Path) -> Used:
    try:
        return use(partial(frameworks.carry_out, request.param), names)
    except frameworks.Unavailable as reason:
        pytest.skip(str(reason))


def _arguments(project: Path) -> dict[str, list[str]]:
    """Return tool → names of its arguments in the generated tables."""
    (path,) = project.glob("*_mcp/tools.json")
    return {tool["name"]: sorted(tool["inputSchema"].get("properties", {})) for tool in json.loads(path.read_bytes())}


def test_every_generated_example_is_used() -> None:
    assert {*CALLS} == {*EXAMPLES} | {NAMES}


@pytest.mark.parametrize("name", CALLS)
def test_a_framework_offers_every_tool_with_every_argument(used: Used, names: Path, name: str) -> None:
    report = used.reports[name]
    assert "failed" not in report
    assert report["tools"] == _arguments(names if name == NAMES else project(name))


@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_a_framework_reaches_the_api_and_its_answer_the_framework(used: Used, name: str) -> None:
    report, call = used.reports[name], CALLS[name]
    assert call.answer in report.get("answer", "")
    assert tuple(used.heard[name]) == call.heard
