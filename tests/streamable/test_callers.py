"""Test requirements X1, X2, X4 to X7, M13, L8 and L13 for Streamable HTTP: callers share a process, but no data."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from package.runtime.http_server.sealed.seal import Seal

from tests.leaks import planted
from tests.streamable.client import Connection, Fields
from tests.streamable.messages import OLD, Session, call, calling, encoded, mirrored, post, request, said, stateless
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import PATIENCE, Upstream

CALLERS = ("alice", "bob")
KEY = b"k" * 32
STATE_KEY = base64.b64encode(KEY).decode()
MOST_KEPT = 6
TOKENS: dict[str, Fields] = {name: {"Authorization": f"Bearer token-of-{name}"} for name in CALLERS}


class Named(Server):
    """Server that identifies callers by their tokens, and writes an audit file."""

    audit: Path

    def as_caller(self, name: str, message: dict[str, Any]) -> Any:
        """Send a stateless message as one caller, and return the response."""
        answer = self.ask("POST", fields={**mirrored(message), **TOKENS[name]}, body=encoded(message))
        return answer.message

    def reads(self, name: str, uri: str) -> bool:
        """Return True if this caller can read the stored result at `uri`."""
        return "result" in self.as_caller(name, stateless("resources/read", uri=uri))

    def audited(self) -> list[Any]:
        """Return the audit records so far."""
        return [json.loads(line) for line in self.audit.read_text().splitlines()]


def tokens() -> str:
    """Return the text of the operator's file with names and token digests of the callers."""
    return "\n".join(
        f"{name} {hashlib.sha256(f'token-of-{name}'.encode()).hexdigest()}  # one of two" for name in CALLERS
    )


@pytest.fixture(scope="module", params=DOORS)
def named(request: pytest.FixtureRequest, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Named]:
    folder = tmp_path_factory.mktemp("named")
    (folder / "tokens").write_text(tokens())
    (folder / "file.txt").write_text("the operator's")
    upstream = Upstream()
    variables = {
        "HTTP_TOKENS": str(folder / "tokens"),
        "AUDIT": str(folder / "audit"),
        "FILES_DIR": str(folder),
        "LOG_LEVEL": "debug",
        "STATE_KEY": STATE_KEY,
        "MAX_RESULT": "8k tokens, 1 MiB",
    }
    constants: dict[str, float] = {
        "serve.scheduler.MOST": 6,
        "serve.scheduler.MOST_OF_ONE": 4,
        "result.result_store.MOST_KEPT": MOST_KEPT,
    }
    with Named(project, upstream, request.param, constants, (), **variables) as found:
        found.audit = folder / "audit"
        yield found
    upstream.close()


@pytest.mark.parametrize(
    ("fields", "status", "challenge"),
    [
        ({}, 401, "Bearer"),
        ({"Authorization": "Bearer wrong"}, 401, 'Bearer error="invalid_token"'),
        ({"Authorization": "Basic token-of-alice"}, 401, 'Bearer error="invalid_token"'),
        ({"Authorization": "bearer token-of-alice"}, 200, None),
        ({"Authorization": "Bearer token-of-alice", "authorization": "Bearer token-of-bob"}, 400, None),
    ],
    ids=["none", "wrong", "of another scheme", "in small letters", "two"],
)
def test_callers_prove_who_they_are(named: Named, fields: Fields, status: int, challenge: str | None) -> None:
    """Test requirement X1: every method requires a token, checked before the method, the format and the body."""
    message = stateless("tools/list")
    answer = named.ask("POST", fields={**mirrored(message), **fields}, body=encoded(message))
    assert (answer.status, answer.field("www-authenticate")) == (status, challenge)
    if status == 401:
        for method in ("GET", "DELETE", "PUT"):
            assert named.ask(method, fields=fields).status == 401


def kept(found: Any) -> str:
    """Return the URI of a stored result, from a response whose result is too large to be shown."""
    return str(next(each["uri"] for each in found["result"]["content"] if each["type"] == "resource_link"))


