r"""Test that the API receives the requests that the document describes, from a compiled server over stdio, at a raw
socket.

Under `documents/`, `x-cases` of each operation lists calls and what must arrive: `line` (without the HTTP version),
`headers` (exactly these), `absent` headers, and `body` (text; `\xNN` is a byte; BOUNDARY is the request's boundary). If
a call is `refused`, nothing may arrive. For a given `answer` of the API, `result` is the expected result. Add a case
there, not a function here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from mcpgen.cli import main
from mcpgen.demo.client import Client, connect
from tests.wire.upstream import OK, Upstream, listening

DOCUMENTS = sorted((Path(__file__).parent / "documents").glob("*.yaml"))


class Case(NamedTuple):
    document: Path
    operation: str
    expected: dict[str, Any]


def cases() -> Iterator[Any]:
    for document in DOCUMENTS:
        for path, item in yaml.safe_load(document.read_text(encoding="utf-8"))["paths"].items():
            for method, operation in [*item.items(), *item.get("additionalOperations", {}).items()]:
                for number, expected in enumerate(operation.get("x-cases", ()) if isinstance(operation, dict) else ()):
                    name = f"{document.stem}: {method.upper()} {path} {number}"
                    yield pytest.param(Case(document, f"{method.upper()} {path}", expected), id=name)


class Served(NamedTuple):
    client: Client
    upstream: Upstream
    names: dict[str, str]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Path, Served]]:
    """Yield a running server for each document, and a mapping from operations to tools."""
    with ExitStack() as stack:
        yield {document: serve(document, tmp_path_factory.mktemp(document.stem), stack) for document in DOCUMENTS}


def serve(document: Path, folder: Path, stack: ExitStack) -> Served:
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(document), "-o", str(folder / "out"), "--name", "wire", "--strict"])
    assert ended.value.code == 0
    table = json.loads((folder / "out" / "wire_mcp" / "bindings.json").read_text(encoding="utf-8"))
    names = {f"{each['method']} {each['operation']['path']}": each["name"] for each in table["bindings"]}
    upstream = stack.enter_context(listening())
    base = re.sub(r"^https://[^/]+", f"http://127.0.0.1:{upstream.port}", table["servers"][0]["url"])
    environment = {"WIRE_BASE_URL": base, "WIRE_LOG_LEVEL": "error"}
    client = stack.enter_context(connect([sys.executable, "-m", "wire_mcp"], folder / "out", environment))
    return Served(client, upstream, names)


@pytest.mark.parametrize("case", [*cases()])
def test_the_upstream_receives_what_the_document_says(case: Case, served: dict[Path, Served]) -> None:
    client, upstream, names = served[case.document]
    expected = case.expected
    upstream.answer = expected["answer"].encode("latin-1") if "answer" in expected else OK
    result = client.call(names[case.operation], **expected["call"])
    if "refused" in expected:
        assert result["isError"]
        assert expected["refused"] in result["content"][0]["text"]
        assert upstream.received.empty()
        return
    head, _, body = upstream.received.get(timeout=120).partition(b"\r\n\r\n")
    line, *fields = head.decode("ascii").split("\r\n")
    assert line == f"{expected['line']} HTTP/1.1", result
    headers = dict(field.split(": ", 1) for field in fields)
    boundary = re.search(r"boundary=(\S+)", headers.get("Content-Type", ""))
    if boundary:
        headers["Content-Type"] = headers["Content-Type"].replace(boundary[1], "BOUNDARY")
        body = body.replace(boundary[1].encode(), b"BOUNDARY")
    assert expected.get("headers", {}).items() <= headers.items()
    assert not [name for name in expected.get("absent", ()) if name in headers]
    if "body" in expected:
        assert body == _bytes(expected["body"])
    assert result.get("isError", False) == expected.get("fails", False), result
    if "result" in expected:
        assert result["content"] == expected["result"]


def _bytes(text: str) -> bytes:
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes([int(match[1], 16)]), text.encode())


def test_no_client_refuses_what_was_tortured(served: dict[Path, Served]) -> None:
    """Check the response to `tools/list` for torture.yaml, which contains what other generators get wrong: names,
    titles, annotations, and the root keywords of input schemas.
    """
    client = next(server.client for document, server in served.items() if document.stem == "torture")
    tools = client.request("tools/list")["tools"]
    assert {"create_account", "delete_it", "fail", "get_file", "search", "upload"} <= {tool["name"] for tool in tools}
    for tool in tools:
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"].keys() <= {"type", "properties", "required"}
        assert tool["title"]
        assert len(tool["annotations"]) == 5
        assert "outputSchema" not in tool
