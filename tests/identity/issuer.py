"""A small authorization server in a thread of the tests. It has its own keys, and signs any token, also wrong ones.

It publishes metadata (OpenID Connect Discovery, or only RFC 8414), keys, and an introspection endpoint. `asked` counts
requests by path. Tests can change its responses at any time: `metadata`, `keys`, `introspected`, `broken`. A path in
`held` is answered once its event is set. With `held_tokens`, so are questions about unknown tokens.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs

from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

OPENID, OAUTH = "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"
CLIENT, SECRET = "resource-server", "introspection-secret"
HOUR = 3600


def encoded(data: bytes | Mapping[str, Any]) -> str:
    """Return bytes, or an object as JSON, in base64url without padding (RFC 7515 section 2)."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _number(value: int) -> str:
    return encoded(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class Signer:
    """A private key with its algorithm. It signs any data."""

    def __init__(self, algorithm: str, kid: str) -> None:
        self.algorithm, self.kid = algorithm, kid
        self._key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
        if algorithm.startswith(("RS", "PS")):
            self._key = rsa.generate_private_key(65537, 2048)
        elif algorithm == "ES256":
            self._key = ec.generate_private_key(ec.SECP256R1())
        elif algorithm == "ES384":
            self._key = ec.generate_private_key(ec.SECP384R1())
        else:
            self._key = ed25519.Ed25519PrivateKey.generate()

    def by(self, algorithm: str) -> Signer:
        """Return a signer with the same key and another algorithm."""
        other = copy.copy(self)
        other.algorithm = algorithm
        return other

    def sign(self, data: bytes) -> bytes:
        """Return the signature in the form of RFC 7518. It is computed without the library that the server uses."""
        if isinstance(self._key, rsa.RSAPrivateKey):
            kinds: dict[str, hashes.HashAlgorithm] = {"256": hashes.SHA256(), "512": hashes.SHA512()}
            kind = kinds[self.algorithm[2:]]
            pss = padding.PSS(padding.MGF1(kind), kind.digest_size)
            scheme = pss if self.algorithm[0] == "P" else padding.PKCS1v15()
            return self._key.sign(data, scheme, kind)
        if isinstance(self._key, ec.EllipticCurvePrivateKey):
            size = 32 if self.algorithm == "ES256" else 48
            digest = hashes.SHA256() if size == 32 else hashes.SHA384()
            r, s = utils.decode_dss_signature(self._key.sign(data, ec.ECDSA(digest)))
            return r.to_bytes(size, "big") + s.to_bytes(size, "big")
        return self._key.sign(data)

    @property
    def pem(self) -> bytes:
        """Return the public key in PEM. Attacks of algorithm confusion use it as a shared secret."""
        public = self._key.public_key()
        return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def jwk(self, **more: Any) -> dict[str, Any]:
        """Return the public key as a JWK."""
        told = {"kid": self.kid, "use": "sig", "alg": self.algorithm, **more}
        public = self._key.public_key()
        if isinstance(public, rsa.RSAPublicKey):
            numbers = public.public_numbers()
            return {"kty": "RSA", "n": _number(numbers.n), "e": _number(numbers.e), **told}
        if isinstance(public, ec.EllipticCurvePublicKey):
            size = 32 if self.algorithm == "ES256" else 48
            place = public.public_numbers()
            x, y = (encoded(each.to_bytes(size, "big")) for each in (place.x, place.y))
            return {"kty": "EC", "crv": "P-256" if size == 32 else "P-384", "x": x, "y": y, **told}
        raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return {"kty": "OKP", "crv": "Ed25519", "x": encoded(raw), **told}

    def token(self, claims: Mapping[str, Any], **header: Any) -> str:
        """Return a token with these claims. `header` replaces members of the header; None removes one."""
        head = {"alg": self.algorithm, "typ": "at+jwt", "kid": self.kid, **header}
        head = {name: value for name, value in head.items() if value is not None}
        signed = f"{encoded(head)}.{encoded(claims)}"
        return f"{signed}.{encoded(self.sign(signed.encode()))}"


def confused(public: bytes, claims: Mapping[str, Any], kid: str) -> str:
    """Return a token signed by HMAC with a public key as its secret."""
    signed = f"{encoded({'alg': 'HS256', 'typ': 'at+jwt', 'kid': kid})}.{encoded(claims)}"
    mac = hmac.HMAC(public, hashes.SHA256())
    mac.update(signed.encode())
    return f"{signed}.{encoded(mac.finalize())}"


class Issuer:
    """The authorization server, used as a context manager."""

    def __init__(self, algorithm: str = "ES256", path: str = "", only: str = OPENID, port: int = 0) -> None:
        self.signer = Signer(algorithm, f"{algorithm}-1")
        self.keys: list[dict[str, Any]] = [self.signer.jwk()]
        self.asked: Counter[str] = Counter()
        self.introspected: dict[str, dict[str, Any]] = {}
        self.broken: set[str] = set()
        self.padding = ""
        self.held: dict[str, threading.Event] = {}
        self.held_tokens: threading.Event | None = None
        self._arrived = threading.Condition()
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer._answer(self, b"")

            def do_POST(self) -> None:
                issuer._answer(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *_: object) -> None:
                """Write no log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.port = self._server.server_address[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.name = f"{self.origin}{path}"
        self._place = f"{OAUTH}{path}" if only == OAUTH else f"{path}{OPENID}"
        self.metadata: dict[str, Any] = {
            "issuer": self.name,
            "jwks_uri": f"{self.origin}/keys",
            "introspection_endpoint": f"{self.origin}/introspect",
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def claims(self, audience: object, **more: Any) -> dict[str, Any]:
        """Return the claims of a valid token for this audience. A claim that is None is removed."""
        now = int(time.time())
        told = {"iss": self.name, "aud": audience, "sub": "alice", "client_id": "app", "exp": now + HOUR, "iat": now}
        return {name: value for name, value in {**told, **more}.items() if value is not None}

    def token(self, audience: object, **more: Any) -> str:
        """Return a valid token for this audience, with the claims in `more` changed."""
        return self.signer.token(self.claims(audience, **more))

    def rotate(self, algorithm: str = "ES256") -> None:
        """Replace the key by a new one."""
        self.signer = Signer(algorithm, f"{algorithm}-{hashlib.sha256(self.signer.pem).hexdigest()[:8]}")
        self.keys = [self.signer.jwk()]

    def wait_asked(self, path: str, times: int = 1, patience: float = 60) -> None:
        """Wait until this path was requested `times` times."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: self.asked[path] >= times, patience), path

    def _answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path = handler.path
        with self._arrived:
            self.asked[path] += 1
            self._arrived.notify_all()
        if path in self.held:
            self.held[path].wait(60)
        status, told = 200, b""
        if path in self.broken:
            status = 503
        elif path == self._place:
            told = json.dumps({**self.metadata, "padding": self.padding}).encode()
        elif path == "/keys":
            told = json.dumps({"keys": self.keys, "padding": self.padding}).encode()
        elif path == "/introspect":
            login = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
            if handler.headers["Authorization"] != f"Basic {login}":
                status = 401
            token = parse_qs(body.decode()).get("token", [""])[0]
            if self.held_tokens is not None and token not in self.introspected:
                self.held_tokens.wait(60)
            told = json.dumps(self.introspected.get(token, {"active": False})).encode()
        else:
            status = 404
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(told)))
        handler.end_headers()
        handler.wfile.write(told)
