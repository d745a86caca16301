"""Test that the one setting `MCPGEN_TUNING` turns off every optimization.

`tests/examples/` tests that a server behaves the same without optimizations.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.leaks import planted

TEMPLATES = Path(__file__).parents[2] / "templates"
PROGRAM = """
import gc, os, ssl, sys
import package.runtime.http.client as client
from package.runtime.http import connections
from package.runtime.http_server.doors import busy_polling
from package.runtime.tuning.memory import settle
from package.runtime.tuning.pipe_size import enlarged
settle()
busy_polling._cores = lambda: 2
print({})
"""


@pytest.mark.parametrize(
    ("asked", "on"),
    [
        ("'uuid' not in sys.modules", "lazy_imports"),
        ("not client.aiohttp.connector._SSL_CONTEXT_VERIFIED.cert_store_stats()['x509_ca']", "bare_tls_contexts"),
        ("connections.usable()", "connections"),
        ("busy_polling.loop_factory() is not None", "busy_polling"),
        ("gc.get_freeze_count() > 0 and gc.get_threshold()[0] == 2000", "memory"),
        ("enlarged(os.pipe()[0]) > 200_000", "pipe_size"),
    ],
)
def test_each_trick_has_the_switch(asked: str, on: str) -> None:
    told = []
    for switch in ({}, {"MCPGEN_TUNING": "0"}):
        environ = {**planted("X"), "PYTHONPATH": str(TEMPLATES), **switch}
        command = [sys.executable, "-c", PROGRAM.format(asked)]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
        told.append(done.stdout.strip())
    assert told == ["True", "False"], on
