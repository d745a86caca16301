"""OpenAPI Overlays (1.0, and 1.1 but for `copy`): what a file of actions makes of a `Document`."""

from mcpgen.overlay.apply import applied
from mcpgen.overlay.read import Action, Overlay, read

__all__ = ["Action", "Overlay", "applied", "read"]
