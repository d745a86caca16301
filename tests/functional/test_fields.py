"""Test the argument `fields` of a generated server: it is not sent to the API, and the result holds only the named
members.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.functional.test_hooks import upstream
from tests.runtime.process import Server

ROWS = [{"id": 1, "price": 1.10, "owner": {"name": "Ann", "age": 3}}, {"id": 2, "price": 2, "owner": None}]
BODY = json.dumps(ROWS).replace("1.1", "1.10").encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
TOOLS = """
mcpgen: 1
server: {name: weather}
base_url: https://api.example.com
tools: [{name: look, request: GET /rows, parameters: [{name: q, in: query, schema: {type: string}}]}]
"""


def test_parts_of_a_result(tmp_path: Path) -> None:
    (tmp_path / "t.tools.yaml").write_text(TOOLS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(tmp_path / "t.tools.yaml"), "--fields", "-o", str(tmp_path / "out")])
    assert ended.value.code == 0
    with (
        upstream(ANSWER) as (url, received),
        Server(tmp_path / "out", package="weather_mcp", env={"WEATHER_BASE_URL": url}) as server,
    ):
        parts = server.result("look", q="a", fields="id,price,owner.name,owner.nme")
        whole = server.result("look", q="a")
        wrong = server.result("look", fields=["id"])
    assert [block["text"] for block in parts["content"]] == [
        '[{"id":1,"price":1.10,"owner":{"name":"Ann"}},{"id":2,"price":2,"owner":null}]',
        "owner.nme of fields is not in the answer; in owner there is name, age.",
    ]
    assert whole["content"][0]["text"].encode() == BODY
    assert wrong["content"][0]["text"].endswith('- fields: expected a string; got ["id"]')
    assert [request.partition(b"\r\n")[0] for request in received] == [b"GET /rows?q=a HTTP/1.1"] * 2
