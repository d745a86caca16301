"""What the tables of a server can need: the data of `mcpgen/emit/parts.py`."""

from __future__ import annotations

from mcpgen.emit.parts import NEEDS


def needs() -> str:
    """Return a list of the wings of the runtime that tables need, with the reasons."""
    return "\n".join(f"- `{need.wing}`: {need.why}" for need in NEEDS)
