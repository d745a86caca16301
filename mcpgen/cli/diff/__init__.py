"""`mcpgen diff`: list and grade the changes between two versions of an API or a project."""

from mcpgen.cli.diff.command import command

__all__ = ["command"]
