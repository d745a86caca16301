"""OpenAPI documents → `Api`. Versions of OpenAPI differ in here and nowhere later."""

from mcpgen.openapi.read import read, version_of
from mcpgen.openapi.references import References
from mcpgen.openapi.schemas import Definitions
from mcpgen.openapi.validity import quick, verdict

__all__ = ["Definitions", "References", "quick", "read", "verdict", "version_of"]
