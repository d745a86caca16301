"""Test a server whose authorization servers change, are unreachable, or send wrong responses: each failure affects one
request.
"""

from __future__ import annotations

import hashlib
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.identity.guarded import SCOPES, URL
from tests.identity.issuer import CLIENT, OPENID, SECRET, Issuer
from tests.streamable.client import Answer
from tests.streamable.messages import calling, encoded, mirrored
from tests.streamable.servers import Server
from tests.streamable.upstream import Upstream

OPAQUE = "opaque-token-of-alice"
PAUSES: Any = {"identity.issuer.PAUSES": (0.05,)}


def ask(server: Server, token: str) -> Answer:
    """Make a call with a token, and return the response."""
    message = calling("echo", text="hi")
    return server.ask("POST", fields={**mirrored(message), "Authorization": f"Bearer {token}"}, body=encoded(message))


def settings(issuer: Issuer, **more: str) -> dict[str, str]:
    """Return the settings of a server that trusts one authorization server."""
    return {"HTTP_URL": URL, "AUTH_ISSUER": issuer.name, **more}


def start(project: Path, upstream: Upstream, issuer: Issuer, constants: Any = None, **more: str) -> Server:
    """Start a server that trusts one authorization server."""
    return Server(project, upstream, "aiohttp", {**PAUSES, **(constants or {})}, (), **settings(issuer, **more))


def test_keys_rotate(project: Path, upstream: Upstream) -> None:
    """Replace keys. The first unknown key is fetched at once, the next only after half a minute.

    A withdrawn key is not accepted.
    """
    with Issuer() as issuer, start(project, upstream, issuer) as server:
        before = issuer.token(URL)
        assert ask(server, before).status == 200
        old = issuer.signer
        issuer.rotate("RS256")
        assert ask(server, issuer.token(URL)).status == 200
        assert issuer.asked["/keys"] == 2
        assert ask(server, before).status == 401, "remembered, and its key was withdrawn"
        assert ask(server, old.token(issuer.claims(URL))).status == 401
        issuer.rotate()
        assert ask(server, issuer.token(URL)).status == 401
        assert issuer.asked["/keys"] == 2
        told = server.log("keys_changed")
        assert told["issuer"] == issuer.name


@pytest.mark.slow
def test_keys_are_renewed_with_time(project: Path, upstream: Upstream) -> None:
    """Check that keys are fetched again after a time even without an unknown key, so that a stolen key can be
    withdrawn.
    """
    with Issuer() as issuer, start(project, upstream, issuer, {"identity.issuer.RENEWAL": 0.0}) as server:
        first = issuer.token(URL)
        assert ask(server, first).status == 200
        issuer.keys = [{**issuer.signer.jwk(), "kid": "another"}]
        assert ask(server, issuer.token(URL, jti="2")).status in (200, 401)
        issuer.wait_asked("/keys", 2)
        assert server.log("keys_changed")["issuer"] == issuer.name
        assert ask(server, first).status == 401


def test_a_server_starts_without_its_issuer_and_waits_for_it(project: Path, upstream: Upstream) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    away = {"HTTP_URL": URL, "AUTH_ISSUER": f"http://127.0.0.1:{port}"}
    with Server(project, upstream, "aiohttp", PAUSES, (), **away) as server:
        assert server.ask("GET", "/healthz").status == 200
        assert server.ask("GET", "/readyz").status == 503
        told = server.log("issuer_away")
        assert told["reason"].startswith("The issuer gave no answer: ")
        with Issuer(port=port) as issuer:
            refused = ask(server, OPAQUE)
            assert refused.status == 401, "what cannot be a token of it is refused without it"
            issuer.wait_asked("/keys")
            while server.ask("GET", "/readyz").status != 200:  # ask until the server has read the keys
                pass
            assert ask(server, issuer.token(URL)).status == 200


