# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Recognise mistakes in environment variables: names that are no setting, and placeholders in place of secrets.

A variable that has this server's prefix and is never read may be a misspelt safety setting, which then has no effect.
A placeholder stands where the program that starts this server did not replace it. If it were sent, it would end in an
upstream's log, and the 401 would not say what is wrong. Loaded only if there are such variables.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

MOST_TOLD = 5
LONGEST_NAME = 80

_NEAR = 0.75
_HOOKS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "hooks.py")

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


# An unknown variable is no error, because the prefix of another server may begin with the same letters.
def warning(unread: Iterable[str], known: Collection[str], prefix: str) -> str:
    """Return one line that lists the unread names that are not known, with similar known names and never with values.

    Return "" if hooks.py mentions all these names, since its code may read the variables.
    """
    hooks = _text(_HOOKS)
    suffixes = [name.removeprefix(prefix) for name in known if name.startswith(prefix)]
    names = sorted(name for name in unread if name not in known and name not in hooks)
    told = [_told(name, get_close_matches(name.removeprefix(prefix), suffixes, 1, _NEAR), prefix) for name in names]
    more = [f"{len(told) - MOST_TOLD} more are none either."] if len(told) > MOST_TOLD else []
    return " ".join([*told[:MOST_TOLD], *more])


def _told(name: str, near: list[str], prefix: str) -> str:
    visible = "".join(each if each.isprintable() else "?" for each in name[:LONGEST_NAME])
    meant = f" Did you mean {prefix}{near[0]}?" if near else ""
    return f"{visible} is no setting of this server and does nothing.{meant}"


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def form(value: str) -> str:
    """Return the form of a value that is a placeholder, such as `${NAME}`; "" for any other value.

    A placeholder may follow a word, as in `Bearer ${TOKEN}`.
    """
    texts = value.strip(), value.rpartition(" ")[2]
    return next((form for form, pattern in FORMS if any(re.fullmatch(pattern, text) for text in texts)), "")
