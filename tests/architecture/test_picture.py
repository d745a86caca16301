"""Test that the diagram of the runtime's rooms in ARCHITECTURE.md shows its imports."""

from __future__ import annotations

from tests.architecture.imports import Arrow
from tests.architecture.picture import PAGE, drawn, of_the_runtime, rewritten


def test_the_diagram_shows_the_imports() -> None:
    page, diagram = PAGE.read_text(encoding="utf-8"), of_the_runtime()
    assert diagram in page, "write it anew: python -m tests.architecture.picture"
    assert rewritten(page, diagram) == page


def test_an_import_that_others_imply_is_not_drawn() -> None:
    ways = [("serve.work", "core.log"), ("core.log", "text.escapes"), ("serve.work", "text.escapes")]
    lines = drawn(Arrow(f"package.runtime.{source}", f"package.runtime.{target}", 1) for source, target in ways)
    assert [line.strip() for line in lines.splitlines() if "-->" in line and "subgraph" not in line][:2] == [
        "core --> text",
        "serve --> core",
    ]
