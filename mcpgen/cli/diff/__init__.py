"""`mcpgen diff`: what changed from one version to another, graded."""

from mcpgen.cli.diff.command import command

__all__ = ["command"]
