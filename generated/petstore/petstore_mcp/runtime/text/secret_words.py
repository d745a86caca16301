# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find questions that ask for a secret, which MCP forbids: a client may log what its user fills in.

The compiler has the same rules for questions of the tools file (`secret_questions.py`).
"""

from __future__ import annotations

import re

_HUMPS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[A-Z]+")

WORDS = frozenset(
    (
        *("password", "passwords", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets", "token", "tokens"),
        *("apikey", "apitoken", "credential", "credentials", "otp", "totp", "pin", "cvv", "cvc", "cvv2", "cvc2", "ssn"),
    )
)
"""Words in the name of a field that mean a secret."""

DATA = frozenset(
    ("page", "next", "previous", "prev", "continuation", "cursor", "sync", "policy", "count", "limit", "code")
)
"""Words beside which a word of `WORDS` means something else, such as `page_token` and `pin_code`."""

ASKED = re.compile(
    r"\b(?:pass ?(?:word|phrase|code)s?|passwd|(?:api|access|private|secret|signing|encryption)[ _-]?keys?"
    r"|(?:api|access|auth\w*|bearer|refresh|session|secret|security)[ _-]?tokens?|client[ _-]?secrets?"
    r"|(?:your|the|a) secret|your (?:pin|token)|credentials?"
    r"|one[- ]time (?:code|pin)|otp"
    r"|(?:(?:credit|debit|payment|bank)[ _-])?card (?:number|no\b)|card verification|cv[vc]2?"
    r"|security code|social security number)\b",
    re.IGNORECASE,
)
"""Words in a text that ask for a secret."""


def asks_for_secret(names: list[str], texts: list[str]) -> bool:
    """Return True if a form with fields of these names, or one of its texts, asks for a secret."""
    split = [{word.lower() for word in _HUMPS.findall(name)} for name in names]
    return any(words & WORDS and not words & DATA for words in split) or any(map(ASKED.search, texts))
