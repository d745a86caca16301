"""Test docs/how-to/enterprise-authorization.md with real servers: an identity provider that gives identity assertions
(ID-JAG), and an authorization server that exchanges them for access tokens (both npm `oidc-provider`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.identity import provider
from tests.identity.issuer import Signer
from tests.identity.provider import PATIENCE, Provider
from tests.identity.test_clients import BACK, CALL, driven, serving
from tests.interop import environments
from tests.streamable.messages import calling, mirrored
from tests.streamable.upstream import Upstream

URN = "urn:ietf:params:oauth"
EXCHANGE, BEARER = f"{URN}:grant-type:token-exchange", f"{URN}:grant-type:jwt-bearer"
CLIENT, SECRET = "company-client", "secret-of-the-client-of-a-company"
OTHER = "https://other.example/mcp"
CLIENTS = [("python-2", "auto"), ("typescript-2", "auto")]
pytestmark = pytest.mark.slow


class Company(NamedTuple):
    """The identity provider, whose policy allows anna and nobody else, and the authorization server."""

    idp: Provider
    login: Provider

    def id_token(self, user: str) -> str:
        """Log in a user at the identity provider, and return the ID token."""
        return str(self.idp.tokens(user, CLIENT, BACK, SECRET, scope="openid")["id_token"])

    def exchanged(self, user: str, resource: str) -> dict[str, Any]:
        """Return the response to an exchange of the user's ID token for an assertion for a server."""
        form = {
            "grant_type": EXCHANGE,
            "requested_token_type": f"{URN}:token-type:id-jag",
            "subject_token": self.id_token(user),
            "subject_token_type": f"{URN}:token-type:id_token",
            "client_id": CLIENT,
            "client_secret": SECRET,
            "audience": self.login.issuer,
            "resource": resource,
            "scope": "pets:read",
        }
        answer = httpx.post(f"{self.idp.issuer}/token", data=form, timeout=PATIENCE, trust_env=False)
        told: dict[str, Any] = answer.json()
        return told

    def redeemed(self, assertion: str) -> dict[str, Any]:
        """Return the response to an exchange of an assertion for an access token."""
        form, login = {"grant_type": BEARER, "assertion": assertion}, (CLIENT, SECRET)
        answer = httpx.post(f"{self.login.issuer}/token", data=form, auth=login, timeout=PATIENCE, trust_env=False)
        told: dict[str, Any] = answer.json()
        return told


@pytest.fixture(scope="module")
def company() -> Iterator[Company]:
    """Yield both servers of a company. The client is registered at both."""
    posts = {"token_endpoint_auth_method": "client_secret_post", "grant_types": ["authorization_code", EXCHANGE]}
    at_idp = provider.client(CLIENT, SECRET, redirects=[BACK], **posts)
    at_login = provider.client(CLIENT, SECRET, grant_types=[BEARER])
    with ExitStack() as stack:
        try:
            idp = stack.enter_context(provider.serve(clients=[at_idp], assertions_for=["anna"]))
            login = provider.serve(scopes=["pets:read"], clients=[at_login], assertions_of=[idp.issuer])
            yield Company(idp, stack.enter_context(login))
        except environments.Missing as missing:
            pytest.skip(str(missing))


@pytest.mark.parametrize(("name", "mode"), CLIENTS, ids=lambda each: each or "")
def test_a_client_gets_from_an_id_token_to_a_call(
    project: Path, upstream: Upstream, company: Company, name: str, mode: str
) -> None:
    issuer = company.login.issuer
    told = {"idp": company.idp.issuer, "token": company.id_token("anna"), "id": CLIENT, "secret": SECRET}
    with serving(project, upstream, AUTH_ISSUER=issuer, AUTH_SCOPES="pets:read", AUDIT="stderr") as (url, lines):
        job = {"url": url, "browser": "", "mode": mode, "calls": [CALL], "issuer": issuer, "client": None}
        report = driven(name, {**job, "company": told})
    assert (report["results"], report["granted"]) == (["/echo/hi"], "pets:read")
    assert (company.idp.grants(EXCHANGE)[-1]["status"], company.login.grants(BEARER)[-1]["status"]) == (200, 200)
    audit = [json.loads(line) for line in b"".join(lines).splitlines() if line.startswith(b'{"audit"')]
    called = [each for each in audit if each["outcome"] == "ok"]
    assert {(each["user"], each["issuer"], each["client"]["id"]) for each in called} == {("anna", issuer, CLIENT)}


def test_the_other_tokens_of_the_exchange_are_refused(project: Path, upstream: Upstream, company: Company) -> None:
    """Send each token of the page's table, and then the access token for the server."""
    with serving(project, upstream, AUTH_ISSUER=company.login.issuer, AUTH_SCOPES="pets:read") as (url, _):

        def status(token: str) -> int:
            message = calling("echo", text="hi")
            headers = {**mirrored(message), "Authorization": f"Bearer {token}"}
            return httpx.post(url, json=message, headers=headers, timeout=PATIENCE, trust_env=False).status_code

        assertion = company.exchanged("anna", url)["access_token"]
        for_other = company.redeemed(company.exchanged("anna", OTHER)["access_token"])["access_token"]
        assert [status(token) for token in (company.id_token("anna"), assertion, for_other)] == [401, 401, 401]
        assert status(company.redeemed(assertion)["access_token"]) == 200


def test_whom_the_policy_does_not_allow_gets_no_assertion(company: Company) -> None:
    assert company.exchanged("bob", OTHER)["error"] == "access_denied"


def test_the_authorization_server_verifies_assertions(company: Company) -> None:
    """Test the grant of the tests itself: a forged assertion, and one that was used before, give no token."""
    now = int(time.time())
    claims = {"iss": company.idp.issuer, "sub": "anna", "aud": company.login.issuer, "client_id": CLIENT, "jti": "1"}
    forged = Signer("ES256", "1").token(
        {**claims, "resource": OTHER, "iat": now, "exp": now + 300}, typ="oauth-id-jag+jwt"
    )
    assert company.redeemed(forged)["error"] == "invalid_grant"
    assertion = company.exchanged("anna", OTHER)["access_token"]
    assert "access_token" in company.redeemed(assertion)
    assert company.redeemed(assertion)["error"] == "invalid_grant"
