"""Test a server with --reload whose project is generated again while it runs: a real process, a raw socket.

The order of events is given by when the API answers, the server's messages and its log. Nothing waits for a fixed time.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.runtime.process import Server, line
from tests.runtime.revisions import ENVELOPE, META, R1, R2, R3, R4, R5

KEY = "sk-0123456789abcdef"
#: Command of the generated server with more frequent checks of its files, for tests with many changes.
HASTY = (
    "-c",
    "import sys; from store_mcp.runtime.reload import reload; from store_mcp.runtime import server; "
    "reload.SECONDS = 0.01; sys.exit(server.main())",
)
CHANGED = "notifications/tools/list_changed"


class Upstream:
    """Raw HTTP server that answers each request with its request line and its API key.

    It answers `/wait` only when the test says so.
    """

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.heard: list[str] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.gate.set()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError), connection.makefile("rb") as said:
            while head := said.readline().decode():
                target, key = head.split()[1], "no key"
                while (field := said.readline().decode().strip()) != "":
                    if field.lower().startswith("x-key:"):
                        key = "a key"
                self.heard.append(target)
                if "/wait" in target:
                    self.gate.wait(300)
                body = f"{target} with {key}".encode()
                head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode() + body)


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    made = Upstream()
    yield made
    made.close()


class Project:
    """A tools file, and the project that is compiled from it again and again."""

    def __init__(self, home: Path, url: str) -> None:
        self.home, self.url = home, url
        self.package = home / "store" / "store_mcp"

    def generate(self, *tools: str, number: int = 1, more: str = "") -> None:
        """Compile a tool `wait` and one tool for each of `names`.

        Each tool requests a path that contains the tool's name and `number`.
        """
        listed = "".join(f"  - {{name: {name}, description: Asks., request: {request(name)}}}\n" for name in tools)
        document = self.home / "store.tools.yaml"
        document.write_text(
            f"mcpgen: 1\nserver: {{name: store, title: Store, version: 1.0.{number}}}\nbase_url: {self.url}/v{number}\n"
            f"{more}tools:\n  - {{name: wait, description: Waits., request: GET /wait}}\n{listed}"
        )
        with pytest.raises(SystemExit) as ended:
            main(["generate", str(document), "-o", str(self.home / "store"), "--overwrite", "--format", "json"])
        assert ended.value.code == 0

    def server(self, *arguments: str, **how: Any) -> Server:
        """Start the server of the project as it was compiled last."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        how = {"program": ("-m", "store_mcp"), **how}
        # no deadline: one call waits while a hundred compiles run
        environ |= {"STORE_KEY": KEY, "STORE_TIMEOUT": "300"}
        return Server(self.home / "store", *arguments, env=environ, **how)


def request(name: str) -> str:
    return f"{'DELETE' if name.startswith('delete') else 'GET'} /{name}"


@pytest.fixture
def project(tmp_path: Path, upstream: Upstream) -> Project:
    made = Project(tmp_path, upstream.url)
    made.generate("first")
    return made


class Client:
    """MCP client for one protocol revision. It numbers its calls."""

    def __init__(self, server: Server, revision: str) -> None:
        self.server, self.revision = server, revision
        self.changes = 0
        self._last = 1000  # begin with 1001: another client of the server may have used smaller ids
        if revision == R5:
            server.say(self._line("listen", "subscriptions/listen", notifications={"toolsListChanged": True}))
            assert server.message()["params"]["notifications"] == {"toolsListChanged": True}
        else:
            server.say(line("initialize", protocolVersion=revision, capabilities={}))
            assert server.message()["result"]["protocolVersion"] == revision
            server.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def begin(self, method: str, **params: Any) -> int:
        """Send a request, and return its id."""
        self._last += 1
        self.server.say(self._line(self._last, method, **params))
        return self._last

    def names(self) -> list[str]:
        """Return the names of the listed tools."""
        self.begin("tools/list")
        return sorted(tool["name"] for tool in self.answer()["result"]["tools"])

    def call(self, name: str) -> str:
        """Call a tool. Return what the upstream received, or the text of the error."""
        self.begin("tools/call", name=name)
        return said(self.answer())

    def answer(self) -> dict[str, Any]:
        """Return the next message other than a progress notification."""
        while (message := self.server.message()).get("method") == "notifications/progress":
            pass
        answer: dict[str, Any] = message
        return answer

    def waiting(self) -> int:
        """Call `wait`, and return the call's id once its request has reached the API."""
        id_ = self._last + 1
        self.server.say(self._line(id_, "tools/call", name="wait", _meta={"progressToken": id_}))
        self._last = id_
        assert self.server.message()["method"] == "notifications/progress"
        return id_

    def next_but_changes(self) -> dict[str, Any]:
        """Return the next message other than a progress or `list_changed` notification.

        Add the number of skipped `list_changed` notifications to `changes`.
        """
        while (message := self.answer()).get("method") == CHANGED:
            self.changes += 1
        return message

    def told(self) -> None:
        """Check that the next message is a `list_changed` notification in the form of the client's revision."""
        message = self.server.message()
        assert message["method"] == CHANGED
        stream = {"_meta": {META + "subscriptionId": "listen"}}
        assert message["params"] == (stream if self.revision == R5 else {})

    def _line(self, id_: object, method: str, **params: Any) -> bytes:
        if self.revision == R5:
            params["_meta"] = {**ENVELOPE, **params.get("_meta", {})}
        return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


