# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Recognise names and texts that mean a secret.

This is the only list of such words. The server refuses forms by it, because MCP forbids asking for a secret: a client
may log what its user fills in. The audit leaves out arguments by it. The compiler (`base/secrets.py`) finds
secrets in documents by it.
"""

from __future__ import annotations

import re

from ..text.folded_names import humps

WORDS = frozenset(
    (
        *("password", "passwords", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets", "token", "tokens"),
        *("apikey", "apitoken", "credential", "credentials", "otp", "totp", "pin", "cvv", "cvc", "cvv2", "cvc2", "ssn"),
        *("accesskey", "accesstoken", "authkey", "authtoken", "secretkey", "privatekey", "clientsecret", "appsecret"),
        *("apisecret", "appkey", "sharedkey", "subscriptionkey", "bearertoken", "usertoken", "sessiontoken"),
        *("refreshtoken", "idtoken", "oauthtoken", "licensekey", "masterkey", "signingkey", "encryptionkey"),
        *("userpass", "cardnumber", "passwort", "kennwort", "contrasena", "senha", "wachtwoord"),
    )
)
"""Words in the name of a field that mean a secret."""

DATA = frozenset(
    (
        *("page", "next", "previous", "prev", "continuation", "continue", "cursor", "sync", "policy", "count", "limit"),
        *("code", "max", "min", "maximum", "minimum", "budget", "usage", "idempotency", "prompt", "completion"),
        *("expires", "expiry", "expiration", "lifetime", "ttl", "length", "enabled", "required", "status"),
    )
)
"""Words beside which a word of `WORDS` means something else, such as `page_token` and `pin_code`."""

ABOUT = frozenset(
    (
        *("id", "ids", "name", "names", "type", "types", "url", "urls", "uri", "endpoint", "format", "hint", "version"),
        *("method", "scopes", "arn", "ref", "description", "field", "header", "prefix", "path", "file"),
    )
)
"""Last words of a name that mean a property of a secret, such as `token_type`, and not the secret itself."""

ASKED = re.compile(
    r"\b(?:pass ?(?:word|phrase|code)s?|passwd"
    r"|(?:api|access|private|secret|signing|encryption|auth\w*|subscription|app|application|licen[cs]e|master|shared"
    r"|account|storage|webhook|service|consumer|functions?|recovery|activation)[ _-]?keys?"
    r"|(?:api|access|auth\w*|bearer|refresh|session|secret|security)[ _-]?tokens?|client[ _-]?secrets?"
    r"|(?:your|the|a) secret|your (?:pin|token)|credentials?"
    r"|(?:one[- ]time|mfa|2fa|two[- ]factor|recovery|backup|auth|authorization) (?:code|pin)s?|otp"
    r"|(?:(?:credit|debit|payment|bank)[ _-])?card (?:number|no\b)|card verification|cv[vc]2?"
    r"|security code|social security(?: number)?)\b",
    re.IGNORECASE,
)
"""Words in a text that ask for a secret, or, joined by blanks, the words of a name that mean one."""


def is_secret_name(name: str) -> bool:
    """Return True if a field, variable, header or parameter of this name holds a secret."""
    words = humps(name)
    beside = DATA.intersection(words)
    # `one_time_code` is a secret, `page_token` and `token_type` are not
    if beside - {"code"} or not ABOUT.isdisjoint(words[-1:]):
        return False
    return (not beside and not WORDS.isdisjoint(words)) or ASKED.search(" ".join(words)) is not None


def asks_for_secret(names: list[str], texts: list[str]) -> bool:
    """Return True if a form with fields of these names, or one of its texts, asks for a secret."""
    return any(map(is_secret_name, names)) or any(map(ASKED.search, texts))


def without_named_secrets(value: object) -> object:
    """Return a JSON value with `[redacted]` in place of each member whose name means a secret."""
    if isinstance(value, dict):
        return {
            key: "[redacted]" if is_secret_name(key) else without_named_secrets(each) for key, each in value.items()
        }
    return [without_named_secrets(each) for each in value] if isinstance(value, list) else value
