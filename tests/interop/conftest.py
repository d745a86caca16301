"""Install the generated petstore server, and let each client carry out one job with it.

Nothing is simulated: the document is compiled, the project is installed from its `pyproject.toml`, and each client
starts the server by its console script. The API is the petstore that is part of mcpgen, with a new database for each
client.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen.base import assets
from mcpgen.demo import petstore
from tests.demo.exchange import Received, call
from tests.interop import calls, changes, confirmations, environments, slow
from tests.interop.clients import CLIENTS, Client, Step, Work, carry_out
from tests.interop.promises import EXPECTED
from tests.interop.sessions import Changed, Confirmed, Direct, Held, Promised, Session
from tests.leaks import SECRET, searched

#: Timeout in seconds of the compiler. It is long, and no test measures time with it.
PATIENCE = 120


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated petstore project."""
    return _generated(assets.specs() / "petstore.openapi.yaml", tmp_path_factory.mktemp("interop") / "petstore")


@pytest.fixture(scope="session")
def server(project: Path) -> Path:
    """Return the server's console script, in an environment with only the server's dependencies."""
    return _installed(project, "server", "petstore")


def _generated(document: Path, folder: Path, *flags: str) -> Path:
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(document), "-o", str(folder), *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def _installed(project: Path, environment: str, name: str) -> Path:
    digest = hashlib.sha256()  # only installed files are compared, because other files contain the project's path
    installed = [project / "pyproject.toml", *(project / f"{name}_mcp").rglob("*.*")]
    for path in sorted(installed):
        digest.update(f"{path.relative_to(project)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return environments.python(environment, str(project), digest=digest.hexdigest()) / "bin" / f"{name}-mcp"


@pytest.fixture(scope="session")
def promises(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the project whose tools have output schemas."""
    document = Path(__file__).with_name("promises.tools.yaml")
    return _generated(document, tmp_path_factory.mktemp("interop") / "promises")


@pytest.fixture(scope="session")
def promising(promises: Path) -> Path:
    """Return the console script of the project whose tools have output schemas."""
    return _installed(promises, "promises", "promises")


@pytest.fixture(scope="session", params=CLIENTS, ids=str)
def promised(
    request: pytest.FixtureRequest, promises: Path, promising: Path, tmp_path_factory: pytest.TempPathFactory
) -> Promised:
    """Let one client call every tool that has an output schema."""
    tools = json.loads((promises / "promises_mcp" / "tools.json").read_text())
    steps: list[Step] = [{"do": "call", "tool": name, "arguments": {}} for name in EXPECTED]
    record = tmp_path_factory.mktemp("promised") / "lines"
    with petstore.serve(api_key=SECRET, token=SECRET) as api:
        variables = {"PROMISES_BASE_URL": api.url, "PROMISES_API_KEY": SECRET}
        work = _carried_out(request.param, promising, variables, [{"do": "list"}, *steps], record)
        listed, *outcomes = work.outcomes
        return Promised(work.client, outcomes, work.complaints, work.transcripts, listed, tools)


@pytest.fixture(scope="session")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the project whose tools and hooks ask the user first."""
    document = Path(__file__).with_name("confirm.tools.yaml")
    project = _generated(document, tmp_path_factory.mktemp("interop") / "confirm")
    (project / "confirm_mcp" / "hooks.py").write_text(confirmations.HOOKS)
    return project


@pytest.fixture(scope="session")
def confirming(asking: Path) -> Path:
    """Return the console script of the project whose tools and hooks ask the user first."""
    return _installed(asking, "confirm", "confirm")


@pytest.fixture(scope="session")
def hasty(confirming: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the console script of a generated server whose questions to the user expire at once."""
    script = tmp_path_factory.mktemp("hasty") / "confirm-mcp"
    script.write_text(confirmations.HASTY.format(python=confirming.with_name("python")))
    script.chmod(0o755)
    return script


@pytest.fixture(scope="session", params=CLIENTS, ids=str)
def confirmed(
    request: pytest.FixtureRequest, confirming: Path, hasty: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Confirmed]:
    """Let one client carry out every job of `confirmations`, each with a new petstore."""
    client: Client = request.param
    done = {}
    for name, job in confirmations.jobs(client.revision).items():
        record = tmp_path_factory.mktemp("confirmed") / "lines"
        with petstore.serve(api_key=SECRET, token=SECRET) as api:
            variables = {"CONFIRM_BASE_URL": api.url, "CONFIRM_BEARER": SECRET}
            server = hasty if job.hasty else confirming
            work = _carried_out(client, server, variables, list(job.steps), record, asks=job.asks)
            sent = [(received.method, received.target) for received in api.requests]
            done[name] = Confirmed(work.client, work.outcomes, work.complaints, work.transcripts, sent)
    return done


@pytest.fixture(scope="session", params=CLIENTS, ids=str)
def changed(request: pytest.FixtureRequest, server: Path, tmp_path_factory: pytest.TempPathFactory) -> Changed:
    """Let one client use a server that runs from the project's folder, and generate the server again meanwhile."""
    home = tmp_path_factory.mktemp("changed")
    document, project, script = home / "change.tools.yaml", home / "change", home / "change-mcp"

    def generate(text: str = changes.AFTER) -> None:
        document.write_text(text)
        _generated(document, project)

    generate(changes.BEFORE)
    script.write_text(changes.SERVER.format(python=server.with_name("python"), project=str(project)))
    script.chmod(0o755)
    with changes.serve(generate) as (url, sent):
        variables = {"CHANGE_BASE_URL": url}
        work = _carried_out(request.param, script, variables, changes.steps(url), home / "lines")
        return Changed(work.client, work.outcomes, work.complaints, work.transcripts, sent)


@pytest.fixture(scope="session")
def direct() -> Iterator[Direct]:
    """Send the requests of `calls.json` to the API directly, and yield the responses and the API's state."""
    with petstore.serve() as api:
        requests = [case.get("request") for case in calls.CASES]
        yield Direct([_sent(api.url, request) if request else None for request in requests], api)


def _sent(url: str, request: dict[str, str]) -> Received:
    return call(url, request["method"], request["target"], calls.sent(request))


@pytest.fixture(scope="session", params=CLIENTS, ids=str)
def session(
    request: pytest.FixtureRequest, server: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    """Let one client make all calls of `calls.json`."""
    keys = ("tool", "arguments", "progress")
    table: list[Step] = [{"do": "call", **{key: case.get(key) for key in keys}} for case in calls.CASES]
    record = tmp_path_factory.mktemp("record") / "lines"
    with petstore.serve(api_key=SECRET, token=SECRET) as api:
        work = _carried_out(request.param, server, _of_petstore(api.url), [{"do": "list"}, *table], record)
        listed, *outcomes = work.outcomes
        yield Session(work.client, outcomes, work.complaints, work.transcripts, listed, api)


@pytest.fixture(scope="session", params=CLIENTS, ids=str)
def held(request: pytest.FixtureRequest, server: Path, tmp_path_factory: pytest.TempPathFactory) -> Held:
    """Let one client cancel a call, then make several concurrent calls, and then a single call.

    The upstream delays its responses.
    """
    record = tmp_path_factory.mktemp("held") / "lines"
    with slow.serve() as upstream:
        adoptions = range(1, slow.TOGETHER + 1)
        together = [{"do": "call", "tool": "get_adoption", "arguments": {"adoptionId": key}} for key in adoptions]
        steps: list[Step] = [
            {"do": "abandon", "tool": "get_pet", "arguments": {"petId": 1}, "control": f"{upstream.url}/control"},
            {"do": "together", "steps": together},
            {"do": "call", "tool": "get_inventory", "arguments": {}},
        ]
        work = _carried_out(request.param, server, _of_petstore(upstream.url), steps, record)
        return Held(work.client, work.outcomes, work.complaints, work.transcripts, upstream.closed.is_set())


def _of_petstore(url: str) -> dict[str, str]:
    return {"PETSTORE_BASE_URL": url, "PETSTORE_API_KEY": SECRET, "PETSTORE_BEARER": SECRET}


def _carried_out(
    client: Client, server: Path, variables: dict[str, str], steps: list[Step], record: Path, asks: bool = False
) -> Work:
    """Let a client carry out the steps with a server. Check that the server's output does not contain SECRET.

    Skip the test if the client cannot run here.
    """
    try:
        work = carry_out(client, server, variables, steps, record, asks)
    except environments.Missing as missing:
        pytest.skip(str(missing))
    for transcript in work.transcripts:
        searched(b"\n".join([*transcript.said("server"), *transcript.said("stderr")]))
    return work
