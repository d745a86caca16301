"""Test resources and prompts whose contents the server fetches from the API: a compiled tools file, a real process, and
a raw socket.
"""

from __future__ import annotations

import json
import os
import shutil
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.functional.mirror_api import EVENT, LONG, PNG, Upstream
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.runtime.revisions import R3, R5

FILE = """
mcpgen: 1
server: {name: mirror, title: Mirror}
base_url: %s/v1
security:
  key: {type: apiKey, in: header, name: X-Key}
  machine: {type: oauth2, flows: {clientCredentials: {tokenUrl: /broken/token, scopes: {}}}}
resources:
  - {name: guide, text: "Read {this} first."}
  - {name: dot, uri: "mirror://dot", file: dot.png}
  - name: table
    uri: mirror://tables/{table}
    request: GET /tables/{table}/rows?limit=5
    arguments: {table: {description: Which one.}}
    mimeType: text/csv
    security: [{key: []}]
  - {name: found, uri: "mirror://find/{what}", request: GET /find, security: [], arguments: {what: {enum: [a b, c]}}}
  - {name: slow, uri: "mirror://slow", request: GET /slow, security: [], timeout: 20}
  - {name: late, uri: "mirror://late", request: GET /slow, security: [], timeout: 0.1}
  - {name: owned, uri: "mirror://owned", request: GET /owned, security: [{machine: []}]}
  - {name: users, request: GET /tables/users, security: [{key: []}]}
  - {name: shot, request: GET /shot.png, security: none}
  - {name: bad, request: GET /broken, security: [{key: []}]}
  - {name: events, uri: "mirror://events", request: GET /events, security: [], timeout: 0.5}
prompts:
  - name: look
    arguments: {what: {required: true, enum: [tables, files]}}
    messages: [{role: user, text: "Look at {what} {{now}}."}, {role: user, resource: guide}]
  - name: state
    description: What there is.
    messages: [{role: user, text: Compare these.}, {role: user, resource: users}, {role: user, resource: shot}]
  - name: rows
    arguments: {table: {required: true}}
    messages: [{role: user, resource: "mirror://tables/{table}"}]
  - {name: unsure, messages: [{role: user, resource: users}, {role: user, resource: bad}]}
  - {name: waiting, messages: [{role: user, resource: slow}]}
"""
HOOKS = """
def before_all(tool, arguments):
    raise ValueError("a hook was asked")
def request_all(tool, request):
    raise ValueError("a hook was asked")
def after_all(tool, result):
    raise ValueError("a hook was asked")
"""


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    made = Upstream()
    yield made
    made.end()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, upstream: Upstream) -> Path:
    folder = tmp_path_factory.mktemp("mirror")
    (folder / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "mirror.tools.yaml").write_text(FILE % upstream.url)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "mirror.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    (folder / "out" / "mirror_mcp" / "hooks.py").write_text(HOOKS)
    return folder / "out"


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def server(project: Path, audit: Path) -> Iterator[Server]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with Server(project, env={**kept, "MIRROR_AUDIT": str(audit)}) as running:
        running.checker.offered = ("prompts", "completions")
        yield running


def read(server: Server, uri: str) -> Any:
    """Send `resources/read`, and return its contents or error."""
    answer = server.ask("resources/read", uri=uri)
    return answer["result"]["contents"] if "result" in answer else answer["error"]


def records(audit: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in audit.read_text().splitlines()]


def test_what_is_compiled_is_read_and_no_upstream_asked(server: Server, upstream: Upstream) -> None:
    before = len(upstream.heads)
    [guide], [dot] = read(server, "mirror://guide"), read(server, "mirror://dot")
    assert guide == {"uri": "mirror://guide", "mimeType": "text/plain", "text": "Read {this} first."}
    assert (dot["mimeType"], b64decode(dot["blob"])) == ("image/png", b"\x89PNG\r\n\x1a\n")
    listed = server.ask("resources/list")["result"]["resources"]
    assert [each["uri"] for each in listed] == [
        f"mirror://{name}" for name in ("guide", "dot", "slow", "late", "owned", "users", "shot", "bad", "events")
    ]
    [table, _] = server.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert (table["uriTemplate"], table["description"]) == ("mirror://tables/{table}", "- table: Which one.")
    assert len(upstream.heads) == before


def test_a_fetched_resource_carries_its_credential_and_hides_it(
    server: Server, upstream: Upstream, audit: Path
) -> None:
    [content] = read(server, "mirror://tables/us%20ers")
    head = upstream.heads[-1]
    assert head.startswith("GET /v1/tables/us%20ers/rows?limit=5 HTTP/1.1\r\n")
    assert f"X-Key: {SECRET}\r\n" in head
    assert content["uri"] == "mirror://tables/us%20ers"
    assert content["mimeType"] == "text/csv", "which was declared, where the answer says nothing"
    assert content["text"] == "/v1/tables/us%20ers/rows?limit=5 with [redacted]"
    [record] = records(audit)
    assert (record["tool"], record["resource"]) == (None, "mirror://tables/{table}")
    assert (record["request"], record["outcome"], record["status"]) == ("GET /tables/{table}/rows", "ok", 200)
    assert "us%20ers" not in audit.read_text()


