"""Rewrite the configuration of the load balancer (HAProxy) for tests, in which replicas have ports on loopback instead
of container names.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence

from tests.deployment.projects import deployed

TEXT = deployed()["deploy/haproxy.cfg"].decode()
PLACES = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin"
HAPROXY = shutil.which("haproxy", path=PLACES) or ""


def readdressed(replicas: Sequence[int], clients: str, health: str, checks: str = "") -> str:
    """Return the configuration for replicas at these ports.

    `clients`, `health`: addresses at which the balancer listens.
    """
    servers = "\n".join(f"  server replica{number} 127.0.0.1:{port} {checks}" for number, port in enumerate(replicas))
    changes = [
        (r"^  server-template .*$", servers),
        (r"(?<=  bind ):8000$", clients),
        (r"(?<=  bind )127\.0\.0\.1:8001$", health),
        (" resolvers containers init-addr none$", ""),
    ]
    text = TEXT
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
        assert count == 1, pattern
    return text