def test_a_kept_result_is_its_callers_alone(named: Named) -> None:
    """Test requirement X1: in no revision does a stored result exist for another caller. Its name cannot be guessed."""
    uri = kept(named.as_caller("alice", calling("large", size=100_000)))
    assert len(uri.rpartition("/")[2]) * 6 >= 128
    read = stateless("resources/read", uri=f"{uri}?from=10&size=1000")
    mine = named.as_caller("alice", read)
    assert mine["result"]["contents"][0]["text"] == "x" * 1000
    theirs = named.as_caller("bob", read)
    assert theirs["error"]["code"] == -32602
    nothing = named.as_caller("bob", stateless("resources/read", uri=f"{uri}A?from=10&size=1000"))
    assert theirs["error"]["message"].replace(uri, "") == nothing["error"]["message"].replace(f"{uri}A", "")
    for name, code in (("alice", None), ("bob", -32002)):
        session = Session(named, fields=TOKENS[name])
        answer = session.ask(request("resources/read", uri=uri)).message
        assert answer.get("error", {}).get("code") == code


def test_a_result_that_another_replica_keeps_is_said_to_be_elsewhere(
    named: Named, project: Path, upstream: Upstream, tmp_path: Path
) -> None:
    """A replica without a store opens the name of the result, and so knows that the result was kept elsewhere."""
    uri = kept(named.as_caller("alice", calling("large", size=100_000)))
    (tmp_path / "tokens").write_text(tokens())
    variables = {"HTTP_TOKENS": str(tmp_path / "tokens"), "STATE_KEY": STATE_KEY}
    with Named(project, upstream, "aiohttp", None, (), **variables) as other:
        told = {name: other.as_caller(name, stateless("resources/read", uri=uri)) for name in ("alice", "bob")}
    assert "another replica keeps it" in told["alice"]["error"]["message"]
    assert "another replica" not in told["bob"]["error"]["message"]


def test_a_kept_result_is_its_sessions_alone_where_callers_have_no_names(server: Server) -> None:
    """Test requirement X1: without authentication, only the session that stored a result can read it."""
    session, stranger = Session(server), Session(server)
    uri = kept(session.ask(call("large", size=100_000)).message)
    assert "result" in session.ask(request("resources/read", uri=uri)).message
    assert "error" in stranger.ask(request("resources/read", uri=uri)).message
    message = stateless("resources/read", uri=uri)
    assert "error" in server.ask("POST", fields=mirrored(message), body=encoded(message)).message


@pytest.mark.parametrize("size", [40_000, 900_000], ids=["by number", "by bytes"])
def test_a_caller_that_keeps_much_displaces_its_own(named: Named, size: int) -> None:
    """Test requirement X1: a caller that stores many results displaces only its own.

    The other caller's results stay, and so does the result that was stored last. The process stores at most 6 results,
    and at most 4 MiB.
    """
    others = [kept(named.as_caller("bob", calling("large", size=size))) for _ in range(2)]
    own = [kept(named.as_caller("alice", calling("large", size=size))) for _ in range(2 * MOST_KEPT)]
    session = Session(named, fields=TOKENS["alice"])
    own += [kept(session.ask(call("large", size=size)).message) for _ in range(2)]
    assert [named.reads("bob", uri) for uri in others] == [True, True]
    assert named.reads("alice", own[-1])
    assert not named.reads("alice", own[0])


def test_a_caller_that_keeps_much_displaces_its_own_in_the_store(
    project: Path, upstream: Upstream, store: str, tmp_path: Path
) -> None:
    """Test requirement X1 with a shared store: a caller that stores many results displaces only its own.

    Another replica reads from the store which results remain.
    """
    (tmp_path / "tokens").write_text(tokens())
    variables = {"HTTP_TOKENS": str(tmp_path / "tokens"), "STATE_KEY": STATE_KEY, "STORE": store}
    fewer: dict[str, float] = {"replicas.sharing.MOST_KEPT": MOST_KEPT}
    with (
        Named(project, upstream, "aiohttp", fewer, (), **variables) as first,
        Named(project, upstream, "aiohttp", None, (), **variables) as second,
    ):
        others = [kept(first.as_caller("bob", calling("large", size=40_000))) for _ in range(2)]
        own = [kept(first.as_caller("alice", calling("large", size=40_000))) for _ in range(2 * MOST_KEPT)]
        assert [second.reads("bob", uri) for uri in others] == [True, True]
        assert [second.reads("alice", uri) for uri in own] == [False] * (MOST_KEPT + 2) + [True] * (MOST_KEPT - 2)


