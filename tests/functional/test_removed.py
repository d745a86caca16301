"""Test that a member that a tool drops from responses occurs in no byte that its server writes, whatever the API sends.

The test uses a real process, and a raw socket that sends the member in many ways.
"""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.leaks import find
from tests.runtime.process import Server

PATIENT = "Erika Mustermann-7Q4"
TOOLS = """
mcpgen: 1
server: {name: clinic}
base_url: https://api.example.com
tools:
  - name: list_patients
    request: GET /patients
    arguments: {limit: integer}
    output: structured
    responses: {'200': {description: All., content: {application/json: {schema: {type: object, properties: {
      patients: {type: array, items: {type: object, properties: {id: {type: integer}, name: {type: string}}}}}}}}}}
    result: {remove: [/patients/*/name]}
  - name: first_patient
    request: GET /patients
    result:
      remove: [/patients/*/name]
      text: 'First: {/patients/0/id} {/patients/0/name} of {/patients}'
      links: [{uri: 'https://clinic.example/{/patients/0/name}', name: '{/patients/0/name}'}]
  - name: pick_patient
    request: POST /patients
    result: {remove: [/patients/*/name], select: {name: /patients/0/name, all: /patients/*/name, id: /patients/0/id}}
"""
ROW: dict[str, Any] = {"id": 7, "name": PATIENT}
GOOD = json.dumps({"patients": [ROW, ROW]}).encode()
LARGE = json.dumps({"patients": [{**ROW, "note": "n" * 60} for _ in range(2000)]}).encode()
HUGE = json.dumps({"patients": [{**ROW, "note": "n" * 60} for _ in range(120_000)]}).encode()


def answer(body: bytes, kind: str = "application/json", status: str = "200 OK", *fields: str, more: int = 0) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) + more}", "Connection: close"]
    head += [f"Content-Type: {kind}"] if kind else []
    return "\r\n".join([*head, *fields, "", ""]).encode() + body


TRIED = {
    "as described": answer(GOOD),
    "an HTML page": answer(f"<h1>{PATIENT}</h1>".encode(), "text/html"),
    "plain text": answer(PATIENT.encode(), "text/plain"),
    "JSON that says it is HTML": answer(GOOD, "text/html"),
    "JSON that says nothing": answer(GOOD, ""),
    "JSON that says it is an image": answer(GOOD, "image/png"),
    "an image": answer(b"\x89PNG" + PATIENT.encode(), "image/png"),
    "large JSON": answer(LARGE),
    "huge JSON": answer(HUGE),
    "truncated JSON": answer(GOOD[:-3]),
    "JSON that is cut off": answer(GOOD, more=100),
    "a stream that is cut off": answer(b"data: " + GOOD, "text/event-stream", more=100),
    "UTF-16": answer(GOOD.decode().encode("utf-16"), "application/json; charset=utf-16"),
    "UTF-16 that says nothing": answer(GOOD.decode().encode("utf-16-le")),
    "Latin-1": answer(GOOD.replace(b"patients", b"patients"), "application/json; charset=iso-8859-1"),
    "a byte order mark": answer(b"\xef\xbb\xbf" + GOOD),
    "bytes that are no text": answer(GOOD.replace(b'"name"', b'"na\xffme"')),
    "a name with invisible characters": answer(GOOD.decode().replace('"name"', '"na\u200eme"').encode()),
    "an escaped name": answer(GOOD.replace(b'"name"', b'"\\u006eame"')),
    "a name twice": answer(b'{"patients":[{"name":"%b","name":"x"}]}' % PATIENT.encode()),
    "a list twice": answer(b'{"patients":"%b","patients":[]}' % PATIENT.encode()),
    "two values": answer(GOOD + b"\n" + GOOD),
    "an object in place of the list": answer(json.dumps({"patients": {"a": ROW}}).encode()),
    "one patient in place of the list": answer(b'{"patients":{"id":7,"name":{"first":"%b"}}}' % PATIENT.encode()),
    "a name with other marks": answer(GOOD.decode().replace('"name"', '"\uff2e\u00adAm\u200be"').encode()),
    "names in place of patients": answer(json.dumps({"patients": [PATIENT]}).encode()),
    "a name in place of the list": answer(json.dumps({"patients": PATIENT}).encode()),
    "a name alone": answer(json.dumps(PATIENT).encode()),
    "lists in the list": answer(json.dumps({"patients": [[ROW]]}).encode()),
    "a list of answers": answer(json.dumps([{"patients": [ROW]}]).encode()),
    "too deep": answer(b'{"patients":' + b"[" * 200 + json.dumps(PATIENT).encode() + b"]" * 200 + b"}"),
    "a number that no double holds": answer(b'{"n":1e999,"patients":[{"name":"%b"}]}' % PATIENT.encode()),
    "500 as described": answer(GOOD, status="500 Internal Server Error"),
    "500 as HTML": answer(f"<h1>{PATIENT}</h1>".encode(), "text/html", "500 Internal Server Error"),
    "404 as text": answer(PATIENT.encode(), "", "404 Not Found"),
    "400 with findings": answer(json.dumps({"patients": [ROW], "errors": []}).encode(), status="400 Bad Request"),
    "a reason": answer(GOOD, "application/json", f"299 {PATIENT}"),
    "a reason of an error": answer(b"", "", f"599 {PATIENT}"),
    "a redirect": answer(b"", "", "302 Found", f"Location: https://x.example/{PATIENT.split()[1]}"),
    "a redirect to a host": answer(b"", "", "302 Found", f"Location: https://{PATIENT.split()[1]}.example/"),
    "header fields": answer(
        GOOD, "application/json", "201 Created",
        f"Location: /patients/{PATIENT}", f'ETag: "{PATIENT}"', f'Link: <?after={PATIENT}>; rel="next"',
        f'Content-Disposition: attachment; filename="{PATIENT}"', f"Retry-After: {PATIENT}", f"Set-Cookie: a={PATIENT}",
    ),
    "a media type": answer(GOOD, f"application/{PATIENT.split()[1]}"),
    "a content coding": answer(GOOD, "application/json", "200 OK", f"Content-Encoding: {PATIENT.split()[1]}"),
    "compressed": answer(gzip.compress(GOOD), "application/json", "200 OK", "Content-Encoding: gzip"),
    "compressed, cut off": answer(gzip.compress(GOOD)[:-5], "application/json", "200 OK", "Content-Encoding: gzip"),
    "no HTTP": f"{PATIENT}\r\n\r\n".encode(),
    "a broken header": f"HTTP/1.1 200 OK\r\n{PATIENT}\r\n\r\n".encode(),
    "a broken length": f"HTTP/1.1 200 OK\r\nContent-Length: {PATIENT}\r\n\r\n".encode(),
    "a broken chunk": f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{PATIENT}\r\n".encode(),
}  # fmt: skip


