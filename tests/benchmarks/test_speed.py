"""Test the programs of `benchmarks.speed`: they make every call, detect wrong responses, and print stored results."""

from __future__ import annotations

import json
import os
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bars import Bar, show
from benchmarks.speed import api, calls, core, plot, results, table, upstream
from benchmarks.speed.__main__ import PAGES, ROOT, main
from benchmarks.speed.alone import Alone
from benchmarks.speed.figures import Found
from benchmarks.speed.pipe import Client, Wrong, check, shake_hands
from benchmarks.speed.process import Dead, Process, Subject
from benchmarks.speed.programs import PEERS
from benchmarks.speed.setting import Setting
from benchmarks.speed.turns import in_turns

CALL = api.calls()["small"]


@pytest.fixture(scope="module", params=upstream.kinds())
def served(request: pytest.FixtureRequest) -> Iterator[upstream.Upstream]:
    with upstream.serving(api.bodies(), request.param) as running:
        yield running


def peer(file: str, url: str) -> Subject:
    return Subject(file, (sys.executable, str(PEERS / file)), {"BASE_URL": url, "KEY": api.KEY})


@pytest.mark.parametrize("size", api.SIZES)
def test_every_call_is_made_and_answered(served: upstream.Upstream, size: str) -> None:
    call = api.calls()[size]
    assert len(call.body) == api.SIZES[size]
    with Process(peer("proxy.py", served.url)) as server:
        shake_hands(server)
        client = Client(server, call)
        for calls, at_once in ((5, 1), (12, 4), (3, 8)):
            flow = client.flow(calls, at_once)
            assert len(flow.latencies) == calls
            assert flow.cpu > 0
            assert 0 < min(flow.latencies) <= flow.quantile(0.5) <= flow.quantile(0.99) <= flow.seconds
        assert server.peak() >= server.share() > 1


def test_the_http_client_alone_makes_every_request(served: upstream.Upstream) -> None:
    with Process(peer("loop.py", served.url)) as process:
        assert len(Alone(process, CALL).flow(10, 4).latencies) == 10


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["start", "strat"], "there is no 'strat'; there are start, calls, core, "),
        (["--rounds", "0"], "expected a whole number from 1 on; got '0'"),
        (["--rounds", "-3"], "expected a whole number from 1 on; got '-3'"),
        (["--rounds", "many"], "expected a whole number from 1 on; got 'many'"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is(
    given: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["speed", *given])
    monkeypatch.setattr("benchmarks.speed.__main__.measured", pytest.fail)
    with pytest.raises(SystemExit, match="2"):
        main()
    assert told in capsys.readouterr().err


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="this system does not tell on which cores a program runs"
)
def test_on_one_core_are_the_api_and_whatever_is_started(
    served: upstream.Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, seen = os.sched_getaffinity(0), list[set[int]]()
    programs: Any = None

    def measured(setting: Setting, *given: object) -> Found:
        assert setting.upstream.port != served.port
        with Process(peer("proxy.py", setting.upstream.url)) as server:
            seen.append(os.sched_getaffinity(server.pid))
        seen.append(os.sched_getaffinity(0))
        raise Wrong

    monkeypatch.setattr(calls, "measured", measured)
    with pytest.raises(Wrong):
        core.measure(Setting(programs, served, tmp_path, 1, 0.1, True))
    assert seen == [{min(before)}] * 2
    assert os.sched_getaffinity(0) == before


def test_the_api_has_a_ceiling(served: upstream.Upstream) -> None:
    assert upstream.ceiling(served, "medium", api.SIZES["medium"], 128) > 0


def _answer(**members: object) -> bytes:
    right = {"content": [{"type": "text", "text": CALL.body.decode()}], "structuredContent": json.loads(CALL.body)}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": {**right, **members}}).encode()


LAID_OUT = {"type": "text", "text": "API says:\n" + json.dumps(json.loads(CALL.body), indent=2)}
WRONG = {
    "an error": _answer(isError=True),
    "another body": _answer(content=[{"type": "text", "text": '{"page":7}'}]),
    "laid out anew": _answer(content=[LAID_OUT]),
    "another value": _answer(structuredContent={"page": 8}),
    "nothing": _answer(content=[]),
    "no result": b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}',
}


@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG)
def test_a_wrong_answer_is_seen(answer: bytes) -> None:
    with pytest.raises(Wrong):
        check(answer, CALL, exact=True)