def said(message: dict[str, Any]) -> str:
    if "error" in message:
        return str(message["error"]["message"])
    text: str = message["result"]["content"][0]["text"]
    return text


def taken(server: Server) -> dict[str, Any]:
    """Return the next log line about reloaded project files (`table_taken` or `table_not_taken`). Skip other
    log lines.
    """
    while True:
        event: dict[str, Any] = json.loads(server.complaint())
        if event["event"].startswith("table_"):
            return event


@pytest.mark.parametrize("revision", [R1, R2, R3, R4, R5])
def test_a_client_of_each_revision_sees_the_change_and_calls_the_new_tool(
    project: Project, upstream: Upstream, revision: str
) -> None:
    """Check that the client sees the new tool, and that a call that runs during the change uses the old files of the
    project.
    """
    with project.server("--reload") as server:
        client = Client(server, revision)
        assert client.names() == ["first", "wait"]
        assert client.call("first") == "/v1/first with no key"
        held = client.waiting()
        key = "security: {key: {type: apiKey, in: header, name: X-Key}}\n"
        project.generate("first", "second", number=2, more=key)
        client.told()
        assert client.names() == ["first", "second", "wait"]
        assert client.call("second") == "/v2/second with a key"
        assert client.call("first") == "/v2/first with a key"
        upstream.gate.set()
        last = client.answer()
        assert (last["id"], said(last)) == (held, "/v1/wait with no key")
        project.generate("second")
        client.told()
        assert client.call("first").startswith("There is no tool 'first'.")
        server.end()
        assert server.rest() == []
        assert server.ended() == 0