def test_what_has_expired_is_not_accepted(named: Named) -> None:
    """Test requirements L4, M8, M17 and X1: expired handles (session ids, names of results, `requestState`) are
    refused.

    The same handle is accepted if it is sealed again to expire in an hour.
    """
    session = Session(named, fields=TOKENS["alice"])
    told = session.greeting.message["result"]["serverInfo"]
    audience = f"{told['name']}/{told['version'].partition('.')[0]}"

    def sealed(purpose: str, handle: str, seconds: float) -> str:
        """Return the same handle, sealed again to expire in `seconds`."""
        seal = Seal([KEY], audience, time.time)
        return seal.close(purpose, "alice", seal.open(purpose, "alice", handle), seconds)

    def status(id_: str) -> int:
        return named.ask("POST", fields={**session.fields, "Mcp-Session-Id": id_}, body=encoded(request("ping"))).status

    assert (status(sealed("session", session.id, 3600)), status(sealed("session", session.id, -1))) == (200, 404)
    before, _, name = kept(named.as_caller("alice", calling("large", size=100_000))).rpartition("/")
    assert not named.reads("alice", f"{before}/{sealed('result', name, -1)}")
    assert named.reads("alice", f"{before}/{name}")
    again = calling("remove", id="late")
    state = named.as_caller("alice", again)["result"]["requestState"]
    again["params"] |= {
        "requestState": sealed("state", state, -1),
        "inputResponses": {"confirm": {"action": "accept", "content": {}}},
    }
    late = named.as_caller("alice", again)["result"]
    assert (late["resultType"], late["isError"]) == ("complete", True)
    assert "/things/late" not in named.upstream.requests
    again["params"]["requestState"] = sealed("state", state, 3600)
    assert said(named.as_caller("alice", again)) == "/things/late"


def test_a_session_is_its_callers_alone(named: Named) -> None:
    """Test requirements L4 and X1: another caller cannot use a session, read its streams, or end it."""
    session = Session(named, fields=TOKENS["alice"])
    theirs = {**session.fields, **TOKENS["bob"]}
    message = encoded(request("tools/list"))
    assert named.ask("POST", fields=theirs, body=message).status == 404
    assert named.ask("GET", fields={**theirs, "Accept": "text/event-stream"}).status == 404
    assert named.ask("DELETE", fields=theirs).status == 404
    assert session.ask(request("tools/list")).status == 200


def test_a_state_is_its_callers_alone(named: Named) -> None:
    """Test requirements M17 and X1: the server refuses a confirmation by a caller whom it did not ask for it."""
    asked = named.as_caller("alice", calling("remove", id="owned"))["result"]
    again = calling("remove", id="owned")
    again["params"] |= {
        "requestState": asked["requestState"],
        "inputResponses": {"confirm": {"action": "accept", "content": {}}},
    }
    assert named.as_caller("bob", again)["error"]["code"] == -32602
    assert said(named.as_caller("alice", again)) == "/things/owned"
    assert named.upstream.requests.count("/things/owned") == 1


@pytest.mark.parametrize("name", ["file:file.txt", "file:/etc/passwd", "file:../tokens"])
def test_files_of_the_operator_are_not_for_callers(named: Named, name: str) -> None:
    """Test requirement X2: callers cannot send files of the server's machine to the API. The error names other ways to
    send the content, and the variables that allow files.
    """
    refused = named.as_caller("alice", calling("upload", body=name))
    assert refused["result"]["isError"]
    assert "/upload" not in named.upstream.requests
    told = said(refused)
    for part in ("base64", "data: URI", "the operator", "CALLER_HTTP_FILES=1", "CALLER_FILES_DIR"):
        assert part in told
    encoded_file = named.as_caller("alice", calling("upload", body=base64.b64encode(b"content").decode()))
    assert not encoded_file["result"]["isError"]
    named.upstream.requests.remove("/upload")