BROKEN: dict[str, tuple[Any, str]] = {
    "no metadata": ({"broken": {OPENID}}, "answered with HTTP 503"),
    "metadata of another issuer": ({"metadata": {"issuer": "https://evil.example"}}, "names another issuer"),
    "metadata that is too long": ({"padding": "x" * 70_000}, "more than 64 KiB"),
    "no place of keys": ({"metadata": {"jwks_uri": None}}, "has no jwks_uri"),
    "keys at a metadata address": ({"metadata": {"jwks_uri": "http://169.254.169.254/keys"}}, "does not ask"),
    "keys at a metadata address, by https": ({"metadata": {"jwks_uri": "https://169.254.169.254/k"}}, "does not ask"),
    "keys at an internal address": ({"metadata": {"jwks_uri": "https://10.0.0.1/keys"}}, "does not ask"),
    "keys at an internal address of IPv6": ({"metadata": {"jwks_uri": "https://[fd00::1]/keys"}}, "does not ask"),
    "keys at another port of this machine": ({"metadata": {"jwks_uri": "http://127.0.0.1:1/keys"}}, "does not ask"),
    "keys by another name of this machine": ({"metadata": {"jwks_uri": "https://localhost/keys"}}, "does not ask"),
    "keys without TLS": ({"metadata": {"jwks_uri": "http://keys.example/keys"}}, "does not ask"),
    "keys in a file": ({"metadata": {"jwks_uri": "file:///etc/passwd"}}, "no usable jwks_uri"),
    "keys with a user": ({"metadata": {"jwks_uri": "https://a:b@keys.example/"}}, "no usable jwks_uri"),
    "no keys": ({"keys": []}, "publishes no key"),
    "keys of another kind": ({"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "ES256-1"}]}, "publishes no key"),
    "keys that are no list": ({"keys": "none"}, "publishes no key"),
    "keys to encrypt with": ({"keys": [{"use": "enc"}]}, "publishes no key"),
}


QUICK = ("no metadata", "keys at a metadata address")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in BROKEN]
)
def test_an_issuer_that_cannot_be_used(project: Path, upstream: Upstream, name: str) -> None:
    """Check that the log says why the authorization server cannot be used.

    Requests get 503 with a reason, and the server keeps running.
    """
    changes, reason = BROKEN[name]
    with Issuer() as issuer:
        issuer.broken = changes.get("broken", set())
        issuer.padding = changes.get("padding", "")
        issuer.metadata |= changes.get("metadata", {})
        issuer.metadata = {key: value for key, value in issuer.metadata.items() if value is not None}
        issuer.keys = changes.get("keys", issuer.keys)
        with start(project, upstream, issuer) as server:
            assert reason in server.log("issuer_away")["reason"]
            answer = ask(server, issuer.token(URL))
            assert answer.status == 503
            assert int(answer.field("retry-after") or 0) > 0
            assert "cannot be asked now" in answer.message["error"]["message"]
            assert server.ask("GET", "/readyz").status == 503
            assert server.ask("GET", "/healthz").status == 200


@pytest.mark.slow
def test_keys_that_are_too_many_bytes(project: Path, upstream: Upstream) -> None:
    with Issuer() as issuer:
        issuer.keys = [{**issuer.signer.jwk(), "x5c": ["A" * 300_000]}]
        with start(project, upstream, issuer) as server:
            assert "more than 256 KiB" in server.log("issuer_away")["reason"]


def test_an_issuer_that_goes_away_costs_unknown_keys_alone(project: Path, upstream: Upstream) -> None:
    with Issuer() as issuer, start(project, upstream, issuer) as server:
        known = issuer.token(URL)
        assert ask(server, known).status == 200
        issuer.broken = {OPENID}
        assert ask(server, issuer.token(URL, jti="another")).status == 200
        old = issuer.signer
        issuer.rotate()
        assert ask(server, issuer.token(URL)).status == 503
        assert ask(server, known).status == 200
        assert ask(server, old.token(issuer.claims(URL, jti="third"))).status == 200


@pytest.mark.slow
def test_redirects_are_not_followed(project: Path, upstream: Upstream) -> None:
    """Check that a response with a status other than 200 is not used, and that its Location is not followed."""
    with Issuer() as issuer:
        issuer.metadata["jwks_uri"] = f"{issuer.origin}/elsewhere"
        with start(project, upstream, issuer) as server:
            assert "answered with HTTP 404" in server.log("issuer_away")["reason"]


AT_ONCE = 20


def together(server: Server, tokens: list[str], asked: Callable[[], None], held: threading.Event) -> list[int]:
    """Make calls at once. The authorization server does not answer before `asked` requests have arrived.

    Return the statuses of the calls.
    """
    message = calling("echo", text="hi")
    with ExitStack() as stack:
        connections = [stack.enter_context(server.connect()) for _ in tokens]
        for connection, token in zip(connections, tokens, strict=True):
            fields = {**mirrored(message), "Authorization": f"Bearer {token}"}
            connection.send("POST", fields=fields, body=encoded(message))
        asked()
        held.set()
        return [connection.answer().status for connection in connections]


