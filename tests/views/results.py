"""Results of tools as a server with views sends them, and the view of each tool."""

from __future__ import annotations

import json
from typing import Any

from package.runtime.views.views import VIEW

from mcpgen.base.jsonvalue import as_object
from mcpgen.model import ToolSpec


def result(value: Any, view: Any = None, *notes: str, failed: bool = False) -> dict[str, Any]:
    """Return a CallToolResult whose first text is `value`: a text, or JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    first = {"type": "text", "text": text, **({"_meta": {VIEW: view}} if view else {})}
    others = [{"type": "text", "text": "\n".join(notes)}] if notes else []
    return {"content": [first, *others], **({"isError": True} if failed else {})}


def told(tool: ToolSpec) -> dict[str, Any]:
    """Return what a server tells a client of a tool's view."""
    method = {} if tool.annotations.read_only else {"method": tool.binding.method}
    return {"tool": tool.name, "title": tool.title, **as_object(tool.extra.get("view")), **method}


def info(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a host's `toolInfo` about a tool with a view."""
    schema = tool.get("inputSchema", {"type": "object"})
    return {"tool": {"name": tool["tool"], "title": tool["title"], "inputSchema": schema}}


INVOICES: dict[str, Any] = {
    "tool": "list_invoices",
    "title": "List invoices",
    "kind": "table",
    "items": "/data",
    "columns": [
        {"name": "number"},
        {"name": "customer.name"},
        {"name": "status", "shows": "badge"},
        {"name": "created_at"},
        {"name": "due"},
        {"name": "amount", "shows": "money"},
        {"name": "page"},
    ],
    "inputSchema": {
        "type": "object",
        "properties": {
            "page": {"type": "integer", "minimum": 1},
            "status": {"type": "string", "enum": ["paid", "open"], "description": "Only invoices in this state."},
        },
    },
}
INVOICE: dict[str, Any] = {
    **{key: value for key, value in INVOICES.items() if key != "items"},
    "tool": "get_invoice",
    "title": "Get an invoice",
    "kind": "card",
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
}
CHANGE: dict[str, Any] = {
    "tool": "update_invoice",
    "title": "Update an invoice",
    "kind": "card",
    "method": "PATCH",
    "columns": INVOICE["columns"],
    "before": "get_invoice",
    "given": {"id": "invoice_id"},
    "inputSchema": {
        "type": "object",
        "properties": {
            "invoice_id": {"type": "string", "description": "Id of the invoice."},
            "status": {"type": "string", "enum": ["paid", "void"], "description": "What it becomes."},
            "amount": {"type": "number", "minimum": 0},
            "notes": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "mail": {"type": "boolean", "default": True},
        },
        "required": ["invoice_id", "status"],
    },
}
REMOVAL: dict[str, Any] = {
    "tool": "delete_invoice",
    "title": "Delete an invoice",
    "kind": "form",
    "method": "DELETE",
    "before": "get_invoice",
    "given": CHANGE["given"],
    "inputSchema": {"type": "object", "properties": {"invoice_id": {"type": "string"}}, "required": ["invoice_id"]},
}
TOOLS = {each["tool"]: each for each in (INVOICES, INVOICE, CHANGE, REMOVAL)}

_STATES = ("paid", "pending", "overdue", "draft", "void")
_CUSTOMERS = (
    "Acme GmbH",
    "Bj\u00f6rk & S\u00f6ner AB",
    "Soci\u00e9t\u00e9 G\u00e9n\u00e9rale des Noms Longs",
    "Li Wei",
)


def invoices(count: int = 12, first: int = 0) -> list[dict[str, Any]]:
    """Return invoices with numbers, dates, amounts in several currencies, addresses, and what is inside of them."""
    return [
        {
            "id": f"in_{number}",
            "number": f"INV-{1000 + number}",
            "customer": {"name": _CUSTOMERS[number % 4], "id": number},
            "status": _STATES[number % 5],
            "created_at": f"2026-0{1 + number % 9}-1{number % 9}T23:30:00Z",
            "due": f"2026-0{1 + number % 9}-2{number % 8}",
            "amount": (number * 7919 % 9000) + 0.5,
            "currency": ("EUR", "USD", "JPY")[number % 3],
            "page": f"https://pay.example.com/invoices/{number}/a-long-path-of-invoice-{number}",
            "lines": [{"description": "Hours", "quantity": 3, "price": 120.5}, {"description": "Travel", "price": 80}],
            "notes": "Thank you for your business.\nA second line.",
            "paid": number % 2 == 0,
            "metadata": {"origin": "web", "campaign": None, "tags": ["a", "b"]},
        }
        for number in range(first, first + count)
    ]
