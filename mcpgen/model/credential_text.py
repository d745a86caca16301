"""How the text of a credential is made. A new static HTTP scheme is one line in `HTTP_SCHEMES`: requests, redaction,
`--doctor`, README, bundles, `install` and `mcpgen diff` follow from this line.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CredentialText:
    """Text of a credential in a request: a word, a blank, and the values of `parts`, joined by colons.

    `purpose`: what a variable with one of the parts holds, as a format of `name` (of the scheme), `location`,
    `wire_name` and `role`. `base64`: True if the joined parts are sent in base64. `tokens`: True if the credential is
    an OAuth access token. `secret`: False if it is a setting, whose value results may show.
    """

    purpose: str
    word: str = ""
    parts: tuple[str, ...] = ("value",)
    base64: bool = False
    tokens: bool = False
    secret: bool = True


HTTP_SCHEMES = {
    "bearer": CredentialText("bearer token or access token ({name})", "Bearer", tokens=True),
    "basic": CredentialText(
        "{role} for HTTP basic authentication ({name})", "Basic", ("username", "password"), base64=True
    ),
    "token": CredentialText("token, sent after the word Token ({name})", "Token"),
    "apikey": CredentialText("API key, sent after the word ApiKey ({name})", "ApiKey"),
    "geniekey": CredentialText("API key, sent after the word GenieKey ({name})", "GenieKey"),
}
"""Scheme of HTTP authentication in lower case → text in the header field Authorization (RFC 9110, section 11.4)."""

BEARER = HTTP_SCHEMES["bearer"]
API_KEY = CredentialText("API key, sent in the {location} {wire_name} ({name})")
SETTING = CredentialText("optional, sent in the {location} as {wire_name}", secret=False)
ANY_HEADER = CredentialText("one more header for every request, as Name: value")
"""A header field whose name and value the operator writes."""
