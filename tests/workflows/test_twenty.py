"""Run workflows over the petstore, the examples and public documents in all ways in which they can end.

The files of `twenty/` are the table. `source`: the description of the API; `more`: further keys of the tools file;
`tools`, `arazzo`: the workflows; `api`: the API behind them (`resources`). `runs`: name of a workflow -> its
`arguments`, its `result`, and the `changes` of the state: path -> value, or null if the resource is gone. `asks`:
number of questions to the user (1). `mended`: steps whose failure the workflow answers itself. `absent: runs`: without
a user, the workflow runs all the same. `again`: steps in which a killed server has made a write that another replica
makes again, since nothing tells this replica that the write was made.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.catalog import Catalog
from package.runtime.core.wire_formats import Question, Result
from package.runtime.http import sending
from package.runtime.settings import settings
from package.runtime.workflows.workflow_record import _HEADINGS, DONE, LEFT, UNKNOWN

from mcpgen.cli import main
from tests.runtime.revisions import R4, R5
from tests.runtime.upstream import serving
from tests.workflows.resources import FAULTS, Fault, Resources, play_resources
from tests.workflows.shop import ACCEPT, CANCEL, DECLINE, Scene

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "dev"
FILES = sorted(Path(__file__).with_name("twenty").glob("*.yaml"))

Call = tuple[str, dict[str, Any]]
"""Name of a tool, and its arguments."""


@dataclass(frozen=True)
class Described:
    """One file of the table."""

    file: Path

    @cached_property
    def table(self) -> dict[str, Any]:
        found: dict[str, Any] = yaml.safe_load(self.file.read_text(encoding="utf-8"))
        return found

    @property
    def source(self) -> Path:
        folder, _, name = str(self.table["source"]).partition("/")
        return CORPUS / name if folder == "corpus" else ROOT / folder / name

    def generated(self, folder: Path, base: str, is_each: bool) -> Path:
        """Generate a server in a folder. `is_each`: its user is asked about each write of a workflow."""
        if not self.source.exists():
            pytest.skip(f"{self.source} is not here")
        name = self.source.name
        own: dict[str, Any] = {"mcpgen": 1, "server": {"name": "caller"}, "openapi": [{"document": name}], "tools": []}
        if name.endswith(".tools.yaml"):
            own = yaml.safe_load(self.source.read_text(encoding="utf-8"))
        else:
            (folder / name).write_bytes(self.source.read_bytes())
        own |= {"base_url": base, **self.table.get("more", {})}
        asked = {"consent": "each"} if is_each else {}
        own["tools"] = [*own["tools"], *({**each, **asked} for each in self.table["tools"])]
        if "arazzo" in self.table:
            names = [each["workflowId"] for each in self.table["arazzo"]["workflows"]]
            own["overrides"] = dict.fromkeys(names, asked or {"consent": "once"})
            (folder / "flow.arazzo.yaml").write_text(json.dumps(self.table["arazzo"]))
            own["workflows"] = ["flow.arazzo.yaml"]
        (folder / "owner.tools.yaml").write_text(json.dumps(own, default=str))
        with pytest.raises(SystemExit) as ended:
            main(["generate", str(folder / "owner.tools.yaml"), "-o", str(folder / "out"), "--name", "caller"])
        assert ended.value.code == 0
        return folder / "out"


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeat reads at once that a passing fault has met."""
    monkeypatch.setattr(sending, "LONGEST_FIRST", 0.0)


CASES = [
    pytest.param(Described(file), tool, id=f"{file.stem}: {tool}")
    for file in FILES
    for tool in yaml.safe_load(file.read_text(encoding="utf-8"))["runs"]
]


