# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Sign requests with AWS Signature Version 4, in the header field Authorization.

The signature covers method, path, query and body as they are sent, and the fields Host, Content-Type and `X-Amz-*`.
The secret key itself is never sent.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote, unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ..request.request import Request
    from ..text.addresses import Address

    Response = TypeVar("Response")
    Ask = Callable[[Request, Address], Awaitable[Response]]
    Field = tuple[str, str]

_ALGORITHM = "AWS4-HMAC-SHA256"
_UNRESERVED = "-_.~"
_REGION = re.compile(r"(?:[a-z]+-){2,3}[0-9]")
_GLOBAL = ".amazonaws.com"
_DOMAINS = (_GLOBAL, ".amazonaws.com.cn", ".api.aws")


def read_host(host: str) -> tuple[str, str]:
    """Return service and region in the name of a host of AWS, such as `execute-api` and `eu-west-1`.

    Each is "" if the host does not tell it. A host of AWS without a region belongs to us-east-1.
    """
    domain = next((each for each in _DOMAINS if host.endswith(each)), "")
    if not domain:
        return "", ""
    labels = [each for each in host.removesuffix(domain).split(".") if each != "dualstack"]
    at = next((at for at in reversed(range(len(labels))) if _REGION.fullmatch(labels[at])), None)
    if at is None:
        return labels[-1], "us-east-1" if domain == _GLOBAL else ""
    # `SERVICE.REGION`, but `REGION.es` and `REGION.aoss`
    return (labels[at + 1] if at + 1 < len(labels) else labels[at - 1] if at else ""), labels[at]


# Own code, since libraries are large or sign requests of other clients (docs/decisions/requests.md).
class Signature4:
    """Signer with one access key, for one service in one region."""

    __slots__ = ("_key_id", "_region", "_secret", "_service", "_token")

    def __init__(self, values: dict[str, str], host: str) -> None:
        """Create a signer. `values`: role -> value of the credential; `service` and `region` may be "".

        Raise KeyError with the role that neither `values` nor the host tells.
        """
        service, region = read_host(host)
        self._key_id, self._secret = values["access_key_id"], values["secret_access_key"]
        self._token = values["session_token"]
        self._service, self._region = values["service"] or service, values["region"] or region
        for role, value in (("service", self._service), ("region", self._region)):
            if not value:
                raise KeyError(role)

    def send(self, ask: Ask[Response], request: Request, address: Address) -> Awaitable[Response]:
        """Sign a request to the API at `address`, and send it by `ask`."""
        self.sign(request, address, time.time())
        return ask(request, address)

    def sign(self, request: Request, address: Address, now: float) -> None:
        """Set the fields of the signature in a request that is otherwise complete. `now`: Unix time in seconds."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        digest = hashlib.sha256(request.body or b"").hexdigest()
        token = [("X-Amz-Security-Token", self._token)] if self._token else []
        for name, value in (("X-Amz-Date", stamp), ("X-Amz-Content-Sha256", digest), *token):
            request.set_field(name, value)
        kept = [each for each in request.headers if each[0].lower().startswith(("x-amz-", "content-type"))]
        path = _path(address.path + request.path, self._service.startswith("s3"))
        text, names = canonical(request.method, path, request.query, [("host", address.authority), *kept], digest)
        scope = "/".join((stamp[:8], self._region, self._service, "aws4_request"))
        signature = sign_text(self._secret, stamp, scope, text)
        credential = f"Credential={self._key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
        request.set_field("Authorization", f"{_ALGORITHM} {credential}")


def _path(path: str, is_object: bool) -> str:
    """Return the canonical form of a path that is sent. In S3 the path names an object, so it stays as it is."""
    if is_object:
        return quote(unquote_to_bytes(path), safe=f"/{_UNRESERVED}")
    steps: list[str] = []
    for step in path.split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", "."):
            steps.append(step)
    text = "/".join(("", *steps, *([""] if path.endswith("/") or not steps else [])))
    return quote(text, safe=f"/{_UNRESERVED}")


def canonical(method: str, path: str, query: Iterable[str], fields: Iterable[Field], digest: str) -> tuple[str, str]:
    """Return the canonical request, and the names of the signed `fields`, joined by semicolons.

    `query`: encoded pairs. `digest`: SHA-256 of the body in hexadecimal.
    """
    pairs = sorted(
        [quote(unquote_to_bytes(part), safe=_UNRESERVED) for part in (name, value)]
        for name, _, value in (pair.partition("=") for pair in query)
    )
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(name.lower(), []).append(" ".join(value.split()))
    lines = [f"{name}:{','.join(found[name])}" for name in sorted(found)]
    names = ";".join(sorted(found))
    return "\n".join((method, path, "&".join(map("=".join, pairs)), *lines, "", names, digest)), names


def sign_text(secret: str, stamp: str, scope: str, text: str) -> str:
    """Return the signature of a canonical request in hexadecimal. `scope` is `DATE/REGION/SERVICE/aws4_request`."""
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signed = "\n".join((_ALGORITHM, stamp, scope, hashlib.sha256(text.encode()).hexdigest()))
    return hmac.new(key, signed.encode(), "sha256").hexdigest()
