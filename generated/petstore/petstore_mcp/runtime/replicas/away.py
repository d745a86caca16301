# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Define the exception for a shared store that cannot be reached."""


class Away(Exception):
    """The shared store does not answer."""
