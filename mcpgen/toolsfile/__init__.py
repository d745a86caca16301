"""Tools files (YAML tool definitions) → `ToolsFile`: a tool written by hand is an operation, and takes the same way.

It is read by `read`, which only runs that have one import.
"""

from mcpgen.toolsfile.credentials import Required
from mcpgen.toolsfile.documents import Included, Named
from mcpgen.toolsfile.flags import folders
from mcpgen.toolsfile.logins import LoginChoice
from mcpgen.toolsfile.toolsfile import ToolsFile, is_tools_file

__all__ = ["Included", "LoginChoice", "Named", "Required", "ToolsFile", "folders", "is_tools_file"]
