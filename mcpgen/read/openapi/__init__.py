"""Convert OpenAPI documents to `Api`.

All differences between versions of OpenAPI are handled in this folder; later passes see none.
"""

from mcpgen.read.openapi.read import read, version_of
from mcpgen.read.openapi.references import References
from mcpgen.read.openapi.schemas import Definitions
from mcpgen.read.openapi.validity import quick, verdict

__all__ = ["Definitions", "References", "quick", "read", "verdict", "version_of"]
