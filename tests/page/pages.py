"""Write the HTML page of a document (`mcpgen inspect`), and check what no page may do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.page.browser import Page

ROOT = Path(__file__).parents[2]
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
GITHUB = ROOT.parent / "shared" / "corpus" / "dev" / "github-rest.json"

Run = Callable[[Any], Any]


def written(source: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, dict[str, Any]]:
    """Write the HTML page of a document. Return the page's path and its JSON data."""
    target = folder / "page.html"
    with pytest.raises(SystemExit) as ended:
        main(["inspect", str(source), "--html", str(target), "--format", "json"])
    assert ended.value.code == 0
    return target, json.loads(capsys.readouterr().out)


def assert_quiet(page: Page, path: Path) -> None:
    """Check that the page had no error and no dialog, and made no request other than the one for the page itself."""
    assert page.errors == []
    assert page.dialogs == []
    assert [url.partition("#")[0] for url in page.requests] == [path.as_uri()]
