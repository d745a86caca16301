"""Apply OpenAPI Overlays (1.0, and 1.1 except `copy`) to a `Document`.

An overlay is a file with a list of changes to a document, called actions.
"""

from mcpgen.read.overlay.apply import applied
from mcpgen.read.overlay.read import Action, Overlay, read

__all__ = ["Action", "Overlay", "applied", "read"]