def test_what_the_path_does_not_name_goes_into_the_query_and_no_credential_where_none_is_needed(
    server: Server, upstream: Upstream
) -> None:
    [content] = read(server, "mirror://find/a%20b")
    assert upstream.heads[-1].startswith("GET /v1/find?what=a%20b HTTP/1.1\r\n")
    assert content["text"].endswith("with no key")


@pytest.mark.parametrize(
    "value", ["..", "%2e%2e", "%252e%252e", "..%2f..%2fadmin", "a%2F..%2Fb", "..%5cx", "%00/../x", "d"]
)
def test_a_value_that_would_leave_its_place_is_not_sent(server: Server, upstream: Upstream, value: str) -> None:
    before = len(upstream.heads)
    uri = f"mirror://{'find' if value == 'd' else 'tables'}/{value}"
    error = read(server, uri)
    assert (error["code"], error["data"]) == (-32602, {"uri": uri})
    assert error["message"].startswith("There is nothing at this URI")
    assert len(upstream.heads) == before


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("missing", -32602, "HTTP 404 Not Found from GET /tables/missing/rows: no such table"),
        ("broken", -32603, "HTTP 500 Internal Server Error from GET /tables/broken/rows: bad [redacted]"),
        ("moved", -32603, "redirects to http://169.254.169.254, which is not followed"),
    ],
)
def test_an_error_of_the_upstream_is_told_in_a_sentence(
    server: Server, audit: Path, name: str, code: int, words: str
) -> None:
    error = read(server, f"mirror://tables/{name}")
    assert error["code"] == code
    assert words in error["message"]
    assert ("data" in error) == (code == -32602)
    assert records(audit)[-1]["outcome"] == "error"


def test_the_time_of_a_resource_is_its_own(server: Server) -> None:
    assert "GET /slow failed" in read(server, "mirror://late")["message"]


def test_a_large_answer_begins_and_says_where_it_goes_on(server: Server) -> None:
    first, following = read(server, "mirror://tables/long")
    assert (first["uri"], first["mimeType"]) == ("mirror://tables/long", "text/plain")
    assert following["text"].startswith(f"{len(LONG) - len(first['text']):,} of {len(LONG):,} bytes follow.")
    text, more = first["text"], [following]
    while more:
        content, *more = read(server, more[0]["uri"])
        text += content["text"]
    assert text == LONG


def test_bytes_come_as_a_blob_and_nothing_as_an_empty_text(server: Server) -> None:
    [content] = read(server, "mirror://tables/bytes")
    assert (content["mimeType"], b64decode(content["blob"])) == ("application/zip", bytes(range(256)))
    [content] = read(server, "mirror://tables/empty")
    assert (content["mimeType"], content["text"]) == ("text/csv", "")


def test_a_cancelled_read_closes_its_connection_and_says_nothing(
    server: Server, upstream: Upstream, audit: Path
) -> None:
    upstream.begun.clear()
    upstream.closed.clear()
    id_ = server.request("resources/read", uri="mirror://slow")
    assert upstream.begun.wait(120)
    server.cancel(id_)
    assert upstream.closed.wait(120)
    assert "result" in server.ask("resources/list")
    assert records(audit)[-1]["outcome"] == "cancelled"


