"""Read command lines and environment variables that start other tools, and return a `ForeignServer`.

`commands` finds out which tool a command line starts. One module for each tool then reads the flags as that tool does.
"""

from mcpgen.adopt.programs.commands import Command, Script, recognise, server

__all__ = ["Command", "Script", "recognise", "server"]
