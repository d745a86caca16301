"""Read the table `calls.json`: each call that every client makes, with its expected result, request and state of the
API.

The requests are written by hand from `specs/petstore.openapi.yaml`, so that they can also be sent to a petstore
directly. A client's calls through the server must have the same effect as these requests. Nothing here uses a client or
the runtime.

Keys of a case: `tool`, `arguments`, and `progress` if the client asks for it. If the call must end in a protocol error,
`error` is its code, and `text` lists fragments of its message. Otherwise, `isError` is true for an error result, and
`back` describes the first content block: `type`, `mimeType`, fragments of `text`. `request`: what must be sent to the
API; without it, nothing may be sent. `holds`, `lacks`: rows that the API's database must and must not have afterwards,
by table.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from mcpgen.demo.http import Request
from mcpgen.demo.petstore import BASE
from tests.demo.exchange import Sent, of_form, of_json, of_parts
from tests.leaks import SECRET

Case = dict[str, Any]
CASES: tuple[Case, ...] = tuple(json.loads(Path(__file__).with_name("calls.json").read_text()))

#: Credentials that the API must receive, for each value of `by` in a request of `calls.json`.
CREDENTIALS: dict[str, dict[str, str]] = {
    "reader": {"x-api-key": SECRET},
    "writer": {"authorization": f"Bearer {SECRET}"},
    "nobody": {},
}


def tools_called() -> set[str]:
    """Return the tools that `calls.json` calls successfully."""
    return {case["tool"] for case in CASES if "error" not in case and "isError" not in case}


def sent(request: Mapping[str, Any]) -> Sent:
    """Return the request of a case as the bytes that the API receives."""
    body = _body(request)
    headers = {name: value for name, value in request.get("headers", {}).items() if name != "Content-Type"}
    media = request.get("headers", {}).get("Content-Type", body.media)
    return Sent(body.body, media, headers)


def _body(request: Mapping[str, Any]) -> Sent:
    if "json" in request:
        return of_json(request["json"])
    if "form" in request:
        return of_form(request["form"])
    if "parts" in request:
        return of_parts(*[(part["attributes"], part["type"], _bytes(part)) for part in request["parts"]])
    return Sent(_bytes(request)) if {"text", "base64"} & request.keys() else Sent()


def _bytes(written: Mapping[str, Any]) -> bytes:
    """Return the bytes that a case gives as text, JSON or base64."""
    if "json" in written:
        return json.dumps(written["json"]).encode()
    text: str = written["text"] if "text" in written else written["base64"]
    return text.encode() if "text" in written else base64.b64decode(text, validate=True)


def compare_request(expected: Mapping[str, Any], received: Request) -> None:
    """Raise AssertionError if the API did not receive the request of the case."""
    assert (received.method, received.target) == (expected["method"], BASE + expected["target"])
    for name, value in expected.get("headers", {}).items():
        assert received.header(name) == value
    names = [name.lower() for name, _ in received.headers]
    assert len(names) == len(set(names)), "a header was sent twice"
    shown = {name: received.header(name) for name in ("x-api-key", "authorization") if received.header(name)}
    assert shown == CREDENTIALS[expected["by"]]
    if "cookie" not in {name.lower() for name in expected.get("headers", {})}:
        assert received.header("Cookie") is None
    _compare_body(expected, received)


def _compare_body(expected: Mapping[str, Any], received: Request) -> None:
    if "json" in expected:
        assert json.loads(received.body) == expected["json"]
    elif "form" in expected:
        assert _fields(received.body.decode("ascii")) == _fields(expected["form"])
    elif "parts" in expected:
        assert _parts(received) == [_part(part) for part in expected["parts"]]
    elif {"text", "base64"} & expected.keys():
        assert received.body == _bytes(expected)
    else:
        assert received.body == b""
        assert received.header("Content-Type") is None


def _fields(form: str) -> list[tuple[str, str]]:
    """Return the pairs of name and value in an urlencoded form, sorted by name.

    Only the order of pairs with the same name matters.
    """
    return sorted(parse_qsl(form, keep_blank_values=True), key=lambda field: field[0])


def _part(expected: Mapping[str, Any]) -> tuple[str, str, Any]:
    data = expected["json"] if "json" in expected else _bytes(expected)
    return f"form-data; {expected['attributes']}", expected["type"], data


def _parts(received: Request) -> list[tuple[str, str, Any]]:
    """Return the parts of a multipart body, read by the standard library's mail parser, with JSON parsed."""
    head = f"Content-Type: {received.header('Content-Type')}\r\n\r\n".encode("ascii")
    message = BytesParser(policy=HTTP).parsebytes(head + received.body)
    parts = []
    for part in message.iter_parts():
        media = part["Content-Type"] or ""
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        parts.append((part["Content-Disposition"], media, json.loads(data) if media == "application/json" else data))
    return parts


def matches(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return True if a row of the API's database has these values."""
    return all(_same(row[column], value) for column, value in wanted.items())


def _same(held: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict) and wanted.keys() == {"base64"}:
        return bool(held == _bytes(wanted))
    return bool(held == wanted)