def test_callers_share_the_connections_to_the_upstream(project: Path, upstream: Upstream) -> None:
    """Test requirement X5: all callers, with and without sessions, share one pool of connections to the API."""
    with Server(project, upstream, "aiohttp") as server:
        for number in range(3):
            message = calling("echo", text=str(number))
            assert server.ask("POST", fields=mirrored(message), body=encoded(message)).status == 200
            assert Session(server).ask(call("echo", text=str(number))).status == 200
    assert upstream.connections == 1


def test_stdio_loads_nothing_of_this(project: Path) -> None:
    """Test requirement X6: over stdio, the server loads no module for HTTP callers."""
    hello = encoded(request("initialize", protocolVersion=OLD, capabilities={})) + b"\n"
    said_to_it = hello + encoded(call("echo", text="x")) + b"\n"
    command = [sys.executable, "-X", "importtime", "-m", "caller_mcp"]
    pipes: dict[str, Any] = {"input": said_to_it, "capture_output": True, "timeout": PATIENCE}
    done = subprocess.run(command, cwd=project, env=planted("CALLER"), check=False, **pipes)
    assert done.stdout.count(b"\n") == 2
    loaded = done.stderr.decode()
    assert "caller_mcp.runtime.calls.execution" in loaded
    for module in ("runtime.streamable", "runtime.replicas", "aiohttp_door", "http_server.listening", "cryptography"):
        assert module not in loaded


def test_files_are_for_callers_where_the_operator_says_so(project: Path, upstream: Upstream, tmp_path: Path) -> None:
    """Test requirement X2: callers may send files of the server's machine if `CALLER_HTTP_FILES` is 1."""
    (tmp_path / "file.txt").write_text("open")
    with Server(project, upstream, "aiohttp", None, FILES_DIR=str(tmp_path), HTTP_FILES="1") as server:
        message = calling("upload", body="file:file.txt")
        answer = server.ask("POST", fields=mirrored(message), body=encoded(message))
        assert not answer.message["result"]["isError"]


def test_callers_take_turns(named: Named) -> None:
    """Test requirement X4: a caller may run only a share of all calls, and need not wait for all calls of others."""
    held = [named.connect() for _ in range(8)]
    for number, connection in enumerate(held):
        post(connection, calling("hold", number, name=f"turn {number}"), **TOKENS["alice"])
        if number < 4:
            named.upstream.wait(f"turn {number}")
    first, second, third = (named.connect() for _ in range(3))
    for number, connection in enumerate((first, second, third)):
        post(connection, calling("hold", number, name=f"bob {number}"), **TOKENS["bob"])
        if number < 2:
            named.upstream.wait(f"bob {number}")
    assert not named.upstream.arrived["turn 4"].is_set()
    named.upstream.release(*(f"turn {number}" for number in range(8)), "bob 0", "bob 1", "bob 2")
    answered = [said(each.answer().message) for each in (*held, first, second, third)]
    assert answered == [f"/hold/turn%20{number}" for number in range(8)] + [
        f"/hold/bob%20{number}" for number in range(3)
    ]
    for each in (*held, first, second, third):
        each.close()


def test_a_call_that_waits_for_its_user_takes_nobodys_place(named: Named) -> None:
    """Test requirements L9 and X4: a call that waits for its user does not count as running.

    Eight calls of a caller wait here while another one runs, although only four calls of a caller may run at once.
    """
    sessions = [Session(named, fields=TOKENS["alice"]) for _ in range(8)]
    asking = [named.connect() for _ in sessions]
    questions = []
    for session, connection in zip(sessions, asking, strict=True):
        session.post(connection, call("remove", 1, id="asked"))
        connection.stream()
        questions.append(next(each.message for each in connection.events() if each.data))
    assert said(named.as_caller("alice", calling("echo", text="meanwhile"))) == "/echo/meanwhile"
    for session, connection, question in zip(sessions, asking, questions, strict=True):
        session.ask({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}})
        assert said(connection.messages()[-1]) == "/things/asked"
        connection.close()


