"""The rules of `mcpgen grade`, from their table."""

from __future__ import annotations

from mcpgen.grade.rules import RULES

from .markdown import code, prose


def markdown() -> str:
    """Return a table of all rules."""
    rows = [f"| {code(rule.name)} | {rule.weight} | {prose(rule.reason)} | {prose(rule.advice)} |" for rule in RULES]
    return "\n".join(["| rule | points | why a model fails | what to do |", "|---|---|---|---|", *rows]) + "\n"
