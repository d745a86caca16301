"""Generate programs for the sandbox: hostile ones that try to escape, and correct ones with one mistake added."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.functional.orders_api import Api
from tests.leaks import SECRET
from tests.streamable.messages import encoded, mirrored, stateless
from tests.streamable.servers import Server

CONFIRMED = ", confirm: {POST: always, PATCH: always, DELETE: always}"
ROUTES = re.compile(r"(GET|POST) /orders(\?[^ ]*)?( .*)?|(GET|DELETE) /orders/[^/? ]+|(GET|PATCH) /customers/[^/? ]+")
AT_ONCE = 4
QUESTIONS = 4

_CALLS = (
    "get_order(%d)",
    "list_orders(status='open')",
    "list_orders()[:%d]",
    "delete_order(%d)",
    "create_order('p%d')",
    "create_order('x', address={'city': 'c%d'})",
    "rename_customer('%d')",
    "get_customer(str(%d))",
    "get_order(404)",
    "get_order(-%d)",
    "get_customer('../orders/%d')",
    "get_customer('%d?x=1#y')",
    "delete_order(order_id=%d)",
)
_ESCAPES = (
    "open({file!r}).read()",
    "open({folder!r} + '/left', 'w').write('x')",
    "__import__('pathlib').Path({file!r}).read_text()",
    "import pathlib\nx = pathlib.Path({file!r}).read_text()",
    "import os\nx = os.environ",
    "import os\nx = os.getenv('CALLER_KEY')",
    "import os\nx = os.listdir('/')",
    "import os\nos.system('touch {folder}/left')",
    "import sys\nx = sys.modules",
    "import socket\nsocket.create_connection(('127.0.0.1', {port}))",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:{port}/')",
    "import subprocess\nsubprocess.run(['touch', {folder!r} + '/left'])",
    "import asyncio\nawait asyncio.open_connection('127.0.0.1', {port})",
    "x = ().__class__.__base__.__subclasses__()",
    "x = get_order.__globals__",
    "x = (lambda: 0).__code__",
    "eval('open(' + repr({file!r}) + ').read()')",
    "exec('delete_order(9)')",
    "globals()['delete_order'](9)",
    "x = [f for f in (get_order, delete_order, create_order)]",
    "[f(8) for f in (get_order, delete_order)]",
    "class A:\n    def __getattr__(self, n): return delete_order(7)\nA().x",
    "def f(n): return f(n + 1)\nf(0)",
    "while True: pass",
    "x = []\nwhile True: x.append('a' * 1000000)",
    "x = 'a' * 10 ** 10",
    "x = 10 ** 10 ** 7",
    "for n in range(60): get_order(n)",
    "for n in range(3): delete_order(n)",
    "try:\n    delete_order(3)\nexcept BaseException:\n    delete_order(3)",
    "import time\ntime.sleep(100)",
    "x = [0]\nx.append(x)\nx",
    "print('x' * 10 ** 6)",
    "'\\ud800'",
    "float('nan')",
    "raise SystemExit(1)",
    "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "call_tool('delete_order', {{'order_id': 1}})",
    "run_program('delete_order(1)')",
    "search_tools(['x'])",
)
_SHAPES = (
    "{0}",
    "x = {0}",
    "print({0})",
    "for n in range(2):\n    {0}",
    "try:\n    {0}\nexcept Exception as e:\n    print(e)",
    "if True:\n    {0}",
    "def f():\n    return {0}\nf()",
    "[{0} for n in range(2)]",
    "(lambda: {0})()",
    "while True:\n    {0}\n    break",
    "str({0})[:20]",
)


def drawn(chance: random.Random, around: dict[str, object]) -> str:
    """Return a random program of a few statements, now and then with broken syntax.

    Some statements try to leave the sandbox. `around`: what they try to reach, a `file`, a `folder` and a `port`.
    """
    parts = []
    for _ in range(chance.randint(1, 4)):
        if chance.random() < 0.35:
            parts.append(chance.choice(_ESCAPES).format(**around))
            continue
        call = chance.choice(_CALLS)
        call = call % chance.randint(0, 9) if "%d" in call else call
        parts.append(chance.choice(_SHAPES).format(call))
    code = "\n".join(parts)
    for _ in range(chance.randint(1, 3) if chance.random() < 0.2 else 0):
        at = chance.randrange(len(code) + 1)
        code = (
            code[:at]
            + chance.choice(["", "(", ")", "'", "\n", "    ", "\0", "é", "0", "\u202e", code[:20]])
            + code[at + 1 :]
        )
    return code or "0"


def call(server: Server, code: str, tool: str = "run_program", **more: Any) -> Any:
    """Call `tool` over HTTP to run the program `code`, and return the JSON-RPC response."""
    message = stateless("tools/call", name=tool, arguments={"code": code}, **more)
    return server.ask("POST", fields=mirrored(message), body=encoded(message)).message


class Fuzz:
    """Calls that send random hostile programs to a server's sandbox. `wrong` lists forbidden events that happened."""

    def __init__(self, server: Server, around: dict[str, object], folder: Path, secret: str) -> None:
        self._server = server
        self._around = around
        self._folder = folder
        self._secret = secret
        self._accepted: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.wrong: list[str] = []

    def run(self, count: int, seed: int = 24) -> None:
        """Run `count` programs, AT_ONCE at a time."""
        Api.seen.clear()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._one, range(seed * 10**6, seed * 10**6 + count)))
        self._judge()

    def _one(self, seed: int) -> None:
        chance = random.Random(seed)
        code = drawn(chance, self._around)
        tool = chance.choice(["run_program", "run_program", "run_reads"])
        message, more = call(self._server, code, tool), {}
        for _ in range(QUESTIONS):
            result = message.get("result", {})
            if result.get("resultType") != "input_required":
                break
            if tool == "run_reads":
                self.wrong.append(f"{seed}: a question of run_reads")
            action = chance.choice(["accept", "accept", "decline", "cancel", ""])
            if not action:
                self.outcomes["left alone"] += 1
                return
            question = result["inputRequests"]["confirm"]["params"]["message"].split("\n")[1]
            if action == "accept":
                self._accepted[_request(question)] += 1
            more = {"requestState": result["requestState"], "inputResponses": {"confirm": {"action": action}}}
            message = call(self._server, code, tool, **more)
        said = str(message)
        if self._secret in said or SECRET in said:
            self.wrong.append(f"{seed}: a secret")
        self.outcomes["failed" if "error" in message else "error" if message["result"].get("isError") else "ended"] += 1

    def _judge(self) -> None:
        writes = Counter(each.partition(" {")[0] for each in Api.seen if not each.startswith("GET "))
        for request, count in writes.items():
            if count > self._accepted[request]:
                self.wrong.append(f"{request}: sent {count} times, with {self._accepted[request]} yes")
        self.wrong += [f"outside the table: {each[:80]}" for each in Api.seen if not ROUTES.fullmatch(each)]
        self.wrong += [f"a file was left: {each.name}" for each in self._folder.iterdir() if each.name != "file"]
        answer = call(self._server, "1 + 1")
        if answer["result"]["content"][0]["text"] != "2":
            self.wrong.append("the server does not go on")
        self.outcomes["writes, each with its yes"] = sum(writes.values())
        self.outcomes["requests"] = len(Api.seen)


