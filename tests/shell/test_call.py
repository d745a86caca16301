"""Test the command `call` of a generated server as its user types it: a real process, a real API, a real terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.shell.project import PNG, Api, Shell, served

pytestmark = pytest.mark.slow  # each test starts several processes

DOCUMENT = """
openapi: 3.1.0
info: {title: Store, version: '1'}
servers: [{url: %s}]
security: [{key: []}]
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
paths:
  /orders:
    get:
      operationId: list_orders
      parameters:
        - {name: status, in: query, schema: {type: array, items: {enum: [open, paid]}}}
        - {name: urgent, in: query, schema: {type: boolean}}
        - {name: since, in: query, schema: {type: integer}}
      responses: {'200': {description: d, content: {application/json: {schema: {type: object}}}}}
    post:
      operationId: create_order
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [product],
        properties: {product: {type: string}, count: {type: integer}, notes: {type: object}}}}}}
  /orders/{orderId}:
    parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
    delete: {operationId: delete_order, x-mcp: {confirm: always}}
  /picture: {get: {operationId: get_picture, responses: {'200': {description: d, content: {image/png: {}}}}}}
  /fault: {get: {operationId: get_fault}}
"""
TOOLS_FILE = """
mcpgen: 1
server: {name: store}
openapi: [{document: openapi.yaml}]
tools:
  - name: send_order
    request: POST /orders/{orderId}/send
    arguments: {orderId: integer required}
    ask:
      - name: address
        message: Where to?
        form:
          street: string required
          speed: {enum: [slow, fast], default: slow}
          gifts: {items: {enum: [a, b]}}
          floor: integer
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Yield a server and its API."""
    with served(tmp_path_factory.mktemp("shell"), DOCUMENT, TOOLS_FILE) as shell:
        yield shell


@pytest.fixture(autouse=True)
def nothing_was_asked() -> None:
    Api.seen.clear()


SENT = [
    (["list_orders"], "GET /orders"),
    (["list-orders"], None),
    (["list_orders", "--status", "open", "--status=paid"], "GET /orders?status=open&status=paid"),
    (["list_orders", "--status", '["paid"]'], "GET /orders?status=paid"),
    (["list_orders", "--urgent"], "GET /orders?urgent=true"),
    (["list_orders", "--no-urgent", "--since", "-5"], "GET /orders?urgent=false&since=-5"),
    (["list_orders", "--urgent=false"], "GET /orders?urgent=false"),
    (["--read-only", "list_orders"], "GET /orders"),
    (["--read-only", "create_order", "--product", "x"], None),
    (["create_order", "--product", "7"], 'POST /orders {"product":"7"}'),
    (["create_order", "--product", "a", "--count", "2"], 'POST /orders {"count":2,"product":"a"}'),
    (["create_order", "--json", '{"product":"a"}', "--count", "2"], 'POST /orders {"product":"a","count":2}'),
    (["create_order", "--product", "a", "--notes", '{"b":[1]}'], 'POST /orders {"notes":{"b":[1]},"product":"a"}'),
    (["create_order", "--count", "2"], None),
    (["create_order", "--product", "a", "--count", "many"], None),
    (["create_order", "--product"], None),
    (["create_order", "--produkt", "a"], None),
    (["create_order", "product"], None),
    (["create_order", "--product", "a", "--product", "b"], None),
    (["delete_order", "--order-id", "7"], None),
    (["delete_order", "--order-id", "7", "--yes"], "DELETE /orders/7"),
    (["--yes", "delete_order", "--orderId", "7"], "DELETE /orders/7"),
]


@pytest.mark.parametrize(("words", "sent"), SENT, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_what_is_sent(shell: Shell, words: list[str], sent: str | None) -> None:
    done = shell("call", *words)
    assert [_told(each) for each in Api.seen] == ([_told(sent)] if sent else []), done.stderr
    assert done.returncode == (0 if sent else done.returncode)
    if sent:
        assert _told(json.loads(done.stdout)["asked"]) == _told(sent)
    else:
        assert done.returncode in (1, 2)
        assert not done.stdout
        assert done.stderr
        assert "Traceback" not in done.stderr


def _told(request: str) -> tuple[str, Any]:
    """Return the request as its method with path, and its parsed body, whose members have no order."""
    line, _, body = request.partition(" {")
    return line, json.loads("{" + body) if body else None


def test_the_words_of_a_refusal_are_those_of_the_server(shell: Shell) -> None:
    assert (
        'count: expected an integer; got "many"' in shell("call", "create_order", "--product=a", "--count=many").stderr
    )
    assert "product" in shell("call", "create_order", "--count", "2").stderr
    assert "Did you mean --product?" in shell("call", "create_order", "--produkt", "a").stderr
    assert "Did you mean list_orders" in shell("call", "list_order").stderr


def test_a_user_at_a_terminal_is_asked(shell: Shell) -> None:
    code, shown = shell.on_a_terminal("call", "delete_order", "--order-id", "7", typed=b"n\n")
    assert code == 1
    assert "DELETE" in shown
    assert not Api.seen
    code, _ = shell.on_a_terminal("call", "delete_order", "--order-id", "7", typed=b"y\n")
    assert code == 0
    assert Api.seen == ["DELETE /orders/7"]


def test_nobody_to_ask_is_a_refusal(shell: Shell) -> None:
    done = shell("call", "delete_order", "--order-id", "7")
    assert done.returncode == 1
    assert not Api.seen
    assert "--yes" in done.stderr


def test_a_form_is_filled_in_at_the_terminal_and_by_flags(shell: Shell) -> None:
    typed = b"Main 1\n\na, b\n2\n"
    code, shown = shell.on_a_terminal("call", "send_order", "--order-id", "7", typed=typed)
    assert code == 0, shown
    assert "Where to?" in shown
    [sent] = Api.seen
    assert _told(sent) == _told('POST /orders/7/send {"street":"Main 1","speed":"slow","gifts":["a","b"],"floor":2}')
    Api.seen.clear()
    done = shell("call", "send_order", "--order-id", "7", "--street", "Main 2", "--gifts", "b")
    assert done.returncode == 0, done.stderr
    assert _told(Api.seen[0]) == _told('POST /orders/7/send {"street":"Main 2","speed":"slow","gifts":["b"]}')


def test_a_form_that_nobody_fills_in_names_its_flags(shell: Shell) -> None:
    done = shell("call", "send_order", "--order-id", "7")
    assert done.returncode == 1
    assert "Where to?" in done.stderr
    assert "answer by --street" in done.stderr
    assert not Api.seen
    code, _ = shell.on_a_terminal("call", "send_order", "--order-id", "7", typed=b"\n")
    assert code == 1
    assert "--street" in shell("call", "send_order", "--help").stdout


HOOK = """
from .runtime.hooks import Arguments, context


