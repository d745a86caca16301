"""Test the official clients over HTTP: every call has the same outcome as over stdio, and no client reports a fault."""

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
"""Reports of TypeScript clients that are not faults of the server: late progress, and the stream that they close
themselves.
"""

DIFFERENT = re.compile(
    r"127\.0\.0\.1:\d+|://result/[A-Za-z0-9_-]+|(?<=\"requestState\": \")[^\"]+|\d{4}-\d\d-\d\dT[0-9:.]+Z"
)
"""Patterns of values that differ between processes: ports, names of stored results, states, times."""


@contextmanager
def serving(project: Path, name: str, variables: dict[str, str]) -> Iterator[str]:
    """Start the server of a project, and yield its URL."""
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
    """Start the server of `project` over HTTP, let `client` carry out `steps`, and return the outcome.

    Skip the test if this machine cannot run the client.
    """
    name = next(project.glob("*_mcp")).name.removesuffix("_mcp")
    with serving(project, name, variables) as url:
        try:
            return carry_out_over_http(client, url, steps, asks)
        except environments.Missing as missing:
            pytest.skip(str(missing))


def compared(value: Any) -> Any:
    """Return the value without the parts that differ between processes."""
    return json.loads(DIFFERENT.sub("...", json.dumps(value)))


def found_wrong(work: Work) -> list[str]:
    """Return those complaints of the client that are about faults of the server."""
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
    """Cancel a call, and make calls together. A cancelled call ends its request to the API.

    A client cancels by a notification, or by closing the connection.
    """
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
    assert found_wrong(work) == []
    abandoned, gathered, last = work.outcomes
    assert "failed" not in abandoned, abandoned
    for key, outcome in zip(adoptions, gathered["together"], strict=True):
        assert f"/adoptions/{key}" in outcome["result"]["content"][0]["text"]
    assert "/inventory" in last["result"]["content"][0]["text"]


@EACH
def test_users_are_asked(
    client: Client, asking: Path, confirming: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Check that calls that ask the user (elicitation) have the same outcomes and API requests as over stdio."""
    for name, job in confirmations.jobs(client.revision).items():
        if job.hasty:
            continue
        sent, outcomes = [], []
        for way in ("http", "stdio"):
            with petstore.serve(api_key=SECRET, token=SECRET) as api:
                variables = {"CONFIRM_BASE_URL": api.url, "CONFIRM_BEARER": SECRET}
                if way == "http":
                    work = over_http(client, asking, variables, list(job.steps), job.asks)
                    assert found_wrong(work) == [], name
                else:
                    record = tmp_path_factory.mktemp("asked") / "lines"
                    work = carry_out(client, confirming, variables, list(job.steps), record, job.asks)
                sent.append([(received.method, received.target) for received in api.requests])
                outcomes.append(compared(work.outcomes))
        assert sent[0] == sent[1], name
        assert outcomes[0] == outcomes[1], name