@pytest.fixture(scope="session")
def catalogs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a function that returns the tables of a server for one file, which it generates once."""
    known: dict[tuple[Path, bool], Path] = {}

    def catalog(described: Described, is_each: bool = False) -> Catalog:
        key = described.file, is_each
        if key not in known:
            known[key] = described.generated(tmp_path_factory.mktemp("owner"), "http://127.0.0.1:1", is_each)
        return Catalog.load(str(known[key] / "caller_mcp"))

    return catalog


@dataclass
class Played:
    """A run that has ended: the API as it is then, the outcome, and the questions to the user.

    `steps`: the id of the step that sent each request.
    """

    api: Resources
    outcome: Any = None
    asked: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return str(self.outcome) if isinstance(self.outcome, Result) else self.outcome.sentence


def play(
    catalog: Catalog,
    described: Described,
    calls: Sequence[Call],
    fault: Fault | None = None,
    way: str = "request",
    replies: Sequence[object] = (),
) -> Played:
    """Make calls one after the other. `replies`: answers of the user, who agrees to all questions after them."""
    played = Played(Resources(described.table.get("api", {}), fault))

    async def whole() -> None:
        async with serving(partial(play_resources, current=lambda: played.api)) as upstream:
            environ = {f"CALLER_{name}": value for name, value in described.table.get("environ", {}).items()}
            chosen = settings.load(catalog, environ, str(upstream.address()))
            chosen.apply(catalog)
            executor = ToolExecutor(catalog, chosen)
            scene = Scene(executor, cast(Any, played.api))
            scene.replies = [*replies]

            def heard(_request: str) -> None:
                played.steps.append(scene.told[-1].rpartition(", ")[2] if scene.told else "")

            played.api.heard = heard
            try:
                for name, arguments in calls:
                    revision = R5 if way == "result" else R4
                    played.outcome = await scene.with_state(name, None, {}, arguments, way, revision)
                    while isinstance(played.outcome, Question):
                        scene.asked.append(played.outcome.message)
                        reply = scene.replies.pop(0) if scene.replies else ACCEPT
                        state = played.outcome.state
                        played.outcome = await scene.with_state(name, state, {"confirm": reply}, arguments)
            finally:
                await executor.close()
            played.asked = scene.asked

    asyncio.run(asyncio.wait_for(whole(), 60))
    return played


def told(report: str) -> dict[str, list[Call]]:
    """Return the writes that a report lists: state -> calls."""
    found: dict[str, list[Call]] = {state: [] for state in _HEADINGS}
    state = ""
    for line in report.split("\n"):
        state = next((each for each, heading in _HEADINGS.items() if line == heading), state)
        if state and (call := re.match(r"- [\w/-]+: (\w+) (?=\{)", line)):
            found[state].append((call[1], json.JSONDecoder().raw_decode(line[call.end() :])[0]))
    return found


def check_report(catalog: Catalog, described: Described, played: Played, fault: Fault | None) -> None:
    """Check that the calls which a report calls done give the state of the API, if they are made on a new API."""
    report = told(played.text)
    certain, unknown = report[DONE] + report[LEFT], report[UNKNOWN]
    if fault is None or fault.status == 400:
        assert not unknown, played.text
    done = unknown if fault is not None and fault.is_done else []
    assert play(catalog, described, certain + done).api.state == played.api.state, played.text
    assert ("Nothing was changed." in played.text) == (not any(report.values())), played.text


@pytest.mark.parametrize(("described", "tool"), CASES)
def test_it_succeeds(described: Described, tool: str, catalogs: Any) -> None:
    run, catalog = described.table["runs"][tool], catalogs(described)
    for way in ("request", "result"):
        played = play(catalog, described, [(tool, run["arguments"])], way=way)
        assert not played.outcome.is_error, played.text
        before, after = described.table["api"].get("state", {}), played.api.state
        changes = {path: after.get(path) for path in {**before, **after} if before.get(path) != after.get(path)}
        assert {"result": played.outcome.structured, "changes": changes} == {
            "result": run["result"],
            "changes": run.get("changes", {}),
        }
        assert len(played.asked) == run.get("asks", 1)


@pytest.mark.parametrize("mode", FAULTS)
@pytest.mark.parametrize(("described", "tool"), CASES)
def test_each_step_fails(described: Described, tool: str, mode: str, catalogs: Any) -> None:
    run, catalog = described.table["runs"][tool], catalogs(described)
    call = tool, run["arguments"]
    whole = play(catalog, described, [call])
    for at, (request, step) in enumerate(zip(whole.api.seen, whole.steps, strict=True), 1):
        fault = replace(FAULTS[mode], request=request, nth=whole.api.seen[:at].count(request))
        played = play(catalog, described, [call], fault)
        if step in run.get("mended", ()) and not played.outcome.is_error:
            continue
        assert played.text.startswith(f"{tool} was not completed. The step {step} failed: "), played.text
        check_report(catalog, described, played, fault)


@pytest.mark.parametrize("reply", [DECLINE, CANCEL, None, {"action": "?"}, "absent"])
@pytest.mark.parametrize(("described", "tool"), CASES)
def test_nothing_is_written_without_a_yes(described: Described, tool: str, reply: Any, catalogs: Any) -> None:
    run, catalog = described.table["runs"][tool], catalogs(described)
    for way in ("",) if reply == "absent" else ("request", "result"):
        played = play(catalog, described, [(tool, run["arguments"])], way=way, replies=[reply] * 9)
        is_run = run.get("asks") == 0 or (reply == "absent" and run.get("absent") == "runs")
        if is_run:
            assert not played.outcome.is_error, played.text
        else:
            assert re.match(r"\w+ was not c", played.text), played.text
        assert is_run or played.api.writes == []


@pytest.mark.parametrize(("described", "tool"), CASES)
def test_each_write_is_refused(described: Described, tool: str, catalogs: Any) -> None:
    run, catalog = described.table["runs"][tool], catalogs(described, is_each=True)
    call = tool, run["arguments"]
    questions = len(play(catalog, described, [call]).asked)
    for way in ("request", "result"):
        for agreed in range(questions):
            for undo in (ACCEPT, DECLINE):
                played = play(catalog, described, [call], way=way, replies=[*[ACCEPT] * agreed, DECLINE, *[undo] * 9])
                assert played.outcome.is_error
                check_report(catalog, described, played, None)