def _request(question: str) -> str:
    """Return the method and path of the request line that a confirmation question shows."""
    method, _, url = question.partition(" ")
    return f"{method} /{url.split('/', 3)[3]}"


# Programs for `run_program` with one mistake each

FIRST = "get_customer('a')\n"
RIGHT = (
    FIRST + "orders = list_orders(status='open')\ntotal = sum(order['id'] for order in orders)\ntotal + 1",
    FIRST + "for order in list_orders(per_page=3)[:2]:\n    print(order['invoice'].upper(), order['id'] * 2)",
    FIRST + "made = create_order('x', count=2, address={'city': 'y', 'zip': 'z'})\nget_order(1)['asked'].split()",
    FIRST + "names = [order['invoice'] for order in list_orders()[:3]]\n', '.join(names)",
    FIRST + "found = {order['id']: order['invoice'] for order in list_orders()[:5]}\nget_order(max(found))['asked']",
    FIRST + "def one(number: int) -> str:\n    return get_order(number)['asked']\n[one(n) for n in range(2)]",
)

_MISTAKES: tuple[tuple[str, str, str], ...] = (
    ("a function misspelt", r"\b(get_order|list_orders|create_order)\(", r"\1x("),
    ("an argument misspelt", r"\b(status|per_page|count|address)=", r"\1x="),
    ("an argument of another type", r"(get_order)\((?:1|number|max\(found\))\)", r"\1('one')"),
    ("an argument that is a list", r"(get_order)\((?:1|number|max\(found\))\)", r"\1([1])"),
    ("a number for a text", r"create_order\('x'", r"create_order(5"),
    ("a text for a number", r"(count|per_page)=\d", r"\1='many'"),
    ("a word that is none of those", r"status='open'", r"status='opened'"),
    ("an argument left out", r"(get_order)\((?:1|number|max\(found\))\)", r"\1()"),
    ("an argument too many", r"(get_order)\((1|number|max\(found\))\)", r"\1(\2, 2)"),
    ("a member misspelt", r"'city': 'y'", r"'town': 'y'"),
    ("a member of another type", r"'zip': 'z'", r"'zip': 5"),
    ("a key of a result misspelt", r"\['(id|invoice|asked)'\]", r"['\1s']"),
    ("a text added to a number", r"order\['id'\] \* 2", r"order['id'] + 'x'"),
    ("a number added to a text", r"order\['invoice'\]\.upper\(\)", r"order['invoice'] + 1"),
    ("a method that is not there", r"\.(upper|split)\(\)", r".\1ed()"),
    ("a list read as an object", r"list_orders\(\)\[:", r"list_orders()['a':"),
    ("an attribute for a member", r"order\['(id|invoice)'\]", r"order.\1"),
    ("a name that is nowhere", r"\b(orders|total|names|found|order)\b", r"\1_"),
    ("a result awaited", r"(?<!def )\b(list_orders)\(", r"(await \1)("),
    ("a join of numbers", r"', '\.join\(names\)", r"', '.join([1, 2])"),
    ("a return of another type", r"return get_order\(number\)\['asked'\]", r"return get_order(number)"),
)


