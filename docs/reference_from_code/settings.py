"""The environment variables that every generated server reads: the rows of its settings table."""

from __future__ import annotations

from package.runtime.settings.settings import parser
from package.runtime.settings.settings_table import SETTINGS, Setting

from .markdown import definition

PREFIX = "PETSTORE"
"""The prefix of the examples."""


def markdown() -> str:
    """Return an entry for each variable: its purpose, and what its value must be."""
    return "\n".join(
        definition(f"`{row.variable(PREFIX)}`", _sentence(row.describe(PREFIX)), _accepted(row)) for row in SETTINGS
    )


def _sentence(text: str) -> str:
    return text if text.startswith("`") else text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _accepted(row: Setting) -> str:
    """Return what the parser says of a text that is no value of any setting; empty if it accepts the text."""
    try:
        parser(row)("?")
    except ValueError as reason:
        return f"Its value {reason}."
    return ""
