"""Run FastMCP scripts, and print the names of their tools.

stdin is a JSON list of [script, document]. A script gets the document instead of whatever it fetches or opens. If it
uses a FastAPI application, an object with the document takes its place.
"""

# mypy: ignore-errors
# This script runs in the other tool's environment; its types are not installed here.

from __future__ import annotations

import asyncio
import builtins
import contextlib
import io
import json
import logging
import runpy
import sys
import types
from pathlib import Path
from typing import Any

import fastmcp
import httpx
import yaml

MADE: list[Any] = []
SPEC: dict[str, Any] = {}


class Response:
    """Fake HTTP response: the answer to any request for a document."""

    @property
    def text(self) -> str:
        return json.dumps(SPEC)

    def json(self) -> dict[str, Any]:
        return SPEC

    def raise_for_status(self) -> None:
        """Do nothing, since the status is always 200."""


def prepare() -> None:
    """Replace the functions with which scripts fetch documents, load FastAPI applications and start servers."""

    async def get(self: object, *_: object, **__: object) -> Response:
        return Response()

    made = fastmcp.FastMCP.from_openapi.__func__

    def from_openapi(cls: type, *given: Any, **named: Any) -> Any:
        MADE.append(made(cls, *given, **named))
        return MADE[-1]

    def from_fastapi(cls: type, app: Any, **named: Any) -> Any:
        client = httpx.AsyncClient(base_url="http://fastapi")
        kept = {key: value for key, value in named.items() if key in ("name", "route_maps", "route_map_fn")}
        return from_openapi(cls, app.openapi(), client, **kept)

    async def run(*_: object, **__: object) -> None:
        """Do nothing instead of serving."""

    opened = builtins.open

    def open_or_list(path: Any, *given: Any, **named: Any) -> Any:
        listed = io.StringIO(json.dumps([{"spec_url": "x.json", "id": "x"}]))
        return listed if path == "apis.json" else opened(path, *given, **named)

    builtins.open = open_or_list
    httpx.get = lambda *_, **__: Response()
    httpx.AsyncClient.get = get
    fastmcp.FastMCP.from_openapi = classmethod(from_openapi)
    fastmcp.FastMCP.from_fastapi = classmethod(from_fastapi)
    fastmcp.FastMCP.run_async = run
    application = types.SimpleNamespace(openapi=lambda: SPEC, title="T")
    sys.modules["main"] = types.SimpleNamespace(application=application, app=application)


def names(script: str, document: str) -> list[str]:
    SPEC.clear()
    SPEC.update(yaml.load(Path(document).read_text(encoding="utf-8"), yaml.CSafeLoader))
    MADE.clear()
    found = runpy.run_path(script)
    if "serve" in found:
        asyncio.run(found["serve"](types.SimpleNamespace(base_url="http://x", auth_token="t")))
    elif "main" in found:
        asyncio.run(found["main"]())
    return [tool.name for server in MADE for tool in asyncio.run(server.list_tools())]


prepare()
logging.disable(logging.CRITICAL)
with contextlib.redirect_stdout(sys.stderr):
    reports = [names(*job) for job in json.load(sys.stdin)]
print(json.dumps(reports))
