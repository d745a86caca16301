"""Test every way to ask users and every kind of content with official clients, over stdio and over HTTP."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.interop import shop
from tests.interop.clients import Client, Step, Work, carry_out, carry_out_over_http
from tests.interop.conftest import _generated
from tests.interop.environments import Missing
from tests.interop.test_over_http import OFFICIAL, found_wrong, serving
from tests.leaks import SECRET

EACH = pytest.mark.parametrize("client", OFFICIAL, ids=str)
BOTH = pytest.mark.parametrize("way", ["stdio", "http"])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated project of the test server `shop`."""
    return _generated(Path(__file__).with_name("shop.tools.yaml"), tmp_path_factory.mktemp("interop") / "shop")


def carried_out(client: Client, way: str, project: Path, steps: list[Step], folder: Path, asks: bool) -> Work:
    """Let a client do the steps by one of the transports, and return the outcome."""
    script = folder / "shop-mcp"
    script.write_text(shop.SERVER.format(python=sys.executable, project=str(project)))
    script.chmod(0o755)
    with shop.serve() as (url, seen):
        variables = {"SHOP_BASE_URL": url, "SHOP_KEY": SECRET}
        try:
            if way == "stdio":
                work = carry_out(client, script, variables, steps, folder / "lines", asks)
            else:
                with serving(project, "shop", variables) as at:
                    work = carry_out_over_http(client, at, steps, asks)
        except Missing as missing:
            pytest.skip(str(missing))
    completions = [path for path in seen if path.startswith(("/cities", "/ids"))]
    assert completions == sorted(set(completions)), "a value was fetched twice"
    assert found_wrong(work) == []
    return work


def is_held(outcome: dict[str, Any], expected: Any) -> bool:
    """Return True if an outcome holds what is expected: a text, the values of a completion, or an object as JSON."""
    if isinstance(expected, str):
        return expected in json.dumps(outcome, ensure_ascii=False)
    if isinstance(expected, list):
        return bool(outcome["answer"]["completion"]["values"] == expected)
    return bool(json.loads(outcome["result"]["content"][0]["text"]) == expected)


@EACH
@BOTH
def test_users_are_asked_and_content_comes_whole(client: Client, way: str, project: Path, tmp_path: Path) -> None:
    work = carried_out(client, way, project, shop.STEPS, tmp_path, True)
    *outcomes, report, show = work.outcomes
    for (step, expected), outcome in zip(shop.EXPECTED, outcomes, strict=True):
        assert is_held(outcome, expected), (step, outcome)
    *blocks, answer = report["result"]["content"]
    assert blocks == shop.REPORTED
    assert json.loads(answer["text"]) == shop.REPORT
    messages = show["answer"]["messages"]
    assert [each["content"] for each in messages] == shop.shown(Path(__file__).with_name("dot.png").read_bytes())
    assert [each["role"] for each in messages] == ["user"] * 4 + ["assistant"]


@EACH
@BOTH
def test_clients_that_cannot_ask(client: Client, way: str, project: Path, tmp_path: Path) -> None:
    steps: list[Step] = [{"do": "list"}, *(step for step, _ in shop.UNASKED)]
    listed, *outcomes = carried_out(client, way, project, steps, tmp_path, False).outcomes
    for (step, expected), outcome in zip(shop.UNASKED, outcomes, strict=True):
        told = json.dumps(outcome, ensure_ascii=False).replace('\\"', '"')
        assert expected in told, (step, outcome)
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert set(tools["order_anyhow"]["inputSchema"]["required"]) == {"item", "street"}
    assert set(tools["invoice"]["inputSchema"]["required"]) == {"to", "sum"}
    assert tools["invoice"]["description"] == "Creates an invoice."
