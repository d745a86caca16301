"""`mcpgen inspect`: what the tools are, and what each sends. As a table, one tool in full, JSON, or a page."""

from mcpgen.cli.inspect.command import command

__all__ = ["command"]
