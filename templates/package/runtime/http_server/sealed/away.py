# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Exception for a shared store that does not answer, and marker for a stream that any replica can continue."""


class StoreAway(Exception):
    """Raised if the shared store does not answer."""


class StreamGoesOn:
    """Marker after the last recorded event of a stream of change notifications.

    Each replica notices changes itself, so any replica can continue such a stream.
    """

    __slots__ = ()
