"""Test calls that demand too much work, on a real server under resource limits that would kill it.

The limits are on CPU seconds, and on memory beyond that of an ordinary call (setrlimit(2)). So a slow machine fails no
test, but endless work does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.fuzz.limits import MIB, MOST_MEMORY, limited
from tests.hostile.subject import PACKAGE, compiled, playing
from tests.runtime.process import Server
from tests.runtime.upstream import Connection, Upstream

TOOLS = Path(__file__).with_name("work.tools.yaml")
CPU_SECONDS = 15
"""Limit on the CPU seconds of the start and a whole conversation, which take about one. Without bounds in the server,
one row takes minutes.
"""


def filters(depth: int) -> Any:
    """Return a value for a recursive union of similar alternatives. Its leaf, `depth` levels down, is wrong."""
    value: Any = {"field": "name", "op": "gt"}
    for _ in range(depth):
        value = {"and": [value]}
    return value


def rules(depth: int) -> Any:
    """Return a value for a union whose alternatives each refer to the union.

    Its leaf, `depth` levels down, is wrong.
    """
    value: Any = "none"
    for level in range(depth):
        value = {"next": value, "kind": ("one", "two", "three")[level % 3]}
    return value


def many(count: int) -> dict[str, int]:
    return {f"name {number}": number for number in range(count)}


def nested(levels: int, inner: Any) -> Any:
    for _ in range(levels):
        inner = {"a": inner}
    return inner


LEAF = "filter" + ".and.0" * 16 + ".op: expected one of eq, lt; got"
FEW = "expected at most 20000 values where each is sent under a name"
CROWDED = "The message holds too many values"
ROWS: list[tuple[str, str, str, dict[str, Any], str]] = [
    ("HARD-01", "a wrong leaf at depth 16", "search", {"filter": filters(16)}, LEAF),
    ("HARD-01", "a wrong leaf at depth 60", "search", {"filter": filters(60)}, ".op: expected one of eq, lt; got"),
    ("HARD-01", "a wrong end of a chain", "search", {"rule": rules(40)}, "search was not called: 1 problem"),
    ("HARD-03", "100,000 unknown names", "search", many(99_000), "search was not called: at least 20 problems"),
    (
        "HARD-03",
        "2,000 texts outside of 250",
        "create",
        {"kinds": [f"valu-{number}" for number in range(2000)]},
        "kinds.0: expected one of value-0, value-1, value-2, value-3, value-4, value-5, value-6, value-7",
    ),
    ("HARD-03", "many wrong items", "create", {"tags": ["x"] * 95_000}, "create was not called: at least 20 problems"),
    ("HARD-03", "one wrong item of many", "create", {"tags": [1] * 95_000 + ["x"]}, "tags.95000: expected an integer"),
    ("HARD-03", "7.5 MB of items", "create", {"tags": ["x"] * 1_500_000}, CROWDED),
    ("HARD-03", "7.5 MB of objects", "create", {"more": {"a": [{"b": 0}] * 600_000}}, CROWDED),
    ("HARD-03", "many fields of a form", "save", {"tags": [1] * 90_000}, FEW),
    ("HARD-03", "many parts", "upload", {"tags": ["AA=="] * 90_000}, FEW),
    ("HARD-03", "many elements", "export", {"tags": [1] * 90_000}, FEW),
    ("HARD-03", "many pairs of a query", "look", {"more": many(40_000)}, FEW),
    ("HARD-03", "deep names of many fields", "save", {"more": nested(100, [[1]] * 40_000)}, FEW),
    ("HARD-03", "a long name of many fields", "save", {"more": {"x" * MIB: [1] * 10_000}}, "expected shorter names"),
    (
        "HARD-03",
        "a long name of many elements",
        "export",
        {"more": {"x" * MIB: [1] * 10_000}},
        "expected shorter names",
    ),
    ("HARD-03", "one long text", "create", {"more": {"text": "x" * 7_000_000}}, '{"a":1}'),
]
"""Rows: attack case, description of the call, tool, arguments, and text in the result."""


EVIL = "-" * 15_000 + "A"
"""An access token that nearly matches itself at each offset: 15,000 equal characters before a different last one."""
ECHOES = (
    "-" * 500_000 + "A",
    EVIL,
    '{"token":"' + "\\u002d" * 15_000 + '\\u0041"}',
    "%2d" * 15_000 + "A" + "-" * 100_000,
)


async def granting(connection: Connection) -> None:
    """Answer as a token endpoint that issues the token EVIL, and as an API that repeats this token in an encoding.

    The query of the request selects the encoding (an index of ECHOES).
    """
    while request := await connection.request():
        token = json.dumps({"access_token": EVIL, "token_type": "Bearer", "expires_in": 3600})
        echo = ECHOES[int(request.partition(b"?n=")[2].partition(b" ")[0] or b"0") % len(ECHOES)]
        content = token if request.startswith(b"POST /token") else echo
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        await connection.send((head + content).encode())


async def play(connection: Connection) -> None:
    while request := await connection.request():
        content = json.dumps(ANSWERS[0 if b"?n=0" in request else 1]) if b"/tree" in request else '{"a":1}'
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        await connection.send((head + content).encode())


ANSWERS = ({"filter": filters(16)}, {"rule": rules(40)})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("work"), TOOLS)


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with playing(play) as upstream:
        yield upstream


@pytest.fixture
def server(project: Path, upstream: Upstream) -> Iterator[Server]:
    environ = {"HOSTILE_BASE_URL": f"http://127.0.0.1:{upstream.port}/api/v1"}
    with Server(project, package=PACKAGE, env=environ, preexec_fn=limited(CPU_SECONDS)) as server:
        assert said(server, "get_case", {"n": 1}) == '{"a":1}'
        yield server


def said(server: Server, tool: str, arguments: dict[str, Any]) -> str:
    """Call a tool, and return the text of its result or error."""
    id_ = server.request("tools/call", name=tool, arguments=arguments)
    while (message := server.message()).get("id") != id_:
        assert message["method"] == "notifications/progress"
    if "error" in message:
        return str(message["error"]["message"])
    return "\n".join(block.get("text", "") for block in message["result"]["content"])


def peak(server: Server) -> int:
    """Return the peak memory of the process in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


