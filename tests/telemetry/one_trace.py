"""Run one end of a trace with libraries of other projects: `one_trace.py api`, or `one_trace.py client URL|COMMAND...`.

The API is a WSGI application with OpenTelemetry's instrumentation. The client is the official MCP SDK in a span of
OpenTelemetry's SDK. Both report to the collector in their environment variables.
"""

from __future__ import annotations

import asyncio
import os
import sys
from importlib import import_module
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

# Imported by name, because these packages are not in the environment in which types are checked.
propagate, trace = (import_module(f"opentelemetry.{name}") for name in ("propagate", "trace"))
TracerProvider = import_module("opentelemetry.sdk.trace").TracerProvider
SimpleSpanProcessor = import_module("opentelemetry.sdk.trace.export").SimpleSpanProcessor
OTLPSpanExporter = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter").OTLPSpanExporter

PROVIDER = TracerProvider()
PROVIDER.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(PROVIDER)


def api() -> None:
    middleware = import_module("opentelemetry.instrumentation.wsgi").OpenTelemetryMiddleware

    def answer(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
        return [b"ok"]

    class Quiet(WSGIRequestHandler):
        def log_message(self, *_: object) -> None:
            """Write no log."""

    server = make_server("127.0.0.1", 0, middleware(answer), handler_class=Quiet)
    print(server.server_port, flush=True)
    server.serve_forever()


async def client(target: list[str]) -> None:
    from mcp import Client, StdioServerParameters  # type: ignore[import-not-found]

    where = target[0]
    if not where.startswith("http:"):
        where = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ), cwd=os.getcwd())
    async with Client(where) as found:
        with trace.get_tracer("agent").start_as_current_span("agent"):
            meta: dict[str, str] = {}
            propagate.inject(meta)
            told = await found.call_tool("get_item", {"id": "1"}, meta=meta)
            print(told.content[0].text)
    PROVIDER.shutdown()


if __name__ == "__main__":
    if sys.argv[1] == "api":
        api()
    else:
        asyncio.run(client(sys.argv[2:]))
