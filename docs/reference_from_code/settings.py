"""The environment variables that every generated server reads, from its settings and the README of a project.

The purposes stand in the template of the README, the accepted values in the parsers. A variable that is in one of them
alone ends the build.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from package.runtime.settings import callers, listening, setting_parsers, settings, sizes

from .markdown import definition

ROOT = Path(__file__).parents[2]
README = ROOT / "templates" / "project" / "README.md.jinja"
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

_ROW = re.compile(rf"^\| (`{PREFIX}_[A-Z_]+`[^|]*) \| (.*) \|$", re.MULTILINE)
_PREFIX = re.compile(r"\{\{ identity\.prefix \| bare \}\}")
_CONDITION = re.compile(r"\{% if .*?%\}.*?\{% endif %\}")


def markdown() -> str:
    """Return an entry for each variable: its purpose, and what its value must be."""
    purposes, accepted = _purposes(), _accepted()
    missing = (accepted.keys() | READ_OTHERWISE) ^ purposes.keys()
    assert not missing, f"in the README of projects or in settings.py alone: {', '.join(sorted(missing))}"
    entries = []
    for name, purpose in purposes.items():
        words = f"Its value {accepted[name]}." if accepted.get(name) else ""
        entries.append(definition(f"`{PREFIX}_{name}`", _sentence(purpose), words))
    return "\n".join(entries)


def _purposes() -> dict[str, str]:
    """Return the purpose of each variable, as the README of a generated project tells it."""
    text = _PREFIX.sub(PREFIX, _CONDITION.sub(", in place of the document's", README.read_text(encoding="utf-8")))
    return {
        name: purpose for names, purpose in _ROW.findall(text) for name in re.findall(rf"`{PREFIX}_([A-Z_]+)`", names)
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
