"""Attacks on credentials: where they are sent and shown."""

from __future__ import annotations

import json
import socket
from contextlib import suppress

from benchmarks.attacks.scenes.verdicts import SECRET, Verdict, said
from benchmarks.attacks.subjects import Subject
from benchmarks.attacks.upstream import body, serving


def secret_with_newline(subject: Subject) -> Verdict:
    bad = f"{SECRET}\r\nX-Evil: 1"
    with serving() as api:
        session = subject.spawned(api.url, bad)
        try:
            with suppress(RuntimeError):
                session.shake_hands()
                session.call("get_item", {"id": "1"})
            return said(
                (session.heard(SECRET), "the model or the log was shown the secret"),
                (b"X-Evil" in b"".join(api.requests), "a second header was sent"),
                otherwise="refused, the variable named",
            )
        finally:
            session.end()


def echoed(subject: Subject) -> Verdict:
    def reply(connection: socket.socket, request: bytes) -> None:
        body(json.dumps({"headers": request.decode("latin-1")}).encode())(connection, request)

    with serving(reply) as api, subject.running(api.url, SECRET) as server:
        server.call("get_item", {"id": "1"})
        return said((server.heard(SECRET), "shown to the model"), otherwise="[redacted]")


def echoed_in_escapes(subject: Subject) -> Verdict:
    """Let the API repeat the credential with JSON escapes, which a JSON parser turns back into the credential."""
    written = "".join(f"\\u{ord(character):04x}" for character in SECRET)
    content = f'{{"token": "{written}"}}'.encode()
    with serving(body(content)) as api, subject.running(api.url, SECRET) as server:
        text = server.call("get_item", {"id": "1"}).text
        shown = SECRET in text or written in text
        return said((shown, "shown to the model"), otherwise="[redacted]")


def redirected(subject: Subject) -> Verdict:
    with serving() as evil:
        moved = body(b"", f"Location: {evil.url}/stolen", status="302 Found")
        with serving(moved) as api, subject.running(api.url, SECRET) as server:
            called = server.call("get_item", {"id": "1"})
            return said(
                (bool(evil.requests), "followed"),
                (not called.refused, "called a success"),
                otherwise="not followed, and said",
            )


def cookie_kept(subject: Subject) -> Verdict:
    with serving(body(b"{}", "Set-Cookie: track=1; Path=/")) as api, subject.running(api.url, SECRET) as server:
        server.call("get_item", {"id": "1"})
        server.call("get_item", {"id": "2"})
        return said((b"track=1" in api.requests[-1], "sent with the next call"), otherwise="not kept")


def ambient_proxy(subject: Subject) -> Verdict:
    with serving() as evil, serving() as api:
        ambient = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), evil.url)
        with subject.running(api.url, SECRET, **ambient) as server:
            server.call("get_item", {"id": "1"})
        leaked = SECRET.encode() in b"".join(evil.requests)
        return said(
            (leaked, "the credential went to the proxy"), (bool(evil.requests), "went to it"), otherwise="not obeyed"
        )
