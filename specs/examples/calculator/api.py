"""The API behind the calculator: sums of integers, and arithmetic that is read, never run.

GET /add?a=2&b=3                    {"value": 5}
GET /multiply?a=2&b=3               {"value": 6}
GET /value?expression=2*3&digits=4  {"value": 6}
POST /fold                          {"operator": "-", "values": [7, 2]} gives {"value": 5}
"""
# The files of all six examples share some code by copies, so that a user can copy one folder and run it.

from __future__ import annotations

import ast
import json
import math
import operator
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from functools import reduce
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

Number = int | float

LONGEST = 200  # characters of an expression
MOST_BITS = 4096  # of an integer: 9**9**9 would have a billion

OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
SIGNS: dict[type[ast.AST], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
SYMBOLS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
SPELLINGS = str.maketrans("×÷−（）", "*/-()")  # noqa: RUF001 (as people write, and not only in English)


def value_of(expression: str) -> Number:
    """What an expression comes to; ValueError says what is wrong with it. Only numbers and signs are understood."""
    if len(expression) > LONGEST:
        raise ValueError(f"An expression has at most {LONGEST} characters.")
    try:
        tree = ast.parse(expression.translate(SPELLINGS).strip(), mode="eval")
    except SyntaxError:
        raise ValueError(f"{expression!r} is no arithmetic expression.") from None
    return evaluate(tree.body)


def evaluate(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return bounded(number)
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in SIGNS:
            return bounded(SIGNS[type(sign)](evaluate(operand)))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return power(evaluate(left), evaluate(right))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            return applied(OPERATORS[type(sign)], evaluate(left), evaluate(right))
    raise ValueError(f"{ast.unparse(node)!r} is no arithmetic; write numbers, + - * / // % ** and parentheses.")


def power(base: Number, exponent: Number) -> Number:
    """A power, whose size is known before it is worked out."""
    if isinstance(base, int) and base.bit_length() * abs(exponent) > MOST_BITS:
        raise ValueError("The result is too large.")
    return applied(operator.pow, base, exponent)


def applied(operation: Callable[[Any, Any], Any], left: Number, right: Number) -> Number:
    try:
        return bounded(operation(left, right))
    except ZeroDivisionError:
        raise ValueError("Nothing can be divided by zero.") from None
    except OverflowError:
        raise ValueError("The result is too large.") from None


def bounded(number: Any) -> Number:
    if isinstance(number, complex):
        raise ValueError("The result is no real number.")
    if number.bit_length() > MOST_BITS if isinstance(number, int) else not math.isfinite(number):
        raise ValueError("The result is too large.")
    return int(number) if isinstance(number, float) and number.is_integer() and abs(number) < 2**53 else number


def respond(request: str, given: dict[str, Any]) -> object:
    match request:
        case "GET /add":
            return {"value": int(given["a"]) + int(given["b"])}
        case "GET /multiply":
            return {"value": int(given["a"]) * int(given["b"])}
        case "GET /value":
            return {"value": bounded(round(value_of(given["expression"]), int(given.get("digits", 10))))}
        case "POST /fold":
            symbol = SYMBOLS[given["operator"]]
            return {"value": reduce(lambda left, right: applied(symbol, left, right), given["values"])}
    raise LookupError(f"There is no {request}.")


class Exchange(BaseHTTPRequestHandler):
    """HTTP around `respond`: a query or JSON goes in, JSON or a text comes out, and stderr shows what was asked."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # head and body leave together

    def do_GET(self) -> None:
        url, size = urlsplit(self.path), int(self.headers.get("Content-Length", 0))
        sent = self.rfile.read(size).decode()
        print(f"{self.command} {self.path} {sent}".rstrip(), file=sys.stderr, flush=True)
        try:
            given = {**dict(parse_qsl(url.query)), **json.loads(sent or "{}")}
            self.reply(200, respond(f"{self.command} {unquote(url.path)}", given))
        except KeyError as missing:
            self.reply(400, {"error": f"{missing} is missing."})
        except LookupError as problem:
            self.reply(404, {"error": problem.args[0]})
        except ValueError as problem:
            self.reply(400, {"error": str(problem)})

    do_POST = do_GET  # noqa: N815 (a name that the standard library looks for)

    def reply(self, status: int, content: object) -> None:
        kind, text = ("text/plain", content) if isinstance(content, str) else ("application/json", json.dumps(content))
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing more."""


def main() -> None:
    """Serves on loopback until SIGTERM or Ctrl-C; port 0 takes a free one."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    with ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Exchange) as server:
        for end in (signal.SIGTERM, signal.SIGINT):
            signal.signal(end, lambda *_: sys.exit())
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
