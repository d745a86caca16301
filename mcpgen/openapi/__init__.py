"""OpenAPI documents → `Api`. Versions of OpenAPI differ in here and nowhere later."""

from mcpgen.openapi.read import read, version_of

__all__ = ["read", "version_of"]
