"""Test Arazzo documents from end to end: a generated server runs each workflow, and a raw socket sees its requests.

In the documents of `arazzo/`, `x-runs` of each workflow lists runs: `inputs`, the `answers` of the API in their order
(status, body, header fields), and the expected `requests`, `headers`, and `result`, or a part of the text if it
`failed`. Add a run there, and no function here. `test_runners.py` plays the same runs with other runners.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
import yaml
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.catalog import Catalog
from package.runtime.core.effects import Dialogue
from package.runtime.core.wire_formats import Result
from package.runtime.settings import settings

from mcpgen.cli import main
from tests.runtime.revisions import R4
from tests.runtime.upstream import Connection, serving

HERE = Path(__file__).parent / "arazzo"
DOCUMENTS = sorted(HERE.glob("*.arazzo.yaml"))


def runs() -> Iterator[Any]:
    """Yield each run of each workflow: its workflow's id, and the run."""
    for document in DOCUMENTS:
        for workflow in yaml.safe_load(document.read_text(encoding="utf-8"))["workflows"]:
            for number, run in enumerate(workflow["x-runs"]):
                name = workflow["workflowId"]
                yield pytest.param(document, name, run, id=f"{document.name.partition('.')[0]}: {name} {number}")


def comparable(body: str, content_type: str) -> str:
    """Return a body with its members sorted, since their order means nothing, and with each form encoded alike."""
    if content_type.startswith("application/json"):
        return json.dumps(json.loads(body), sort_keys=True, separators=(",", ":"))
    if content_type.startswith("application/x-www-form-urlencoded"):
        return urlencode(sorted(parse_qsl(body, strict_parsing=True)))
    return body


class Api:
    """The API on a raw socket: it gives the answers in their order, and keeps the requests."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = list(answers)
        self.requests: list[str] = []
        self.fields: list[dict[str, str]] = []

    async def play(self, connection: Connection) -> None:
        while request := await connection.request():
            head, _, body = request.partition(b"\r\n\r\n")
            line, *fields = head.decode("latin-1").split("\r\n")
            found = {name.lower(): value for name, _, value in (each.partition(": ") for each in fields)}
            self.fields.append(found)
            sent = comparable(body.decode(), found.get("content-type", ""))
            self.requests.append(f"{line.removesuffix(' HTTP/1.1')} {sent}".strip())
            status, answer, more = (*(self.answers.pop(0) if self.answers else (500, {})), {})[:3]
            told = json.dumps(answer).encode()
            lines = "".join(f"{name}: {value}\r\n" for name, value in more.items())
            start = f"HTTP/1.1 {status} Told\r\nContent-Type: application/json\r\n{lines}"
            await connection.send(start.encode() + f"Content-Length: {len(told)}\r\n\r\n".encode() + told)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Return the tables of a server with the workflows of all documents."""
    out = tmp_path_factory.mktemp("arazzo") / "out"
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(HERE / "api.yaml"), *map(str, DOCUMENTS), "-o", str(out), "--strict"])
    assert ended.value.code == 0
    return Catalog.load(str(out / "kennel_mcp"))


async def agree(_question: object) -> object:
    return {"action": "accept"}


def play(catalog: Catalog, tool: str, run: dict[str, Any]) -> tuple[Api, Result]:
    """Return the API after a run, and the result of the tool."""

    async def whole() -> tuple[Api, Result]:
        api = Api(run["answers"])
        async with serving(api.play) as upstream:
            executor = ToolExecutor(catalog, settings.load(catalog, {}, str(upstream.address())))
            try:
                dialogue = Dialogue("request", R4, None, {})
                return api, await executor.call(tool, run["inputs"], lambda _: None, dialogue, agree)
            finally:
                await executor.close()

    return asyncio.run(whole())


@pytest.mark.parametrize(("document", "workflow", "run"), [*runs()])
def test_a_workflow_makes_these_requests(document: Path, workflow: str, run: dict[str, Any], catalog: Catalog) -> None:
    api, result = play(catalog, workflow.replace("-", "_"), run)
    assert api.requests == run["requests"], str(result)
    assert {name: [fields.get(name) for fields in api.fields] for name in run.get("headers", ())} == run.get(
        "headers", {}
    )
    if "failed" in run:
        assert result.is_error
        assert run["failed"] in str(result)
    else:
        assert not result.is_error, str(result)
        assert result.structured == run["result"]
