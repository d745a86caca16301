"""Test hooks that withhold a result, by raising or on purpose: the model still learns which request was made."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.calls.execution import ToolExecutor
from package.runtime.hooks import Refuse
from package.runtime.settings import settings

from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import quiet, text
from tests.runtime.upstream import Connection, Play, Upstream, answer, answer_ok, serving

TOOLS: dict[str, dict[str, Any]] = {
    "make": {"binding": {"method": "POST", "path": ["/make"]}},
    "make_once": {
        "schema": {"type": "object", "properties": {"key": {"type": "string"}}},
        "binding": {
            "method": "POST",
            "path": ["/make"],
            "headers": [{"argument": "key", "name": "Idempotency-Key", "style": "simple"}],
        },
    },
}


def run(scene: Callable[[ToolExecutor, Upstream], Awaitable[None]], play: Play = answer_ok) -> None:
    async def main() -> None:
        async with serving(play) as upstream:
            catalog: Any = Catalog(TOOLS)
            caller = ToolExecutor(catalog, settings.load(catalog, {}, str(upstream.address("/v1"))))
            await asyncio.wait_for(scene(caller, upstream), 30)
            await caller.close()

    asyncio.run(main())


def failing(*given: Any) -> None:
    raise ValueError


def refusing(*given: Any) -> None:
    raise Refuse("Not for you.")


HEAD = b"HTTP/1.1 %s\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok"


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "done"),
    [
        (
            "make",
            {},
            b"201 Created",
            "The request was answered: HTTP 201 Created from POST /make. It was carried out all the same: "
            "look before calling again.",
        ),
        (
            "make_once",
            {"key": "one-key"},
            b"201 Created",
            "The request was answered: HTTP 201 Created from POST /make. It was carried out; to call again without "
            "doing it twice, give key one-key.",
        ),
        ("make", {}, b"400 Bad Request", "The request was answered: HTTP 400 Bad Request from POST /make."),
        (
            "make",
            {},
            b"500 Oops",
            "The request was answered: HTTP 500 Internal Server Error from POST /make. It may have been carried out "
            "all the same: look before calling again.",
        ),
    ],
)
@pytest.mark.parametrize(
    ("hook", "reason"),
    [(failing, "The hook after_all of this server failed. Its log says where."), (refusing, "Not for you.")],
)
def test_what_was_done_is_told_though_its_result_is_withheld(
    tool: str,
    arguments: dict[str, Any],
    status: bytes,
    done: str,
    hook: Any,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(users_file, "after_all", hook, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        result = await caller.call(tool, arguments, quiet)
        assert (text(result), result.is_error) == (f"The result of {tool} is withheld. {reason} {done}", True)

    run(scene, answer(HEAD % status))


def test_what_a_hook_did_in_place_of_the_request_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "instead_of_make", lambda arguments: "made", raising=False)
    monkeypatch.setattr(users_file, "after_make", refusing, raising=False)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        assert text(await caller.call("make", {}, quiet)) == (
            "The result of make is withheld. Not for you. instead_of_make had answered the call."
        )

    run(scene)


def test_a_call_without_an_answer_may_have_been_carried_out_whatever_hooks_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "after_make", refusing, raising=False)

    async def hang_up(connection: Connection) -> None:
        await connection.request()

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        told = text(await caller.call("make", {}, quiet))
        assert told.startswith("The result of make is withheld. Not for you. POST /make failed: ")
        assert told.endswith(" It may have been carried out all the same: look before calling again.")

    run(scene, hang_up)
