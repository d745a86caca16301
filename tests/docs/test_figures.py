"""Test that each size in bytes or tokens in the documentation is the one that the code has or measures."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from package.runtime.core import spans
from package.runtime.programs import sandbox
from package.runtime.replicas import sealed_runs, sharing
from package.runtime.result import response
from package.runtime.serve import request_preview
from package.runtime.settings import sizes
from package.runtime.streamable import admission, replay

from mcpgen.base.tokens import estimate
from mcpgen.check import too_many_tools
from mcpgen.emit import table
from mcpgen.lower.schema import budget
from mcpgen.lower.tool import outputs
from mcpgen.model import MOST_SEARCH_TOKENS, Catalog
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.document import budgets
from mcpgen.read.toolsfile import resources

DOCS = Path(__file__).parents[2] / "docs"
CORPUS = DOCS.parents[1] / "shared" / "corpus" / "dev"
PETSTORE = DOCS.parent / "specs" / "petstore.openapi.yaml"
PAGES = [DOCS / "index.md", DOCS / "tutorial.md", *DOCS.glob("how-to/*.md"), *DOCS.glob("reference/*.md")]
SIZE = re.compile(r"\d[\d,.]*k?\s(?:tokens?|bytes|[kMG]i?B)\b")


PLAIN = Options()


@cache
def catalog(source: Path, options: Options = PLAIN) -> Catalog:
    """Return the tools of a document."""
    return compile_source(fetch.read(str(source)), options).catalog


def cost(found: Catalog) -> int:
    """Return the estimated tokens of all tools."""
    return sum(map(table.cost, found.tools))


def cost_of_fields() -> int:
    """Return the tokens that the argument `fields` adds to a tool, as the median of the tools that get it."""
    plain, chosen = catalog(PETSTORE).tools, catalog(PETSTORE, Options(fields=True)).tools
    added = [table.cost(new) - table.cost(old) for old, new in zip(plain, chosen, strict=True)]
    return statistics.median_low(each for each in added if each)


def kib(count: int) -> str:
    return f"{count / 1024:g} KiB"


def mib(count: int) -> str:
    return f"{count / 1024 / 1024:g} MiB"


def tokens(count: int) -> str:
    return f"{count:,} tokens"


SHOWN = sizes.Sizes().shown
FIGURES: list[tuple[str, str, Callable[[], str]]] = [
    ("index.md", "24 tools and {}", lambda: tokens(cost(catalog(PETSTORE)))),
    ("how-to/inspect.md", "24 tools, {}, 0 skipped", lambda: tokens(cost(catalog(PETSTORE)))),
    ("how-to/large-apis.md", "lists four tools in at most {}", lambda: tokens(MOST_SEARCH_TOKENS)),
    ("how-to/large-apis.md", "definitions cost at most {}", lambda: tokens(too_many_tools.MANY_TOKENS)),
    ("how-to/large-apis.md", "The default is {}", lambda: tokens(budget.MOST_TOKENS)),
    ("how-to/large-apis.md", "a response of more than {}", lambda: tokens(SHOWN // sizes.BYTES_PER_TOKEN)),
    ("how-to/programs.md", "up to {} of each API response", lambda: mib(spans.WHOLE)),
    ("how-to/programs.md", "at most {} when compressed", lambda: kib(sealed_runs.LONGEST)),
    ("how-to/programs.md", "memory of a program | {}", lambda: mib(sandbox.MEMORY)),
    ("how-to/programs.md", "printed text | {}", lambda: kib(sandbox.MOST_PRINTED)),
    ("how-to/resources-and-prompts.md", "a file of at most {}", lambda: mib(resources.LARGEST)),
    ("how-to/results.md", "`outputSchema` of at most about {}", lambda: tokens(outputs.BUDGET)),
    ("how-to/results.md", "which costs about {}", lambda: tokens(cost_of_fields())),
    ("how-to/results.md", "A result shows up to {}", lambda: tokens(SHOWN // sizes.BYTES_PER_TOKEN)),
    ("how-to/results.md", "items, {} or its timeout", lambda: kib(max(response.LARGEST_PARSED, 2 * SHOWN))),
    ("how-to/serve-over-http.md", "headers of a request | {}", lambda: kib(admission.LONGEST_HEAD)),
    ("how-to/serve-over-http.md", "body of a request | {}", lambda: mib(admission.LARGEST_BODY)),
    ("how-to/serve-over-http.md", "events and {} for each session", lambda: mib(replay.MOST_BYTES)),
    ("how-to/serve-over-http.md", "results and {}, for an hour", lambda: mib(sharing.MOST_KEPT_BYTES)),
    ("reference/commands.md", "may be {} large", lambda: mib(budgets.BYTES)),
    ("reference/json-output.md", "is larger than {}", lambda: kib(request_preview.LONGEST)),
]
"""Page, a text with a figure, and the figure."""

EXAMPLES = [("how-to/large-apis.md", "a mock API answers each request with 300 tokens")]
"""Page, and a text with a figure that a benchmark chooses."""


def text_of(page: str) -> str:
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


@pytest.mark.parametrize(("page", "text", "figure"), FIGURES, ids=[f"{page}: {text}" for page, text, _ in FIGURES])
def test_a_figure_is_the_one_of_the_code(page: str, text: str, figure: Callable[[], str]) -> None:
    assert text.format(figure()) in text_of(page)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_has_no_other_figure(path: Path) -> None:
    page = path.relative_to(DOCS).as_posix()
    rest = text_of(page)
    known = [(name, text.format(figure())) for name, text, figure in FIGURES if name == page]
    for name, text in [*known, *EXAMPLES]:
        rest = rest.replace(text, "") if name == page else rest
    found = [rest[max(0, match.start() - 60) : match.end()] for match in SIZE.finditer(rest)]
    assert found == [], "add a row to FIGURES that takes the figure from the code, or leave the figure out"


LISTS = {
    "Spotify": "spotify.json",
    "TMDB": "tmdb.json",
    "Jira": "jira.json",
    "Stripe": "stripe.yaml",
    "GitHub": "github-rest.json",
}


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the shared corpus is not here")
@pytest.mark.parametrize("name", LISTS)
def test_a_list_costs_what_the_table_says(name: str) -> None:
    found = compile_source(fetch.read(str(CORPUS / LISTS[name])), Options(tools="search"))
    listed = json.loads(found.tree[f"{found.catalog.identity.package}/search.json"])["listed"]
    search = sum(map(estimate, listed))
    row = f"| {name} | {len(found.catalog.tools):,} | {round(cost(found.catalog), -2):,} | {round(search, -1):,} |"
    assert row in (DOCS / "how-to" / "large-apis.md").read_text(encoding="utf-8")
