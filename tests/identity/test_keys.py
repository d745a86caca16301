"""Test the keys that an authorization server publishes (JWKS): which can check the signature of a token, and which are
skipped without an error.
"""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime.identity import guard, signed_tokens
from package.runtime.identity.problems import InvalidToken

from tests.identity.issuer import Signer

SIGNERS = {algorithm: Signer(algorithm, "k") for algorithm in ("RS256", "PS512", "ES256", "ES384", "EdDSA")}
LEFT_OUT: dict[str, Any] = {
    "no object": "key",
    "nothing": {},
    "a shared secret": {"kty": "oct", "k": "c2VjcmV0"},
    "an unknown type": {"kty": "AKP", "pub": "x"},
    "an unknown curve": {"kty": "EC", "crv": "P-999", "x": "AA", "y": "AA"},
    "a point that is not on the curve": {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
    "a curve to agree on keys": {"kty": "OKP", "crv": "X25519", "x": "A" * 43, "alg": "ES256"},
    "a short RSA key": {"kty": "RSA", "n": "x" * 170, "e": "AQAB"},
    "an empty RSA key": {"kty": "RSA", "n": "", "e": ""},
    "no base64": {"kty": "RSA", "n": "%%%", "e": "AQAB"},
    "another use": SIGNERS["ES256"].jwk(use="enc"),
    "another algorithm": SIGNERS["ES256"].jwk(alg="ECDH-ES"),
    "an algorithm that is a list": SIGNERS["ES256"].jwk(alg=["ES256"]),
    "a kid that is a number": SIGNERS["ES256"].jwk(kid=1),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_key_that_cannot_be_used_is_left_out(name: str) -> None:
    found = signed_tokens.keys({"keys": [LEFT_OUT[name], SIGNERS["RS256"].jwk()]})
    assert [each.algorithm for each in found] == ["RS256"]


@pytest.mark.parametrize("document", [None, [], {}, {"keys": None}, {"keys": {}}, "keys"])
def test_what_is_no_set_of_keys_has_none(document: object) -> None:
    assert signed_tokens.keys(document) == []


@pytest.mark.filterwarnings("ignore:EdDSA is deprecated")
@pytest.mark.parametrize("algorithm", SIGNERS)
def test_a_signature_counts_for_its_own_key_alone(algorithm: str) -> None:
    signer = SIGNERS[algorithm]
    [key] = signed_tokens.keys({"keys": [signer.jwk()]})
    token = signer.token({"sub": "a"})
    key.verify(token)
    assert [each for each in SIGNERS if key.fits(each)] == [algorithm]
    [other] = signed_tokens.keys({"keys": [Signer(algorithm, "k").jwk()]})
    with pytest.raises(InvalidToken):
        other.verify(token)


def test_a_key_without_an_algorithm_serves_its_own_type_alone() -> None:
    jwk = {name: value for name, value in SIGNERS["RS256"].jwk().items() if name != "alg"}
    [key] = signed_tokens.keys({"keys": [jwk]})
    assert [each for each in signed_tokens.ALGORITHMS if key.fits(each)] == [
        *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
    ]


def test_no_more_keys_than_the_bound_are_read() -> None:
    jwk = SIGNERS["ES256"].jwk()
    assert len(signed_tokens.keys({"keys": [jwk] * 150})) == signed_tokens.MOST_KEYS


def test_remembered_tokens_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the cache of checked tokens by number and size.

    The least recently used token is dropped first, and an expired token is not returned.
    """
    monkeypatch.setattr(guard, "MOST_REMEMBERED", 3)
    monkeypatch.setattr(guard, "MOST_REMEMBERED_BYTES", 100)
    known: guard.BoundedCache[str] = guard.BoundedCache()
    for name in "abc":
        known.add(name.encode(), name, 10.0, 10)
    assert known.get(b"a", 0.0) == "a"
    known.add(b"d", "d", 10.0, 10)
    assert [known.get(name.encode(), 0.0) for name in "abcd"] == ["a", None, "c", "d"]
    known.add(b"e", "e", 10.0, 85)
    assert [known.get(name.encode(), 0.0) for name in "acde"] == [None, None, "d", "e"]
    known.drop(lambda value: value == "d")
    assert [known.get(name.encode(), 9.9) for name in "de"] == [None, "e"]
    assert known.get(b"e", 10.0) is None
