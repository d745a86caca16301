# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Define what the store may report instead of an answer."""


class StoreAway(Exception):
    """The shared store does not answer."""


class StreamGoesOn:
    """Marker: this was all of a stream for changes. Each replica sees changes itself, so any replica can go on."""

    __slots__ = ()
