"""Test tokens of attackers, over aiohttp and ASGI: each is refused before the body is read, and none appears in the
log.

Each row makes one token from what an attacker may have: public keys, tokens of other people, and keys of its own.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.identity.guarded import CHALLENGE, SCOPES, URL, Guarded, challenge
from tests.identity.issuer import HOUR, Signer, confused, encoded
from tests.streamable.messages import calling, mirrored

OWN = {algorithm: Signer(algorithm, "attacker") for algorithm in ("ES256", "RS256")}
AUDIENCE = "another audience"
BOUND = "bound to a key"
ISSUER = "another issuer"
EXPIRED = "has expired"
EARLY = "not valid yet"
SIGNATURE = "signature"
KEY = "signed by no key"
ALGORITHM = "not signed by an algorithm"
FORM = "no JSON Web Token that is accepted"
TIME = "no valid time"


def claims(guarded: Guarded, **more: Any) -> dict[str, Any]:
    """Return the claims of a valid token of the first authorization server, with the claims in `more` changed."""
    return guarded.first.claims(URL, **{"scope": SCOPES, **more})


def _unsigned(guarded: Guarded, algorithm: str) -> str:
    return f"{encoded({'alg': algorithm, 'typ': 'at+jwt'})}.{encoded(claims(guarded))}."


def _signed(guarded: Guarded, **header: Any) -> str:
    return guarded.first.signer.token(claims(guarded), **header)


def _stolen(guarded: Guarded, **more: Any) -> str:
    """Return a token whose claims were replaced after it was signed."""
    head, _, signature = guarded.token().split(".")
    return f"{head}.{encoded(claims(guarded, **more))}.{signature}"


def _other(guarded: Guarded, **header: Any) -> str:
    """Return a token that an attacker has signed in the name of the first authorization server."""
    return OWN["ES256"].token(claims(guarded), **header)


def _repeated_claim(guarded: Guarded) -> str:
    signer = guarded.first.signer
    told = encoded(claims(guarded))
    text = base64.urlsafe_b64decode(told + "==").decode()
    doubled = encoded((text[:-1] + ', "aud": "https://other.example"}').encode())
    signed = f"{encoded({'alg': signer.algorithm, 'typ': 'at+jwt', 'kid': signer.kid})}.{doubled}"
    return f"{signed}.{encoded(signer.sign(signed.encode()))}"


ATTACKS: dict[str, tuple[Callable[[Guarded], str], str]] = {
    "no signature": (lambda g: _unsigned(g, "none"), ALGORITHM),
    "no signature, in capitals": (lambda g: _unsigned(g, "None"), ALGORITHM),
    "an empty signature": (lambda g: _unsigned(g, "ES256"), SIGNATURE),
    "algorithm confusion with the public key": (
        lambda g: confused(g.first.signer.pem, claims(g), g.first.signer.kid),
        ALGORITHM,
    ),
    "an algorithm of another type of key": (lambda g: _signed(g, alg="RS256"), KEY),
    "an algorithm of the same family": (lambda g: _signed(g, alg="ES384"), KEY),
    "an algorithm that the key is not for": (
        lambda g: g.second.signer.by("RS512").token(g.second.claims(URL, scope=SCOPES)),
        KEY,
    ),
    "an algorithm that is a number": (lambda g: _signed(g, alg=256), ALGORITHM),
    "another audience": (lambda g: g.token(aud="https://other.example/mcp"), AUDIENCE),
    "an audience that begins alike": (lambda g: g.token(aud=URL + "/x"), AUDIENCE),
    "an audience with a slash": (lambda g: g.token(aud=URL + "/"), AUDIENCE),
    "an audience that holds ours": (lambda g: g.token(aud=f"{URL} https://other.example"), AUDIENCE),
    "an audience by another name of this machine": (lambda g: g.token(aud="http://localhost:8000/mcp"), AUDIENCE),
    "an audience with another port": (lambda g: g.token(aud="http://127.0.0.1:8001/mcp"), AUDIENCE),
    "bound to a key": (lambda g: g.token(cnf={"jkt": "x" * 43}), BOUND),
    "bound to a certificate": (lambda g: g.token(cnf={"x5t#S256": "x" * 43}), BOUND),
    "no audience": (lambda g: g.token(aud=None), AUDIENCE),
    "an audience that is an object": (lambda g: g.token(aud={URL: URL}), AUDIENCE),
    "an empty list of audiences": (lambda g: g.token(aud=[]), AUDIENCE),
    "another issuer": (lambda g: g.token(iss="https://evil.example"), ISSUER),
    "an issuer with a slash": (lambda g: g.token(iss=g.first.name + "/"), ISSUER),
    "an issuer that is a list": (lambda g: g.token(iss=[g.first.name]), ISSUER),
    "no issuer": (lambda g: g.token(iss=None), ISSUER),
    "keys swapped between issuers": (lambda g: g.second.signer.token(claims(g)), KEY),
    "keys swapped between issuers, by the other's kid": (
        lambda g: g.second.signer.token(claims(g), kid=g.first.signer.kid),
        KEY,
    ),
    "signed by the attacker": (lambda g: _other(g, kid=g.first.signer.kid), SIGNATURE),
    "a kid that is a path": (lambda g: _other(g, kid="../../../../dev/null"), KEY),
    "a kid that is a URL": (lambda g: _other(g, kid="https://evil.example/keys"), KEY),
    "a kid that is a query": (lambda g: _other(g, kid="x' OR '1'='1"), KEY),
    "a very long kid": (lambda g: _other(g, kid="k" * 4000), FORM),
    "a kid that is a number": (lambda g: _other(g, kid=1), FORM),
    "a key in the header": (lambda g: _other(g, kid="attacker", jwk=OWN["ES256"].jwk()), KEY),
    "the URL of keys in the header": (lambda g: _other(g, jku=f"{g.first.origin}/attacker", kid="attacker"), KEY),
    "the URL of a certificate in the header": (lambda g: _other(g, x5u=f"{g.first.origin}/attacker"), KEY),
    "a critical extension": (lambda g: _signed(g, crit=["exp"], exp=1), FORM),
    "an empty list of critical extensions": (lambda g: _signed(g, crit=[]), FORM),
    "an unencoded payload": (lambda g: _signed(g, b64=False), FORM),
    "a token of another kind": (lambda g: _signed(g, typ="logout+jwt"), "no access token"),
    "a token whose kind is a list": (lambda g: _signed(g, typ=["at+jwt"]), "no access token"),
    "an ID token": (lambda g: g.token(at_hash="x"), "no access token"),
    "an ID token of Keycloak": (lambda g: g.token(typ="ID"), "no access token"),
    "expired": (lambda g: g.token(exp=int(time.time()) - 60), EXPIRED),
    "no end": (lambda g: g.token(exp=None), TIME),
    "an end in words": (lambda g: g.token(exp="never"), TIME),
    "an end that is true": (lambda g: g.token(exp=True), TIME),
    "an end that no clock reaches": (lambda g: g.token(exp=10**300), TIME),
    "not valid yet": (lambda g: g.token(nbf=int(time.time()) + HOUR), EARLY),
    "a beginning in words": (lambda g: g.token(nbf="now"), TIME),
    "claims exchanged": (lambda g: _stolen(g, sub="root"), SIGNATURE),
    "a claim twice": (_repeated_claim, FORM),
    "nobody": (lambda g: g.token(sub=None, client_id=None), "neither a subject nor a client"),
    "a subject that is an object": (lambda g: g.token(sub={"a": 1}), "invalid subject"),
    "a very long subject": (lambda g: g.token(sub="s" * 600), "invalid subject"),
    "no JSON": (lambda g: "eyJ.eyJ.x", FORM),
    "no base64": (lambda g: "eyJ$.eyJ$.x", FORM),
    "two parts": (lambda g: "eyJhbGciOiJFUzI1NiJ9.e30", "others are not accepted"),
    "an opaque token": (lambda g: "opaque-token-of-another-server", "others are not accepted"),
    "letters beyond ASCII": (lambda g: "t\xf6ken", "not of ASCII"),
}


@pytest.mark.parametrize("name", list(ATTACKS))
def test_a_token_of_an_attacker_is_refused(guarded: Guarded, name: str) -> None:
    make, said = ATTACKS[name]
    bearer = guarded.bearer(make(guarded))
    message = calling("echo", text="attack")
    before = list(guarded.server.upstream.requests)
    for _ in range(2):
        with guarded.connect() as connection:  # the body is announced, but never sent
            connection.send("POST", fields={**mirrored(message), **bearer, "Content-Length": "500"})
            answer = connection.answer()
        assert answer.status == 401
        told = challenge(answer)
        assert 'error="invalid_token"' in told
        assert said in told
        assert CHALLENGE in told
    assert guarded.server.upstream.requests == before
    assert guarded.first.asked["/attacker"] == 0
    assert guarded.call(guarded.bearer(), message).status == 200, "others are served on"


def test_a_huge_token_is_refused(guarded: Guarded) -> None:
    """Refuse a huge token: by the HTTP server if its limit on headers is exceeded, otherwise by the token check."""
    answer = guarded.call(guarded.bearer(guarded.token(padding="p" * 15_000)))
    assert answer.status in (400, 401, 431)
    assert answer.status != 401 or "too long" in challenge(answer)


def test_the_only_key_that_fits_serves_a_token_without_kid(guarded: Guarded) -> None:
    assert guarded.call(guarded.bearer(_signed(guarded, kid=None))).status == 200
    forged = _other(guarded, kid=None)
    assert guarded.call(guarded.bearer(forged)).status == 401


def test_a_remembered_token_is_that_token(guarded: Guarded) -> None:
    """Check that a change in the last letters, or in upper and lower case, is not accepted from the cache of checked
    tokens.
    """
    good = guarded.token()
    assert guarded.call(guarded.bearer(good)).status == 200
    head, told, signature = good.split(".")
    for changed in (
        f"{head}.{told}.{signature[:-2]}AA",
        f"{head}.{told}.{signature.swapcase()}",
        good[:-1],
        good + "A",
    ):
        assert guarded.call(guarded.bearer(changed)).status == 401


def test_many_unknown_keys_cost_one_fetch(guarded: Guarded) -> None:
    before = guarded.first.asked["/keys"]
    for number in range(20):
        assert guarded.call(guarded.bearer(_other(guarded, kid=f"unknown-{number}"))).status == 401
    assert guarded.first.asked["/keys"] <= before + 1
