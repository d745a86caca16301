"""Tools files (YAML tool definitions) → `Api`: a tool written by hand is an operation too, and takes the same way."""

from mcpgen.toolsfile.read import is_tools_file, read

__all__ = ["is_tools_file", "read"]
