"""Test frameworks for agents whose calls have null for all that a model does not set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.functional.test_hosts import DOCUMENT
from tests.interop import environments
from tests.wire.upstream import listening

pytestmark = [pytest.mark.slow, pytest.mark.world]
FRAMEWORKS = {
    "mcpadapt": ("mcpadapt==0.1.19", "mcp==1.30.0"),
    "langchain": ("langchain-mcp-adapters==0.3.2",),
    "openai-agents": ("openai-agents==0.24.0",),
}
DRIVER = Path(__file__).with_name("drivers") / "frameworks.py"
CALLS = [["list_things", {"limit": 5}], ["create_thing", {"title": "x", "size": 2}], ["ping_api", {}]]
ARRIVES = ["GET /things?limit=5", "POST /things", "GET /ping"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_calls_of_a_framework_arrive(framework: str, tmp_path: Path) -> None:
    (tmp_path / "hosts.yaml").write_text(DOCUMENT)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(tmp_path / "hosts.yaml"), "-o", str(tmp_path / "out")])
    assert ended.value.code == 0
    python = environments.python(framework, *FRAMEWORKS[framework]) / "bin" / "python"
    with listening() as upstream:
        variables = {**os.environ, "HOSTS_BASE_URL": f"http://127.0.0.1:{upstream.port}"}
        done = subprocess.run(
            [python, DRIVER, framework, sys.executable, tmp_path / "out", "hosts_mcp"],
            input=json.dumps(CALLS),
            env=variables,
            capture_output=True,
            text=True,
            timeout=environments.PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)) == len(CALLS)
        requests = [upstream.received.get(timeout=60) for _ in CALLS]
    assert [each.split(b" HTTP/1.1")[0].decode() for each in requests] == ARRIVES
    assert json.loads(requests[1].partition(b"\r\n\r\n")[2]) == {"title": "x", "note": None, "size": 2}
