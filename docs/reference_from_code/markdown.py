"""Text of the code as Markdown."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\*_<>\[\]|#$~{}])")


def prose(text: str) -> str:
    """Return a text on one line with Markdown's special characters escaped, but for code between backticks."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(part if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in parts)


def code(text: str) -> str:
    """Return a text as inline code."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def definition(term: str, *paragraphs: str) -> str:
    """Return one entry of a definition list: a term and its paragraphs, of which empty ones are left out."""
    first, *rest = [text for text in paragraphs if text] or [" "]
    return "\n".join([term, f": {first}", *(f"\n  {text}" for text in rest), ""])
