"""Run random workflows, also such as no compiler writes: each ends within its limits, with a result."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.wire_formats import Failure, Question, Result
from package.runtime.workflows import workflow_runs

from tests.workflows.shop import ACCEPT, CANCEL, DECLINE, Scene, generated, run

TOOLS = (
    *("find_customers", "list_invoices", "create_refund", "delete_refund"),
    *("send_mail", "delete_mail", "get_job", "clear_shop", "other"),
)
WORKFLOW = """
- {name: random_steps, description: Replaced by each test., arguments: {a: string}, confirm: always,
   steps: [{call: create_refund, with: {invoice: 1}}]}
- {name: other, description: Another workflow., confirm: never, steps: [{call: send_mail, with: {to: x, text: y}}]}
"""
EXPRESSIONS = (
    *("$inputs.a", "$inputs.b", "$inputs", "$steps.s0.outputs.o", "$steps.s1.outputs.o#/0/id", "$steps.s9.outputs.o"),
    *("$response.body", "$response.body#/0/id", "$response.body#/id", "$response.header.X-Total", "$statusCode"),
    *(
        "$item",
        "$item#/id",
        "$index",
        "$request.query.q",
        "$url",
        "$method",
        "$outputs.result",
        "$workflows.other.outputs",
    ),
    *("$nothing", "$", "$steps..outputs", "$response.body#/~", "$steps.s0.outputs.o.a.b[3]"),
)
CONDITIONS = (
    *("$statusCode == 200", "$statusCode < 400", "$response.body#/state == 'done'", "$inputs.a != null", "true"),
    *("$steps.s0.outputs.o", "((1 < 2)", "$index > 0 && !($item == 1)", "'a' == \"A\"", "", "a b c"),
)
MOST = 25


def value(drawn: random.Random, depth: int = 0) -> dict[str, Any]:
    match drawn.randrange(7 if depth < 3 else 2):
        case 0:
            return {"literal": drawn.choice([1, "x", None, [], {"id": 7}, "$inputs.a", 1e308, "\ud83d\ude00", True])}
        case 1 | 2:
            return {"expression": drawn.choice(EXPRESSIONS)}
        case 3:
            return {"text": [drawn.choice(["a", "{", ""]), {"expression": drawn.choice(EXPRESSIONS)}]}
        case 4:
            return {"members": {name: value(drawn, depth + 1) for name in drawn.sample("abcd", drawn.randrange(3))}}
        case 5:
            return {"items": [value(drawn, depth + 1) for _ in range(drawn.randrange(3))]}
        case _:
            changes = {drawn.choice(["", "/a", "/0", "$.a", "$.a[0]"]): value(drawn, depth + 1)}
            return {"patched": value(drawn, depth + 1), "at": changes}


def arguments(drawn: random.Random) -> dict[str, Any]:
    if drawn.random() < 0.05:
        return value(drawn)
    fitting = {"q": "x", "customer_id": 1, "invoice": 1, "refund": 1, "to": "x", "text": "y", "mail": 1, "job": 1}
    found = {name: {"literal": each} for name, each in fitting.items()}
    names = drawn.sample(sorted(found), 1) if drawn.random() < 0.3 else []
    return {"members": {**found, **{name: value(drawn) for name in names}}}


def criteria(drawn: random.Random) -> list[dict[str, Any]]:
    return [
        {"kind": drawn.choice(["simple"] * 4 + ["regex", "jsonpath"]), "condition": drawn.choice(CONDITIONS)}
        | {"context": drawn.choice(["$response.body", "$inputs.a", "$item"])}
        for _ in range(drawn.randrange(1, 3))
    ]


def action(drawn: random.Random, count: int, is_failure: bool) -> dict[str, Any]:
    kind = drawn.choice(["end", "goto", "retry"] if is_failure else ["end", "goto"])
    found: dict[str, Any] = {"kind": kind, "seconds": 0, "most": drawn.randrange(4)}
    if kind == "goto" or drawn.random() < 0.2:
        found |= {"tool": "other"} if drawn.random() < 0.3 else {"step": f"s{drawn.randrange(count)}"}
    return found | ({"criteria": criteria(drawn)} if drawn.random() < 0.5 else {})


def step(drawn: random.Random, number: int, count: int) -> dict[str, Any]:
    tool = drawn.choice(TOOLS)
    given = {"members": {}} if tool in ("other", "clear_shop") else arguments(drawn)
    found: dict[str, Any] = {"id": f"s{number}", "tool": tool, "arguments": given}
    if tool not in ("other", "clear_shop") and "members" in given:
        names = {"find_customers": "q", "list_invoices": "customer_id", "create_refund": "invoice"}
        names |= {"delete_refund": "refund", "send_mail": "to text", "delete_mail": "mail", "get_job": "job"}
        wanted = names[tool].split()
        found["arguments"] = {"members": {name: each for name, each in given["members"].items() if name in wanted}}
    if drawn.random() < 0.2:
        found["when"] = criteria(drawn)
    if drawn.random() < 0.2:
        found["each"] = {"in": value(drawn), "most": drawn.randrange(1, 4)}
    if drawn.random() < 0.2:
        found["success"] = criteria(drawn)
    for key in ("onSuccess", "onFailure"):
        if drawn.random() < 0.3:
            found[key] = [action(drawn, count, key == "onFailure") for _ in range(drawn.randrange(1, 3))]
    if drawn.random() < 0.8:
        found["outputs"] = {"o": value(drawn)}
    if drawn.random() < 0.3:
        found["undo"] = {"tool": "delete_refund", "arguments": {"members": {"refund": value(drawn)}}}
    if number and drawn.random() < 0.1:
        found["after"] = [f"s{drawn.randrange(number)}"]
    return found


def workflow(drawn: random.Random) -> dict[str, Any]:
    count = drawn.randrange(1, 6)
    found: dict[str, Any] = {"steps": [step(drawn, number, count) for number in range(count)], "seconds": 20}
    if drawn.random() < 0.7:
        found["outputs"] = {"o": value(drawn)}
    return found | ({"consent": "each"} if drawn.random() < 0.3 else {})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("shop"), WORKFLOW)


def ends_within_its_limits(project: Path, seeds: range) -> None:
    async def scene(scene: Scene) -> None:
        catalog = scene.executor.services.catalog
        for seed in seeds:
            drawn = random.Random(seed)
            binding: dict[str, Any] = {
                "name": "random_steps",
                "operation": {"path": "x"},
                "workflow": workflow(drawn),
                "confirm": "always",
            }
            catalog._bound.change("random_steps", json.dumps(binding).encode())
            catalog._parsed.clear()
            scene.executor._plans.clear()
            scene.replies = [drawn.choice([ACCEPT, ACCEPT, ACCEPT, DECLINE, CANCEL]) for _ in range(40)]
            is_refused = scene.replies[0] is not ACCEPT and binding["workflow"].get("consent") != "each"
            scene.shop.seen.clear()
            scene.shop.faults = {} if drawn.random() < 0.5 else {"POST": [drawn.choice([400, 500, 200])] * 3}
            way = drawn.choice(["request", "result", ""])
            outcome = await scene.call("random_steps", way, **({"a": "x"} if drawn.random() < 0.5 else {}))
            assert isinstance(outcome, Result | Question | Failure), seed
            assert len(scene.shop.seen) <= 3 * MOST, seed
            if is_refused or way != "request":
                assert scene.shop.writes == [], seed

    run(project, scene)


@pytest.fixture(autouse=True)
def _limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow_runs, "MOST_CALLS", MOST)


def test_a_hundred_random_workflows_end_within_their_limits(project: Path) -> None:
    ends_within_its_limits(project, range(100))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(100))
def test_ten_thousand_random_workflows_end_within_their_limits(project: Path, part: int) -> None:
    ends_within_its_limits(project, range(100 * part, 100 * part + 100))