def test_requests_that_need_a_new_key_share_one_fetch(project: Path, upstream: Upstream) -> None:
    with Issuer() as issuer, start(project, upstream, issuer) as server:
        assert ask(server, issuer.token(URL)).status == 200
        issuer.rotate()
        held = issuer.held["/keys"] = threading.Event()
        tokens = [issuer.token(URL, jti=str(number)) for number in range(AT_ONCE)]
        assert together(server, tokens, lambda: issuer.wait_asked("/keys", 2), held) == [200] * AT_ONCE
        assert issuer.asked["/keys"] == 2


def test_an_issuer_that_never_answers_costs_a_deadline(project: Path, upstream: Upstream) -> None:
    with Issuer() as issuer:
        held = issuer.held[OPENID] = threading.Event()
        with start(project, upstream, issuer, {"identity.issuer.SECONDS": 0.2}) as server:
            assert "gave no complete answer within" in server.log("issuer_away")["reason"]
            assert ask(server, issuer.token(URL)).status == 503
            held.set()


# Introspection of opaque tokens


def opaque(issuer: Issuer, **more: str) -> dict[str, str]:
    """Return the settings of a server that checks tokens by introspection."""
    login = {"AUTH_INTROSPECTION_CLIENT_ID": CLIENT, "AUTH_INTROSPECTION_CLIENT_SECRET": SECRET}
    return settings(issuer, AUTH_SCOPES=SCOPES, **login, **more)


ANSWERS: dict[str, tuple[dict[str, Any], int]] = {
    "for us": ({}, 200),
    "for nobody in particular": ({"aud": None}, 401),
    "of a client that stands for us": ({"aud": None, "client_id": "ours"}, 200),
    "of such a client for others": ({"aud": "https://other.example", "client_id": "ours"}, 401),
    "with a scope that stands for us": ({"aud": None, "scope": f"{SCOPES} pets:mcp"}, 200),
    "bound to a key": ({"cnf": {"jkt": "x"}}, 401),
    "bound to a certificate": ({"cnf": {"x5t#S256": "x"}}, 401),
    "a refresh token": ({"token_type": "refresh_token"}, 401),
    "for us among others": ({"aud": ["x", URL]}, 200),
    "for others": ({"aud": "https://other.example"}, 401),
    "of another issuer": ({"iss": "https://evil.example"}, 401),
    "not active": ({"active": False}, 401),
    "active in words": ({"active": "true"}, 401),
    "expired": ({"exp": 1}, 401),
    "not valid yet": ({"nbf": 32503680000}, 401),
    "an end in words": ({"exp": "soon"}, 401),
    "too few scopes": ({"scope": "pets:read"}, 403),
    "nobody": ({"sub": None, "client_id": None}, 401),
}


def token_of(name: str) -> str:
    """Return the opaque token of a row of ANSWERS."""
    return f"opaque-token-{name}".replace(" ", "_")


def test_opaque_tokens_are_asked_about_once(project: Path, upstream: Upstream) -> None:
    """Check that each opaque token is introspected once. An accepted token is cached for a minute, a refused one for
    ten seconds.

    The server's credentials for introspection never appear in the log.
    """
    with Issuer() as issuer:
        good = {"active": True, "sub": "alice", "client_id": "app", "aud": URL, "scope": SCOPES}
        good["exp"] = int(time.time()) + 600
        for name, (changes, _) in ANSWERS.items():
            told = {key: value for key, value in {**good, **changes}.items() if value is not None}
            issuer.introspected[token_of(name)] = told
        ours = {"AUTH_INSTEAD_OF_AUDIENCE": "client:ours, scope:pets:mcp"}
        with Server(project, upstream, "aiohttp", None, (), **opaque(issuer, **ours)) as server:
            for count, (name, (_, status)) in enumerate(ANSWERS.items(), 1):
                token = token_of(name)
                assert [ask(server, token).status for _ in range(3)] == [status] * 3, name
                assert issuer.asked["/introspect"] == count, name
            assert ask(server, issuer.token(URL, scope=SCOPES)).status == 200, (
                "tokens that are JWTs are not asked about"
            )
            issuer.broken = {"/introspect"}
            answer = ask(server, token_of("another"))
            assert (answer.status, answer.field("retry-after")) == (503, "5")
            assert ask(server, token_of("for us")).status == 200
        written = b"".join(server.written)
        assert SECRET.encode() not in written
        assert b"opaque-" not in written