def test_accounts_of_the_new_table_have_their_credentials(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_EU_KEY", KEY)
    key = "security: {key: {type: apiKey, in: header, name: X-Key}}\n"

    def called(account: str) -> str:
        client.begin("tools/call", name="first", arguments={"account": account})
        return said(client.answer())

    with project.server("--reload") as server:
        client = Client(server, R5)
        project.generate("first", number=2, more=f"{key}accounts: {{eu: {{}}, us: {{}}}}\n")
        client.told()
        assert called("eu") == "/v2/first with a key"
        assert "STORE_US_KEY" in called("us")
        project.generate("first", number=3, more=f"{key}accounts: {{eu: {{}}, de: {{}}}}\n")
        client.told()
        assert called("eu") == "/v3/first with a key"
        assert "account: expected one of eu, de" in called("us")


@pytest.mark.parametrize("revision", [R1, R5])
def test_resources_and_prompts_of_the_new_table_are_served_and_told(project: Project, revision: str) -> None:
    """Check notifications about new resources and prompts.

    Clients of revisions with a handshake get none about prompts, because the server had no prompts when the handshake
    took place.
    """
    with project.server("--reload") as server:
        server.checker.offered = ()
        client = Client(server, revision)
        assert client.names() == ["first", "wait"]
        if revision == R5:
            server.say(client._line("more", "subscriptions/listen", notifications={"resourcesListChanged": True}))
            assert server.message()["params"]["notifications"] == {"resourcesListChanged": True}
        resources = "resources: [{name: guide, text: Read me.}]\n"
        prompts = "prompts: [{name: look, messages: [{role: user, text: Look.}]}]\n"
        project.generate("first", more=resources + prompts)
        assert server.message()["method"] == "notifications/resources/list_changed"
        client.begin("prompts/get", name="look")
        assert server.message()["result"]["messages"][0]["content"]["text"] == "Look."
        client.begin("resources/read", uri="store://guide")
        assert server.message()["result"]["contents"][0]["text"] == "Read me."


def test_a_change_before_anything_is_asked_is_what_is_served(project: Project) -> None:
    """Generate the project again before the server has loaded the modules that run calls. The server must use the new
    project.

    If only the HTTP requests that tools send have changed, clients get no notification.
    """
    with project.server("--reload", program=HASTY) as server:
        server.ask("server/discover")
        project.generate("first", number=2)
        assert taken(server)["event"] == "table_taken"
        client = Client(server, R5)
        assert client.call("first") == "/v2/first with no key"
        project.generate("first", number=3)
        assert taken(server)["event"] == "table_taken"
        assert client.call("first") == "/v3/first with no key"


def test_a_broken_table_is_not_served_and_the_next_whole_one_is(project: Project) -> None:
    with project.server("--reload", program=HASTY) as server:
        client = Client(server, R4)
        for name in ("bindings.json", "tools.json"):
            (project.package / name).write_text('[\n{"name":"first","inputSchema":')
            event = taken(server)
            assert (event["event"], event["level"]) == ("table_not_taken", "error")
            assert client.names() == ["first", "wait"]
            assert client.call("first") == "/v1/first with no key"
        project.generate("first", "second")
        client.told()
        assert client.call("second") == "/v1/second with no key"


def test_only_what_changes_nothing_is_served_of_what_comes_too(project: Project) -> None:
    with project.server("--reload", "--read-only", program=HASTY) as server:
        client = Client(server, R5)
        project.generate("first", "delete_all")
        assert taken(server)["tools"] == 2
        assert client.names() == ["first", "wait"]
        project.generate("first", "delete_all", "second")
        client.told()
        assert client.names() == ["first", "second", "wait"]
        assert "There is no tool 'delete_all'." in client.call("delete_all")


@pytest.mark.parametrize("flags", [(), ("--read-only",)])
def test_without_the_flag_nothing_changes_and_nothing_is_promised(project: Project, flags: tuple[str, ...]) -> None:
    with project.server(*flags) as server:
        capabilities = server.ask("server/discover")["result"]["capabilities"]
        server.request("subscriptions/listen", notifications={"toolsListChanged": True})
        assert (capabilities["tools"], server.message()["params"]["notifications"]) == ({}, {})
        client = Client(server, R4)
        project.generate("second", number=2)
        assert client.call("second").startswith("There is no tool 'second'.")
        assert client.call("first") == "/v1/first with no key"
        server.end()
        assert server.rest() == []


def test_rel_11_a_hundred_compiles_under_the_feet_of_a_client_that_calls(project: Project, upstream: Upstream) -> None:
    """Check that each call uses one of the generated versions, and none uses an older version than the call before it.

    After all compiles, calls use the last version. A call that began before all compiles uses the first one.
    """
    with project.server("--reload", program=HASTY) as server:
        client = Client(server, R4)
        held = client.waiting()
        answers: list[str] = []
        done = threading.Event()

        def keep_calling() -> None:
            while not done.is_set():
                client.begin("tools/call", name="first")
                answers.append(said(client.next_but_changes()))

        calling = threading.Thread(target=keep_calling)
        calling.start()
        for number in range(2, 102):
            project.generate("first", f"tool_{number}", number=number)
        while taken(server)["version"] != "1.0.101":
            pass
        done.set()
        calling.join()
        versions = [int(answer.split("/")[1].removeprefix("v")) for answer in answers]
        assert versions == sorted(versions)
        assert [answer for answer in answers if not answer.endswith("/first with no key")] == []
        client.begin("tools/call", name="tool_101")
        assert said(client.next_but_changes()) == "/v101/tool_101 with no key"
        assert client.changes > 0
        upstream.gate.set()
        last = client.answer()
        assert (last["id"], said(last)) == (held, "/v1/wait with no key")


def test_hard_23_a_pipe_in_place_of_the_table_does_not_end_the_watch(project: Project) -> None:
    with project.server("--reload", program=HASTY) as server:
        client = Client(server, R5)
        table = project.package / "tools.json"
        table.unlink()
        os.mkfifo(table)
        assert taken(server)["event"] == "table_not_taken"
        assert client.names() == ["first", "wait"]
        table.unlink()
        project.generate("second", number=2)
        while taken(server)["event"] != "table_taken":
            pass  # ignore the event `table_not_taken`: tools.json is missing until the compile has written it again
        client.told()
        assert client.names() == ["second", "wait"]


def test_hard_23_a_pipe_in_place_of_the_table_is_no_table_at_the_start(project: Project) -> None:
    (project.package / "tools.json").unlink()
    os.mkfifo(project.package / "tools.json")
    with project.server() as server:
        assert "tools.json cannot be read" in server.complaint()
        assert server.ended() == 78
