"""Test that the documentation site builds without a warning, agrees with the code, and has no broken link."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from mcpgen.base.diagnostics import CODES
from mcpgen.cli import COMMANDS

ROOT = Path(__file__).parents[2]
MISSING = [name for name in ("sphinx", "myst_parser", "furo") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]

MOST_BYTES_OF_PICTURE = 80_000


class Page(HTMLParser):
    """Parser that collects the links of a page, and the anchors to which links can lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the element's link or anchor."""
        given = dict(attrs)
        self.ids |= {given.get("id") or ""}
        if link := given.get("href" if tag in ("a", "link") else "src"):
            self.links.append(link)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does, and return its folder."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(folder / "read"), str(ROOT / "docs"), str(folder / "html")],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 30
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue  # links to other sites are not fetched
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists() or (parts.fragment and target in pages and parts.fragment not in pages[target].ids):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


def test_the_sidebar_leads_to_each_page_of_a_user_and_to_no_decision(site: Path) -> None:
    text = (site / "tutorial.html").read_text(encoding="utf-8")
    sidebar = Page(text.partition('<aside class="sidebar-drawer">')[2].partition("</aside>")[0])
    pages = {f"how-to/{path.stem}.html" for path in (ROOT / "docs" / "how-to").glob("*.md")}
    assert pages <= set(sidebar.links)
    assert not [link for link in sidebar.links if link.startswith("decisions/")]
    assert (site / "decisions" / "speed.html").is_file()


def test_the_front_page_shows_the_product_and_leads_on(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    shown, page = re.sub(r"<[^>]+>", "", text), Page(text)
    assert "$ make demo" in shown
    assert "weight_kg" in shown, "what the demo prints"
    assert "calls a second, 200 B" in shown, "the table of speed"
    for name in ("inspect-light.webp", "inspect-dark.webp"):
        assert f"_images/{name}" in page.links
        assert (ROOT / "docs" / "_static" / name).stat().st_size < MOST_BYTES_OF_PICTURE
    first = {"tutorial.html", "how-to/regenerate.html", "how-to/serve-over-http.html", "ARCHITECTURE.html"}
    assert first | {"CONTRIBUTING.html", "decisions/index.html"} <= set(page.links)


def test_a_reader_loads_nothing_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|img|link)[^>]*(?:src|href)="(?:https?:)?//[^"]*"', text) == [], path.name


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("reference/commands.html", [f"mcpgen {name}" for name in COMMANDS]),
        ("reference/diagnostics.html", list(CODES)),
        ("reference/settings.html", ["PETSTORE_TIMEOUT", "PETSTORE_CLIENT_KEY", "PETSTORE_BASE_URL"]),
        ("reference/tools-file.html", ["overrides", "accept_origin"]),
        ("reference/tables.html", ["digest", "bindings"]),
    ],
)
def test_the_reference_holds_what_the_code_has(site: Path, page: str, names: list[str]) -> None:
    text = re.sub(r"<[^>]+>", "", (site / page).read_text(encoding="utf-8"))
    assert [name for name in names if name not in text] == []
