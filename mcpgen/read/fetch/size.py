"""The size limit for every source, whether read from a file, standard input or the network."""

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.read.document import budgets


def within_budget(data: bytes, name: str) -> bytes:
    """Return `data` unchanged. Raises FatalError if it is larger than the limit for a source."""
    if len(data) > budgets.BYTES:
        raise too_large(name)
    return data


def too_large(name: str) -> FatalError:
    """Return the error for the source `name` that is too large."""
    return FatalError(
        "too-large",
        f"{name} is larger than {budgets.BYTES:,} bytes.",
        Where(name),
        "Split the document, or remove what you do not need.",
    )
