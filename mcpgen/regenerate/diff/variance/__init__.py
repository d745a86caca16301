"""Whether every value that one JSON Schema accepts is accepted by another (JSON Schema 2020-12)."""

from mcpgen.regenerate.diff.variance.inclusion import Inclusion
from mcpgen.regenerate.diff.variance.scope import Scope, Terms

__all__ = ["Inclusion", "Scope", "Terms"]