def test_the_record_names_caller_session_and_address(named: Named) -> None:
    """Test requirement X7: the audit record of a call names caller, session and address, however the call ended."""
    before = len(named.audited())
    session = Session(named, fields=TOKENS["alice"])
    session.ask(call("echo", text="x"))
    named.as_caller("bob", calling("echo", text="x"))
    named.as_caller("bob", calling("nothing"))
    with named.connect() as connection:
        post(connection, calling("hold", name="recorded"), **TOKENS["bob"])
        named.upstream.wait("recorded")
    named.upstream.wait_until_left("recorded")
    lines = named.audited()[before:]
    assert [line["outcome"] for line in lines] == ["ok", "ok", "rejected", "cancelled"]
    assert [line["principal"] for line in lines] == ["alice", "bob", "bob", "bob"]
    assert {line["address"] for line in lines} == {"127.0.0.1"}
    digest = hashlib.sha256(session.id.encode()).hexdigest()[:16]
    assert [line["session"] for line in lines] == [digest, None, None, None]
    assert lines[0]["client"] == {"name": "tests", "version": "1"}
    assert named.logged_in(lines[0]["call"])["session"] == digest
    everything = named.audit.read_text()
    assert session.id not in everything
    assert "token-of" not in everything


def test_a_thousand_calls_with_equal_ids_are_not_crossed(named: Named) -> None:
    """Test requirements M13, L13 and L8: calls of two callers with equal ids, sent in turn, get their own results."""
    sessions = {name: Session(named, fields=TOKENS[name]) for name in CALLERS}
    ways = [(name, era) for name in CALLERS for era in ("new", "old")]
    connections = {way: [named.connect() for _ in range(5)] for way in ways}
    for turn in range(50):
        for number in range(5):
            for way in ways:
                _begin(sessions[way[0]], connections[way][number], way, turn * 5 + number)
        for number in range(5):
            for way in ways:
                answer = connections[way][number].answer().message
                assert answer["id"] == turn * 5 + number
                assert said(answer) == f"/echo/{way[0]}-{way[1]}-{turn * 5 + number}"
    for each in connections.values():
        for connection in each:
            connection.close()


def _begin(session: Session, connection: Connection, way: tuple[str, str], number: int) -> None:
    name, era = way
    text = f"{name}-{era}-{number}"
    if era == "old":
        session.post(connection, call("echo", number, token=number, text=text))
    else:
        post(connection, calling("echo", number, token=number, text=text), **TOKENS[name])


def test_progress_reaches_its_own_caller(named: Named) -> None:
    """Test requirements M13 and L13: each stream gets its own progress and response, despite equal ids and tokens."""
    with named.connect() as mine, named.connect() as theirs:
        for name, connection in (("alice", mine), ("bob", theirs)):
            post(connection, calling("hold", 1, token=1, name=f"progress of {name}"), **TOKENS[name])
            connection.stream()
        named.upstream.release("progress of bob", "progress of alice")
        for name, connection in (("alice", mine), ("bob", theirs)):
            *told, last = connection.messages()
            assert all(each["params"]["progressToken"] == 1 for each in told)
            assert said(last) == f"/hold/progress%20of%20{name}"


def test_a_new_token_lets_its_caller_in(project: Path, upstream: Upstream, tmp_path: Path) -> None:
    """Run `--new-token`, and make the printed line the file of callers. The server must then accept the new token.

    stdout has only this line, so that `>>` can append it to the file. Only stderr shows the token.
    """
    command = [sys.executable, "-m", "caller_mcp", "--new-token", "carol"]
    made = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=PATIENCE, check=True)
    *_, token = made.stderr.split()
    assert len(token) >= 32
    assert token not in made.stdout
    (tmp_path / "callers").write_text(made.stdout)
    message = stateless("tools/list")
    with Server(project, upstream, "aiohttp", HTTP_TOKENS=str(tmp_path / "callers")) as server:
        for sent, status in ((token, 200), (token[:-1], 401), ("", 401)):
            fields = {**mirrored(message), "Authorization": f"Bearer {sent}"}
            assert server.ask("POST", fields=fields, body=encoded(message)).status == status
