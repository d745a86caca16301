"""Implement `--html`: write the HTML page, but never over a file that mcpgen did not write."""

from pathlib import Path

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.cli import onefile
from mcpgen.emit import page
from mcpgen.pipeline import Compiled
from mcpgen.retrieval.index import build


def write(path: Path, document: JsonObject, compiled: Compiled) -> None:
    """Write the HTML page of `document` to `path`, atomically. `compiled`: result of the compile, from whose tools the
    search index of the page is built.

    Raises FatalError if a file that is not such a page exists at `path`, or the page cannot be written.
    """
    index = build(compiled.catalog.tools, compiled.definitions, ()).index
    onefile.write(
        path,
        page.page({**document, "search": page.search_data(index)}),
        lambda there: there.startswith(page.MARK),
        refused=" and is not a page that mcpgen wrote",
        hint="Name another file with --html, or remove this file.",
    )
