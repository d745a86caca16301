"""Decide whether every value of one JSON Schema is a value of another (JSON Schema 2020-12)."""

from mcpgen.regenerate.diff.variance.inclusion import Inclusion
from mcpgen.regenerate.diff.variance.scope import Scope, Terms

__all__ = ["Inclusion", "Scope", "Terms"]
