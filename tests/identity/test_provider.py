"""Test that the authorization server of the tests supports what clients need.

These are registration, PKCE, refresh, introspection and device codes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from tests.identity import provider
from tests.identity.provider import PATIENCE, Provider
from tests.interop import environments

RESOURCE = "http://127.0.0.1:8000/mcp"
BACK = "http://127.0.0.1:4444/callback"
VERIFIER = "v" * 64
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    """Yield the authorization server with a confidential client."""
    resources = {"http://127.0.0.1:9000/mcp": {"format": "opaque"}, "*": {}}
    try:
        with provider.serve(
            scopes=("pets:read", "pets:write"),
            clients=[provider.client("checker", "checker-secret")],
            resources=resources,
            claims={"alice": {"roles": ["admin"]}},
        ) as found:
            yield found
    except environments.Missing as missing:
        pytest.skip(str(missing))


def _post(url: str, **form: str) -> dict[str, Any]:
    answer = httpx.post(url, data=form, timeout=PATIENCE, trust_env=False)
    told: dict[str, Any] = answer.json()
    return told


def _registered(server: Provider, metadata: dict[str, Any]) -> str:
    body = {"redirect_uris": [BACK], "application_type": "native", "client_name": "test"}
    answer = httpx.post(metadata["registration_endpoint"], json=body, timeout=PATIENCE, trust_env=False)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["client_id"])


def _url(metadata: dict[str, Any], client: str, resource: str) -> str:
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
    query = {
        "client_id": client,
        "response_type": "code",
        "redirect_uri": BACK,
        "scope": "openid offline_access pets:read",
        "prompt": "consent",
        "resource": resource,
        "state": "xyz",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{metadata['authorization_endpoint']}?{urlencode(query)}"


@pytest.mark.parametrize("resource", [RESOURCE, "http://127.0.0.1:9000/mcp"], ids=["jwt", "opaque"])
def test_the_way_of_a_user(server: Provider, resource: str) -> None:
    found = httpx.get(f"{server.issuer}/.well-known/openid-configuration", timeout=PATIENCE, trust_env=False)
    metadata = found.json()
    assert metadata["issuer"] == server.issuer
    client = _registered(server, metadata)
    location = server.log_in(_url(metadata, client, resource), "alice")
    told = parse_qs(urlsplit(location).query)
    assert location.startswith(BACK)
    assert (told["state"], told["iss"]) == (["xyz"], [server.issuer])
    form = {"client_id": client, "redirect_uri": BACK, "code": told["code"][0], "code_verifier": VERIFIER}
    first = _post(metadata["token_endpoint"], grant_type="authorization_code", resource=resource, **form)
    assert first["scope"] == "pets:read"
    assert (first["access_token"].count(".") == 2) is (resource == RESOURCE)
    again = _post(
        metadata["token_endpoint"], grant_type="refresh_token", client_id=client, refresh_token=first["refresh_token"]
    )
    assert again["access_token"] != first["access_token"]
    assert [each["status"] for each in server.grants("refresh_token")][-1] == 200
    if resource != RESOURCE:
        told = httpx.post(
            metadata["introspection_endpoint"],
            data={"token": again["access_token"]},
            auth=("checker", "checker-secret"),
            timeout=PATIENCE,
            trust_env=False,
        ).json()
        assert (told["active"], told["sub"], told["client_id"], told["aud"]) == (True, "alice", client, resource)


def test_a_user_who_does_not_agree(server: Provider) -> None:
    metadata = httpx.get(f"{server.issuer}/.well-known/openid-configuration", timeout=PATIENCE, trust_env=False).json()
    location = server.log_in(_url(metadata, _registered(server, metadata), RESOURCE), agrees=False)
    assert parse_qs(urlsplit(location).query)["error"] == ["access_denied"]


def test_a_device_code(server: Provider) -> None:
    metadata = httpx.get(f"{server.issuer}/.well-known/openid-configuration", timeout=PATIENCE, trust_env=False).json()
    body = {
        "redirect_uris": [],
        "response_types": [],
        "grant_types": ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
        "application_type": "native",
    }
    answer = httpx.post(metadata["registration_endpoint"], json=body, timeout=PATIENCE, trust_env=False)
    client = answer.json()["client_id"]
    begun = _post(
        metadata["device_authorization_endpoint"], client_id=client, scope="openid pets:read", resource=RESOURCE
    )
    grant = "urn:ietf:params:oauth:grant-type:device_code"
    form = {"grant_type": grant, "client_id": client, "device_code": begun["device_code"]}
    assert _post(metadata["token_endpoint"], **form)["error"] == "authorization_pending"
    server.enter_code(begun["verification_uri_complete"], "bob")
    assert _post(metadata["token_endpoint"], **form)["scope"] == "pets:read"


def test_a_client_of_its_own(server: Provider) -> None:
    told = server.token("checker", "checker-secret", scope="pets:write", resource=RESOURCE)
    assert told["scope"] == "pets:write"
