"""How the text of a credential is made. A new static HTTP scheme is one line in `HTTP_SCHEMES`: requests, redaction,
`--doctor`, README, bundles, `install` and `mcpgen diff` follow from this line.
"""

from dataclasses import dataclass

from mcpgen.model.words import Signing


@dataclass(frozen=True, slots=True)
class CredentialText:
    """Text of a credential in a request: a word, a blank, and the values of `parts`, joined by colons.

    `purpose`: what a variable with one of the parts holds, as a format of `name` (of the scheme), `location`,
    `wire_name` and `role`. `base64`: True if the joined parts are sent in base64. `tokens`: True if the credential is
    an OAuth access token. `secret`: False if it is a setting, whose value results may show. `signing`: how the parts
    sign each request, instead of being sent; `further`: parts of a signature that may be absent.
    """

    purpose: str
    word: str = ""
    parts: tuple[str, ...] = ("value",)
    base64: bool = False
    tokens: bool = False
    secret: bool = True
    signing: Signing | None = None
    further: tuple[str, ...] = ()


HTTP_SCHEMES = {
    "bearer": CredentialText("bearer token or access token ({name})", "Bearer", tokens=True),
    "basic": CredentialText(
        "{role} for HTTP basic authentication ({name})", "Basic", ("username", "password"), base64=True
    ),
    "token": CredentialText("token, sent after the word Token ({name})", "Token"),
    "apikey": CredentialText("API key, sent after the word ApiKey ({name})", "ApiKey"),
    "geniekey": CredentialText("API key, sent after the word GenieKey ({name})", "GenieKey"),
    "digest": CredentialText(
        "{role} for HTTP digest authentication ({name})", "Digest", ("username", "password"), signing="digest"
    ),
    "aws4-hmac-sha256": CredentialText(
        "{role} for signatures of AWS, version 4 ({name})",
        "AWS4-HMAC-SHA256",
        ("access_key_id", "secret_access_key"),
        signing="sigv4",
        further=("session_token", "service", "region"),
    ),
}
"""Scheme of HTTP authentication in lower case → text in the header field Authorization (RFC 9110, section 11.4)."""

BEARER = HTTP_SCHEMES["bearer"]
AWS_SIGNATURE = HTTP_SCHEMES["aws4-hmac-sha256"]
API_KEY = CredentialText("API key, sent in the {location} {wire_name} ({name})")
SETTING = CredentialText("optional, sent in the {location} as {wire_name}", secret=False)
ANY_HEADER = CredentialText("one more header for every request, as Name: value")
"""A header field whose name and value the operator writes."""
