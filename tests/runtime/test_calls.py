"""Test a call from its tool's name to its result. A raw socket records every byte that is sent."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.calls.execution import ToolExecutor
from package.runtime.commands import doctor
from package.runtime.core.wire_formats import Result
from package.runtime.hooks import Refuse, Request
from package.runtime.settings import settings

from tests.runtime.client_scene import Deadlines, silence, turns
from tests.runtime.table_stub import Catalog
from tests.runtime.upstream import OK, Connection, Play, Upstream, answer, answer_ok, serving
from tests.scheme_entries import api_key

SECRET = "sk-0123456789abcdef/+"
ENVIRON = {"PETSTORE_API_KEY": SECRET}
SECURITY = {"key": api_key("query", "key", "PETSTORE_API_KEY")}
PET = ["/pets/", {"argument": "pet_id", "name": "petId", "style": "simple"}]
TOOLS: dict[str, dict[str, Any]] = {
    "get_pet": {
        "schema": {"type": "object", "properties": {"pet_id": {"type": "integer"}}, "required": ["pet_id"]},
        "binding": {"method": "GET", "path": PET, "security": [["key"]], "open": False},
    },
    "public": {"binding": {"method": "GET", "path": ["/public"]}},
    "slow": {"binding": {"method": "POST", "path": ["/slow"], "timeout": 0.2}},
    "elsewhere": {"binding": {"method": "GET", "path": ["/x"], "server": 1}},
}
Scene = Callable[[ToolExecutor, Upstream], Awaitable[None]]


def run(scene: Scene, play: Play = answer_ok, environ: dict[str, str] = ENVIRON, base: bool = True) -> None:
    async def main() -> None:
        async with serving(play) as upstream:
            catalog: Any = Catalog(TOOLS, security=SECURITY)
            flag = str(upstream.address("/v1")) if base else None
            caller = ToolExecutor(catalog, settings.load(catalog, environ, flag))
            await asyncio.wait_for(scene(caller, upstream), 30)
            await caller.close()

    asyncio.run(main())


def quiet(phase: str) -> None:
    pass


def text(result: Result) -> str:
    return "\n".join(str(block["text"]) for block in result.content)


def test_a_call_is_sent_with_its_credential_and_comes_back() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        phases: list[str] = []
        result = await caller.call("get_pet", {"pet_id": 7}, phases.append)
        assert (text(result), result.is_error) == ("ok", False)
        assert upstream.requests[0].startswith(b"GET /v1/pets/7?key=sk-0123456789abcdef%2F%2B HTTP/1.1\r\n")
        assert b"\r\nUser-Agent: petstore-mcp/1.2.3\r\n" in upstream.requests[0]
        assert phases == ["sent", "headers", "body"]

    run(scene)


@pytest.mark.parametrize(
    ("name", "arguments", "environ", "expected"),
    [
        (
            "get_pet",
            {"colour": 7},
            ENVIRON,
            "get_pet was not called: 2 problems with the arguments.\n- colour: is not",
        ),
        (
            "get_pet",
            {"pet_id": "x"},
            ENVIRON,
            "get_pet was not called: 1 problem with the arguments.\n- pet_id: expected",
        ),
        ("get_pet", {"pet_id": 7}, {}, "get_pet was not called. It needs a credential: set PETSTORE_API_KEY, in the"),
        ("elsewhere", {}, {}, "elsewhere was not called. PETSTORE_BASE_URL is not set, and the API's description does"),
        (
            "public",
            {},
            {"PETSTORE_TIMEOUT": "x"},
            "public was not called. PETSTORE_TIMEOUT must be a number of seconds",
        ),
        (
            "public",
            {},
            {"PETSTORE_API_KEY": f"{SECRET}\0"},
            "public was not called. PETSTORE_API_KEY must be visible ASCII",
        ),
    ],
)
def test_what_cannot_be_sent_is_refused_before_any_byte_leaves(
    name: str, arguments: dict[str, Any], environ: dict[str, str], expected: str
) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        result = await caller.call(name, arguments, quiet)
        assert result.is_error
        assert text(result).startswith(expected)
        assert SECRET not in text(result)
        assert upstream.connections == 0

    run(scene, environ=environ)


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("echo", [SECRET, "sk-0123456789abcdef%2F%2B", "sk-0123456789abcdef\\/+"])
def test_cred_06_what_the_upstream_repeats_is_redacted(status: int, echo: str) -> None:
    content = json.dumps({"message": "bad key", "url": "?key="}).replace("?key=", f"?key={echo}").encode()
    head = (
        f'HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nETag: "{echo}"\r\nLink: <?key={echo}>; rel=next\r\n'
    )

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        result = await caller.call("get_pet", {"pet_id": 7}, quiet)
        assert "0123456789abcdef" not in text(result)
        assert "?key=[redacted]" in text(result)

    run(scene, answer(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content))


def test_cred_06_what_a_model_or_a_hook_repeats_is_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    blob = {"uri": "x://1", "mimeType": "text/plain", "text": f"<{SECRET}>"}

    def after(tool: str, result: Result) -> Result | None:
        return Result([{"type": "resource", "resource": blob}], {"k": [SECRET]}) if tool == "public" else None

    monkeypatch.setattr(users_file, "after_all", after, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        result = await caller.call("get_pet", {"pet_id": SECRET}, quiet)
        assert "[redacted]" in text(result)
        result = await caller.call("public", {}, quiet)
        assert result.structured == {"k": ["[redacted]"]}
        assert result.content[0]["resource"] == {**blob, "text": "<[redacted]>"}

    run(scene)


def test_a_tool_without_a_requirement_sends_no_credential() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        await caller.call("public", {}, quiet)
        assert b"sk-" not in upstream.requests[0]

    run(scene)


def test_files_are_numbered() -> None:
    file = OK.replace(b"text/plain", b"application/zip")

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        for number in (1, 2):
            result = await caller.call("public", {}, quiet)
            resource: Any = result.content[0]["resource"]
            assert resource["uri"] == f"petstore://result/{number}"

    run(scene, answer(file))


def test_hooks_stand_around_the_call_and_what_they_change_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        users_file, "before_get_pet", lambda arguments: {"pet_id": arguments["pet_id"] + 1}, raising=False
    )
    monkeypatch.setattr(users_file, "after_get_pet", lambda result: Result.text("after"), raising=False)
    monkeypatch.setattr(users_file, "before_public", lambda arguments: {"x": 1}, raising=False)
    monkeypatch.setattr(users_file, "instead_of_public", lambda arguments: arguments, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        assert text(await caller.call("get_pet", {"pet_id": 7}, quiet)) == "after"
        assert upstream.requests[0].startswith(b"GET /v1/pets/8?")
        assert text(await caller.call("public", {}, quiet)) == '{"x": 1}'
        assert len(upstream.requests) == 1

    run(scene)


def test_a_hook_changes_a_request_and_neither_sees_nor_displaces_a_credential(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Request] = []

    def sign(tool: str, request: Request) -> Request:
        seen.append(request)
        request = request.with_query("key", "mine").with_query("v", "a&b")
        return request.with_header("X-Tool", tool).with_header("User-Agent", "own/1")

    monkeypatch.setattr(users_file, "request_all", sign, raising=False)
    monkeypatch.setattr(users_file, "request_get_pet", lambda r: r.with_path("cats", *r.segments[1:]), raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        assert text(await caller.call("get_pet", {"pet_id": 7}, quiet)) == "ok"
        line, _, rest = upstream.requests[0].partition(b"\r\n")
        assert line == b"GET /v1/cats/7?v=a%26b&key=sk-0123456789abcdef%2F%2B HTTP/1.1"
        assert b"\r\nX-Tool: get_pet\r\n" in rest
        assert re.findall(rb"(?i)user-agent: [^\r]*", rest) == [b"User-Agent: own/1"]
        assert seen == [Request("GET", ("cats", "7"), headers=(("Accept", "*/*"),))]

    run(scene)


@pytest.mark.parametrize(
    "change",
    [
        lambda request: request.with_header("X-A", "a\r\nX-B: c"),
        lambda request: request.with_header("Host", "evil.example"),
        lambda request: request.with_path("..", "admin"),
        lambda request: "//evil.example",
    ],
)
def test_a_request_that_a_hook_spoils_is_not_sent(change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "request_public", change, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        result = await caller.call("public", {}, quiet)
        assert result.is_error
        assert text(result).startswith("public was not completed. The hook request_public of this server ")
        assert "evil" not in text(result)
        assert upstream.connections == 0

    run(scene)


@pytest.mark.parametrize(
    "name", ["before_all", "before_get_pet", "request_all", "request_get_pet", "instead_of_get_pet"]
)
def test_what_a_hook_refuses_is_not_sent_and_the_model_is_told_why(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: Any) -> None:
        raise Refuse(f"Pets are asleep; {SECRET} is the key.")

    monkeypatch.setattr(users_file, name, refuse, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        result = await caller.call("get_pet", {"pet_id": 7}, quiet)
        assert (text(result), result.is_error) == (
            "get_pet was not called. Pets are asleep; [redacted] is the key.",
            True,
        )
        assert upstream.connections == 0

    run(scene)


def test_a_credential_of_a_hook_is_redacted_and_learning_it_makes_no_other_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = iter(range(10**9, 10**9 + 99))

    def sign(request: Request) -> Request:
        return request.with_header("Authorization", f"Hmac {next(numbers)}")

    async def echo(connection: Connection) -> None:
        while request := await connection.request():
            words = request.partition(b"Authorization: ")[2].partition(b"\r\n")[0]
            head = OK.replace(b"Content-Length: 2\r\n\r\nok", b"Content-Length: %d\r\n\r\n" % len(words))
            await connection.send(head + words)

    monkeypatch.setattr(users_file, "request_public", sign, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        caller.lasting.redactor.learn("token-of-another")
        for _ in range(20):
            assert text(await caller.call("public", {}, quiet)) == "[redacted]"
        assert b"Authorization: Hmac 1000000019\r\n" in upstream.requests[-1]
        assert caller.lasting.redactor.text("token-of-another") == "[redacted]"

    run(scene, echo)


def test_what_hooks_signed_is_redacted_of_many_calls_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(10**9, 10**9 + 99))
    together = asyncio.Barrier(10)

    def sign(request: Request) -> Request:
        return request.with_header("Authorization", f"Hmac {next(numbers)}")

    async def echo(connection: Connection) -> None:
        while request := await connection.request():
            await together.wait()
            words = request.partition(b"Authorization: ")[2].partition(b"\r\n")[0]
            head = OK.replace(b"Content-Length: 2\r\n\r\nok", b"Content-Length: %d\r\n\r\n" % len(words))
            await connection.send(head + words)

    monkeypatch.setattr(users_file, "request_public", sign, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        results = await asyncio.gather(*(caller.call("public", {}, quiet) for _ in range(10)))
        assert [text(each) for each in results] == ["[redacted]"] * 10

    run(scene, echo)


def test_a_hook_that_hangs_ends_at_the_deadline_of_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(tool: str, request: Request) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(users_file, "request_all", hang, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        deadlines = Deadlines(monkeypatch)
        calling = asyncio.ensure_future(caller.call("slow", {}, quiet))
        await turns()
        deadlines.pass_now()
        assert text(await calling) == (
            "slow was not completed. The hook request_all of this server did not end within the 0.2 seconds of a call "
            "(`timeout` of slow)."
        )
        assert deadlines.seconds == pytest.approx([0.2], abs=0.1)
        assert upstream.connections == 0

    run(scene)


def test_a_before_hook_cannot_evade_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "before_get_pet", lambda arguments: {"pet_id": "../x"}, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        assert (await caller.call("get_pet", {"pet_id": 7}, quiet)).is_error
        assert upstream.connections == 0

    run(scene)


def test_a_failing_hook_is_an_error_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "after_all", lambda tool, result: 1 / 0, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        result = await caller.call("public", {}, quiet)
        assert result.is_error
        assert text(result) == (
            "The result of public is withheld. The hook after_all of this server failed. Its log says where. "
            "The request was answered: HTTP 200 OK from GET /public. Calling again is safe."
        )

    run(scene)


def test_cancelling_a_call_closes_its_connection() -> None:
    closed = asyncio.Event()

    async def play(connection: Connection) -> None:
        await silence(connection)
        closed.set()

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        task = asyncio.ensure_future(caller.call("public", {}, quiet))
        while not upstream.requests:
            await asyncio.sleep(0)
        task.cancel()
        await closed.wait()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(scene, play)


def test_reach_says_what_keeps_calls_from_being_made_and_sends_no_credential() -> None:
    async def reached(caller: ToolExecutor, upstream: Upstream) -> None:
        assert await doctor.reach(caller.services) == []
        assert upstream.requests[0].startswith(b"HEAD /v1/ HTTP/1.1\r\n")
        assert b"sk-" not in upstream.requests[0]

    async def unreached(caller: ToolExecutor, upstream: Upstream) -> None:
        assert await doctor.reach(caller.services) == [
            f"http://127.0.0.1:{upstream.port}/v1: 127.0.0.1:{upstream.port} closed the connection without an answer."
        ]

    run(reached, answer(b"HTTP/1.1 404 Not Found\r\n\r\n"))
    run(unreached, answer(b""))


def test_settings_are_reported_in_the_log_by_name(capfd: pytest.CaptureFixture[str]) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        assert not capfd.readouterr().err  # nothing is logged yet, because `--doctor` itself reports every problem
        caller.report()

    run(scene, environ={"PETSTORE_TIMEOUT": "x", "PETSTORE_API_KEY": f"{SECRET}\n"})
    log = capfd.readouterr().err
    assert '"level":"error","event":"setting","reason":"PETSTORE_TIMEOUT must' in log
    assert '"level":"warning","event":"setting","reason":"PETSTORE_API_KEY ends with' in log
    assert SECRET not in log
