"""Test project files with a kind, such as a body encoding, that only a later runtime knows.

Each call gets an error, and no request is sent.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.settings import settings

from tests.runtime.table_stub import Catalog
from tests.runtime.upstream import answer_ok, serving

SHINY = {"name": "a", "argument": "a", "style": "shiny", "explode": True}


def form(encoding: str, field: dict[str, Any]) -> dict[str, Any]:
    """Return a request description whose body has one field."""
    fields = [{"name": "a", "argument": "a", **field}]
    return {"path": ["/"], "body": {"contentType": "x/y", "encoding": encoding, "fields": fields}}


@pytest.mark.parametrize(
    ("binding", "strange"),
    [
        ({"path": ["/", SHINY]}, "style 'shiny'"),
        ({"path": ["/"], "query": [SHINY]}, "style 'shiny'"),
        ({"path": ["/"], "querystring": [SHINY]}, "style 'shiny'"),
        ({"path": ["/"], "headers": [SHINY]}, "style 'shiny'"),
        ({"path": ["/"], "cookies": [SHINY]}, "style 'shiny'"),
        ({"path": ["/"], "body": {"contentType": "x/y", "encoding": "cbor", "argument": "a"}}, "encoding 'cbor'"),
        (form("form", {"style": "shiny"}), "style 'shiny'"),
        (form("multipart", {"part": "cbor"}), "part 'cbor'"),
        (form("multipart", {"headers": [SHINY]}), "style 'shiny'"),
    ],
)
def test_a_kind_of_a_later_table_is_told_in_a_sentence(binding: dict[str, Any], strange: str) -> None:
    async def scene() -> None:
        async with serving(answer_ok) as upstream:
            catalog: Any = Catalog({"later": {"binding": {"method": "POST", **binding}}})
            caller = ToolExecutor(catalog, settings.load(catalog, {}, str(upstream.address("/v1"))))
            for _ in range(2):
                result = await caller.call("later", {"a": "b"}, lambda _: None)
                told = f"Its request has the {strange}, which this server does not know: generate it again."
                assert result.content == [{"type": "text", "text": f"later was not called. {told}"}]
                assert result.is_error
            assert upstream.connections == 0
            await caller.close()

    asyncio.run(asyncio.wait_for(scene(), 30))