def test_short_tokens_are_refused_without_a_question(project: Path, upstream: Upstream) -> None:
    with Issuer() as issuer, Server(project, upstream, "aiohttp", None, (), **opaque(issuer)) as server:
        issuer.introspected["x" * 15] = {"active": True, "aud": URL, "sub": "alice", "scope": SCOPES}
        assert ask(server, "x" * 15).status == 401
        assert issuer.asked["/introspect"] == 0


def test_strangers_with_random_tokens_do_not_lock_out_users(project: Path, upstream: Upstream) -> None:
    """Hold 64 questions of a stranger at the authorization server, all that the stranger may ask at a time and more.

    A token that was valid before is checked all the same, and so is a new token from another address.
    """
    constants = {"identity.guard.LONGEST_INTROSPECTED": 0.0}
    good = {"active": True, "aud": URL, "sub": "alice", "scope": SCOPES}
    with Issuer() as issuer, Server(project, upstream, "aiohttp", constants, (), **opaque(issuer)) as server:
        issuer.introspected |= {OPAQUE: good, f"{OPAQUE}-2": good}
        assert ask(server, OPAQUE).status == 200
        held = issuer.held_tokens = threading.Event()
        message = calling("echo", text="hi")
        with ExitStack() as stack:
            for number in range(64):
                connection = stack.enter_context(server.connect(source="127.0.0.2"))
                fields = {**mirrored(message), "Authorization": f"Bearer random-token-of-a-stranger-{number}"}
                connection.send("POST", fields=fields, body=encoded(message))
            issuer.wait_asked("/introspect", 1 + 12)
            with server.connect(source="127.0.0.2") as connection:  # such as a proxy in front of both
                fields = {**mirrored(message), "Authorization": f"Bearer {OPAQUE}"}
                connection.send("POST", fields=fields, body=encoded(message))
                assert connection.answer().status == 200, "it was valid before"
            assert ask(server, f"{OPAQUE}-2").status == 200, "it comes from another address"
            held.set()


def test_requests_with_one_opaque_token_share_one_question(project: Path, upstream: Upstream) -> None:
    with Issuer() as issuer:
        issuer.introspected[OPAQUE] = {"active": True, "aud": URL, "sub": "alice", "scope": SCOPES}
        held = issuer.held["/introspect"] = threading.Event()
        with Server(project, upstream, "aiohttp", None, (), **opaque(issuer)) as server:
            found = together(server, [OPAQUE] * AT_ONCE, lambda: issuer.wait_asked("/introspect"), held)
            assert found == [200] * AT_ONCE
            assert issuer.asked["/introspect"] == 1


@pytest.mark.slow
def test_a_remembered_answer_is_asked_for_again(project: Path, upstream: Upstream) -> None:
    """Check that a token is introspected again after the cached response has expired: its lifetime is zero here."""
    constants = {"identity.guard.LONGEST_INTROSPECTED": 0.0, "identity.guard._REFUSED": 0.0}
    with Issuer() as issuer:
        issuer.introspected[OPAQUE] = {"active": True, "sub": "alice", "aud": "x"}
        with Server(project, upstream, "aiohttp", constants, (), **opaque(issuer, AUTH_AUDIENCE="x")) as server:
            assert ask(server, OPAQUE).status == 403
            del issuer.introspected[OPAQUE]
            assert ask(server, OPAQUE).status == 401
            assert issuer.asked["/introspect"] == 2


def test_static_tokens_and_access_tokens_side_by_side(project: Path, upstream: Upstream, tmp_path: Path) -> None:
    (tmp_path / "callers").write_text(f"anna {hashlib.sha256(b'static').hexdigest()}\n")
    with Issuer() as issuer:
        both = settings(issuer, HTTP_TOKENS=str(tmp_path / "callers"), AUTH_SCOPES="pets:read")
        with Server(project, upstream, "aiohttp", None, (), **both) as server:
            assert ask(server, "static").status == 200, "no scopes are asked of a caller whom the operator named"
            assert ask(server, issuer.token(URL, scope="pets:read")).status == 200
            assert ask(server, "statics").status == 401
