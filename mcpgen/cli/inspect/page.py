"""Implement `--html`: write the page, but never over another file."""

from pathlib import Path

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.cli import onefile
from mcpgen.emit import page


def write(path: Path, document: JsonObject) -> None:
    """Write the page of `document` to `path`, whole or not at all.

    Raises CannotGoOn if another file is there, or if it cannot be written.
    """
    onefile.write(
        path,
        page.page(document),
        lambda there: there.startswith(page.MARK),
        refused=", and no page that mcpgen wrote",
        hint="Name another file with --html, or remove it.",
    )
