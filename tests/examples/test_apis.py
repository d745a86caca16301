"""Test the APIs of the examples: they use only the standard library, end at SIGTERM, and refuse dangerous input."""

from __future__ import annotations

import json
import socket
import sqlite3
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from specs.examples.calculator import api as calculator
from specs.examples.database import api as database
from tests.examples.api import Api
from tests.examples.conversations import EXAMPLES, NAMES

FRAME = "class Exchange(BaseHTTPRequestHandler):"


def asked(url: str, sent: bytes | None = None) -> tuple[int, object]:
    """Send a request, and return the status and the JSON of its response."""
    try:
        with urlopen(Request(url, sent), timeout=120) as answer:
            return answer.status, json.load(answer)
    except HTTPError as problem:
        with problem:
            return problem.code, json.load(problem)


@pytest.mark.parametrize("name", NAMES)
def test_it_listens_and_ends(name: str) -> None:
    with Api(name) as api:
        assert asked(f"{api.url}/nowhere?to=go") == (404, {"error": "There is no GET /nowhere."})
        assert api.heard(1) == ["GET /nowhere?to=go"]
        assert api.end() == (0, "")


def test_it_takes_the_port_that_it_is_given() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Api("echo", "--port", str(port)) as api:
        assert api.url == f"http://127.0.0.1:{port}"
        assert asked(f"{api.url}/echo", b'{"data": "\\u00e9"}') == (200, {"data": "é"})
        assert asked(f"{api.url}/echo", b"{}") == (400, {"error": "'data' is missing."})
        assert asked(f"{api.url}/echo", b"{")[0] == 400


def test_what_stands_around_all_of_them_is_the_same() -> None:
    """Check that code which the APIs share is equal in each.

    Each program is complete, so that its folder can be copied.
    """
    [frame] = {(EXAMPLES / name / "api.py").read_text(encoding="utf-8").split(FRAME)[1] for name in NAMES}
    assert "def main()" in frame


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 14),
        ("-(2 - 5) ** 2", -9),
        ("7 // 2 + 7 % 2", 4),
        ("2 ** -1", 0.5),
        ("12 ÷ 4 × （5 − 2）", 9),  # noqa: RUF001 (as people write)
        ("2 ** 2000 % 7", 2**2000 % 7),
    ],
)
def test_arithmetic(expression: str, value: float) -> None:
    found = calculator.value_of(expression)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("9**9**9", "too large"),
        ("9.0**9**9", "too large"),
        ("2**4095*2", "too large"),
        ("10**400/3", "too large"),
        ("1e999", "too large"),
        ("(0-8)**0.5", "no real number"),
        ("1/0", "divided by zero"),
        ("0**-1", "divided by zero"),
        ("__import__('os').system('true')", "no arithmetic"),
        ("'a' * 9", "no arithmetic"),
        ("True + 1", "no arithmetic"),
        ("(lambda: 1)()", "no arithmetic"),
        ("(" * 150, "no arithmetic"),
        ("1 +", "no arithmetic"),
        ("1+" * 200 + "1", "at most 200"),
    ],
)
def test_what_is_no_arithmetic_or_too_much_of_it(expression: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        calculator.value_of(expression)


COUNTING = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE users",
        "INSERT INTO users VALUES (9, 'Eve', 'Rome')",
        "UPDATE users SET name = 'Eve'",
        "DELETE FROM users",
        "CREATE TABLE more (x)",
        "PRAGMA query_only = OFF",
        "ATTACH '/tmp/other.db' AS other",
        "VACUUM INTO '/tmp/other.db'",
        "SELECT load_extension('x')",
        "BEGIN",
        "SELECT 1; DROP TABLE users",
        "SELECT zeroblob(1000000000)",
        "SELECT * FROM user",
        COUNTING + "SELECT count(*) FROM n",
        COUNTING + "SELECT sum(length(hex(zeroblob(49000 + x % 9)))) FROM n",
        COUNTING + "SELECT sum(length(hex(zeroblob(4900 + x % 9)))) FROM n",
        COUNTING + "SELECT sum(instr(hex(zeroblob(4900 + x % 9)), hex(zeroblob(2500)) || '1')) FROM n",
        COUNTING + "SELECT hex(zeroblob(4900 + x % 9)) FROM n ORDER BY 1",
        COUNTING + f"SELECT sum(hex(zeroblob(4900)) LIKE '{'%0' * 60}%1') FROM n",
        f"SELECT {', '.join(['hex(zeroblob(4999))'] * 60)}",
        f"SELECT {' + '.join(['1'] * 2000)}",
        f"SELECT {' + '.join(['(SELECT 1)'] * 11)}",
    ],
)
def test_a_query_reads_or_is_refused(query: str) -> None:
    with pytest.raises(ValueError, match="list_tables tells which tables and columns there are"):
        database.answer(query)
    assert [row[1] for row in database.answer("SELECT * FROM users")["rows"]] == ["Ada", "Grace", "Edsger"]


def test_one_lock_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "allowed", lambda *_: sqlite3.SQLITE_OK)
    with pytest.raises(ValueError, match="attempt to write a readonly database"):
        database.answer("DELETE FROM users")


def test_many_rows_are_cut_and_that_is_said() -> None:
    found = database.answer(COUNTING + "SELECT x FROM n")
    assert len(found["rows"]) == 100
    assert found["complete"] is False
    wide = database.answer(COUNTING + f"SELECT {', '.join(['hex(zeroblob(4999))'] * 20)} FROM n")
    assert sum(len(value) for row in wide["rows"] for value in row) < 800_000
    assert wide["complete"] is False
    assert database.answer("SELECT x'00ff', 9e999, NULL")["rows"] == [["00ff", "inf", None]]
