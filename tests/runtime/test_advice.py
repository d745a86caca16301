"""Test the hints in errors of HTTP 401 and 403: which variable was used or could be set, and which scopes
are needed.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.settings import settings

from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import quiet, text
from tests.runtime.upstream import answer, serving
from tests.scheme_entries import api_key, bearer

SECURITY: dict[str, dict[str, Any]] = {
    "key": api_key("header", "X-Key", "PETSTORE_KEY"),
    "oidc": bearer("PETSTORE_OIDC"),
}
SCOPES = {"scopes": {"oidc": ["pets:read", "pets:write"]}}
NOT_ALLOWED = "is not allowed to do this; calling again will not help."
ASKS = "The API's description asks for a token with the scopes pets:read pets:write."
CAN = "The operator of this server can set"


@pytest.mark.parametrize(
    ("status", "binding", "environ", "advice"),
    [
        (401, {"security": [["key"]]}, {"PETSTORE_KEY": "k" * 9}, "The upstream did not accept PETSTORE_KEY."),
        (
            401,
            {"security": [["oidc"]], **SCOPES},
            {"PETSTORE_OIDC": "t" * 9},
            f"The upstream did not accept PETSTORE_OIDC. {ASKS}",
        ),
        (403, {"security": [["oidc"]], **SCOPES}, {"PETSTORE_OIDC": "t" * 9}, f"PETSTORE_OIDC {NOT_ALLOWED} {ASKS}"),
        (403, {"security": [["key"], ["oidc"]], **SCOPES}, {"PETSTORE_KEY": "k" * 9}, f"PETSTORE_KEY {NOT_ALLOWED}"),
        (
            401,
            {"security": [["key"], ["oidc"], []], **SCOPES},
            {},
            f"The request carried no credential. {CAN} PETSTORE_KEY, or PETSTORE_OIDC.",
        ),
        (403, {"security": [["key"], []]}, {}, f"Without a credential it {NOT_ALLOWED} {CAN} PETSTORE_KEY."),
        (401, {}, {}, "The request carried no credential."),
    ],
)
def test_what_is_told(status: int, binding: dict[str, Any], environ: dict[str, str], advice: str) -> None:
    async def main() -> str:
        async with serving(answer(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode())) as upstream:
            catalog: Any = Catalog(
                {"look": {"binding": {"method": "GET", "path": ["/p"], **binding}}}, security=SECURITY
            )
            caller = ToolExecutor(catalog, settings.load(catalog, environ, str(upstream.address())))
            result = await asyncio.wait_for(caller.call("look", {}, quiet), 30)
            await caller.close()
            return text(result)

    assert asyncio.run(main()).split("\n")[1:] == [advice]
