"""Read tools files (YAML tool definitions) into `ToolsFile`.

A handwritten tool becomes an operation and is compiled like the operations of documents. The module `read` is imported
only in runs with a tools file.
"""

from mcpgen.read.toolsfile.access import LoginChoice
from mcpgen.read.toolsfile.documents import IncludedDocument, PlacedText
from mcpgen.read.toolsfile.flags import folders
from mcpgen.read.toolsfile.toolsfile import ToolsFile, is_tools_file

__all__ = [
    "IncludedDocument",
    "LoginChoice",
    "PlacedText",
    "ToolsFile",
    "folders",
    "is_tools_file",
]
