"""Test attack cases end to end: send a line to a real server, and check what arrives at a raw socket.

Each row of REFUSED and SENT begins with the id of its attack case. `tests/runtime/` has tables of further attack cases.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.subject import PACKAGE, compiled, playing, started
from tests.leaks import SECRET, planted
from tests.runtime.process import Server, call, line
from tests.runtime.revisions import ENVELOPE, META
from tests.runtime.upstream import Connection, Upstream, answer_ok

TEMPLATES = Path(__file__).parents[2] / "templates" / "package"
BIG = "x" * 2**20


class Subject:
    """A server and its API, which all tests of the module share."""

    def __init__(self, server: Server, upstream: Upstream) -> None:
        self.server = server
        self.upstream = upstream

    def called(self, tool: object, arguments: object, **more: Any) -> tuple[dict[str, Any], list[bytes]]:
        """Call a tool. Return the response message, and the requests that reached the API."""
        del self.upstream.requests[:]
        params = {**more, "name": tool, "_meta": {**ENVELOPE, **more.get("_meta", {})}}
        if arguments is not NONE:
            params["arguments"] = arguments
        self.server.say(
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode() + b"\n"
        )
        message = self.server.message()
        while "method" in message:
            message = self.server.message()
        return message, list(self.upstream.requests)


NONE = object()


def result(server: Server, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool, and return its result."""
    server.call(tool, **arguments)
    while "method" in (message := server.message()):
        continue
    return dict(message["result"])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="module")
def subject(project: Path) -> Iterator[Subject]:
    with playing(answer_ok) as upstream, started(project, upstream) as server:
        yield Subject(server, upstream)


REFUSED: list[tuple[str, str, object, str]] = [
    ("ARG-05", "delete_user", {"id": ""}, "empty"),
    ("ARG-05", "delete_user", {}, "required"),
    ("ARG-05", "delete_user", {"id": None}, "id"),
    ("ARG-08", "get_detail", {"id": "a\r\nX: y"}, "line breaks"),
    ("ARG-09", "get_detail", {"id": "\ud800"}, "surrogate"),
    ("ARG-09", "create_item", {"name": "a", "more": {"x": ["\udfff"]}}, "surrogate"),
    ("ARG-11", "get_detail", {"id": BIG}, "32"),
    ("ARG-11", "get_detail", {"id": "a", "tags": ["x"] * 100_000}, "32"),
    ("ARG-15", "get_detail", {"id": "a", "x_t": "a\r\nX-Evil: 1"}, "x_t"),
    ("ARG-15", "get_detail", {"id": "a", "x_t": "x" * 100_000}, "header fields are longer than 32 KiB"),
    ("ARG-17", "get_detail", {"id": "a", "sid": "x" * 100_000}, "header fields are longer than 32 KiB"),
    ("ARG-18", "create_item", {"name": 5}, "expected a string"),
    ("ARG-18", "create_item", {"name": "a", "extra": 1}, "is not an argument"),
    ("ARG-18", "create_item", {"name": "a", "__proto__": {"admin": True}}, "__proto__"),
    ("ARG-20", "get_detail", {"ID": "a"}, 'did you mean "id"'),
    ("ARG-22", "create_item", {"name": "a", "count": True}, "integer"),
]


@pytest.mark.parametrize(("case", "tool", "arguments", "word"), REFUSED)
def test_a_call_is_refused_in_words_and_nothing_is_sent(
    subject: Subject, case: str, tool: str, arguments: object, word: str
) -> None:
    answer, requests = subject.called(tool, arguments)
    assert answer["result"]["isError"] is True
    told = answer["result"]["content"][0]["text"]
    assert word in told
    assert len(told) < 4000
    assert requests == []