def mistaken(chance: random.Random) -> tuple[str, str]:
    """Return the kind of a mistake, and a correct program into which the mistake was put. Its first call is correct."""
    while True:
        kind, pattern, instead = chance.choice(_MISTAKES)
        right = chance.choice(RIGHT)
        places = [found for found in re.finditer(pattern, right) if found.start() > right.index("\n")]
        if places:
            place = chance.choice(places)
            spaces = "\n" * chance.randint(0, 2)
            return kind, f"{right[: place.start()]}{place.expand(instead)}{right[place.end() :]}{spaces}"


def told_first(server: Server, count: int, seed: int = 24) -> tuple[int, Counter[str]]:
    """Run `count` programs with one mistake each.

    Return how many programs the server refused before any request, and for each kind of mistake, how many it did not.
    """
    chance, told, others = random.Random(seed), 0, Counter[str]()
    for _ in range(count):
        kind, code = mistaken(chance)
        Api.seen.clear()
        result = call(server, code)["result"]
        if result["isError"] and not Api.seen and "The program was not run" in result["content"][0]["text"]:
            told += 1
        else:
            others[kind] += 1
    return told, others


def right_ones(server: Server) -> Iterator[str]:
    """Yield each correct program that the type checker wrongly refuses, with the error that the model gets."""
    for code in RIGHT:
        told = call(server, code)["result"]
        if told.get("resultType") != "input_required" and told["isError"]:
            yield f"{code}\n{told['content'][0]['text']}"
