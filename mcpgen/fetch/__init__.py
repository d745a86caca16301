"""SOURCE → bytes: a path, `-` for standard input, or an http(s) URL. Every way is capped before it is read."""

from mcpgen.fetch.files import Folder
from mcpgen.fetch.source import Fetched, beside, read

__all__ = ["Fetched", "Folder", "beside", "read"]
