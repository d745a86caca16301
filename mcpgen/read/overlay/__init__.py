"""OpenAPI Overlays (1.0, and 1.1 but for `copy`): what a file of actions makes of a `Document`."""

from mcpgen.read.overlay.apply import applied
from mcpgen.read.overlay.read import Action, Overlay, read

__all__ = ["Action", "Overlay", "applied", "read"]