async def before_create_order(arguments: Arguments) -> Arguments:
    return arguments | await context.ask("How many?", {"count": "integer required"})
"""


def test_a_form_of_a_hook_is_filled_in_at_the_terminal_alone(shell: Shell) -> None:
    hooks = shell.project / "store_mcp" / "hooks.py"
    before = hooks.read_text()
    hooks.write_text(HOOK)
    try:
        code, shown = shell.on_a_terminal("call", "create_order", "--product", "f", typed=b"3\n")
        assert code == 0, shown
        assert "How many?" in shown
        assert _told(Api.seen[0]) == _told('POST /orders {"product":"f","count":3}')
        for words in ((), ("--yes",)):
            Api.seen.clear()
            done = shell("call", "create_order", "--product", "f", *words)
            assert (done.returncode, Api.seen) == (1, [])
            assert "create_order was not called. The user" in done.stderr
    finally:
        hooks.write_text(before)


TELLING_HOOK = """
import asyncio
from .runtime.hooks import Arguments, context


async def before_create_order(arguments: Arguments) -> None:
    context.log("error", "No shop is open.", {"shops": 3})
    context.progress(1, 3, "looking for shops")
    await asyncio.sleep(0.5)  # longer than what a progress waits for
    context.progress(2, 3)
    await asyncio.sleep(0.5)
