# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Signals of the shared store other than data: the store does not answer, or a stream continues on any replica."""


class StoreAway(Exception):
    """Raised if the shared store does not answer."""


class StreamGoesOn:
    """Marker after the last recorded event of a stream of change notifications.

    Each replica notices changes itself, so any replica can continue such a stream.
    """

    __slots__ = ()
