"""Build the index of a server with `--tools search`, write what the server lists, and find which tool gives an id.

Imports `base`, `model`, `naming` and `lower`; knows no files. The runtime's `search/retriever.py` reads the index, and
has the theory at its head.
"""

from mcpgen.retrieval.index import build
from mcpgen.retrieval.listing import FINDERS, entries
from mcpgen.retrieval.lookups import add as with_lookups

__all__ = ["FINDERS", "build", "entries", "with_lookups"]
