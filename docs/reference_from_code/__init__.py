"""Sphinx extension that writes the reference pages from the code, so that no page can differ from what runs.

A page names its source with a directive, such as ```` ```{from-code} commands ````. Each source is a module here with
one function that returns Markdown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import commands, diagnostics, grade, parts, schemas, settings

SOURCES: dict[str, Callable[[], str]] = {
    "commands": commands.markdown,
    "diagnostics": diagnostics.markdown,
    "grade": grade.markdown,
    "needs": parts.needs,
    "settings": settings.markdown,
    "tables": schemas.tables,
    "tools-file": schemas.tools_file,
}
"""What a page can be made from, by the argument of the directive."""


class FromCode(SphinxDirective):
    """The directive `from-code`: the Markdown of one source, parsed as if it stood in the page."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the source that the argument names."""
        text = SOURCES[self.arguments[0]]()
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive. Pages with it are read anew in each build, since the code may have changed."""
    app.add_directive("from-code", FromCode)
    return {"parallel_read_safe": True}
