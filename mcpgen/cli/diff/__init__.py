"""`mcpgen diff`: grade what changed from one version to another."""

from mcpgen.cli.diff.command import command

__all__ = ["command"]
