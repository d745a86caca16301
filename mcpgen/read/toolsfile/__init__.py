"""Tools files (YAML tool definitions) → `ToolsFile`: a tool written by hand is an operation, and takes the same way.

It is read by `read`, which only runs that have one import.
"""

from mcpgen.read.toolsfile.credentials import Required
from mcpgen.read.toolsfile.documents import Included, Named
from mcpgen.read.toolsfile.flags import folders
from mcpgen.read.toolsfile.logins import LoginChoice
from mcpgen.read.toolsfile.toolsfile import ToolsFile, is_tools_file

__all__ = ["Included", "LoginChoice", "Named", "Required", "ToolsFile", "folders", "is_tools_file"]