def test_without_its_credential_a_resource_says_which_variable_is_missing(project: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with Server(project, env={**kept, "MIRROR_KEY": ""}) as server:
        error = read(server, "mirror://tables/a")
        assert error["code"] == -32603
        assert "MIRROR_KEY" in error["message"]


def test_without_a_token_a_resource_is_refused_in_a_sentence(project: Path, audit: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    settings = {"MIRROR_MACHINE_CLIENT_ID": "me", "MIRROR_MACHINE_CLIENT_SECRET": SECRET, "MIRROR_AUDIT": str(audit)}
    with Server(project, env={**kept, **settings}) as server:
        error = read(server, "mirror://owned")
    assert error["code"] == -32603
    assert error["message"].startswith("mirror://owned was not read. 127.0.0.1:")
    assert error["message"].endswith(" gave no access token: HTTP 500.")
    assert records(audit)[-1]["outcome"] == "refused"


def test_a_stream_that_was_cut_is_what_came_of_it(server: Server) -> None:
    [content, note] = read(server, "mirror://events")
    assert (content["uri"], content["text"]) == ("mirror://events", EVENT)
    assert note["text"] == (
        "The stream had not ended after 0.5 seconds; its first 9 bytes were read. "
        "The operator of this server can raise the time limit by `timeout` of mirror://events."
    )


def test_prompts_are_filled_in_and_completed(server: Server) -> None:
    prompt = server.ask("prompts/list")["result"]["prompts"][0]
    assert prompt == {"name": "look", "arguments": [{"name": "what", "required": True}]}
    found = server.ask("prompts/get", name="look", arguments={"what": "files"})["result"]["messages"]
    assert [each["content"].get("text") or each["content"]["resource"]["text"] for each in found] == [
        "Look at files {now}.",
        "Read {this} first.",
    ]
    asked = {"ref": {"type": "ref/prompt", "name": "look"}, "argument": {"name": "what", "value": "T"}}
    assert server.ask("completion/complete", **asked)["result"]["completion"]["values"] == ["tables"]
    asked = {"ref": {"type": "ref/resource", "uri": "mirror://find/{what}"}, "argument": {"name": "what", "value": ""}}
    assert server.ask("completion/complete", **asked)["result"]["completion"]["values"] == ["a b", "c"]


def test_a_prompt_holds_what_its_resources_bring(server: Server, audit: Path) -> None:
    found = server.ask("prompts/get", name="state")["result"]
    assert found["description"] == "What there is."
    text, users, shot = (each["content"] for each in found["messages"])
    assert text == {"type": "text", "text": "Compare these."}
    assert users["resource"] == {
        "uri": "mirror://users",
        "mimeType": "text/plain",
        "text": "/v1/tables/users with [redacted]",
    }
    assert (shot["type"], shot["mimeType"], b64decode(shot["data"])) == ("image", "image/png", PNG)
    [record] = records(audit)
    assert (record["tool"], record["prompt"], record["outcome"]) == (None, "state", "ok")


def test_an_argument_chooses_the_resource_of_a_prompt(server: Server, upstream: Upstream) -> None:
    [message] = server.ask("prompts/get", name="rows", arguments={"table": "us ers"})["result"]["messages"]
    assert message["content"]["resource"]["uri"] == "mirror://tables/us%20ers"
    assert upstream.heads[-1].startswith("GET /v1/tables/us%20ers/rows?limit=5 HTTP/1.1\r\n")


@pytest.mark.parametrize("table", ["..", "a/../b", "../result/1", "missing", "x" * 9000])
def test_an_argument_that_chooses_no_resource_is_told(server: Server, table: str) -> None:
    error = server.ask("prompts/get", name="rows", arguments={"table": table})["error"]
    assert error["code"] == -32602
    assert error["message"].startswith("The prompt was not made. ")


def test_security_none_at_a_resource_sends_no_credential(server: Server, upstream: Upstream) -> None:
    assert read(server, "mirror://shot")[0]["mimeType"] == "image/png"
    assert SECRET not in upstream.heads[-1]


def test_a_prompt_is_made_of_all_its_resources_or_not_at_all(server: Server, audit: Path) -> None:
    error = server.ask("prompts/get", name="unsure")["error"]
    assert error["code"] == -32603
    assert error["message"].startswith("The prompt was not made. HTTP 500 Internal Server Error from GET /broken")
    assert SECRET not in error["message"]
    assert records(audit)[-1]["outcome"] == "failed"


def test_a_cancelled_prompt_closes_its_connection_and_says_nothing(
    server: Server, upstream: Upstream, audit: Path
) -> None:
    upstream.begun.clear()
    upstream.closed.clear()
    id_ = server.request("prompts/get", name="waiting")
    assert upstream.begun.wait(120)
    server.cancel(id_)
    assert upstream.closed.wait(120)
    assert "result" in server.ask("prompts/list")
    assert records(audit)[-1]["outcome"] == "cancelled"


def test_read_only_leaves_them(project: Path) -> None:
    with Server(project, "--read-only") as server:
        server.checker.offered = ("prompts", "completions")
        assert server.ask("server/discover")["result"]["capabilities"].keys() >= {"prompts", "resources"}
        assert read(server, "mirror://guide")[0]["text"]


@pytest.mark.parametrize("revision", [R3, R5])
def test_both_eras_are_served(server: Server, revision: str) -> None:
    if revision == R5:
        assert "completions" in server.ask("server/discover")["result"]["capabilities"]
        return
    server.say(b'{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"%b"}}\n' % R3.encode())
    assert server.message()["result"]["capabilities"] == {
        "tools": {},
        "resources": {},
        "prompts": {},
        "completions": {},
    }
    server.say(b'{"jsonrpc":"2.0","id":"b","method":"resources/read","params":{"uri":"mirror://tables/missing"}}\n')
    assert server.message()["error"]["code"] == -32002


def test_a_table_that_does_not_belong_is_not_served(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    (copy / "mirror_mcp" / "prompts.json").write_text("[\n\n]\n")
    with Server(copy) as server:
        assert server.complaint().endswith("prompts.json and bindings.json do not belong together.")
        assert server.ended() == 78
