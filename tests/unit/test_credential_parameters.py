"""Test which parameters count as credentials, parts of a signature, or transport details, with examples from published
documents.
"""

from __future__ import annotations

import pytest

from mcpgen.base.diagnostics import Where
from mcpgen.model import Location, Parameter
from mcpgen.read.openapi.credentials import Verdict, verdict

ROWS: list[tuple[Location, str, str, Verdict | None]] = [
    # credentials recognized by name
    ("header", "X-ListenAPI-Key", "", "credential"),
    ("header", "X-Auth-Token", "", "credential"),
    ("header", "PRIVATE-TOKEN", "", "credential"),
    ("header", "DD-APPLICATION-KEY", "", "credential"),
    ("header", "X-Registry-Auth", "A base64url-encoded auth configuration.", "credential"),
    ("query", "apiKey", "", "credential"),
    ("cookie", "access_token", "", "credential"),
    # credentials recognized by description
    ("query", "key", "Your registered API key.", "credential"),
    ("query", "appid", "Your unique API key", "credential"),
    ("query", "token", "Authentication token. Requires scope: `none`", "credential"),
    ("query", "user_key", "API key for your account", "credential"),
    # parts of a request's signature, and parameters with similar names
    ("header", "X-Amz-Signature", "", "signature"),
    ("query", "X-Amz-SignedHeaders", "", "signature"),
    ("header", "X-Hub-Signature", "", "signature"),
    ("header", "X-Amz-Target", "", None),
    ("header", "x-amz-copy-source", "", None),
    # ordinary arguments
    ("path", "token", "Access token", None),
    ("query", "pageToken", "The access token of the next page", None),
    ("query", "continuation_token", "Auth token to go on with", None),
    ("query", "key", "The key of the application property.", None),
    ("query", "issueKey", "The key of the issue.", None),
    ("query", "applicationKey", "The application key of the product user groups to search for.", None),
    ("query", "token", "package token", None),
    ("query", "token_id", "The ID of the token", None),
    ("query", "api_key_ids", "Return only costs for these API keys.", None),
    ("query", "plugin_payment_token", "Short-lived token used to authenticate a payment", None),
    ("query", "hide_secret", "Whether to hide literal secrets.", None),
    ("header", "Idempotency-Key", "API key of the request", None),
    ("header", "X-CSRF-Token", "", None),
    ("query", "session", "Accounts that were collected in the session.", None),
]


@pytest.mark.parametrize(("location", "name", "description", "found"), ROWS)
def test_what_a_parameter_is(location: Location, name: str, description: str, found: Verdict | None) -> None:
    assert verdict(Parameter(name, location, {}, Where("x"), description=description)) == found


@pytest.mark.parametrize(
    ("name", "required", "usual", "found"),
    [
        ("prettyPrint", False, True, "setting"),
        ("Zuora-Track-Id", False, True, "setting"),
        ("quotaUser", False, False, None),
        ("alt", True, True, None),
        ("fields", False, True, None),
        ("limit", False, True, None),
        ("token", False, True, "credential"),
        ("token", False, False, None),
        ("key", False, True, None),
    ],
)
def test_what_all_operations_share(name: str, required: bool, usual: bool, found: Verdict | None) -> None:
    assert verdict(Parameter(name, "query", {}, Where("x"), required=required), usual=usual) == found
