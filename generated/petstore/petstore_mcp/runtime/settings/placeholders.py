# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Recognise placeholders that stand where a secret should: the program that starts this server did not replace them.

Sent as they are, placeholders would end in an upstream's log, and its 401 would not say what is wrong.
"""

from __future__ import annotations

import re

FORMS = (
    ("${NAME}", r"\$\{[^{}]+\}"),
    ("{{name}}", r"\{\{[^{}]+\}\}"),
    ("$NAME", r"\$([A-Z][A-Z0-9]*(_[A-Z0-9]+)+|TOKEN|KEY|SECRET|PASSWORD)"),
    ("%NAME%", r"%[A-Z][A-Z0-9_]+%"),
    ("<your-token>", r"<[^<>]+>"),
    ("op://VAULT/ITEM/FIELD", r"op://.+"),
    ("YOUR_API_KEY", r"(?i:your[-_ ].*(key|token|secret|password|username|id|here))"),
)
"""Forms of placeholders for messages, and patterns of the whole text."""


def form(value: str) -> str:
    """Return the form of a value that is a placeholder, such as `${NAME}`; "" for any other value.

    A placeholder may follow a word, as in `Bearer ${TOKEN}`.
    """
    texts = value.strip(), value.rpartition(" ")[2]
    return next((form for form, pattern in FORMS if any(re.fullmatch(pattern, text) for text in texts)), "")
