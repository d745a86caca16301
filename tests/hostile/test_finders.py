"""Test a server with a tool search over an API that could confuse it.

Some of its tools have the names of the search's own five tools, or names that differ only in case. Other tools have
aliases, required roles or paged results. `delete_part` stays in the tool list, beside the search's tools. Programs
(Python code that a client sends) print floods of text, or call a writing tool within a function.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mcpgen.cli import main
from tests.functional.test_search import ask, call, started, text
from tests.runtime.process import Server
from tests.runtime.revisions import META

DOCUMENT = """
openapi: 3.1.0
info: {title: Workshop, version: '1'}
servers: [{url: %s}]
paths:
  /parts:
    get: {operationId: list_parts, summary: List the parts,
      parameters: [{name: page, in: query, schema: {type: integer}}]}
  /Parts: {get: {operationId: List_Parts, summary: List the parts as before}}
  /parts/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: get_part, summary: Get a part}
    delete: {operationId: delete_part, summary: Delete a part}
    patch: {operationId: change_part, summary: Change a part}
  /search: {get: {operationId: search_tools, summary: Search the tools of the workshop}}
  /call: {post: {operationId: call_tool, summary: Call for a tool}}
  /run: {post: {operationId: run_program, summary: Run the washing machine}}
  /print: {get: {operationId: print}}
  /own: {get: {operationId: __mcp_read, summary: Read the own page}}
"""
SETTINGS = """
mcpgen: 1
server: {tools: search, programs: all, pin: [delete_part]}
openapi:
  - document: openapi.yaml
    overrides:
      delete_part: {confirm: always, aliases: [remove_part, search_tools_2, call_tool_2]}
      change_part: {roles: [clerk]}
      list_parts: {pages: all}
"""
FORMS: dict[str, Any] = {META + "clientCapabilities": {"elicitation": {}}}


class Api(BaseHTTPRequestHandler):
    """API that answers each request with its method and path. `/parts` has three pages."""

    seen: ClassVar[list[str]] = []

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?page=")
        self.seen.append(f"{self.command} {self.path}")
        page = int(query or 1)
        listed = [{"id": number + 100 * page} for number in range(100 if page < 3 else 3 if page == 3 else 0)]
        body = json.dumps(listed if path == "/parts" else {"asked": f"{self.command} {path}"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server that was generated from DOCUMENT and SETTINGS."""
    api = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    folder: Path = tmp_path_factory.mktemp("workshop")
    (folder / "openapi.yaml").write_text(DOCUMENT % f"http://127.0.0.1:{api.server_port}")
    (folder / "workshop.yaml").write_text(SETTINGS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "workshop.yaml"), "-o", str(folder / "out"), "--name", "mirror"])
    assert ended.value.code == 0
    with started(folder / "out", MIRROR_ROLES="nobody") as running:
        yield running
    api.shutdown()
    api.server_close()


def test_every_finder_has_a_name_of_its_own(server: Server) -> None:
    names = [tool["name"] for tool in ask(server, "tools/list", {})["tools"]]
    assert names == [
        "search_tools_2",
        "describe_tools",
        "call_tool_2",
        "call_writing_tool",
        "run_program_2",
        "delete_part",
    ]


#: Rows: tool, arguments, whether the call succeeds, text in its result, and the requests that it makes.
CALLS: list[tuple[str, dict[str, Any], bool, str, list[str]]] = [
    ("search_tools", {}, True, "GET /search", ["GET /search"]),
    ("call_tool", {}, True, "POST /call", ["POST /call"]),
    ("call_tool_2", {"name": "call_tool"}, False, "call_tool writes: call_writing_tool takes it.", []),
    ("call_tool_2", {"name": "search_tools"}, True, "GET /search", ["GET /search"]),
    ("call_tool_2", {"name": "search_tools_2"}, False, "is called directly", []),
    ("call_tool_2", {"name": "remove_part", "arguments": {"id": 1}}, False, "delete_part writes", []),
    ("call_writing_tool", {"name": "run_program_2", "arguments": {"code": "1"}}, False, "is called directly", []),
    ("call_writing_tool", {"name": "change_part", "arguments": {"id": 1}}, False, "is not offered", []),
    ("call_tool_2", {"name": "LIST_PARTS"}, False, "The nearest:\nlist_parts", []),
    ("describe_tools", {"names": ["Search_Tools"]}, False, "The nearest:\nsearch_tools()", []),
    ("search_tools_2", {"queries": ["x" * 10_000]}, False, "expected at most 400 characters", []),
    ("search_tools_2", {"queries": ["\u202e\0part"]}, True, "get_part(id:int)", []),
    ("search_tools_2", {"queries": ["part " * 70] * 8, "limit": 20}, True, "get_part(id:int)", []),
]


@pytest.mark.parametrize(("tool", "arguments", "well", "said", "requests"), CALLS)
def test_calls(
    server: Server, tool: str, arguments: dict[str, Any], well: bool, said: str, requests: list[str]
) -> None:
    Api.seen.clear()
    result = call(server, tool, **arguments)
    assert (result["isError"], said in text(result)) == (not well, True), text(result)
    assert Api.seen == requests


#: Rows: Python code for the tool that runs programs, whether the code succeeds, text in its result, and the number of
#: requests that it makes.
PROGRAMS: list[tuple[str, bool, str, int]] = [
    ("len(list_parts_get())", True, "203", 4),
    ("len(list_parts_get()) + len(List_Parts())", False, "There is no List_Parts. The nearest", 0),
    ("call_tool(); search_tools(); run_program()['asked']", True, "POST /run", 3),
    ("print_()['asked']", True, "GET /print", 1),
    ("mcp_read()['asked']", True, "GET /own", 1),
    ("__mcp_read(5)", False, "Name `__mcp_read` used when not defined", 0),
    ("__mcp_get_part(1)", False, "Name `__mcp_get_part` used when not defined", 0),
    ("remove_part(3)", False, "remove_part is another name of delete_part.", 0),
    ("change_part(3)", False, "change_part is not offered: ", 0),
    ("call_writing_tool('delete_part', {'id': 1})", False, "call_writing_tool is not called by programs", 0),
    ("for n in range(10**5):\n    print(n)\ndelete_part(1)", False, "printed more than 65,536 bytes", 0),
]


@pytest.mark.parametrize(("code", "well", "said", "requests"), PROGRAMS)
def test_programs(server: Server, code: str, well: bool, said: str, requests: int) -> None:
    Api.seen.clear()
    result = call(server, "run_program_2", code=code)
    assert (result["isError"], said in text(result)) == (not well, True), text(result)
    assert len(Api.seen) == requests


def test_each_write_within_functions_of_a_program_is_asked_for(server: Server) -> None:
    code = "def twice(n):\n    return [delete_part(each)['asked'] for each in (n, n + 1)]\n[twice(1), twice(5)]"
    Api.seen.clear()
    params: dict[str, Any] = {"name": "run_program_2", "arguments": {"code": code}}
    result = ask(server, "tools/call", params, FORMS)
    for number in (1, 2, 5, 6):
        assert len(Api.seen) == (1, 2, 5, 6).index(number)
        question = result["inputRequests"]["confirm"]["params"]["message"]
        assert f"/parts/{number}\n" in question
        answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": result["requestState"]}
        result = ask(server, "tools/call", {**params, **answer}, FORMS)
    assert json.loads(text(result)) == [["DELETE /parts/1", "DELETE /parts/2"], ["DELETE /parts/5", "DELETE /parts/6"]]
    assert len(Api.seen) == 4