@pytest.mark.parametrize(
    ("tool", "arguments", "words"), [row[2:] for row in ROWS], ids=[f"{r[0]} {r[1]}" for r in ROWS]
)
def test_what_asks_for_much_is_told_in_bounded_work(
    server: Server, tool: str, arguments: dict[str, Any], words: str
) -> None:
    before = peak(server)
    text = said(server, tool, arguments)
    assert words in text, text[:500]
    assert len(text) < 20_000
    assert peak(server) - before < MOST_MEMORY
    assert said(server, "get_case", {"n": 1}) == '{"a":1}'


@pytest.mark.parametrize(("number", "words"), [(0, LEAF), (1, "its answer is not what its output schema promises")])
def test_hard_02_an_answer_that_breaks_a_recursive_schema_is_an_error_that_holds_it(
    server: Server, number: int, words: str
) -> None:
    before = peak(server)
    text = said(server, "tree", {"n": number})
    assert words in text, text[:500]
    assert json.loads(text.partition("The answer:\n")[2]) == ANSWERS[number]
    assert peak(server) - before < MOST_MEMORY


@pytest.mark.parametrize("number", range(len(ECHOES)))
def test_hard_13_a_token_that_is_like_itself_is_redacted_at_once(tmp_path: Path, number: int) -> None:
    """Check that a token of one repeated character with another at its end is redacted in little time.

    One response holds the token with escaped letters (HARD-24).
    """
    project = compiled(tmp_path, TOOLS.with_name("granted.tools.yaml"))
    with playing(granting) as upstream:
        environ = {
            "HOSTILE_BASE_URL": f"http://127.0.0.1:{upstream.port}",
            "HOSTILE_OAUTH_CLIENT_ID": "client",
            "HOSTILE_OAUTH_CLIENT_SECRET": "client-secret",
        }
        with Server(project, package=PACKAGE, env=environ, preexec_fn=limited(CPU_SECONDS)) as server:
            text = said(server, "get_case", {"n": number})
            assert number == 0 or "[redacted]" in text
            assert number == 0 or EVIL[:1000] not in text.replace("\\u002d", "-").replace("%2d", "-")
            server.process.terminate()
            server.rest()
            assert server.ended() == 128 + 15


@pytest.mark.parametrize("count", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_hard_04_a_tool_of_many_costly_patterns_is_called_like_any_other(
    tmp_path: Path, upstream: Upstream, count: int
) -> None:
    names = {f"n{number}": {"type": "string", "pattern": rf"^\p{{L}}{{60}}{number}$"} for number in range(count)}
    tool = {"name": "match", "request": "POST /match", "send": {"body": {name: f"{{{name}}}" for name in names}}}
    schema = {"type": "object", "properties": names}
    document = {"mcpgen": 1, "server": {"name": "hostile"}, "base_url": "https://api.hostile.example/api/v1"}
    source = tmp_path / "patterns.tools.yaml"
    key = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    source.write_text(json.dumps({**document, "security": key, "tools": [{**tool, "inputSchema": schema}, ORDINARY]}))
    environ = {"HOSTILE_BASE_URL": f"http://127.0.0.1:{upstream.port}/api/v1"}
    with Server(compiled(tmp_path, source), package=PACKAGE, env=environ, preexec_fn=limited(CPU_SECONDS)) as server:
        assert said(server, "get_case", {"n": 1}) == '{"a":1}'
        before = peak(server)
        assert said(server, "match", {"n1": "no letters"}) == '{"a":1}'
        assert "match was not called: 1 problem" in said(server, "match", {"n1": 1})
        assert peak(server) - before < 32 * MIB


ORDINARY = {
    "name": "get_case",
    "request": "GET /case",
    "parameters": [{"name": "n", "in": "query", "required": True, "schema": {"type": "integer"}}],
}
