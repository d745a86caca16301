"""Test what a user confirms: no secret is read before the yes, and files must not have changed since the question."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.effects import Dialogue
from package.runtime.core.wire_formats import OtherOutcome
from package.runtime.settings import credentials, settings

from tests.runtime.revisions import R5
from tests.runtime.table_stub import Catalog
from tests.runtime.test_consent import ACCEPT, DECLINE, Scene, run, said
from tests.runtime.upstream import answer_ok, serving


def test_credentials_are_attached_after_the_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    put, written = credentials.put, credentials.written

    def noted(*given: Any) -> None:
        order.append("attached")
        put(*given)

    def touched(*given: Any) -> Any:
        order.append("written")
        return written(*given)

    monkeypatch.setattr(credentials, "put", noted)
    monkeypatch.setattr(credentials, "written", touched)

    async def scene(the: Scene) -> None:
        async def ask(message: str) -> object:
            order.append("asked")
            return the.reply

        monkeypatch.setattr(the, "ask", ask)
        await the.call("always")
        the.reply = DECLINE
        await the.call("always")
        assert order == ["asked", "written", "attached", "asked"]

    run(scene)


def test_a_file_that_is_swapped_after_the_question_is_another_call(tmp_path: Path) -> None:
    body = {"contentType": "application/octet-stream", "encoding": "binary", "argument": "data"}
    binding = {"method": "POST", "path": ["/upload"], "body": body, "confirm": "always"}
    catalog: Any = Catalog({"upload": {"binding": binding}})
    file = tmp_path / "a.bin"

    async def main() -> None:
        async with serving(answer_ok) as upstream:
            environ = {"PETSTORE_FILES_DIR": str(tmp_path)}
            caller = ToolExecutor(catalog, settings.load(catalog, environ, str(upstream.address())))

            async def upload(content: bytes, **brought: Any) -> Any:
                file.write_bytes(content)
                try:
                    dialogue = Dialogue("result", R5, **brought)
                    return await caller.call("upload", {"data": "file:a.bin"}, lambda phase: None, dialogue)
                except OtherOutcome as ended:
                    return ended.outcome

            answer: dict[str, Any] = {"state": (await upload(b"one")).state, "responses": {"confirm": ACCEPT}}
            assert "another call, with other arguments or files" in said(await upload(b"two", **answer))
            assert upstream.connections == 0
            assert not (await upload(b"one", **answer)).is_error
            assert upstream.requests[0].endswith(b"\r\n\r\none")
            await caller.close()

    asyncio.run(main())
