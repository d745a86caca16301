"""The official clients over HTTP: each does what it does over stdio, call for call, and finds nothing wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mcpgen.demo import petstore
from tests.interop import calls, confirmations, environments, slow
from tests.interop.clients import CLIENTS, Client, Step, Work, carry_out, carry_out_over_http
from tests.leaks import SECRET, planted, searched

OFFICIAL = [client for client in CLIENTS if client.name != "raw"]
EACH = pytest.mark.parametrize("client", OFFICIAL, ids=str)
PATIENCE = 30
NO_FAULTS = ("progress notification for an unknown token", "AbortError: This operation was aborted")
"""What the clients in TypeScript say of progress that they read together with the answer, and of the stream that they
close themselves when they leave.
"""

DIFFERENT = re.compile(
    r"127\.0\.0\.1:\d+|://result/[A-Za-z0-9_-]+|(?<=\"requestState\": \")[^\"]+|\d{4}-\d\d-\d\dT[0-9:.]+Z"
)
"""What is another from one process to the next: ports, names of kept results, states, moments."""


@contextmanager
def serving(project: Path, name: str, variables: dict[str, str]) -> Iterator[str]:
    """The URL of the server of a project."""
    command = [sys.executable, "-m", f"{name}_mcp", "--http", "0"]
    environ = {**planted(name.upper()), **variables}
    with subprocess.Popen(command, cwd=project, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, b"")
        try:
            yield next(json.loads(line)["url"] for line in lines if b'"listening"' in line)
        finally:
            process.terminate()
            printed, logged = process.communicate(timeout=PATIENCE)
            assert printed == b""
            assert process.returncode == 0
            searched(logged)


def over_http(client: Client, project: Path, variables: dict[str, str], steps: list[Step], asks: bool = False) -> Work:
    """What came of the steps; skips where this machine cannot run the client."""
    name = next(project.glob("*_mcp")).name.removesuffix("_mcp")
    with serving(project, name, variables) as url:
        try:
            return carry_out_over_http(client, url, steps, asks)
        except environments.Missing as missing:
            pytest.skip(str(missing))


def compared(value: Any) -> Any:
    """A value without what is another from one process to the next."""
    return json.loads(DIFFERENT.sub("...", json.dumps(value)))


def found_wrong(work: Work) -> list[str]:
    """What the client complained of, where that is a fault."""
    return [each for each in work.complaints if not any(known in each for known in NO_FAULTS)]


@EACH
def test_the_whole_table_is_called(client: Client, project: Path, server: Path, tmp_path: Path) -> None:
    keys = ("tool", "arguments", "progress")
    table: list[Step] = [{"do": "call", **{key: case.get(key) for key in keys}} for case in calls.CASES]
    steps: list[Step] = [{"do": "list"}, *table]
    done = []
    for way in ("http", "stdio"):
        with petstore.serve(api_key=SECRET, token=SECRET) as api:
            variables = {"PETSTORE_BASE_URL": api.url, "PETSTORE_API_KEY": SECRET, "PETSTORE_BEARER": SECRET}
            if way == "http":
                done.append(over_http(client, project, variables, steps))
            else:
                done.append(carry_out(client, server, variables, steps, tmp_path / "lines"))
    http, stdio = done
    assert found_wrong(http) == []
    for step, ours, theirs in zip(steps, http.outcomes, stdio.outcomes, strict=True):
        assert compared({**ours, "progress": None}) == compared({**theirs, "progress": None}), step


@EACH
def test_calls_are_given_up_and_made_together(client: Client, project: Path) -> None:
    """Where a client gives a call up, the upstream is left: by its cancellation, or by closing the connection."""
    with slow.serve() as upstream:
        adoptions = range(1, slow.TOGETHER + 1)
        together = [{"do": "call", "tool": "get_adoption", "arguments": {"adoptionId": key}} for key in adoptions]
        steps: list[Step] = [
            {"do": "abandon", "tool": "get_pet", "arguments": {"petId": 1}, "control": f"{upstream.url}/control"},
            {"do": "together", "steps": together},
            {"do": "call", "tool": "get_inventory", "arguments": {}},
        ]
        work = over_http(client, project, {"PETSTORE_BASE_URL": upstream.url, "PETSTORE_API_KEY": SECRET}, steps)
        assert upstream.closed.is_set()
    abandoned, gathered, last = work.outcomes
    assert "failed" not in abandoned, abandoned
    for key, outcome in zip(adoptions, gathered["together"], strict=True):
        assert f"/adoptions/{key}" in outcome["result"]["content"][0]["text"]
    assert "/inventory" in last["result"]["content"][0]["text"]


@EACH
def test_users_are_asked(
    client: Client, confirming: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """Every job that asks, as over stdio: what is sent, and what the client hears."""
    document = Path(__file__).with_name("confirm.tools.yaml")
    project = tmp_path / "confirm"
    command = [sys.executable, "-m", "mcpgen", "generate", str(document), "-o", str(project)]
    subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)
    for name, job in confirmations.jobs(client.revision).items():
        if job.hasty:
            continue
        sent, outcomes = [], []
        for way in ("http", "stdio"):
            with petstore.serve(api_key=SECRET, token=SECRET) as api:
                variables = {"CONFIRM_BASE_URL": api.url, "CONFIRM_BEARER": SECRET}
                if way == "http":
                    work = over_http(client, project, variables, list(job.steps), job.asks)
                    assert found_wrong(work) == [], name
                else:
                    record = tmp_path_factory.mktemp("asked") / "lines"
                    work = carry_out(client, confirming, variables, list(job.steps), record, job.asks)
                sent.append([(received.method, received.target) for received in api.requests])
                outcomes.append(compared(work.outcomes))
        assert sent[0] == sent[1], name
        assert outcomes[0] == outcomes[1], name