"""


def test_reports_of_a_hook_are_shown(shell: Shell) -> None:
    """Progress is shown only on a terminal. Log lines of the hook are always written to stderr."""
    hooks = shell.project / "store_mcp" / "hooks.py"
    before = hooks.read_text()
    hooks.write_text(TELLING_HOOK)
    try:
        code, shown = shell.on_a_terminal("call", "create_order", "--product", "f", typed=b"")
        assert code == 0, shown
        assert "looking for shops" in shown
        assert "2 of 3" in shown
        done = shell("call", "create_order", "--product", "f")
        assert done.returncode == 0
        assert "looking for shops" not in done.stderr
        [line] = done.stderr.splitlines()
        told = {"event": "hook_log", "tool": "create_order", "message": "No shop is open.", "data": '{"shops":3}'}
        assert told.items() <= json.loads(line).items()
    finally:
        hooks.write_text(before)


def test_arguments_come_from_a_file_and_from_stdin(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "arguments.json").write_text('{"product": "f"}', encoding="utf-8")
    shell("call", "create_order", "--json", f"@{tmp_path / 'arguments.json'}")
    shell("call", "create_order", "--json", "-", stdin='{"product": "s"}')
    assert Api.seen == ['POST /orders {"product":"f"}', 'POST /orders {"product":"s"}']
    for wrong in ("@/nowhere", "[1]", "{"):
        done = shell("call", "create_order", "--json", wrong)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1


def test_a_file_is_written_once(shell: Shell, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    assert shell("call", "get_picture", "-o", str(picture)).returncode == 0
    assert picture.read_bytes() == PNG
    done = shell("call", "list_orders", "-o", str(picture))
    assert done.returncode == 1
    assert "exists" in done.stderr
    assert picture.read_bytes() == PNG


def test_an_error_of_the_api_is_a_failure(shell: Shell) -> None:
    done = shell("call", "get_fault")
    assert done.returncode == 1
    assert "500" in done.stderr
    assert not done.stdout


def test_a_wrong_setting_ends_with_its_code(shell: Shell) -> None:
    assert shell("call", "list_orders", STORE_TIMEOUT="never").returncode == 78


def test_each_call_has_its_line_in_the_audit(shell: Shell, tmp_path: Path) -> None:
    audit = tmp_path / "audit"
    shell("call", "list_orders", STORE_AUDIT=str(audit))
    shell("call", "delete_order", "--order-id", "7", STORE_AUDIT=str(audit))
    outcomes = [(line["tool"], line["outcome"]) for line in map(json.loads, audit.read_text().splitlines())]
    assert outcomes == [("list_orders", "ok"), ("delete_order", "refused")]


def test_help_names_every_argument(shell: Shell) -> None:
    shown = shell("call", "list_orders", "--help").stdout
    assert "--status open|paid (repeatable)" in shown
    assert "--urgent\n" in shown
    assert "--since INTEGER" in shown
    assert "list_orders" in shell("call", "--list", "orders").stdout
    assert "get_picture" not in shell("call", "--list", "orders").stdout
    assert shell("call", "--list", "nothing").returncode == 1
    assert "Exit codes" in shell("call").stdout


COMPLETED = [
    (["call", "get_"], ["get_fault", "get_picture"]),
    (["call", "list_orders", "--s"], ["--status", "--since"]),
    (["call", "list_orders", "--status", ""], ["open", "paid"]),
    (["call", "list_orders", "--status", "p"], ["paid"]),
    (["ca"], ["call"]),
    (["un"], ["uninstall"]),
    (["completion", "z"], ["zsh"]),
]


@pytest.mark.parametrize(("words", "found"), COMPLETED, ids=str)
def test_words_are_completed(shell: Shell, words: list[str], found: list[str]) -> None:
    assert shell("completion", "words", *words).stdout.split() == found


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"STORE_KEY": "<your-key>"}, "STORE_KEY"),
        ({"STORE_TIMEOTU": "5"}, "STORE_TIMEOUT"),
        ({"STORE_TIMEOTU": "5", "STORE_LOG_LEVEL": "error"}, ""),
    ],
    ids=["a placeholder", "a misspelt setting", "a level that the user has chosen"],
)
def test_warnings_about_settings_are_shown_before_the_call(shell: Shell, settings: dict[str, str], said: str) -> None:
    first = shell("call", "list_orders", **settings).stderr.partition("\n")[0]
    assert said in first
    assert bool(first) is bool(said)
