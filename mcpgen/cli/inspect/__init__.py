"""`mcpgen inspect`: show the tools and their requests, as a table, one tool in full, JSON, or an HTML page."""

from mcpgen.cli.inspect.command import command

__all__ = ["command"]
