"""Serve a small shop on a raw socket, with state and with faults on demand, and run workflows over it in process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core import spans
from package.runtime.core.catalog import Catalog
from package.runtime.core.effects import Dialogue
from package.runtime.core.wire_formats import OtherOutcome, Question, Result
from package.runtime.settings import settings

from mcpgen.cli import main
from tests.runtime.revisions import R4, R5
from tests.runtime.upstream import Connection, serving

SECRET = "sk-0123456789abcdef"
HEAD = """mcpgen: 1
server: {name: shop, title: Shop}
base_url: %s
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
- {name: find_customers, description: Find customers., request: 'GET /customers?q={q}', arguments: {q: string required}}
- {name: list_invoices, description: List the invoices of a customer.,
   request: 'GET /customers/{customer_id}/invoices', arguments: {customer_id: integer required}}
- {name: create_refund, description: Refund an invoice., request: POST /refunds,
   arguments: {invoice: integer required, reason: string}}
- {name: delete_refund, description: Take a refund back., request: 'DELETE /refunds/{refund}',
   arguments: {refund: integer required}}
- {name: send_mail, description: Send a mail., request: POST /mails,
   arguments: {to: string required, text: string required}}
- {name: delete_mail, description: Take a mail back., request: 'DELETE /mails/{mail}',
   arguments: {mail: integer required}}
- {name: get_job, description: Get a job., request: 'GET /jobs/{job}', arguments: {job: integer required}}
- {name: clear_shop, description: Delete everything., request: DELETE /everything, confirm: always}
"""
REFUND = """
- name: refund_last_invoice
  description: Refund the last invoice of a customer, and tell the customer.
  arguments: {customer: string required, reason: string}
  %s
  steps:
  - {id: found, call: find_customers, with: {q: '{customer}'}}
  - {id: invoices, call: list_invoices, with: {customer_id: '{found/0/id}'}}
  - id: refund
    call: create_refund
    with: {invoice: '{invoices/0/id}', reason: '{reason}'}
    undo: {call: delete_refund, with: {refund: '{refund/id}'}}
  - id: mail
    call: send_mail
    with: {to: '{found/0/mail}', text: 'Refunded {invoices/0/id}.'}
    undo: {call: delete_mail, with: {mail: '{mail/id}'}}
  - {id: after, call: list_invoices, with: {customer_id: '{found/0/id}'}}
  outputs: {refund: '{refund/id}', customer: '{found/0/name}', left: '{after}'}
"""
PETS = {"accept": {"action": "accept"}, "decline": {"action": "decline"}, "cancel": {"action": "cancel"}}
ACCEPT, DECLINE, CANCEL = PETS["accept"], PETS["decline"], PETS["cancel"]


class Shop:
    """State of the shop, and what it was asked. `faults`: beginning of a request → the statuses of its next answers."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.refunds: dict[int, Any] = {}
        self.mails: dict[int, Any] = {}
        self.faults: dict[str, list[int]] = {}
        self.job = 0

    @property
    def writes(self) -> list[str]:
        """Return the requests that were no reads."""
        return [each for each in self.seen if not each.startswith("GET")]

    async def play(self, connection: Connection) -> None:
        while request := await connection.request():
            head, _, body = request.partition(b"\r\n\r\n")
            method, path, _ = head.split(b"\r\n")[0].decode().split(" ")
            status, answer = self.answer(method, path, body.decode())
            if status == 0:
                return connection.reset()
            if status < 0:
                await asyncio.Event().wait()
            told = json.dumps(answer).encode()
            line = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\nX-Total: 7\r\n"
            line += f"X-Sent: {SECRET}\r\n"
            await connection.send(line.encode() + f"Content-Length: {len(told)}\r\n\r\n".encode() + told)
        return None

    def answer(self, method: str, path: str, body: str) -> tuple[int, Any]:
        """Record a request, and return the status and the body of its answer.

        Status 0 means a closed connection, and a negative one no answer at all.
        """
        asked = f"{method} {path} {body}".strip()
        self.seen.append(asked)
        for beginning, statuses in self.faults.items():
            if asked.startswith(beginning) and statuses and (status := statuses.pop(0)) != 200:
                return status, {"error": f"fault {status}", "key": SECRET}
        if path.startswith("/customers?"):
            return 200, [{"id": 7, "name": "Ann", "mail": "ann@example.org", "note": f"key {SECRET}"}]
        if path.startswith("/customers/"):
            return 200, [{"id": 70 + each, "open": each > 0} for each in range(3)]
        if path.startswith("/jobs/"):
            self.job += 1
            return 200, {"state": "done" if self.job > 2 else "running"}
        kept = self.refunds if path.startswith("/refunds") else self.mails
        if method == "DELETE":
            return (200, {}) if kept.pop(int(path.rpartition("/")[2] or 0), None) is not None else (404, {})
        kept[len(kept) + 1] = json.loads(body)
        return 201, {"id": len(kept)}


class Scene:
    """An executor of one project's tools, the shop that it calls, and the answers of its user."""

    def __init__(self, executor: ToolExecutor, shop: Shop) -> None:
        self.executor, self.shop = executor, shop
        self.asked: list[str] = []
        self.replies: list[object] = []
        self.told: list[str] = []

    async def call(self, name: str, way: str = "request", revision: str = R4, **arguments: Any) -> Any:
        return await self.with_state(name, None, {}, arguments, way, revision)

    async def with_state(
        self, name: str, state: str | None, responses: Any, arguments: Any, way: str = "result", revision: str = R5
    ) -> Any:
        before = spans.enter(spans.Span())
        try:
            dialogue = Dialogue(way, revision, state, responses)
            return await self.executor.call(name, arguments, self.told.append, dialogue, self._ask)
        except OtherOutcome as ended:
            return ended.outcome
        finally:
            spans.leave(before)

    async def stateless(self, name: str, replies: list[object], **arguments: Any) -> Any:
        """Call a tool in a stateless revision, and repeat the call with each of the replies of the user."""
        outcome = await self.call(name, "result", R5, **arguments)
        for reply in replies:
            assert isinstance(outcome, Question), outcome
            self.asked.append(outcome.message)
            outcome = await self.with_state(name, outcome.state, {"confirm": reply}, arguments)
        return outcome

    async def _ask(self, question: object) -> object:
        self.asked.append(str(question))
        return self.replies.pop(0) if self.replies else ACCEPT


def generated(folder: Path, tools: str, base: str = "http://127.0.0.1:1", name: str = "shop") -> Path:
    """Generate a project with the shop's tools and the workflows `tools`. Return its folder."""
    (folder / "shop.yaml").write_text(HEAD % base + tools)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "shop.yaml"), "-o", str(folder / "out"), "--name", name])
    assert ended.value.code == 0
    return folder / "out"


def run(project: Path, scene: Callable[[Scene], Awaitable[None]], environ: Mapping[str, str] | None = None) -> Shop:
    """Run a scene over the tools of a project. Return the shop as it is then."""
    shop = Shop()

    async def whole() -> None:
        async with serving(shop.play) as upstream:
            catalog = Catalog.load(str(project / "shop_mcp"))
            known = {"SHOP_KEY": SECRET, **(environ or {})}
            chosen = settings.load(catalog, known, str(upstream.address()))
            chosen.apply(catalog)
            executor = ToolExecutor(catalog, chosen)
            try:
                await asyncio.wait_for(scene(Scene(executor, shop)), 60)
            finally:
                await executor.close()

    asyncio.run(whole())
    return shop


def text(outcome: object) -> str:
    assert isinstance(outcome, Result), outcome
    return str(outcome)
