"""Search all output of a process for a secret, in each encoding that the secret may have.

Every test that starts a server sets one of its credentials to `SECRET`, which is random in each run. Then all output of
the server is searched for it (`tests/runtime/process.py`). `Trap` detects connections that a server should not make.
"""

from __future__ import annotations

import base64
import html
import json
import os
import random
import re
import socket
import string
import threading
from functools import cache
from urllib.parse import quote, quote_plus, unquote

VISIBLE = string.ascii_letters + string.digits + string.punctuation
LENGTH = 32


def random_secret(without: str = "") -> str:
    """Return a random secret of LENGTH visible ASCII characters, of which none is in `without`.

    It has no colon, which would end a user name, and does not end as a placeholder such as `<token>` does.
    """
    chosen = random.SystemRandom().choices([each for each in VISIBLE if each not in f":{without}"], k=LENGTH)
    return "".join(chosen).removesuffix(">").ljust(LENGTH, "a")


SECRET = random_secret()


def forms(secret: str) -> dict[str, str]:
    """Return a mapping from the name of each encoding in which a secret could leave a process to the encoded secret.

    The code is independent of the runtime's.
    """
    found = {
        "raw": secret,
        "percent": quote(secret, safe=""),
        "percent of a path": quote(secret),
        "form": quote_plus(secret),
        "json": json.dumps(secret)[1:-1],
        "json with slashes": json.dumps(secret)[1:-1].replace("/", "\\/"),
        "html": html.escape(secret),
        "hex": secret.encode().hex(),
        "reversed": secret[::-1],
    }
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + secret.encode()).decode()
        found[f"base64 at {before}"] = encoded[4 if before else 0 : -4]
    return found


def in_base64(text: str) -> list[str]:
    """Decode every run of base64 characters in `text`, from each of four starting positions."""
    runs = [run[start:] for run in re.findall(r"[A-Za-z0-9+/]{12,}", text) for start in range(4)]
    return [base64.b64decode(run[: len(run) // 4 * 4]).decode("latin-1") for run in runs]


def find(secret: str, text: str) -> None:
    """Raise AssertionError if `text` holds `secret` in one of its encodings, also within a JSON string."""
    unescaped = re.sub(r"\\(.)", r"\1", text)
    for name, form in forms(secret).items():
        assert form not in text, f"{name} of {secret!r} left"
        assert form not in unescaped, f"{name} of {secret!r} left, escaped"


class Leaks:
    """Texts that leave a process (`left`): output, results and files. `check` searches them for one secret."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.left: list[str] = []

    def check(self) -> None:
        """Raise AssertionError if the output contains the secret, in an encoding that `find` knows, encoded more than
        once, or encoded only in part.
        """
        everything = "\n".join(self.left)
        find(self.secret, everything)
        unescaped = re.sub(r"\\(.)", r"\1", everything)
        for seen in (everything, unescaped, *in_base64(unescaped)):
            assert self.secret not in unquote(seen), f"{self.secret!r} left, percent-encoded in part"
            assert self.secret not in unquote(seen.replace("+", " ")), f"{self.secret!r} left as a form"


class Trap:
    """Listener for connections that a server should not make. Tests name it as the proxy in the environment."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._listen, daemon=True).start()

    def environment(self) -> dict[str, str]:
        """Return the proxy variables of common HTTP libraries, all with the URL of this listener."""
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
        return dict.fromkeys(names, self.url)

    def check(self) -> None:
        """Raise AssertionError if a process has connected to this listener since the last check."""
        received, self.received = self.received, []
        assert received == [], "a proxy of the environment was obeyed"

    def _listen(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            with connection:
                connection.settimeout(1)
                try:
                    self.received.append(connection.recv(65536))
                except OSError:
                    self.received.append(b"")


@cache
def trap() -> Trap:
    """Return the listener for forbidden connections that all tests of this run share."""
    return Trap()


def planted(prefix: str, name: str = "KEY") -> dict[str, str]:
    """Return the environment variables of a server under test.

    PREFIX_NAME holds the secret. The proxy variables hold the URL of a listener to which no server may connect. Other
    variables of the test process are inherited, except those that begin with PYTHON or PREFIX_.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", f"{prefix}_"))}
    return {**kept, **trap().environment(), f"{prefix}_{name}": SECRET}


def searched(written: bytes, secret: str = SECRET) -> None:
    """Raise AssertionError if a server's output holds the secret, or if the server has used a proxy from the
    environment.
    """
    find(secret, written.decode("latin-1"))
    trap().check()
