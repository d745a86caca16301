"""The environment variables that every generated server reads, from its settings.

The purposes stand in `settings/purposes.py`, the accepted values in the parsers. A variable that is in one of them
alone ends the build.
"""

from __future__ import annotations

import ast
from pathlib import Path

from package.runtime.settings import callers, listening, setting_parsers, settings, sizes
from package.runtime.settings.purposes import PURPOSES

from .markdown import definition

PREFIX = "PETSTORE"
"""The prefix of the examples."""

READ_OTHERWISE = {
    "AUTH_INTROSPECTION_CLIENT_SECRET",
    "PROXY",
    "CLIENT_CERT",
    "CLIENT_KEY",
    "BASE_URL",
    "METRICS",
    "METRICS_TOKEN",
    "STATE_KEY",
    "STORE",
}
"""Variables that are read by a method of their own."""


def markdown() -> str:
    """Return an entry for each variable: its purpose, and what its value must be."""
    purposes, accepted = _purposes(), _accepted()
    missing = (accepted.keys() | READ_OTHERWISE) ^ purposes.keys()
    assert not missing, f"in purposes.py or in settings.py alone: {', '.join(sorted(missing))}"
    entries = []
    for name, purpose in purposes.items():
        words = f"Its value {accepted[name]}." if accepted.get(name) else ""
        entries.append(definition(f"`{PREFIX}_{name}`", _sentence(purpose), words))
    return "\n".join(entries)


def _purposes() -> dict[str, str]:
    """Return the purpose of each variable, with the names of other variables in full."""
    return {
        name: ("over HTTP, " if feature == "http" else "") + purpose.replace("`_", f"`{PREFIX}_")
        for name, (feature, purpose) in PURPOSES.items()
    }


def _sentence(text: str) -> str:
    return text if text.startswith("`") else text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _accepted() -> dict[str, str]:
    """Return the words of the parser of each variable for a value that it refuses; empty where it refuses none."""
    found: dict[str, str] = {}
    for module in (settings, listening):
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] != "checked":
                continue
            name, parser = node.args[:2]
            if isinstance(name, ast.Constant):
                found[str(name.value)] = _refusal(ast.unparse(parser))
    return found


def _refusal(parser: str) -> str:
    """Return what a parser says of a text that is no value of any setting."""
    module, _, name = parser.rpartition(".")
    parse = getattr(
        {"callers": callers, "setting_parsers": setting_parsers, "sizes": sizes, "": listening}[module], name
    )
    try:
        parse("?")
    except ValueError as reason:
        return str(reason)
    return ""
