"""What the tables of a server can need: the wings of `mcpgen/emit/wings.py` that have fields, and why."""

from __future__ import annotations

from mcpgen.emit.wings import WINGS

REASONS = {
    "files": "a body is a file or has several parts",
    "templates": "a request is made from a template, or a body is XML",
    "questions": "a call asks its user, or needs a capability of the client",
    "features": "the server has resources, prompts or completions",
    "watching": "clients can watch a resource",
    "lookups": "a call fetches all pages of a list, or an argument takes a name in place of an id",
    "results": "a tool has an output schema, rules for its result, or returns files",
    "tenants": "an argument chooses the server of a call",
    "accounts": "the server has several accounts",
    "jobs": "a call starts a job",
    "skills": "the server has skills",
    "workflows": "a tool calls other tools, step by step",
    "search": "the tools are found by a search",
    "programs": "models write programs that call tools",
    "views": "clients show results as tables, cards and forms",
    "oauth": "the server fetches access tokens",
    "login": "users log in with a browser",
    "signing": "a credential signs each request",
}


def needs() -> str:
    """Return a list of the wings of the runtime that tables need, with the reasons."""
    needed = [wing.name for wing in WINGS if wing.fields]
    return "\n".join(f"- `{name}`: {REASONS[name]}" for name in sorted(needed, key=[*REASONS].index))
