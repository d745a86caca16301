# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send encoded spans and metrics to a collector (OTLP/HTTP). The functions block, so they run in a separate thread.

Redirects are not followed, proxies set in the environment are ignored, and only the status of a response is read. If
the collector cannot be reached, only telemetry is lost: a message that cannot be sent in two attempts is dropped and
counted.
"""

from __future__ import annotations

import gzip
import ssl
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from email.message import Message
    from typing import IO

    from .telemetry_settings import Target

_PASSING = (408, 429, 502, 503, 504)
_PAUSE = 1.0
_TRIES = 2


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """Follow no redirect, because the header fields may contain a key."""


class Exporter:
    """Sender of encoded spans or of encoded metrics.

    `pause(seconds)` waits, and returns True if the process ends, so that there is no time to try again.
    """

    def __init__(self, target: Target, agent: str, pause: Callable[[float], bool]) -> None:
        """Create a sender. Raise OSError or ValueError if the TLS files cannot be used."""
        self._target = target
        self._pause = pause
        self._headers = {**target.headers, "Content-Type": "application/x-protobuf", "User-Agent": agent}
        if target.gzip:
            self._headers["Content-Encoding"] = "gzip"
        handlers: list[urllib.request.BaseHandler] = [_Stay(), urllib.request.ProxyHandler({})]
        if target.url.startswith("https:"):
            context = ssl.create_default_context(cafile=target.ca_file)
            if target.certificate:
                context.load_cert_chain(target.certificate, target.key)
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def send(self, body: bytes, seconds: float | None = None) -> str:
        """Send a message. Return "", or the reason why it was dropped, without the URL.

        `seconds`: time that is left, given only when the process ends; then the message is sent once at most.
        """
        data = gzip.compress(body, 1) if self._target.gzip else body
        timeout = self._target.timeout if seconds is None else min(seconds, self._target.timeout)
        tries = _TRIES if seconds is None else 1
        while True:
            tries -= 1
            reason, passing = self._tried(data, timeout)
            if not reason or not passing or not tries or self._pause(_PAUSE):
                return reason

    def _tried(self, data: bytes, timeout: float) -> tuple[str, bool]:
        request = urllib.request.Request(self._target.url, data, self._headers, method="POST")  # noqa: S310
        try:
            with self._opener.open(request, timeout=max(timeout, 0.05)):
                return "", False
        except urllib.error.HTTPError as answer:
            answer.close()
            return f"the collector answered with status {answer.code}", answer.code in _PASSING
        except (OSError, HTTPException, ValueError):
            return "the collector could not be reached", True
