"""Write entries of security schemes in `bindings.json`, as the compiler does."""

from __future__ import annotations

from typing import Any

from mcpgen.emit import table
from mcpgen.lower.request.security import bind
from mcpgen.model import (
    ANY_HEADER,
    API_KEY,
    BEARER,
    HTTP_SCHEMES,
    SETTING,
    CredentialPlace,
    Login,
    SecurityScheme,
    UserFlow,
)


def api_key(location: CredentialPlace, name: str, variable: str) -> dict[str, Any]:
    """Return the entry of an API key in a header field, a query parameter or a cookie."""
    return _entry(SecurityScheme("key", API_KEY, location, name), {"value": variable})


def setting(name: str, variable: str) -> dict[str, Any]:
    """Return the entry of a query parameter that is no secret."""
    return _entry(SecurityScheme("setting", SETTING, "query", name), {"value": variable})


def bearer(variable: str) -> dict[str, Any]:
    """Return the entry of an access token that the operator gives."""
    return _entry(SecurityScheme("token", BEARER), {"value": variable})


def basic(username: str, password: str) -> dict[str, Any]:
    """Return the entry of HTTP basic authentication."""
    scheme = SecurityScheme("basic", HTTP_SCHEMES["basic"])
    return _entry(scheme, {"username": username, "password": password})


def any_header(variable: str) -> dict[str, Any]:
    """Return the entry of a header field that the operator writes."""
    return _entry(SecurityScheme("header", ANY_HEADER, wire_name=""), {"value": variable})


def oauth(variables: dict[str, str], token_url: str = "", discovery_url: str = "") -> dict[str, Any]:
    """Return the entry of a token that the server fetches by the client credentials grant."""
    return _entry(SecurityScheme("oauth", BEARER, token_url=token_url, discovery_url=discovery_url), variables)


def login(described: Login, variables: dict[str, str], token_url: str = "/token") -> dict[str, Any]:
    """Return the entry of a token that the server fetches with a request to the API itself."""
    return _entry(SecurityScheme("login", BEARER, token_url=token_url, login=described), variables)


def user(flow: UserFlow, variables: dict[str, str]) -> dict[str, Any]:
    """Return the entry of a token that a user gets by a login in the browser."""
    return _entry(SecurityScheme("user", BEARER, user=flow), variables)


def _entry(scheme: SecurityScheme, variables: dict[str, str]) -> dict[str, Any]:
    return table.scheme(bind(scheme, variables))
