"""Build the search index and the tool list of a server with `--tools search`, and find which tools return the ids that
other tools need.

Imports `base`, `model`, `naming` and `lower`; does no I/O. The runtime's `search/retriever.py` reads the index and
explains the ranking.
"""

from mcpgen.retrieval.lookups import add as with_lookups

__all__ = ["with_lookups"]
