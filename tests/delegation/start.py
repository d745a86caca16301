"""Starts a generated server over HTTP, whose callers with static tokens count as users of an authorization server.

python start.py PACKAGE PORT CONSTANTS, where CONSTANTS is JSON. `PLANTED_ISSUER` in the environment names the issuer of
the users; without it, callers have their static tokens alone. The access token of the caller NAME is `subject-NAME-`
and the hexadecimal digits of `PLANTED_PROOF`, so that a test can look for it.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
import time
from typing import Any

sys.path.insert(0, os.getcwd())


def _plant(package: str, issuer: str, proof: str) -> None:
    """Let `serve.service` make peers with identities."""
    service: Any = importlib.import_module(f"{package}.runtime.serve.service")
    identity: Any = importlib.import_module(f"{package}.runtime.core.identity")
    effects: Any = importlib.import_module(f"{package}.runtime.core.effects")

    def peer(principal: str = "", session: str = "", address: str = "", found: Any = None) -> Any:
        if found is None and principal:
            name, _, proven = principal.partition(".")
            named = f"subject-{name}-{proven or proof}"
            claims = {"sub": name, "email": f"{name}@example.com"}
            found = identity.Identity(issuer, name, "client", frozenset(), time.time() + 3600, claims, named)
        return effects.Peer(principal, session, address, found)

    service.Peer = peer


if __name__ == "__main__":
    package, port, constants = sys.argv[1:]
    for name, value in json.loads(constants).items():
        module, _, constant = name.rpartition(".")
        setattr(importlib.import_module(f"{package}.runtime.{module}"), constant, value)
    if os.environ.get("PLANTED_ISSUER"):
        _plant(package, os.environ["PLANTED_ISSUER"], os.environ["PLANTED_PROOF"])
    sys.argv = [package, "--http", port]
    runpy.run_module(package, run_name="__main__")
