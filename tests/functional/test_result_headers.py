"""Test header fields of answers that a tool's rules show to models: a server process, and raw sockets as API."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.doors import DOORS, generated, served
from tests.functional.test_redirects import Site
from tests.functional.test_removed import answer

KEY = "k3y-0123456789abcdef"
TOOLS = """\
base_url: http://127.0.0.1:9
security: {gate: {type: apiKey, in: header, name: X-Key}}
tools:
  - name: stat_file
    description: Returns size and checksum of a file.
    request: HEAD /file
    result: {headers: [Content-Length, X-Checksum]}
  - name: list_items
    description: Lists items.
    request: GET /items
    result: {headers: [X-Total-Count, X-Note]}
"""


@pytest.mark.parametrize("door", DOORS)
def test_a_model_is_told_declared_header_fields(tmp_path: Path, door: str) -> None:
    site, made = Site("127.0.0.1"), generated(tmp_path, TOOLS)
    site.says["/file"] = answer(b"", "text/plain", "200 OK", "X-Checksum: sha256=abc", more=1204)
    lines = ("X-Total-Count: 7", f"X-Note: {KEY} \u200bok", "X-Note: " + "x" * 500, "X-Other: no")
    site.says["/items"] = answer(b"[1]", "application/json", "200 OK", *lines)
    with site.listening, served(made, door, BASE_URL=site.url, GATE=KEY) as call:
        assert call("stat_file").endswith("Header fields of the answer: Content-Length: 1204; X-Checksum: sha256=abc.")
        told = call("list_items")
    assert told.startswith("[1]")
    assert "Header fields of the answer: X-Total-Count: 7; X-Note: [redacted] " in told
    assert KEY not in told
    assert "\u200b" not in told
    assert "X-Other" not in told
    assert len(told) < 400
