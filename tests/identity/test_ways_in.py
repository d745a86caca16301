"""Test tokens of clients that are identified by a URL (client ID metadata documents), and of companies whose identity
provider decides (enterprise-managed authorization), at a raw socket over aiohttp and ASGI.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.identity.guarded import SCOPES, URL, Guarded, challenge
from tests.identity.issuer import Signer
from tests.streamable.messages import calling
from tests.streamable.upstream import PATIENCE


def test_a_client_is_the_url_of_its_metadata_document(guarded: Guarded) -> None:
    """The audit names the URL, and the server fetches nothing from it."""
    url = f"{guarded.first.origin}/client.json"
    assert guarded.call(guarded.bearer(client_id=url), calling("echo", text="by URL")).status == 200
    line: dict[str, Any] = {}
    while line.get("client", {}).get("id") != url:
        written = guarded.server.lines.get(timeout=PATIENCE)
        assert written is not None
        line = json.loads(written) if written.startswith(b'{"audit"') else {}
    assert line["outcome"] == "ok"
    assert guarded.first.asked["/client.json"] == 0


def test_a_url_that_is_too_long_is_no_client(guarded: Guarded) -> None:
    answer = guarded.call(guarded.bearer(client_id=f"https://client.example/{'a' * 600}"))
    assert answer.status == 401
    assert "invalid subject or client" in challenge(answer)


EXCHANGED = {"client_id": "company-client", "sub": "anna@company.example"}
"""Claims that the authorization server copies from an identity assertion into an access token."""

COMPANY = Signer("ES256", "company")
IDP = "https://idp.company.example"


def assertion(guarded: Guarded, **claims: Any) -> str:
    """Return an identity assertion (ID-JAG) that the first authorization server has signed as an identity provider."""
    told = guarded.first.claims(guarded.first.name, **{**EXCHANGED, "resource": URL, "scope": SCOPES, **claims})
    return guarded.first.signer.token(told, typ="oauth-id-jag+jwt")


def test_the_access_token_for_an_assertion_is_accepted(guarded: Guarded) -> None:
    assert guarded.call(guarded.bearer(**EXCHANGED), calling("echo", text="company")).status == 200


REFUSED: dict[str, tuple[Callable[[Guarded], str], str]] = {
    "the assertion": (assertion, "no access token"),
    "an assertion for this server": (lambda g: assertion(g, aud=URL), "no access token"),
    "an assertion without its type": (
        lambda g: g.first.signer.token(g.first.claims(g.first.name, **EXCHANGED, resource=URL)),
        "another audience",
    ),
    "the ID token": (
        lambda g: g.first.signer.token(g.first.claims("company-client", nonce="n"), typ="JWT"),
        "another audience",
    ),
    "an access token for another server": (
        lambda g: g.first.token("https://other.example/mcp", **EXCHANGED, scope=SCOPES),
        "another audience",
    ),
    "a token of the identity provider": (
        lambda g: COMPANY.token(g.first.claims(URL, **EXCHANGED, iss=IDP, scope=SCOPES)),
        "issuer",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_other_tokens_of_the_exchange_are_refused(guarded: Guarded, name: str) -> None:
    make, said = REFUSED[name]
    answer = guarded.call(guarded.bearer(make(guarded)))
    assert answer.status == 401
    assert said in challenge(answer)
