"""Read the command lines and environment variables of other MCP server programs, and return a `ForeignServer`.

`commands` finds out which program a command line starts. One module for each program then reads the flags as the
program does.
"""

from mcpgen.adopt.programs.commands import Command, Script, recognise, server

__all__ = ["Command", "Script", "recognise", "server"]
