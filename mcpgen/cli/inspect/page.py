"""Implement `--html`: write the page, but never over another file."""

from pathlib import Path

from mcpgen import retrieval
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.cli import onefile
from mcpgen.emit import page
from mcpgen.pipeline import Compiled


def write(path: Path, document: JsonObject, compiled: Compiled) -> None:
    """Write the page of `document` to `path`, whole or not at all. `compiled`: its tools, which the page searches.

    Raises FatalError if another file is there, or if it cannot be written.
    """
    index = retrieval.build(compiled.catalog.tools, compiled.definitions, ()).index
    onefile.write(
        path,
        page.page({**document, "search": page.search_data(index)}),
        lambda there: there.startswith(page.MARK),
        refused=" and is not a page that mcpgen wrote",
        hint="Name another file with --html, or remove it.",
    )
