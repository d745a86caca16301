# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the endpoints of an authorization server: those in the API description, completed from the server's metadata.

The metadata are a document of OpenID Connect Discovery 1.0 or RFC 8414. Each URL in them must obey the rules for URLs
of the API description (`settings.origins`): https, an accepted origin, no link-local or cloud metadata address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..oauth import well_known
from . import answers
from .errors import LoginFailed

if TYPE_CHECKING:
    from ..oauth.discovery import Send
    from ..settings.origins import Endpoint
    from .scheme import UserScheme


class Endpoints:
    """Endpoints of an authorization server. An endpoint that the server does not have is None.

    - `authorization`: URL for the user's browser. `metadata_url`: where the metadata were found, or "".
    - `issuer`: identifier of the server, "" if unknown. `sends_issuer`: its redirects must contain `iss` (RFC 9207).
    """

    __slots__ = (
        "authorization",
        "device",
        "gives_offline_access",
        "issuer",
        "metadata_url",
        "registration",
        "revocation",
        "sends_issuer",
        "token",
        "token_url",
        "userinfo",
    )

    def __init__(self) -> None:
        self.authorization = ""
        self.token: Endpoint | None = None
        self.token_url = self.metadata_url = self.issuer = ""
        self.device: Endpoint | None = None
        self.registration: Endpoint | None = None
        self.revocation: Endpoint | None = None
        self.userinfo: Endpoint | None = None
        self.sends_issuer = self.gives_offline_access = False


async def find(scheme: UserScheme, send: Send) -> Endpoints:
    """Return the endpoints of a scheme's authorization server. Raise LoginFailed if it has no known token endpoint."""
    flow, found = scheme.flow, Endpoints()
    url, metadata = await _metadata(scheme, send)
    found.metadata_url = url if metadata else ""
    named: dict[str, str] = {}
    if metadata is not None:
        for name in ("authorization", "token", "device_authorization", "registration", "revocation", "userinfo"):
            named[name] = metadata.text(f"{name}_endpoint", 2000)
        found.issuer = _issuer(metadata.text("issuer", 2000), url)
        found.sends_issuer = metadata.content.get("authorization_response_iss_parameter_supported") is True
        scopes = metadata.content.get("scopes_supported")
        found.gives_offline_access = isinstance(scopes, list) and "offline_access" in scopes

    def endpoint(described: str, name: str) -> Endpoint | None:
        if described:
            return scheme.resolve(described)
        return scheme.resolve_named(named[name], url) if named.get(name) else None

    found.token_url = flow.get("tokenUrl", "") or named.get("token", "")
    found.token = endpoint(flow.get("tokenUrl", ""), "token")
    if found.token is None:
        raise LoginFailed(
            f"Nobody can log in for {scheme.label}: neither the API's description nor metadata of its authorization "
            f"server say where tokens are given. Set {scheme.variable} to a ready access token."
        )
    opened = endpoint(flow.get("authorizationUrl", ""), "authorization")
    found.authorization = opened.address.origin + opened.target if opened is not None else ""
    found.device = endpoint(flow.get("deviceAuthorizationUrl", ""), "device_authorization")
    for name in ("registration", "revocation", "userinfo"):
        try:
            setattr(found, name, endpoint("", name))
        except LoginFailed:  # the endpoint's host is not accepted: leave out this endpoint, which a login does not need
            continue
    return found


async def _metadata(scheme: UserScheme, send: Send) -> tuple[str, answers.Answer | None]:
    """Return the URL of the metadata and the response that contains them; ("", None) if there are none.

    If the API description names no metadata URL, the well-known URLs at the origin of its endpoints are tried. Such
    metadata are used only if their issuer has that origin, and if they name the same endpoints.
    """
    flow = scheme.flow
    if url := flow.get("metadataUrl", ""):
        answer = await answers.fetch(send, scheme.resolve(url))
        if answer.status != 200 or not answer.content:
            if "tokenUrl" in flow:
                return "", None
            raise LoginFailed(f"The authorization server gave no metadata: {answer.said}.")
        return _absolute(scheme, url), answer
    for suffix in (well_known.OAUTH, well_known.OPENID):
        at = scheme.resolve(flow.get("authorizationUrl") or flow.get("tokenUrl") or scheme.place)
        url = at.address.origin + suffix
        try:
            answer = await answers.fetch(send, scheme.resolve_named(url, at.address.origin + at.target))
        except LoginFailed:
            return "", None
        if answer.status == 200 and _is_of(answer, scheme, url):
            return url, answer
    return "", None


def _absolute(scheme: UserScheme, url: str) -> str:
    where = scheme.resolve(url)
    return where.address.origin + where.target


def _is_of(answer: answers.Answer, scheme: UserScheme, url: str) -> bool:
    """Return True if the issuer of the metadata may publish them at `url`, and their endpoints match the description.

    The authorization and the token endpoint are compared with those of the API description, as far as it has them.
    `url`: the well-known URL of the metadata.
    """
    if not _issuer(answer.text("issuer", 2000), url):
        return False
    for key, name in (("authorizationUrl", "authorization_endpoint"), ("tokenUrl", "token_endpoint")):
        described = scheme.flow.get(key, "")
        if described and _absolute(scheme, str(described)) != answer.text(name, 2000):
            return False
    return True


def _issuer(issuer: str, url: str) -> str:
    """Return `issuer` if its metadata may be published at `url` (RFC 8414, section 3.3), else ""."""
    plain = issuer.rstrip("/")
    origin = "/".join(plain.split("/")[:3])
    path = plain[len(origin) :]
    places = [origin + target for target in (*well_known.targets(path), path + well_known.OAUTH)]
    return issuer if plain and url in places else ""
