"""Test real clients with servers that list a tool search (`--tools search`).

Every call and confirmation goes through the tools of the search.

The tests are those of `test_clients` and `test_confirmations`, with other fixtures: `call_tool` or `call_writing_tool`
makes each step. A tool that does not exist is called directly, because `call_tool` has its own error for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base import assets
from mcpgen.demo import petstore
from tests.interop import calls, confirmations
from tests.interop.clients import CLIENTS, Client, Step
from tests.interop.conftest import _carried_out, _generated, _of_petstore, direct
from tests.interop.sessions import Confirmed, Session
from tests.interop.test_clients import (
    test_every_message_fits_its_schema,
    test_every_message_keeps_the_rules,
    test_it_opens_in_the_revision_that_it_asks_for,
    test_progress_comes_where_it_was_asked_for,
    test_the_api_holds_what_the_same_requests_make_it_hold_directly,
    test_the_client_has_no_complaint,
    test_the_server_lives_and_ends_quietly,
    test_what_comes_back,
    test_what_the_api_holds,
    test_what_the_api_received,
)
from tests.interop.test_confirmations import (
    test_accepted,
    test_declined_and_then_accepted,
    test_expired,
    test_not_accepted,
    test_not_answered_is_asked_again,
    test_replayed,
    test_tampered,
    test_without_the_capability,
    test_wrong_arguments_are_told_and_nobody_is_asked,
)
from tests.interop.test_examples import SERVER
from tests.leaks import SECRET

__all__ = [
    "direct",
    "test_accepted",
    "test_declined_and_then_accepted",
    "test_every_message_fits_its_schema",
    "test_every_message_keeps_the_rules",
    "test_expired",
    "test_it_opens_in_the_revision_that_it_asks_for",
    "test_not_accepted",
    "test_not_answered_is_asked_again",
    "test_progress_comes_where_it_was_asked_for",
    "test_replayed",
    "test_tampered",
    "test_the_api_holds_what_the_same_requests_make_it_hold_directly",
    "test_the_client_has_no_complaint",
    "test_the_server_lives_and_ends_quietly",
    "test_what_comes_back",
    "test_what_the_api_holds",
    "test_what_the_api_received",
    "test_without_the_capability",
    "test_wrong_arguments_are_told_and_nobody_is_asked",
]

LISTED = {
    "search_tools": ["group", "limit", "queries"],
    "describe_tools": ["names"],
    "call_tool": ["arguments", "name"],
    "call_writing_tool": ["arguments", "name"],
}


@pytest.fixture(scope="session")
def searching(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a script that serves the petstore with a tool search."""
    folder = tmp_path_factory.mktemp("searching")
    project = _generated(assets.specs() / "petstore.openapi.yaml", folder / "petstore", "--tools", "search")
    return _script(project, "petstore", SERVER)


@pytest.fixture(scope="session")
def confirming_search(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the project whose tools ask the user first, with a tool search."""
    document = Path(__file__).with_name("confirm.tools.yaml")
    return _generated(document, tmp_path_factory.mktemp("searching") / "confirm", "--tools", "search")


def _script(project: Path, name: str, text: str, file: str = "serve") -> Path:
    script = project.parent / f"{name}-{file}"
    script.write_text(text.format(python=sys.executable, project=str(project), name=name))
    script.chmod(0o755)
    return script


@pytest.fixture(scope="session", params=CLIENTS, ids=str)
def session(
    request: pytest.FixtureRequest, searching: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    """Let one client make all calls of `calls.json` through `call_tool` and `call_writing_tool` of the tool search."""
    (table,) = (searching.parent / "petstore").glob("*_mcp/tools.json")
    reads = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in json.loads(table.read_bytes())}
    steps: list[Step] = []
    for case in calls.CASES:
        step = {"do": "call", **{key: case.get(key) for key in ("tool", "arguments", "progress")}}
        caller = "call_tool" if reads.get(case["tool"]) else "call_writing_tool"
        steps.append(_through(caller, step) if case["tool"] in reads else step)
    record = tmp_path_factory.mktemp("searched") / "lines"
    with petstore.serve(api_key=SECRET, token=SECRET) as api:
        work = _carried_out(request.param, searching, _of_petstore(api.url), [{"do": "list"}, *steps], record)
        listed, *outcomes = work.outcomes
        yield Session(work.client, outcomes, work.complaints, work.transcripts, listed, api)


@pytest.fixture(scope="session", params=CLIENTS, ids=str)
def confirmed(
    request: pytest.FixtureRequest, confirming_search: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Confirmed]:
    """Let one client carry out every job of `confirmations`, each with a new petstore.

    The client calls every tool through `call_writing_tool`, a tool of the tool search.
    """
    client: Client = request.param
    patient = _script(confirming_search, "confirm", SERVER)
    hasty = _script(confirming_search, "confirm", _in_folder(confirmations.HASTY), "hasty")
    done = {}
    for name, job in confirmations.jobs(client.revision).items():
        record = tmp_path_factory.mktemp("confirmed") / "lines"
        with petstore.serve(api_key=SECRET, token=SECRET) as api:
            variables = {"CONFIRM_BASE_URL": api.url, "CONFIRM_BEARER": SECRET}
            steps = [_through("call_writing_tool", step) for step in job.steps]
            work = _carried_out(client, hasty if job.hasty else patient, variables, steps, record, asks=job.asks)
            sent = [(received.method, received.target) for received in api.requests]
            done[name] = Confirmed(work.client, work.outcomes, work.complaints, work.transcripts, sent)
    return done


def _in_folder(script: str) -> str:
    """Return `script`, changed to import the package from the project folder, because the package is not installed."""
    return script.replace("import sys\n", "import sys\n\nsys.path.insert(0, {project!r})\n", 1)


def _through(caller: str, step: Step) -> Step:
    """Return a step that calls the tool of `step` through the tool `caller`.

    The items of `again` are changed in the same way: repeated calls, which send the server's `requestState` back.
    """

    def given(arguments: Any) -> dict[str, Any]:
        return {"name": step["tool"], "arguments": arguments}

    changed = {**step, "tool": caller, "arguments": given(step["arguments"])}
    if "again" in step:
        changed["again"] = [
            {**each, **({"arguments": given(each["arguments"])} if "arguments" in each else {})}
            for each in step["again"]
        ]
    return changed


def test_it_lists_the_search(session: Session) -> None:
    assert "failed" not in session.listed, session.listed
    tools = {tool["name"]: tool for tool in session.listed["tools"]}
    assert {name: sorted(tool["inputSchema"]["properties"]) for name, tool in tools.items()} == LISTED