SENT: list[tuple[str, str, dict[str, Any], str]] = [
    ("ARG-02", "delete_user", {"id": "\uff05\uff12\uff45"}, r"DELETE /api/v1/users/%EF%BC%85%EF%BC%92%EF%BD%85 "),
    ("ARG-03", "delete_user", {"id": "a/b"}, r"DELETE /api/v1/users/a%2Fb "),
    ("ARG-07", "get_detail", {"id": "http://evil/"}, r"GET /api/v1/users/http%3A%2F%2Fevil%2F/detail "),
    ("ARG-12", "get_detail", {"id": "a", "q": "1&admin=true"}, r"GET \S+\?q=1%26admin%3Dtrue "),
    ("ARG-17", "get_detail", {"id": "a", "sid": "a; admin=1"}, r"(?s).*\r\nCookie: sid=a%3B%20admin=1\r\n"),
    ("ARG-18", "create_item", {"name": "a", "more": {"__proto__": 1}}, r'(?s).*"more":\{"__proto__":1\}'),
    ("ARG-19", "save_form", {"name": "a&b=c"}, r"(?s).*\r\n\r\nname=a%26b%3Dc$"),
    ("ARG-22", "create_item", {"name": "a", "count": "5"}, r'(?s).*"count":5'),
    ("ARG-22", "create_item", {"name": "a", "count": 2**70}, r'(?s).*"count":1180591620717411303424'),
    ("ARG-25", "get_detail", {"id": "a"}, r"GET /api/v1/users/a/detail HTTP"),
]


@pytest.mark.parametrize(("case", "tool", "arguments", "expected"), SENT)
def test_what_is_sent(subject: Subject, case: str, tool: str, arguments: dict[str, Any], expected: str) -> None:
    answer, [request] = subject.called(tool, arguments)
    assert answer["result"]["isError"] is False
    assert re.match(expected, request.decode("latin-1")), request


@pytest.mark.parametrize("arguments", [[], "x", 7, [{"id": "a"}]])
def test_arg_20_arguments_that_are_no_object(subject: Subject, arguments: object) -> None:
    answer, requests = subject.called("get_detail", arguments)
    assert (answer["error"]["code"], requests) == (-32602, [])


@pytest.mark.parametrize("arguments", [NONE, None])
def test_arg_20_arguments_that_are_missing_are_none(subject: Subject, arguments: object) -> None:
    answer, requests = subject.called("save_form", arguments)
    assert (answer["result"]["isError"], len(requests)) == (False, 1)


@pytest.mark.parametrize(
    "tool", ["nobody", "", BIG, "../x", "get_detail\n", "GET_DETAIL", "get\u200b_detail", "\ud800", 7, None, {}, []]
)
def test_arg_21_a_tool_that_is_none_is_an_error_of_few_words(subject: Subject, tool: object) -> None:
    answer, requests = subject.called(tool, {"id": "a"})
    assert (answer["error"]["code"], requests) == (-32602, [])
    assert len(answer["error"]["message"]) < 300


META_ROWS: list[dict[str, Any]] = [
    {"_meta": {"x": BIG}},
    {"_meta": {"progressToken": BIG[:1000]}},
    {"_meta": {META + "task": {"ttl": 1}, "traceparent": 5}},
    {"task": {"ttl": 60_000}, "_meta": {}},
    {"x-task": [1], "requestState": 7, "_meta": {"headers": {"Authorization": "Bearer evil"}}},
]


@pytest.mark.parametrize("more", META_ROWS)
def test_arg_25_what_stands_beside_the_arguments_is_never_forwarded(subject: Subject, more: dict[str, Any]) -> None:
    _, plain = subject.called("get_detail", {"id": "a"})
    answer, requests = subject.called("get_detail", {"id": "a"}, **more)
    assert requests == plain or (answer["error"]["code"], requests) == (-32602, [])


@pytest.mark.parametrize("token", [{}, [], None, True, 1.5, BIG])
def test_arg_25_a_progress_token_that_is_none(subject: Subject, token: object) -> None:
    answer, requests = subject.called("get_detail", {"id": "a"}, _meta={"progressToken": token})
    assert ("result" in answer) == bool(requests)
    assert "result" in answer or answer["error"]["code"] == -32602


def test_arg_23_a_tool_that_is_hidden_is_neither_listed_nor_called(project: Path) -> None:
    with playing(answer_ok) as upstream, started(project, upstream, HOSTILE_READ_ONLY="1") as server:
        listed = [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]
        assert listed == ["get_case", "get_case_structured", "get_detail"]
        refused = server.ask("tools/call", name="delete_user", arguments={"id": "7"})
        assert refused["error"]["code"] == -32602
        assert "delete_user" not in refused["error"]["message"].partition("Did you mean")[2]
        assert upstream.requests == []


HEADERS = [
    *("Authorization", "Host", "Cookie", "Content-Length", "Transfer-Encoding", "Connection", "TE", "Trailer"),
    *("Upgrade", "Proxy-Authorization", "Proxy-Connection", "Keep-Alive", "Expect", "Accept", "Content-Type"),
    *("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-HTTP-Method-Override", "Proxy-Authenticate"),
]


