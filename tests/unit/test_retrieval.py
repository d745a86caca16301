"""Test the search index and the search over it: queries find the expected tools."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import pytest
from package.runtime.search import notation, stems
from package.runtime.search.retriever import CLAUSES, FEW, Found, Retriever

from mcpgen.base.jsonvalue import compact
from mcpgen.model import SearchTable
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import Fetched

STEMS: list[tuple[str, str]] = [
    ("movies", "movie"),
    ("creates", "creating"),
    ("deletion", "deleted"),
    ("policies", "policy"),
    ("searches", "search"),
    ("boxes", "box"),
    ("running", "runs"),
    ("status", "status"),
    ("listed", "lists"),
    ("subscriptions", "subscription"),
    ("deploy", "deployments"),
    ("recommend", "recommendation"),
]


@pytest.mark.parametrize(("one", "other"), STEMS)
def test_words_with_one_stem(one: str, other: str) -> None:
    assert stems.stem(one) == stems.stem(other)


OPERATIONS: dict[str, tuple[str, str]] = {
    "POST /orders": ("create_order", "Create an order"),
    "GET /orders": ("list_orders", "List the orders of the store"),
    "GET /orders/{order_id}": ("get_order", "Get an order"),
    "DELETE /orders/{order_id}": ("delete_order", "Delete an order"),
    "POST /orders/{order_id}/items": ("create_order_item", "Create an item in an order"),
    "GET /search/customers": ("search_customers", "Search customers"),
    "GET /customers/{customer_id}": ("get_customer", "Get a customer"),
    "PATCH /customers/{customer_id}": ("rename_customer", "Change the name of a customer"),
    "POST /webhooks": ("create_webhook", "Register an endpoint that is told of events"),
    "GET /old/orders": ("list_old_orders", "List the orders of the store as before"),
}


@cache
def table() -> tuple[SearchTable, Retriever]:
    paths: dict[str, Any] = {}
    for request, (name, summary) in OPERATIONS.items():
        method, path = request.split()
        names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        parameters = [{"name": each, "in": "path", "required": True, "schema": {"type": "string"}} for each in names]
        paths.setdefault(path, {})[method.lower()] = {
            "operationId": name,
            "summary": summary,
            "tags": [path.split("/")[1]],
            "parameters": parameters,
            "deprecated": "old" in path,
        }
    document: dict[str, Any] = {"openapi": "3.1.0", "servers": [{"url": "https://x.example"}], "paths": paths}
    source = Fetched("f", compact(document).encode())
    made = [compile_source(source, Options(tools="search")).catalog.search for _ in range(2)]
    assert made[0] is not None
    assert made[0] == made[1]
    return made[0], Retriever(json.loads(made[0].index))


def found(query: str, limit: int = 5, group: str = "") -> Found:
    return table()[1].search(query, limit, lambda name: True, group)


def names(hits: Found) -> list[str]:
    return [table()[1].names[hit.number] for hit in hits.hits]


FIRST: list[tuple[str, str]] = [
    ("create an order", "create_order"),
    ("remove an order", "delete_order"),
    ("add an item to an order", "create_order_item"),
    ("all orders of the store", "list_orders"),
    ("who is this client", "get_customer"),
    ("rename a customer", "rename_customer"),
    ("set up a web hook", "create_webhook"),
    ("CREATE ORDER!!!", "create_order"),
    ("Is there an order?", "get_order"),
    ("get an order to rename a customer", "get_order"),
    ("register an endpoint when a customer has changed the name of a customer", "create_webhook"),
    ("add an item to an order", "create_order_item"),
]


@pytest.mark.parametrize(("query", "name"), FIRST)
def test_the_best_tool_is_first(query: str, name: str) -> None:
    assert names(found(query))[0] == name


def test_every_clause_finds_its_tool() -> None:
    several = names(found("delete an order, rename a customer and create a webhook", limit=4))
    assert {"delete_order", "rename_customer", "create_webhook"} <= set(several)


def test_the_best_tool_of_every_clause_comes_first() -> None:
    several = "List the orders of the store to find an old one, get a customer and, for 1,000 events, create a webhook."
    assert set(names(found(several, limit=3))) == {"list_orders", "get_customer", "create_webhook"}


def test_of_the_best_tools_the_one_with_the_highest_score_is_first() -> None:
    assert names(found("list the orders of the store, and get a customer"))[:2] == ["list_orders", "get_customer"]


def test_a_number_is_not_the_end_of_a_clause() -> None:
    assert CLAUSES.split("pay 1,000 orders, then 2.5 more") == ["pay 1,000 orders", " ", " 2.5 more"]


def test_producers_stand_at_their_hit() -> None:
    hit = found("rename a customer").hits[0]
    assert [(argument, table()[1].names[number]) for argument, number in hit.sources] == [
        ("customer_id", "search_customers")
    ]


def test_what_is_deprecated_comes_later() -> None:
    ranked = names(found("list orders", limit=10))
    assert ranked.index("list_orders") < ranked.index("list_old_orders")


# Of these queries the index has no word, or only words that are too little to find a tool.
NOTHING = (
    "book a flight",
    "what is the weather",
    "?",
    "",
    "the of and",
    "x" * 400,
    "\u6f22\u5b57",
    "r\u00e9server une table au restaurant",
    "einen Flug buchen",
)


@pytest.mark.parametrize("query", NOTHING)
def test_what_no_tool_does_does_not_fit(query: str) -> None:
    answer = found(query, limit=10)
    assert not answer.fits
    assert not answer.sure
    assert len(names(answer)) <= FEW


# The index has only a verb or a general word of these queries, or one word among many.
DOUBTED = (
    "create a poem",
    "delete my gym membership soon",
    "order groceries with cheese from the supermarket",
    "listar los orders abiertos",
)


@pytest.mark.parametrize("query", DOUBTED)
def test_what_a_tool_only_touches_is_doubted(query: str) -> None:
    answer = found(query)
    assert names(answer)
    assert not answer.sure


def test_a_group_and_what_a_caller_may_see() -> None:
    assert set(names(found("get an order or a customer", group="CUSTOMERS"))) <= {"get_customer", "rename_customer"}
    hidden = table()[1].search("create an order", 5, lambda name: name != "create_order")
    assert "create_order" not in names(hidden)


GENERAL: list[tuple[str, str]] = [
    ("which orders came in lately?", "list_orders"),
    ("create many orders at once", "create_order"),
    ("which customers of Ludwig van Beethoven are there now", "get_customer"),
]


@pytest.mark.parametrize(("query", "name"), GENERAL)
def test_general_words_do_not_speak_against_a_query(query: str, name: str) -> None:
    answer = found(query)
    assert name in names(answer)
    assert answer.sure


NEAREST: list[tuple[str, str]] = [
    ("orders_create", "create_order"),
    ("craete_odrer", "create_order"),
    ("CREATE-ORDER", "create_order"),
    ("createOrder", "create_order"),
    ("change_customer", "rename_customer"),
    ("get_client", "get_customer"),
    ("add_order_item", "create_order_item"),
    ("web_hook_create", "create_webhook"),
    ("order" * 100, "get_order"),
    ("book_a_flight", ""),
    ("zzz", ""),
    ("", ""),
]


@pytest.mark.parametrize(("wrong", "name"), NEAREST)
def test_the_nearest_names(wrong: str, name: str) -> None:
    retriever = table()[1]
    near = [retriever.names[number] for number in retriever.nearest(wrong, lambda name: True)]
    assert (near or [""])[0] == name
    assert len(near) <= 3
    assert name not in [retriever.names[number] for number in retriever.nearest(wrong, lambda each: each != name)]


def test_what_the_list_says() -> None:
    search = table()[0]
    assert next(iter(search.groups.items())) == ("orders", 5)
    assert sum(search.groups.values()) + search.others == len(OPERATIONS)
    assert "search_customers()" in search.starts
    assert len(gzip.compress(search.index)) < 3000


@pytest.mark.parametrize(
    ("taken", "name"),
    [("other", "search_tools"), ("search_tools", "search_tools_2"), ("Search_Tools", "search_tools_2")],
)
def test_the_finders_avoid_names_of_the_api(taken: str, name: str) -> None:
    paths: dict[str, Any] = {"/x": {"get": {"operationId": taken, "x-mcp": {"name": taken}}}}
    document: dict[str, Any] = {"openapi": "3.1.0", "servers": [{"url": "https://x.example"}], "paths": paths}
    search = compile_source(Fetched("f", compact(document).encode()), Options(tools="search")).catalog.search
    assert search is not None
    assert next(iter(search.finders)) == name


def _tool(reads: bool = True, **properties: Any) -> dict[str, Any]:
    required = [name for name, schema in properties.items() if schema.pop("needed", False)]
    schema = {"type": "object", "properties": properties, "required": required}
    hints = {"readOnlyHint": reads}
    return {"name": "t", "title": "T", "description": "Do it. And more.", "inputSchema": schema, "annotations": hints}


NOTED: list[tuple[dict[str, Any], str]] = [
    (_tool(), "t() \u2014 Do it"),
    (_tool(reads=False), "t() [writes] \u2014 Do it"),
    (_tool(a={"type": "string", "needed": True}), "t(a) \u2014 Do it"),
    (_tool(a={"type": "integer", "needed": True}, b={"type": "string"}), "t(a:int, b?) \u2014 Do it"),
    (_tool(a={"type": "array", "needed": True}), "t(a:[]) \u2014 Do it"),
    (_tool(True, **{name: {"type": "string"} for name in "abcde"}), "t(a?, b?, +3?) \u2014 Do it"),
    (_tool(a={"anyOf": [{"type": "string"}, {"type": "integer"}], "needed": True}), "t(a:str|int) \u2014 Do it"),
]


NOTED += [
    ({**_tool(), "name": "list_old_orders", "title": "List old orders"}, "list_old_orders()"),
    (
        {**_tool(), "name": "list_old_orders", "title": "List the store's orders"},
        "list_old_orders() \u2014 List the store's orders",
    ),
]


@pytest.mark.parametrize(("tool", "row"), NOTED)
def test_rows(tool: dict[str, Any], row: str) -> None:
    assert notation.row(tool) == row


MANY: dict[str, Any] = {
    **{name: {"type": "string"} for name in ("page", "per_page", "since")},
    "state": {"enum": ["open", "closed"]},
    "labels": {"type": "array", "items": {"enum": ["failure", 7]}},
    "kind": {"anyOf": [{"enum": ["draft"]}, {"type": "null"}]},
}
SPOKEN: list[tuple[str, str]] = [
    ("", "t(page?, per_page?, +4?)"),
    ("what there is since monday", "t(since?, page?, +4?)"),
    ("open ones", "t(state?, page?, +4?)"),
    ("failed drafts", "t(labels?, kind?, +4?)"),
    ("a per", "t(page?, per_page?, +4?)"),
]


@pytest.mark.parametrize(("query", "signature"), SPOKEN)
def test_a_signature_names_what_the_query_speaks_of(query: str, signature: str) -> None:
    assert notation.signature(_tool(True, **MANY), stems.stems(query)) == signature


LONG = "Write it. " * 60
CUT: list[tuple[str, str]] = [
    ("Do it.", "Do it."),
    (f"{LONG}Returns {{a, b}}. The user is asked.", f"{'Write it. ' * 46}Returns {{a, b}}. The user is asked."),
    (f"{LONG}Returns a list of {{a}}.", f"{'Write it. ' * 47}Returns a list of {{a}}."),
    (LONG, ("Write it. " * 50).strip()),
    ("x" * 600, "x" * 499 + "\u2026"),
    ("x" * 600 + " Returns {a}.", "x" * 486 + "\u2026 Returns {a}."),
    (f"{LONG}Returns {{{'a, ' * 200}b}}.", ("Write it. " * 50).strip()),
]


@pytest.mark.parametrize(("text", "shown"), CUT)
def test_a_long_description_ends_with_a_sentence_and_the_sketch_of_the_answer(text: str, shown: str) -> None:
    assert notation.described({**_tool(), "description": text}) == f"t()  // {shown}"


def test_a_description() -> None:
    inner = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    tool = _tool(
        a={"enum": ["x", "y"], "needed": True, "description": "Which."},
        b={"type": "array", "items": inner},
        c={"type": "integer", "default": 1},
    )
    assert notation.described(tool).split("\n") == [
        "t(",
        ' a: "x"|"y"  // Which.',
        " b?: {}[]",
        "  n: num",
        " c?: int=1",
        ")  // Do it. And more.",
    ]
