"""Test the hook of the documentation that signs requests: a raw socket stands for the API, which checks signatures."""

from __future__ import annotations

import hashlib
import hmac
import re
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.functional.test_redirects import Site, told
from tests.runtime.process import Server

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "hooks.md"
KEY = "signing-0123456789"
TOOLS = """\
mcpgen: 1
server: {name: bank}
base_url: https://api.example.com/v1
parts: [hooks]
tools:
  - name: pay
    description: Pays.
    request: POST /accounts/{account}/payments
    arguments: {account: string required, amount: integer, note: {type: string, in: query}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signed")
    (folder / "bank.tools.yaml").write_text(TOOLS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "bank.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    [code] = re.findall(r"## Sign requests.*?```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (folder / "out" / "bank_mcp" / "hooks.py").write_text(code)
    return folder / "out"


def test_the_api_can_check_the_signature_of_exactly_what_came(project: Path) -> None:
    api = Site("127.0.0.1")
    variables = {"BANK_BASE_URL": f"{api.url}/v1", "SIGNING_KEY": KEY}
    with api.listening, Server(project, package="bank_mcp", env=variables) as server:
        assert told(server.result("pay", account="a/b", amount=7, note="n")) == "whole"
        assert KEY not in server.written.decode()
    [asked] = api.asked
    head, _, body = asked.partition("\r\n\r\n")
    assert head.startswith("POST /v1/accounts/a%2Fb/payments?note=n HTTP/1.1\r\n")
    fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
    signed = "\n".join((fields["X-Timestamp"], "POST", "/accounts/a%2Fb/payments", "note=n", body))
    assert fields["X-Signature"] == hmac.new(KEY.encode(), signed.encode(), hashlib.sha256).hexdigest()


def test_without_a_key_nothing_is_sent(project: Path) -> None:
    api = Site("127.0.0.1")
    with api.listening, Server(project, package="bank_mcp", env={"BANK_BASE_URL": api.url}) as server:
        assert "The server has no SIGNING_KEY" in told(server.result("pay", account="a", amount=7))
    assert api.asked == []