@pytest.mark.parametrize("spelled", [str, str.upper, str.lower, str.swapcase, lambda name: name.replace("-", "_")])
def test_arg_16_headers_of_http_are_never_arguments(tmp_path: Path, spelled: Any) -> None:
    parameters = [{"name": spelled(name), "in": "header", "schema": {"type": "string"}} for name in HEADERS]
    tool = {"name": "look", "request": "GET /look", "parameters": parameters}
    source = {"mcpgen": 1, "server": {"name": "hostile"}, "base_url": "https://api.hostile.example", "tools": [tool]}
    (tmp_path / "it.tools.yaml").write_text(json.dumps(source))
    table = compiled(tmp_path, tmp_path / "it.tools.yaml") / PACKAGE / "tools.json"
    [listed] = json.loads(table.read_text())
    assert listed["inputSchema"].get("properties", {}) == {}


# Life of the server process


def test_life_04_a_second_signal_and_a_pipe_that_breaks_change_nothing(project: Path) -> None:
    with playing(answer_ok) as upstream, started(project, upstream) as server:
        server.ask("server/discover")
        server.process.send_signal(signal.SIGPIPE)
        assert result(server, "get_detail", id="a")["isError"] is False
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == 128 + signal.SIGTERM
        assert server.complaints() == []


async def when_it_may(connection: Connection) -> None:
    """Answer the first request only after the second has arrived."""
    while await connection.request():
        while len(connection._upstream.requests) < 2:
            await asyncio.sleep(0)
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def test_life_08_a_call_that_was_cancelled_is_not_answered_when_its_upstream_does(project: Path) -> None:
    """Cancel a call before the API answers it. The server must not answer it later.

    The second call lets the API answer the first one. Covers IO-17 and MCP-17 over a socket.
    """
    with playing(when_it_may) as upstream, started(project, upstream) as server:
        first = server.call("get_detail", id="first")
        assert server.message()["params"]["progressToken"] == first
        server.cancel(first)
        second = server.call("get_detail", id="second")
        others = []
        while (message := server.message()).get("id") != second:
            others.append(message)
        server.end()
        assert [each for each in [*others, *server.rest()] if each.get("id") == first] == []
        assert server.ended() == 0


def test_life_11_a_process_that_was_stopped_goes_on_where_it_was(project: Path) -> None:
    with playing(answer_ok) as upstream, started(project, upstream) as server:
        server.ask("server/discover")
        server.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, server.process.pid, os.WSTOPPED | os.WNOWAIT)
        ids = [server.request("tools/call", name="get_detail", arguments={"id": "a"}) for _ in range(20)]
        server.process.send_signal(signal.SIGCONT)
        # read before stdin ends: on a busy machine, calls may take longer than the server then waits for them
        answers = [server.message() for _ in ids]
        server.end()
        assert server.rest() == []
        assert sorted(message["id"] for message in answers) == ids
        assert not any(message["result"]["isError"] for message in answers)


def test_life_11_nothing_asks_for_the_time_of_day_but_the_log() -> None:
    """Check that only the listed modules read the time of day, so that setting the clock back changes no deadline.

    Deadlines use the event loop's monotonic clock. The log, spans and metrics record the time of day. Tokens contain it
    (RFC 7519, section 4.1.4), and so do signatures of AWS. Tasks use it because replicas of a server have no other
    clock in common.
    """
    runtime = TEMPLATES / "runtime"
    texts = {path.relative_to(runtime): path.read_text(encoding="utf-8") for path in runtime.rglob("*.py")}
    asking = [path for path, text in texts.items() if re.search(r"time\.(time|gmtime|localtime)|datetime\.now", text)]
    of_tokens = {"identity", "login", "delegation"}
    assert {path.name for path in asking if path.parts[0] not in of_tokens} == {
        "log.py",
        "over_http.py",
        "reporter.py",
        "jobs.py",
        "sigv4.py",
        "task_calls.py",
    }


@pytest.mark.parametrize(
    "raised", ["MemoryError", "RecursionError", "SystemExit", "KeyboardInterrupt", "GeneratorExit"]
)
def test_life_10_whatever_a_hook_raises_costs_its_call_alone(tmp_path: Path, raised: str) -> None:
    """Let a hook raise an exception whose text holds the secret.

    Only its own call may fail, and no output may hold the secret.
    """
    project = compiled(tmp_path)
    with (project / PACKAGE / "hooks.py").open("a") as hooks:
        hooks.write("\nimport os\n\n\ndef before_delete_user(arguments):\n")
        hooks.write(f"    raise {raised}(os.environ['HOSTILE_KEY'])\n")
    with playing(answer_ok) as upstream, started(project, upstream) as server:
        broken = server.ask("tools/call", name="delete_user", arguments={"id": "7"})
        assert "error" in broken or broken["result"]["isError"] is True
        assert result(server, "get_detail", id="a")["isError"] is False