def test_a_right_answer_passes() -> None:
    check(_answer(), CALL, exact=True)
    check(_answer(content=[LAID_OUT]), CALL, exact=False)


ECHO = """
import json, sys
for count, line in enumerate(sys.stdin):
    id_ = json.loads(line)["id"]
    answer = {"jsonrpc": "2.0", "id": id_, "result": {"content": [{"type": "text", "text": BODY}]}}
    FAULT
    print(json.dumps(answer), flush=True)
"""
FAULTS: dict[str, tuple[str, type[Exception]]] = {
    "another text later": ("if count == 3: answer['result']['content'][0]['text'] += ' '", Wrong),
    "another text as long": ("if count == 3: answer['result']['content'][0]['text'] = BODY[:-1] + '!'", Wrong),
    "an error later": ("if count == 3: answer['result'] = {'isError': True}", Wrong),
    "an id twice": ("if count == 3: answer['id'] = id_ - 1", Wrong),
    "an id that nobody has": ("if count == 3: answer['id'] = id_ + 500", Wrong),
    "an end": ("if count == 3: break", Dead),
}


@pytest.mark.parametrize(("fault", "seen"), FAULTS.values(), ids=FAULTS)
def test_a_fault_in_the_middle_is_seen(fault: str, seen: type[Exception]) -> None:
    code = f"BODY = {CALL.body.decode()!r}" + ECHO.replace("FAULT", fault)
    with Process(Subject("echo", (sys.executable, "-c", code), {})) as server, pytest.raises(seen):
        Client(server, CALL).flow(6, 1)


def test_cases_take_turns() -> None:
    seen: list[str] = []

    def case(name: str) -> Callable[[], int]:
        def run() -> int:
            seen.append(name)
            return len(seen)

        return run

    samples = in_turns({"a": case("a"), "seldom": case("seldom"), "b": case("b")}, 2, {"seldom": 1})
    assert seen == ["a", "b", "a", "seldom", "b", "a", "b"]
    assert samples == {"a": [3, 6], "seldom": [4], "b": [5, 7]}


def test_a_bar_that_is_missed_ends_in_one(capsys: pytest.CaptureFixture[str]) -> None:
    found = Found()
    found.at_most(2, "less", 4, 2)
    assert show(found.bars) == 0
    found.at_least(6, "more", 10, 2)
    found.at_most(1, "not measured", None, 2)
    assert found.bars == [Bar("less", 2, "<=", 2), Bar("more", 5, ">=", 6)]
    assert show(found.bars) == 1
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["PASS", "PASS", "MISS"]


def test_a_goal_that_is_missed_is_told_and_ends_in_zero(capsys: pytest.CaptureFixture[str]) -> None:
    found = Found()
    found.at_least(4, "more", 10, 2, 6)
    assert show(found.bars) == 0
    assert capsys.readouterr().out.split() == ["more", "5.00", "(bar", ">=", "4,", "goal", "6)", "PASS"]


def test_what_is_shown_is_what_is_stored(tmp_path: Path) -> None:
    stored = results.read()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert table.put(text, stored) == text
    assert plot.PATH.read_text(encoding="utf-8") == plot.made(stored)
    assert ET.fromstring(plot.made(stored)).tag.endswith("svg")
    results.write(stored, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == results.PATH.read_bytes()


def test_a_table_says_that_the_machine_was_busy() -> None:
    found = Found(notes=[f"{results.BUSY}: a load of 9.0."])
    assert results.BUSY in table.made(results.Results({}, {"start": found}))
    assert results.BUSY not in table.made(results.Results({}, {"start": Found()}))


def test_families_of_other_surroundings_are_not_kept() -> None:
    before = results.Results({"machine": "a"}, {"start": Found(), "calls": Found()})
    now = Found(notes=["now"])
    assert results.Results({"machine": "a"}, {"start": now}).over(before).families["start"] is now
    assert set(results.Results({"machine": "a"}, {"start": now}).over(before).families) == {"start", "calls"}
    assert set(results.Results({"machine": "b"}, {"start": now}).over(before).families) == {"start"}


def test_make_bench_writes_them() -> None:
    """Check that every phony target in the Makefile has a rule.

    Without a rule, make would report that there is nothing to be done.
    """
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [targets] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    rules = dict(re.findall(r"^([\w-]+):.*\n((?:\t.*\n)*)", makefile, re.MULTILINE))
    assert set(targets.split()) <= rules.keys()
    assert "-m benchmarks.speed --write" in rules["bench"]
