"""Build the index that a server with `--tools search` finds its tools by.

Imports `base`, `model`, `naming` and `lower`; knows no files. The runtime's `search/retriever.py` reads the index, and
has the theory at its head.
"""

from mcpgen.retrieval.index import build

__all__ = ["build"]