# Planted files in the home and working directories, which the server must ignore


def test_cfg_01_nothing_of_the_working_directory_counts(tmp_path: Path) -> None:
    project = compiled(tmp_path)
    for name in ("json", "aiohttp", "sitecustomize", "usercustomize", "jsonschema_rs", "hooks", "yarl", "ssl"):
        (project / f"{name}.py").write_text("raise SystemExit('imported from the working directory')\n")
    (project / ".env").write_text("HOSTILE_BASE_URL=http://127.0.0.1:1\nHOSTILE_READ_ONLY=1\n")
    (project / "tools.json").write_text("[]")
    with playing(answer_ok) as upstream, started(project, upstream) as server:
        assert result(server, "delete_user", id="7")["isError"] is False
        assert len(upstream.requests) == 1


def test_cfg_02_the_files_of_others_in_the_home_are_not_read(project: Path, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login evil password evil\n")
    (tmp_path / ".config").mkdir()
    given = {"HOME": str(tmp_path), "NETRC": str(tmp_path / ".netrc"), "SSLKEYLOGFILE": str(tmp_path / "keys")}
    more = {"PYTHONSTARTUP": str(tmp_path / "none.py"), "PYTHONWARNINGS": "error", "SSL_CERT_FILE": "/nonexistent"}
    with playing(answer_ok) as upstream, started(project, upstream, **given, **more) as server:
        assert not server.result("get_detail", id="a")["isError"]
        server.end()
        assert server.rest() == []
        assert b"authorization" not in upstream.requests[0].lower()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".config", ".netrc"]


# Secrets in the command line and in the project, and lines of stdin that are too long or invalid


def test_cred_10_no_secret_is_in_the_command_line(project: Path) -> None:
    with playing(answer_ok) as upstream, started(project, upstream) as server:
        server.ask("tools/list")
        assert SECRET.encode() not in Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
    emitted = b"".join(path.read_bytes() for path in project.rglob("*") if path.is_file())
    assert SECRET.encode() not in emitted


def test_io_01_a_line_of_a_hundred_megabytes_without_an_end(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", PACKAGE],
        cwd=project,
        env=planted("HOSTILE"),
        input=line("server/discover") + b"x" * 100 * 2**20,
        capture_output=True,
        check=True,
    )
    first, refusal = map(json.loads, done.stdout.splitlines())
    assert "result" in first
    assert refusal["error"]["code"] == -32600
    assert done.stderr == b""


@pytest.mark.parametrize(
    "said",
    [
        b"\xff\xfe",
        call(1, "get_detail", id="a").replace(b'"a"', b'"\xc3"').strip(),
        call(1, "get_detail", id="a").replace(b'"a"', b'"\xed\xa0\x80"').strip(),
        call(1, "get_detail", id="a").replace(b'"a"', b'"\xf0\x9f\x98"').strip(),
        call(1, "get_detail", id="a").strip() + b"\xe2\x82",
    ],
)
def test_io_03_bytes_that_are_no_text_call_nothing(subject: Subject, said: bytes) -> None:
    del subject.upstream.requests[:]
    subject.server.write(said + b"\n")
    assert subject.server.message()["error"]["code"] == -32700
    assert subject.upstream.requests == []


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "9" * 5000, "1e999", "1" + "0" * 400])
def test_io_10_numbers_that_are_none_call_nothing(subject: Subject, number: str) -> None:
    """Check that a line with NaN, Infinity or a number out of range makes no request. Covers ARG-10 and ARG-18, too."""
    del subject.upstream.requests[:]
    said = call(1, "create_item", price=12345).replace(b"12345", number.encode())
    subject.server.write(said)
    assert subject.server.message()["error"]["code"] == -32700
    assert subject.upstream.requests == []


@pytest.mark.parametrize("depth", [129, 10_000, 100_000])
def test_io_02_deep_arguments_call_nothing(subject: Subject, depth: int) -> None:
    said = call(1, "create_item", more=12345).replace(b"12345", b"[" * depth + b"]" * depth)
    subject.server.write(said)
    assert subject.server.message()["error"]["code"] == -32700
