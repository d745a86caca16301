"""Test results of several content blocks: a compiled tools file, a real process and API, in each MCP revision."""

from __future__ import annotations

import json
import os
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.leaks import SECRET
from tests.runtime.process import Server

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
FILE = """
mcpgen: 1
server: {name: mirror}
base_url: %s
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
  - name: get_report
    description: Returns a report.
    request: GET /reports/{id}
    arguments: {id: string required}
    outputSchema: {type: object, required: [title], properties: {title: {type: string}}}
    result:
      select: {title: /title}
      blocks:
        - {text: '{/title} of {id}', annotations: {audience: [user], priority: 0.5}}
        - {image: /charts/*}
        - {resource: {uri: 'report://{id}', text: '{/body}'}}
        - {audio: /speech}
"""


class Api(BaseHTTPRequestHandler):
    """API whose responses repeat the credential that it receives."""

    def do_GET(self) -> None:
        key = self.headers["X-Key"]
        charts = [b64encode(PNG + key.encode()).decode(), "junk", None]
        body = json.dumps({"title": f"Sales {key}", "charts": charts, "body": f"Key: {key}"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    api = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    folder = tmp_path_factory.mktemp("reports")
    (folder / "mirror.tools.yaml").write_text(FILE % f"http://127.0.0.1:{api.server_port}")
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "mirror.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        with Server(Path(folder / "out"), env=kept) as running:
            yield running
    finally:
        api.shutdown()
        api.server_close()


def test_a_result_has_several_blocks_and_none_has_a_secret(server: Server) -> None:
    result: dict[str, Any] = server.ask("tools/call", name="get_report", arguments={"id": "7"})["result"]
    text, image, resource, note = result["content"]
    assert text == {
        "type": "text",
        "text": "Sales [redacted] of 7",
        "annotations": {"audience": ["user"], "priority": 0.5},
    }
    assert (image["type"], image["mimeType"]) == ("image", "image/png")
    assert resource["resource"] == {"uri": "report://7", "text": "Key: [redacted]"}
    assert note["text"].splitlines() == [
        "Left out: image /charts/*, since its bytes are no image that clients accept.",
        "Left out: image /charts/*, since there is no such part in the answer.",
        "Left out: audio /speech, since there is no such part in the answer.",
    ]
    assert result["structuredContent"] == {"title": "Sales [redacted]"}
    assert SECRET not in json.dumps(result)
    assert b64encode(PNG + SECRET.encode()).decode() not in json.dumps(result)
