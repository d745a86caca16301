"""The API behind the database server: a small shop in SQLite, which can be read and not changed.

    GET /tables             the tables, with their columns and how many rows
    GET /tables/users       the rows of one of them
    POST /query             {"sql": "SELECT …"} gives {"columns": […], "rows": [[…]], "complete": true}

No query can write. Each reads a copy of its own, SQLite is told to change nothing in it, and an authorizer lets through
what reads and nothing else: no file, no other database, no setting. A query ends after so much time, and tells so much.
"""

from __future__ import annotations

import json
import math
import signal
import sqlite3
import sys
from argparse import ArgumentParser
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

SHOP = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
CREATE TABLE products (id INTEGER PRIMARY KEY, title TEXT NOT NULL, cents INTEGER NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users, product_id INTEGER REFERENCES products);
INSERT INTO users VALUES (1, 'Ada', 'London'), (2, 'Grace', 'New York'), (3, 'Edsger', 'Rotterdam');
INSERT INTO products VALUES (1, 'Pencil', 120), (2, 'Notebook', 450), (3, 'Lamp', 3900);
INSERT INTO orders VALUES (1, 1, 2), (2, 1, 1), (3, 2, 3), (4, 2, 1);
"""
TABLES = ("orders", "products", "users")

ADVICE = "It must be one SELECT; list_tables tells which tables and columns there are."
MOST_ROWS = 100
MOST_CHARACTERS = 500_000  # of all rows together
MOST_SECONDS = 0.5
MOST_SELECTS = 10  # SQLite prepares each as often as it is named, and no clock runs meanwhile
STEPS = 100  # of SQLite's machine, after which it looks at the clock
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 10_000,  # bytes of a value: what one step can take
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 2_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_COLUMN: 50,
}
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}


def built() -> bytes:
    """The database as it would stand in a file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SHOP)
        return connection.serialize()


IMAGE = built()


def opened() -> sqlite3.Connection:
    """A copy of the database for one query, with everything locked but reading, and that for a while."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(IMAGE)
    connection.execute("PRAGMA query_only = ON")
    for limit, most in LIMITS.items():
        connection.setlimit(limit, most)
    end = monotonic() + MOST_SECONDS
    connection.set_progress_handler(lambda: monotonic() > end, STEPS)
    connection.set_authorizer(allowed)
    return connection


def allowed(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY


def answer(sql: str) -> dict[str, Any]:
    """What a query finds; ValueError says what is wrong with it, and where to look."""
    if sql.casefold().count("select") > MOST_SELECTS:
        raise ValueError(f"The query failed: it has more than {MOST_SELECTS} SELECTs. {ADVICE}")
    with closing(opened()) as connection:
        try:
            found = connection.execute(sql)
            rows, complete = told(found)
        except (sqlite3.Error, sqlite3.Warning) as problem:
            reason = "it takes too long" if str(problem) == "interrupted" else str(problem).rstrip(".")
            raise ValueError(f"The query failed: {reason}. {ADVICE}") from None
    columns = [column[0] for column in found.description or ()]
    return {"columns": columns, "rows": rows, "complete": complete}


def told(found: sqlite3.Cursor) -> tuple[list[list[Any]], bool]:
    """The rows that there is room for, and whether these are all."""
    rows: list[list[Any]] = []
    room = MOST_CHARACTERS
    for row in found:
        if len(rows) == MOST_ROWS or room < 0:
            return rows, False
        rows.append([as_json(value) for value in row])
        room -= sum(len(str(value)) for value in rows[-1])
    return rows, True


def as_json(value: Any) -> Any:
    """A value of SQLite in JSON, which has no bytes and no infinity."""
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def rows_of(table: str) -> list[dict[str, Any]]:
    if table not in TABLES:
        raise LookupError(f"There is no table {table}; there is {', '.join(TABLES)}.")
    found = answer(f"SELECT * FROM {table}")  # noqa: S608 (one of three names)
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def table_list() -> list[dict[str, Any]]:
    rows = {table: rows_of(table) for table in TABLES}
    return [{"name": table, "columns": list(found[0]), "rows": len(found)} for table, found in rows.items()]


def respond(request: str, given: dict[str, Any]) -> object:
    match request.split("/"):
        case ["GET ", "tables"]:
            return {"tables": table_list()}
        case ["GET ", "tables", table]:
            return rows_of(table)
        case ["POST ", "query"]:
            return answer(given["sql"])
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
