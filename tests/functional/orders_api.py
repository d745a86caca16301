"""Serve an API that records requests, and generate a server that calls the API and runs programs written by models."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mcpgen.cli import main

DOCUMENT = """
openapi: 3.1.0
info: {title: Store, version: '1'}
servers: [{url: %s}]
security: [{key: []}]
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
paths:
  /orders:
    get:
      {operationId: list_orders, tags: [orders], summary: List the orders of the store,
       parameters: [{name: status, in: query, schema: {enum: [open, paid]}},
         {name: per-page, in: query, schema: {type: integer}}],
       responses: {'200': {description: d, content: {application/json: {schema: {type: array, items: {type: object,
         properties: {id: {type: integer}, invoice: {type: string}, secret: {type: string}}}}}}}}}
    post:
      operationId: create_order
      tags: [orders]
      summary: Create an order for a customer
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [product],
        properties: {product: {type: string}, count: {type: integer},
          address: {type: object, required: [city], properties: {city: {type: string}, zip: {type: string}}}}}}}}
  /orders/{order_id}:
    parameters: [{name: order_id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: get_order, tags: [orders], summary: Get one order,
      responses: {'200': {description: d, content: {application/json: {schema: {type: object,
        properties: {asked: {type: string}, key: {type: string}}}}}}}}
    delete: {operationId: delete_order, tags: [orders], summary: Delete an order, x-mcp: {confirm: always}}
  /customers/{customer_id}:
    parameters: [{name: customer_id, in: path, required: true, schema: {type: string}}]
    get: {operationId: get_customer, tags: [customers], summary: Get the address of a customer}
    patch: {operationId: rename_customer, tags: [customers], summary: Change the name of a customer,
      x-mcp: {roles: [clerk]}}
"""
SETTINGS = """mcpgen: 1
server: {tools: search, programs: %s%s}
openapi:
  - document: openapi.yaml
    overrides: {list_orders: {result: {remove: [/*/secret]}}}
"""
HOOKS = """
def before_get_customer(arguments):
    return {**arguments, "customer_id": "hooked-" + arguments["customer_id"]}
"""


class Api(BaseHTTPRequestHandler):
    """API that records its requests. `/orders` returns a long list, and a path with `404` in it returns 404."""

    seen: ClassVar[list[str]] = []
    orders: ClassVar[list[dict[str, Any]]] = [
        {"id": number, "invoice": "i" * 200 + str(number), "secret": "hidden-" + str(number)} for number in range(1000)
    ]

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        asked = f"{self.command} {self.path} {self.rfile.read(size).decode()}".strip()
        self.seen.append(asked)
        listed = self.command == "GET" and self.path.partition("?")[0] == "/orders"
        orders = self.orders * (6 if "per-page=6000" in self.path else 1)
        body = json.dumps(orders if listed else {"asked": asked, "key": self.headers["X-Key"]}).encode()
        self.send_response(404 if "/404" in self.path else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Write no log."""


def generated(folder: Path, port: int, programs: str = "all", name: str = "mirror", more: str = "") -> Path:
    """Generate a project whose server runs programs, with typed results. Return its folder.

    `more`: further keys of `server` in the tools file.
    """
    (folder / "openapi.yaml").write_text(DOCUMENT % f"http://127.0.0.1:{port}")
    (folder / "store.yaml").write_text(SETTINGS % (programs, more))
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "store.yaml"), "-o", str(folder / "out"), "--name", name, "--structured"])
    assert ended.value.code == 0
    (folder / "out" / f"{name}_mcp" / "hooks.py").write_text(HOOKS)
    return folder / "out"
