"""Tools files (YAML tool definitions) → `ToolsFile`: a tool written by hand is an operation, and takes the same way."""

from mcpgen.toolsfile.read import ToolsFile, is_tools_file, read

__all__ = ["ToolsFile", "is_tools_file", "read"]
