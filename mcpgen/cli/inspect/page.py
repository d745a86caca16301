"""`--html`: writes the page, and nothing over a file that is not one."""

from pathlib import Path

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.cli import onefile
from mcpgen.emit import page


def write(path: Path, document: JsonObject) -> None:
    """The page of `document` at `path`, whole or not at all. CannotGoOn where something else stands there, or it cannot
    be written.
    """
    onefile.write(
        path,
        page.page(document),
        lambda there: there.startswith(page.MARK),
        refused=", and no page that mcpgen wrote",
        hint="Name another file with --html, or remove it.",
    )
