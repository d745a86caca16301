"""Read the bytes of SOURCE: a path, `-` for standard input, or an http(s) URL. The number of bytes is limited."""

from mcpgen.read.fetch.files import Folder
from mcpgen.read.fetch.network import Network
from mcpgen.read.fetch.redirects import ALLOW_REDIRECT, is_redirect_value
from mcpgen.read.fetch.source import Fetched, beside, read

__all__ = ["ALLOW_REDIRECT", "Fetched", "Folder", "Network", "beside", "is_redirect_value", "read"]
