"""Tools files (YAML tool definitions) → `ToolsFile`. A handwritten tool becomes an operation and is lowered like any
other.

Only runs with a tools file import the module `read`.
"""

from mcpgen.read.toolsfile.credentials import Required
from mcpgen.read.toolsfile.documents import Included, Named
from mcpgen.read.toolsfile.flags import folders
from mcpgen.read.toolsfile.logins import LoginChoice
from mcpgen.read.toolsfile.toolsfile import ToolsFile, is_tools_file

__all__ = ["Included", "LoginChoice", "Named", "Required", "ToolsFile", "folders", "is_tools_file"]
