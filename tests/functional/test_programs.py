"""Test programs that a model sends to a generated server, which runs as a process: the tools that a program calls, its
result, and the calls that the user must confirm.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcpgen.base import tokens
from mcpgen.model import MOST_SEARCH_TOKENS
from tests.functional.one_program import one_program
from tests.functional.orders_api import Api, generated
from tests.functional.test_search import ask, call, started, text
from tests.runtime.process import Server
from tests.runtime.revisions import META

LISTED = ["search_tools", "describe_tools", "call_tool", "call_writing_tool", "run_program"]
FORMS: dict[str, Any] = {META + "clientCapabilities": {"elicitation": {}}}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Yield the port of the API."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, port: int) -> Path:
    """Return the folder of a project whose server has the tool `run_program`. Its programs may call all tools."""
    return generated(tmp_path_factory.mktemp("store"), port)


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[Server]:
    """Yield one server for the tests that change nothing."""
    with started(store) as running:
        yield running


def run(server: Server, code: str, tool: str = "run_program") -> tuple[bool, str, list[str]]:
    """Call `tool` with the program `code`. Return three values: whether the program succeeded, the text of its result,
    and its API requests.
    """
    Api.seen.clear()
    result = call(server, tool, code=code)
    return not result["isError"], text(result), [*Api.seen]


def test_five_tools_are_listed_and_the_sixth_has_a_name(server: Server) -> None:
    tools = ask(server, "tools/list", {})["tools"]
    assert [tool["name"] for tool in tools] == LISTED
    assert tokens.estimate(tools) <= MOST_SEARCH_TOKENS
    assert tools[-1]["annotations"] == {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True}
    assert run(server, "get_order(1)['asked']", "run_reads") == (True, "GET /orders/1", ["GET /orders/1"])


def test_what_is_found_comes_with_its_functions(server: Server) -> None:
    found = text(call(server, "search_tools", queries=["list the orders", "delete an order"]))
    rows, _, functions = found.partition("Functions for run_program (so are the other tools above):\n")
    assert "list_orders(status?, per_page?) \u2014 " in rows, "a row, because its function stands below"
    assert "create_order(" in rows
    assert "def create_order" not in functions, "the others have their rows alone"
    assert "class ListOrdersResult(TypedDict, total=False):\n    id: int\n" in functions
    assert (
        "def list_orders(*, status: Literal['open', 'paid'] = ..., per_page: int = ...) -> list[ListOrdersResult]: ..."
        in functions
    )
    assert "def delete_order(order_id: int) -> Any: ..." in functions
    told = text(call(server, "describe_tools", names=["create_order"]))
    assert "address: CreateOrderAddress = ..." in told
    assert "class CreateOrderAddress(TypedDict):\n    city: str\n    zip: NotRequired[str]\n" in told


#: Rows: code for `run_program`, beginning of its result, beginnings of the requests that it makes.
ENDED: list[tuple[str, str, list[str]]] = [
    ("1 + 1", "2", []),
    ("len(list_orders(status='open', per_page=5))", "1000", ["GET /orders?status=open&per-page=5"]),
    ("sum(order['id'] for order in list_orders())", "499500", ["GET /orders"]),
    ("[sorted(list_orders()[3])]", '[["id","invoice"]]', ["GET /orders"]),
    ("print('a')\nget_order(order_id=2)['asked']", "a\nGET /orders/2", ["GET /orders/2"]),
    (
        "f = get_order\n[f(n)['asked'] for n in (1, 2)]",
        '["GET /orders/1","GET /orders/2"]',
        ["GET /orders/1", "GET /orders/2"],
    ),
    (
        "create_order('x', address={'city': 'y'})['asked']",
        'POST /orders {"product":"x","address":{"city":"y"}}',
        ["POST"],
    ),
    ("get_customer('7')['asked']", "GET /customers/hooked-7", ["GET /customers/hooked-7"]),
    ("get_order(1)['key']", "[redacted]", ["GET /orders/1"]),
    ("try:\n    get_order(404)\nexcept Exception as e:\n    print('told:', str(e)[:8])", "told: HTTP 404", ["GET"]),
    ("import asyncio, time\ntime.sleep(60)\nawait asyncio.sleep(60)\n'awake'", "awake", []),
    ("x = 1", "The program ended without a value.", []),
    ("{1, 2}", "[1,2]", []),
    ("lambda: 1", "<function", []),
    # The result of a program is its last expression, even after a semicolon or before a comment.
    ("x = 1; '\u00e9'; [x,\n  2]  # end", "[1,2]", []),
    ("if True:\n    5", "The program ended without a value.", []),
    ("None", "The program ended without a value.", []),
    ("len = str = isinstance = sorted = tuple = dict = None\n[get_order(1)['asked']]", '["GET /orders/1"]', ["GET"]),
    ("list = list_orders()\nlist[:1] and 7", "7", ["GET /orders"]),
    ("x = [0]\nx.append(x)\nx", "[0, [", []),
    ("['a' * 10] * 100000", '["aaaaaaaaaa",', []),
    ("{'rows': [{'a': n} for n in range(20000)]}", '{"rows":[{"a":0},', []),
    ("[*range(20000)][-1]", "19999", []),
    ("'a' * 10**6", "aaaa", []),
]


@pytest.mark.parametrize(("code", "told", "requests"), ENDED)
def test_how_programs_end(server: Server, code: str, told: str, requests: list[str]) -> None:
    well, said, seen = run(server, code)
    assert (well, said[: len(told)]) == (True, told)
    assert [each[: len(begun)] for each, begun in zip(seen, requests, strict=True)] == requests


#: Rows: Python code for `run_program`, and a text in the error that results. The server does not run the code.
NOT_RUN: list[tuple[str, str]] = [
    ("get_order(1)\nget_order('a')", "Line 2: Argument to function `get_order` is incorrect: Expected `int`"),
    ("get_order(1)\nlist_orders(status='lost')", "Line 2: Argument to function `list_orders` is incorrect"),
    ("get_order(1)\nlist_orders(stats='open')", "Line 2: Argument `stats` does not match any known parameter"),
    ("get_order()", "No argument provided for required parameter `order_id`"),
    ("create_order('x', address={'cty': 'y'})", 'did you mean "city"?'),
    ("list_orders()[0]['idd']", 'Unknown key "idd"'),
    ("get_ordr(1)", "There is no get_ordr. The nearest: get_order"),
    ("await get_order(1)\nfor order in list_orders():\n    order['id'] + 'x'", "Line 3: Operator `+` is not supported"),
    ("open('/etc/passwd')", "Name `open` used when not defined"),
    ("import socket", "Cannot resolve imported module `socket`"),
    ("def (", "Line 1:"),
    ("create_order('\u00e9', address={'cty': 'y'})", 'Unknown key "cty"'),
    ("search_tools(['x'])", "search_tools is not called by programs: each tool is a function with its own name."),
    ("get_orders_(1)", "There is no get_orders_. The nearest: get_order"),
    ("call_tool('get_order', {})", "Name `call_tool` used when not defined"),
]


@pytest.mark.parametrize(("code", "told"), NOT_RUN)
def test_what_is_wrong_is_told_before_anything_is_called(server: Server, code: str, told: str) -> None:
    well, said, seen = run(server, code)
    assert not well
    assert said.startswith("The program was not run, and nothing was called.\n")
    assert told in said
    assert seen == []


#: Rows: code for `run_program`, text in its error, and the number of requests that it made.
STOPPED: list[Any] = [
    ("create_order('x')\nget_order(404)", "Line 2 (get_order(404)): RuntimeError: HTTP 404", 2),
    ("create_order('x')\ncreate_order('y')\n1 / 0", "2 writes were made: create_order, create_order.", 2),
    ("get_order(1)\n1 / 0", "Nothing was changed.", 1),
    ("print('x' * 10**6)", "The program printed more than 65,536 bytes. Print less", 0),
    ("sorted([1], key=lambda n: get_order(n)['asked'])", "A tool cannot be called there, as in a key of sorted()", 0),
    ("print('so far')\n1 / 0", "It had printed:\nso far", 0),
    ("for n in range(60):\n    get_order(n)", "It made 50 calls, which is the most", 50),
    ("x = []\nwhile True:\n    x.append('a' * 100000)", "needs more memory than its", 0),
    ("def f(n):\n    return f(n + 1)\nf(0)", "called its own functions too deeply", 0),
    ("len(list_orders(per_page=6000))", "the answer has more than 1,048,576 bytes. Ask for less", 1),
    ("import os\nos.environ['PATH']", "'os.environ' is not supported", 0),
    ("create_order(**{'product': 'x', 'coun': 1})", "coun", 0),
    ("import json\nget_order(json.loads('\"x\"'))", "get_order was not called", 0),
    pytest.param(
        "while True:\n    pass", "ran longer than its 5 seconds. Waiting does not count.", 0, marks=pytest.mark.slow
    ),
    ("delete_order(1)", "The user must confirm it, and this client cannot ask", 0),
]


@pytest.mark.parametrize(("code", "told", "requests"), STOPPED)
def test_what_stops_a_program(server: Server, code: str, told: str, requests: int) -> None:
    Api.seen.clear()
    result = call(server, "run_program", code=code)
    assert told in (result["error"]["message"] if "error" in result else text(result))
    assert len(Api.seen) == requests
    assert run(server, "1")[0]


def test_reads_are_all_that_run_reads_can_name(server: Server) -> None:
    well, said, seen = run(server, "get_order(1)\ndelete_order(1)", "run_reads")
    assert (well, seen) == (False, [])
    assert "delete_order writes, and run_reads calls only what reads." in said
    assert run(server, "exec('delete_order(1)')\nglobals()['delete_order'](1)", "run_reads")[2] == []


def test_a_large_answer_is_whole_inside_and_cut_outside(server: Server) -> None:
    well, said, _ = run(server, "orders = list_orders()\norders")
    assert well
    assert len(said) < 40_000
    assert "[Cut: the first part of 1,000 items is shown. Return less" in said
    assert "hidden-" not in said
    assert "hidden-" not in run(server, "str(list_orders())[-300:]")[1]


PARAMS: dict[str, Any] = {
    "name": "run_program",
    "arguments": {
        "code": "a = get_order(3)['asked']\nprint('before')\ndelete_order(5)\ncreate_order('q')\ndelete_order(6)\na"
    },
}


def answered(server: Server, asked: dict[str, Any], action: str, **changed: Any) -> Any:
    answer = {"inputResponses": {"confirm": {"action": action}}, "requestState": asked["requestState"]}
    return ask(server, "tools/call", {**PARAMS, **answer, **changed}, FORMS)


def test_a_program_asks_in_its_middle_and_goes_on(server: Server) -> None:
    Api.seen.clear()
    first = ask(server, "tools/call", PARAMS, FORMS)
    assert first["inputRequests"]["confirm"]["params"]["message"].startswith(
        "Go on with this call of delete_order?\nDELETE"
    )
    assert Api.seen == ["GET /orders/3"]
    second = answered(server, first, "accept")
    assert Api.seen == ["GET /orders/3", "DELETE /orders/5", 'POST /orders {"product":"q"}']
    last = answered(server, second, "accept")
    assert (last["isError"], text(last)) == (False, "before\nGET /orders/3")
    assert Api.seen[3:] == ["DELETE /orders/6"]
    again = answered(server, second, "accept")
    assert "is not the one that was given" in again["error"]["message"]
    assert len(Api.seen) == 4


def test_a_no_ends_the_program_and_tells_what_was_done(server: Server) -> None:
    Api.seen.clear()
    second = answered(server, ask(server, "tools/call", PARAMS, FORMS), "accept")
    last = answered(server, second, "decline")
    assert last["isError"]
    assert "The user said no." in text(last)
    assert "2 writes were made: delete_order, create_order." in text(last)
    assert Api.seen[-1].startswith("POST")


def test_no_program_goes_on_behind_a_no(server: Server) -> None:
    code = "try:\n    delete_order(5)\nexcept Exception:\n    print('caught')\ncreate_order('q')"
    changed = {"name": "run_program", "arguments": {"code": code}}
    Api.seen.clear()
    last = answered(server, ask(server, "tools/call", {**PARAMS, **changed}, FORMS), "decline", **changed)
    assert last["isError"]
    assert "The user said no." in text(last)
    assert "caught" not in text(last)
    assert Api.seen == []


def test_an_answer_is_for_the_program_that_asked(server: Server) -> None:
    Api.seen.clear()
    first = ask(server, "tools/call", PARAMS, FORMS)
    other = {"code": PARAMS["arguments"]["code"].replace("q", "r")}
    told = answered(server, first, "accept", arguments=other)
    assert told["isError"]
    assert "The user confirmed another call" in text(told)
    assert Api.seen == ["GET /orders/3"]


def test_the_handshake_era_asks_on_the_stream(store: Path) -> None:
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "t", "version": "1"},
    }
    with started(store) as server:
        server.say(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode() + b"\n")
        server.message()
        Api.seen.clear()
        server.say(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": PARAMS}).encode() + b"\n")
        for _ in range(2):
            question = server.message()
            assert question["method"] == "elicitation/create"
            answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}}
            server.say(json.dumps(answer).encode() + b"\n")
        assert text(server.message()["result"]) == "before\nGET /orders/3"
    assert [each.partition(" ")[0] for each in Api.seen] == ["GET", "DELETE", "POST", "DELETE"]


def test_each_call_has_its_line_with_the_id_of_the_run(store: Path, tmp_path: Path) -> None:
    with started(store, MIRROR_AUDIT=str(tmp_path / "audit.jsonl")) as server:
        first = ask(server, "tools/call", PARAMS, FORMS)
        answered(server, first, "decline")
        server.end()
        assert server.ended() == 0
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert [(line["tool"], line["outcome"]) for line in lines] == [
        ("get_order", "ok"),
        ("delete_order", "asked"),
        ("run_program", "asked"),
        ("delete_order", "declined"),
        ("run_program", "error"),
    ]
    assert {line["program"] for line in lines} == {lines[2]["call"]}


class Step(NamedTuple):
    """One call of a sequence: a tool and its arguments, which may refer to results of earlier calls."""

    tool: str
    arguments: dict[str, Any]


STEPS = [
    Step("list_orders", {"status": "open", "per_page": 2}),
    Step("get_order", {"order_id": "$0/2/id"}),
    Step("get_order", {"order_id": 404}),
    Step("create_order", {"product": "$1/asked", "address": {"city": "c"}}),
    Step("create_order", {"product": 7}),
    Step("rename_customer", {"customer_id": "$0/1/invoice"}),
]


def test_one_program_is_the_calls_that_it_makes(server: Server) -> None:
    Api.seen.clear()
    for tool, arguments in (
        ("list_orders", STEPS[0].arguments),
        ("get_order", {"order_id": 2}),
        ("get_order", {"order_id": 404}),
        ("create_order", {"product": "GET /orders/2", "address": {"city": "c"}}),
        ("create_order", {"product": 7}),
        ("rename_customer", {"customer_id": "i" * 200 + "1"}),
    ):
        call(server, tool, **arguments)
    direct = [*Api.seen]
    assert "`create_order` is incorrect" in run(server, one_program(STEPS))[1]
    well, _, seen = run(server, one_program(STEPS, typed=False))
    assert (well, seen) == (True, direct)
    assert len(direct) == 5


#: Rows: environment variables, names of the program-running tools that are listed, a program, and text in its result.
OFFERED: list[tuple[dict[str, str], list[str], str, str]] = [
    ({"MIRROR_ROLES": "nobody"}, ["run_program"], "rename_customer('1')", "rename_customer` used when not defined"),
    ({"MIRROR_READ_ONLY": "true"}, ["run_reads"], "get_order(1)['asked']", "GET /orders/1"),
    ({"MIRROR_READ_ONLY": "true"}, ["run_reads"], "create_order('x')", "create_order` used when not defined"),
]


@pytest.mark.parametrize(("environ", "listed", "code", "told"), OFFERED)
def test_what_a_caller_may_not_call_has_no_function(
    store: Path, environ: dict[str, str], listed: list[str], code: str, told: str
) -> None:
    with started(store, **environ) as server:
        names = [tool["name"] for tool in ask(server, "tools/list", {})["tools"]]
        assert [name for name in names if name.startswith("run_")] == listed
        assert told in run(server, code, listed[0])[1]


def test_a_server_for_reads_runs_reads_alone(tmp_path: Path, port: int) -> None:
    with started(generated(tmp_path, port, "reads")) as server:
        found = text(call(server, "search_tools", queries=["delete an order"], limit=3))
        assert "delete_order(\n order_id: int" in found, "described, because no program may call it"
        assert "def delete_order" not in found
        names = [tool["name"] for tool in ask(server, "tools/list", {})["tools"]]
        assert names == [*LISTED[:4], "run_reads"]
        assert run(server, "get_order(1)['asked']", "run_reads")[1] == "GET /orders/1"
        assert not run(server, "delete_order(1)", "run_reads")[0]
        assert "There is no tool 'run_program'" in call(server, "run_program", code="1")["error"]["message"]


def test_without_the_sandbox_the_others_are_listed_and_a_sentence_says_so(store: Path, tmp_path: Path) -> None:
    # On some platforms, the sandbox is installed as an empty package. It must count as missing.
    (tmp_path / "pydantic_monty").mkdir()
    (tmp_path / "pydantic_monty" / "__init__.py").write_text("")
    with started(store, PYTHONPATH=str(tmp_path)) as server:
        assert server.complaint() == (
            "run_program and run_reads cannot be offered: the sandbox that runs programs is not installed."
            " Install this server with its extra [programs], or pydantic-monty."
        )
        assert [tool["name"] for tool in ask(server, "tools/list", {})["tools"]] == LISTED[:4]
        told = call(server, "run_program", code="1")["error"]["message"]
        assert "run_program' is not offered: the sandbox" in told
        assert "Functions for" not in text(call(server, "search_tools", queries=["list orders"]))
