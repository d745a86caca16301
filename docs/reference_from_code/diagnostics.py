"""The diagnostic codes, from the table of codes; and the hints that the code gives with each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from mcpgen.base.diagnostics import CODES, FATAL_WITH_STRICT, SERIOUS_BY_HAND

from .markdown import code, definition, prose

ROOT = Path(__file__).parents[2]
SEVERITIES = {"error": "Errors", "warning": "Warnings", "note": "Notes"}
MOST_HINTS = 6
"""How many hints are shown of one code."""

FEWEST_WORDS = 4
"""How many words a hint must have for each part that varies; shorter ones say nothing without it."""

_PLACES = {"Diagnostic": 2}
"""At which place a call takes its hint, where it has no name there."""


def markdown() -> str:
    """Return a section for each severity, with an entry for each code."""
    hints = _hints()
    sections = []
    for severity, title in SEVERITIES.items():
        entries = [_entry(name, hints.get(name, [])) for name, (own, _) in sorted(CODES.items()) if own == severity]
        sections.append("\n".join([f"## {title}", "", *entries]))
    return "\n\n".join(sections)


def _entry(name: str, hints: list[str]) -> str:
    facts = []
    if name in SERIOUS_BY_HAND:
        facts.append("An error where it is about a tools file.")
    if name in FATAL_WITH_STRICT:
        facts.append("Fails with `--strict`.")
    advice = "What to do: " + " Or: ".join(prose(hint) for hint in hints) if hints else ""
    return definition(code(name), " ".join([prose(CODES[name][1]), *facts]), advice)


def _hints() -> dict[str, list[str]]:
    """Return the hints that stand in the code, by the code of their diagnostic. Parts that vary are shown as `…`."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "mcpgen").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = dict(_assigned(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (name := _code_of(node)):
                held = found.setdefault(name, [])
                held += [hint for hint in _texts(_hint_of(node), texts) if hint not in held]
    return {name: sorted(held, key=len)[:MOST_HINTS] for name, held in found.items()}


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def _code_of(call: ast.Call) -> str:
    """Return the diagnostic code that a call is given first, if any."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and first.value in CODES else ""


def _hint_of(call: ast.Call) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == "hint":
            return keyword.value
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    place = _PLACES.get(name, 3)
    return call.args[place] if place < len(call.args) else None


def _texts(node: ast.expr | None, known: dict[str, ast.expr], depth: int = 2) -> list[str]:
    """Return the whole sentences that an expression can be."""
    match node:
        case ast.Constant(value=str(text)) if text.endswith("."):
            return [text]
        case ast.JoinedStr(values=values):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in values)
            return [text] if text.endswith(".") and len(text.split()) > FEWEST_WORDS * text.count("…") else []
        case ast.IfExp(body=one, orelse=other):
            return [*_texts(one, known, depth), *_texts(other, known, depth)]
        case ast.Name(id=name) if depth and name in known:
            return _texts(known[name], known, depth - 1)
    return []
