"""Read command lines and environment variables that start other tools as `ForeignServer`.

`commands` finds out which tool a command line starts. A module of the tool reads the rest, as its own source does.
"""

from mcpgen.adopt.programs.commands import Command, Script, recognise, server

__all__ = ["Command", "Script", "recognise", "server"]
