"""`mcpgen inspect`: show the tools and what each sends, as a table, one tool in full, JSON, or a page."""

from mcpgen.cli.inspect.command import command

__all__ = ["command"]