@contextmanager
def upstream() -> Iterator[tuple[str, list[bytes]]]:
    """Yield the URL of a socket, and a list of responses. The socket answers each request with the list's last item."""
    said: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection, suppress(ConnectionError):
                        connection.recv(65536)
                        connection.sendall(said[-1])

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", said


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clinic")
    (folder / "t.tools.yaml").write_text(TOOLS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "t.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


@contextmanager
def served(project: Path) -> Iterator[tuple[Server, list[bytes]]]:
    """Yield a server with all logging on, and a list to which tests append the responses of its API.

    At the end, raise AssertionError if the server's output contains PATIENT, the value that the tools drop from
    responses.
    """
    environ = {"CLINIC_LOG_LEVEL": "debug", "CLINIC_AUDIT": "stderr", "CLINIC_TIMEOUT": "20"}
    with upstream() as (url, said):
        with Server(project, package="clinic_mcp", env={**environ, "CLINIC_BASE_URL": url}) as server:
            yield server, said
        hold_no_patient(server)


def hold_no_patient(server: Server) -> None:
    """Raise AssertionError if the output of the server so far contains PATIENT or a part of PATIENT."""
    written = b"".join(list(server._written)).decode("latin-1")
    find(PATIENT, written)
    for part in (*PATIENT.split(), PATIENT.encode().hex()):
        assert part not in written


@pytest.fixture(scope="module")
def clinic(project: Path) -> Iterator[tuple[Server, list[bytes]]]:
    with served(project) as found:
        yield found


@pytest.mark.parametrize("tried", TRIED)
def test_whatever_the_api_answers_the_name_does_not_leave(clinic: tuple[Server, list[bytes]], tried: str) -> None:
    server, said = clinic
    said.append(TRIED[tried])
    for tool in ("list_patients", "first_patient", "pick_patient"):
        result = server.result(tool)
        for block in result["content"]:
            if block["type"] == "resource_link":
                read_whole(server, block["uri"])
    hold_no_patient(server)


def read_whole(server: Server, uri: str) -> str:
    """Return all slices of a stored result, joined."""
    text = ""
    while uri:
        contents = server.ask("resources/read", uri=uri)["result"]["contents"]
        text += contents[0]["text"]
        uri = contents[1]["uri"] if contents[1:] else ""
    return text


def test_what_is_left_is_shown_and_kept(project: Path) -> None:
    with served(project) as (server, said):
        said.append(TRIED["as described"])
        listed, first, picked = (
            server.result(f"{name}") for name in ("list_patients", "first_patient", "pick_patient")
        )
        said.append(TRIED["large JSON"])
        large = server.result("list_patients")
        kept = json.loads(read_whole(server, large["content"][-1]["uri"]))
        said.append(TRIED["an HTML page"])
        refused = server.result("pick_patient")
        said.append(TRIED["huge JSON"])
        huge = server.result("list_patients")
        said.append(TRIED["500 as HTML"])
        failed = server.result("first_patient")
    assert listed["structuredContent"] == {"patients": [{"id": 7}, {"id": 7}]}
    assert [block["text"] for block in first["content"]] == [
        'First: 7  of [{"id":7},{"id":7}]',
        "Missing in the answer, and in the text: /patients/0/name.",
    ]
    assert picked["content"] == [{"type": "text", "text": '{"all":[],"id":7}'}]
    assert kept == {"patients": [{"id": 7, "note": "n" * 60}] * 2000}
    assert refused["isError"]
    assert [block["text"] for block in refused["content"]] == [
        "The request was answered: HTTP 200 OK from POST /patients. It was carried out all the same: look before "
        "calling again. The answer is not shown, since it is no JSON, and what must not leave this server cannot be "
        "taken out of it. Tell the operator of this server."
    ]
    assert huge["content"][0]["text"].endswith(
        "since it is too large to be looked through, and what must not leave this server cannot be taken out of it. "
        "To see more, call again with a smaller limit."
    )
    assert failed["content"] == [
        {"type": "text", "text": "HTTP 500 Internal Server Error from GET /patients.\nCalling again is safe."}
    ]
