"""Find questions to the user (MCP elicitation) that ask for a secret, or that show one.

MCP forbids asking for secrets in a form, because the client or the model's host may log the answer. A server reads its
secrets from environment variables.
"""

import re
from collections.abc import Iterator

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.base.runtime import secret_words
from mcpgen.base.secrets import is_secret_name

_FROM_ENVIRONMENT = re.compile(r"\$\{?[A-Za-z_]\w*\}?|%[A-Z_][A-Z0-9_]*%|\{\{|\b(?:env|secrets)\.[A-Za-z_]")
_FORMATS = ("password", "token", "secret")


# MCP forbids such forms: a client may log what its user fills in, and the model's host may read it.
def secret_field(name: str, field: JsonObject, written: JsonObject) -> str:
    """Return how a field asks for a secret, as the end of a sentence, or "" if it does not."""
    if is_secret_name(name):
        return "by its name"
    if written.get("format") in _FORMATS or written.get("writeOnly") is True:
        return "by its format"
    return next((f"by the words '{found}'" for text in _texts(field) if (found := _secret_in(text))), "")


def secret_text(text: str) -> str:
    """Return the words by which a message asks for a secret or shows a secret from the environment, or "" if it does
    neither.
    """
    shown = _FROM_ENVIRONMENT.search(text)
    return shown[0] if shown else _secret_in(text)


def _secret_in(text: str) -> str:
    found = secret_words.ASKED.search(text)
    return found[0] if found else ""


def _texts(field: JsonObject) -> Iterator[str]:
    yield as_text(field.get("title"))
    yield as_text(field.get("description"))
    for key in ("oneOf", "anyOf"):
        yield from (as_text(as_object(each).get("title")) for each in as_list(field.get(key)))
