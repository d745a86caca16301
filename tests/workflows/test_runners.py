"""Play the runs of `arazzo/` with two other runners of Arazzo documents, and compare the requests at the raw socket.

Where a runner sends other requests than the server, the run names the runner under `differs`, with the part of the
standard that decides. `docs/reference/arazzo.md` has the table of these differences.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.interop import environments
from tests.runtime.upstream import serving
from tests.workflows.test_arazzo import HERE, Api, runs

ROOT = Path(__file__).resolve().parents[2]

RUNNERS = {"redocly": ("@redocly/cli", "2.77.0"), "arazzo-runner": ("arazzo-runner", "0.9.6")}
"""Name of each runner → its package of npm or PyPI, and the release."""

PATIENCE = 30
"""Seconds after which a runner counts as waiting. A run takes a few seconds."""

Command = Callable[[Path, str, dict[str, Any]], list[str]]


@pytest.fixture(scope="session")
def commands() -> dict[str, Command]:
    """Return name of a runner → a function that gives its command line for a document, a workflow and inputs."""

    def redocly(document: Path, workflow: str, inputs: dict[str, Any]) -> list[str]:
        folder = environments.node("redocly", {RUNNERS["redocly"][0]: RUNNERS["redocly"][1]})
        program = str(folder / "node_modules" / "@redocly" / "cli" / "bin" / "cli.js")
        return ["node", program, "respect", document.name, "-w", workflow, "--input", json.dumps(inputs)]

    def arazzo_runner(document: Path, workflow: str, inputs: dict[str, Any]) -> list[str]:
        folder = environments.python("arazzo-runner", "==".join(RUNNERS["arazzo-runner"]))
        program = str(folder / "bin" / "arazzo-runner")
        return [program, "execute-workflow", document.name, "--workflow-id", workflow, "--inputs", json.dumps(inputs)]

    return {"redocly": redocly, "arazzo-runner": arazzo_runner}


async def played(command: Command, document: Path, workflow: str, run: dict[str, Any], folder: Path) -> list[str]:
    """Return the requests that a runner makes, and what the runner prints."""
    api = Api(run["answers"])
    async with serving(api.play) as upstream:
        described = (HERE / "api.yaml").read_text(encoding="utf-8")
        (folder / "api.yaml").write_text(described.replace("http://127.0.0.1:1", str(upstream.address())))
        text = yaml.safe_load(document.read_text(encoding="utf-8"))
        for each in text["sourceDescriptions"]:
            each["url"] = "./api.yaml"
        # without the other workflows: one runner takes steps of one id for the same step, whatever their workflow
        called = json.dumps([each for each in text["workflows"] if each["workflowId"] == workflow])
        text["workflows"] = [each for each in text["workflows"] if f'"{each["workflowId"]}"' in called]
        (folder / document.name).write_text(yaml.safe_dump(text, sort_keys=False))
        environment = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
        process = await asyncio.create_subprocess_exec(
            *command(folder / document.name, workflow, run["inputs"]),
            cwd=folder,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            told, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
            sys.stdout.write(told.decode(errors="replace"))
        except TimeoutError:  # the runner waits for its next request
            process.kill()
            await process.communicate()
    return api.requests


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(("document", "workflow", "run"), [*runs()])
def test_another_runner_makes_the_same_requests(
    runner: str, document: Path, workflow: str, run: dict[str, Any], commands: dict[str, Command], tmp_path: Path
) -> None:
    try:
        requests = asyncio.run(played(commands[runner], document, workflow, run, tmp_path))
    except environments.Missing as missing:
        pytest.skip(f"{RUNNERS[runner][0]}: {missing}")
    assert (requests != run["requests"]) is (runner in run.get("differs", {})), requests


def test_the_documentation_decides_each_difference() -> None:
    table = (ROOT / "docs" / "reference" / "arazzo.md").read_text(encoding="utf-8").rpartition("## ")[2]
    differing = [each.values[2].get("differs", {}) for each in runs()]
    same = [sum(runner not in each for each in differing) for runner in RUNNERS]
    assert f"Of {len(differing)} runs, {same[0]} make" in table
    assert f"and {same[1]} the same as" in table
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in table.splitlines() if line.startswith("| ")]
    told = {
        (topic.strip(), name) for topics, names in rows for topic in topics.split(",") for name in names.split(", ")
    }
    found = {
        (topic, f"`{RUNNERS[runner][0]}`")
        for each in runs()
        for runner, topic in each.values[2].get("differs", {}).items()
    }
    assert told - {("", "runner")} == found
