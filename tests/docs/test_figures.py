"""Test that each size, number of tokens and time in the documentation is the one that the code has or measures."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from package.runtime.commands import explain
from package.runtime.core import spans
from package.runtime.delegation import kept_logins
from package.runtime.http_server.requests import door
from package.runtime.http_server.sealed import sealed_states
from package.runtime.http_server.streamable import admission, event_stream
from package.runtime.identity import claims, issuer
from package.runtime.oauth import backoff
from package.runtime.programs import program_runs, sandbox
from package.runtime.replicas import sharing
from package.runtime.result import response
from package.runtime.serve import scheduler
from package.runtime.settings import settings, sizes
from package.runtime.telemetry import reporter
from package.runtime.workflows import step_calls, workflow_runs

from mcpgen.base.tokens import estimate
from mcpgen.check import too_many_tools
from mcpgen.emit import table
from mcpgen.emit.skills import served_skills
from mcpgen.lower.schema import budget
from mcpgen.lower.tool import outputs
from mcpgen.model import MOST_SEARCH_TOKENS, Catalog
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.document import budgets
from mcpgen.read.fetch import network
from mcpgen.read.toolsfile import resources, workflows

DOCS = Path(__file__).parents[2] / "docs"
CORPUS = DOCS.parents[1] / "shared" / "corpus" / "dev"
PETSTORE = DOCS.parent / "specs" / "petstore.openapi.yaml"
PAGES = [DOCS / "index.md", DOCS / "tutorial.md", *DOCS.glob("how-to/*.md"), *DOCS.glob("reference/*.md")]
FIGURE = re.compile(r"\d[\d,.]*k?\s(?:tokens?|bytes|[kMG]i?B|m?s|seconds?|minutes?|hours?|days?)\b")


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


def grace_of_compose() -> str:
    """Return the seconds that the generated compose file gives a replica to end."""
    template = (DOCS.parent / "templates" / "deployment" / "deploy" / "compose.yaml.jinja").read_text(encoding="utf-8")
    [period] = set(re.findall(r"stop_grace_period: (\d+)s", template))
    return str(period)


def kib(count: int) -> str:
    return f"{count / 1024:g} KiB"


def mib(count: int) -> str:
    return f"{count / 1024 / 1024:g} MiB"


def tokens(count: int) -> str:
    return f"{count:,} tokens"


def seconds(count: float) -> str:
    return f"{count:g} seconds"


SHOWN = sizes.Sizes().shown
FIGURES: list[tuple[str, str, Callable[[], object]]] = [
    # If this one changes, the pictures are out of date: `python -m tests.page.picture` takes them again.
    ("index.md", "24 tools and {}", lambda: tokens(cost(catalog(PETSTORE)))),
    ("how-to/authenticate-callers.md", "at most once in {}", lambda: seconds(issuer.BETWEEN_FETCHES)),
    ("how-to/authenticate-callers.md", "`nbf` must hold within {}", lambda: seconds(claims.LEEWAY)),
    ("how-to/call-as-the-user.md", "encrypted, for {:g} days", lambda: kept_logins.LIFE / 86400),
    ("how-to/call-as-the-user.md", "this caller must wait {}", lambda: seconds(backoff.FIRST)),
    ("how-to/deploy.md", "open for more than {}", lambda: seconds(event_stream.SILENCE)),
    ("how-to/deploy.md", "a comment every {}", lambda: seconds(event_stream.SILENCE)),
    ("how-to/deploy.md", "Wait at least {} seconds before you kill", grace_of_compose),
    ("how-to/deploy.md", "the store keeps for {:g} days", lambda: kept_logins.LIFE / 86400),
    ("how-to/hooks.md", "sends a report {} s after", lambda: scheduler.LASTING),
    ("how-to/inspect.md", "24 tools, {}, 0 skipped", lambda: tokens(cost(catalog(PETSTORE)))),
    ("how-to/large-apis.md", "lists four tools in at most {}", lambda: tokens(MOST_SEARCH_TOKENS)),
    ("how-to/large-apis.md", "definitions cost at most {}", lambda: tokens(too_many_tools.MANY_TOKENS)),
    ("how-to/large-apis.md", "The default is {}", lambda: tokens(budget.MOST_TOKENS)),
    ("how-to/large-apis.md", "a response of more than {}", lambda: tokens(SHOWN // sizes.BYTES_PER_TOKEN)),
    ("how-to/workflows.md", "with all of its calls | {:g} minutes", lambda: workflow_runs.SECONDS / 60),
    ("how-to/workflows.md", "calls that undo | {}", lambda: seconds(workflow_runs.UNDO_SECONDS)),
    ("how-to/workflows.md", "with retries and items | {}", lambda: workflow_runs.MOST_CALLS),
    ("how-to/workflows.md", "that a step reads | {}", lambda: mib(step_calls.LARGEST)),
    ("how-to/workflows.md", "all steps together | {}", lambda: mib(workflow_runs.MOST_BYTES)),
    ("how-to/workflows.md", "call each other | {} deep", lambda: workflow_runs.DEEPEST),
    ("how-to/workflows.md", "how many items are allowed ({})", lambda: workflows.MOST_ITEMS),
    ("how-to/workflows.md", "by default {} times, every", lambda: workflows.MOST_TRIES),
    ("how-to/workflows.md", "times, every {}", lambda: seconds(workflows.SECONDS)),
    ("how-to/programs.md", "up to {} of each API response", lambda: mib(spans.WHOLE)),
    ("how-to/programs.md", "at most {} when compressed", lambda: kib(sealed_states.LONGEST_RUN)),
    ("how-to/programs.md", "computing time of the program | {}", lambda: seconds(sandbox.SECONDS)),
    ("how-to/programs.md", "with its tool calls | {:g} minutes", lambda: program_runs.SECONDS / 60),
    ("how-to/programs.md", "memory of a program | {}", lambda: mib(sandbox.MEMORY)),
    ("how-to/programs.md", "printed text | {}", lambda: kib(sandbox.MOST_PRINTED)),
    ("how-to/resources-and-prompts.md", "a file of at most {}", lambda: mib(resources.LARGEST)),
    ("how-to/results.md", "`outputSchema` of at most about {}", lambda: tokens(outputs.BUDGET)),
    ("how-to/results.md", "which costs about {}", lambda: tokens(cost_of_fields())),
    ("how-to/results.md", "A result shows up to {}", lambda: tokens(SHOWN // sizes.BYTES_PER_TOKEN)),
    ("how-to/results.md", "items, {} or its timeout", lambda: kib(max(response.LARGEST_PARSED, 2 * SHOWN))),
    ("how-to/results.md", "A call may take {}", lambda: seconds(settings.Settings("")["TIMEOUT"])),
    ("how-to/serve-over-http.md", "a comment every {}", lambda: seconds(event_stream.SILENCE)),
    ("how-to/serve-over-http.md", "headers of a request | {}", lambda: kib(admission.LONGEST_HEAD)),
    (
        "how-to/serve-over-http.md",
        ", received within {}; beyond that, the status is 431 | | body",
        lambda: seconds(door.HEAD_SECONDS),
    ),
    ("how-to/serve-over-http.md", "body of a request | {}", lambda: mib(admission.LARGEST_BODY)),
    (
        "how-to/serve-over-http.md",
        ", received within {} after the headers | | calls",
        lambda: seconds(door.BODY_SECONDS),
    ),
    ("how-to/serve-over-http.md", "events and {} for each session", lambda: mib(event_stream.MOST_BYTES)),
    ("how-to/serve-over-http.md", "session, {} for all", lambda: mib(event_stream.MOST_BYTES_OF_ALL)),
    ("how-to/serve-over-http.md", ", for {:g} minutes; beyond", lambda: event_stream.SECONDS / 60),
    ("how-to/serve-over-http.md", "100,000 in {:g} minutes", lambda: sealed_states.SECONDS / 60),
    ("how-to/serve-over-http.md", "a call takes longer than {}", lambda: seconds(program_runs.REST_SECONDS)),
    ("how-to/serve-over-http.md", "results and {}, for an hour", lambda: mib(sharing.MOST_KEPT_BYTES)),
    ("how-to/skills.md", "files of more than {}", lambda: mib(resources.LARGEST)),
    ("how-to/skills.md", "skills of more than {} files", lambda: served_skills.MOST_FILES),
    ("how-to/skills.md", "files or {}", lambda: mib(served_skills.MOST_BYTES)),
    ("how-to/skills.md", "For more than {} tools", lambda: served_skills.MOST_ROWS),
    ("how-to/watch.md", "to this file every {}", lambda: seconds(reporter.WRITE_SECONDS)),
    ("reference/commands.md", "takes longer than {} to fetch", lambda: seconds(network.SECONDS)),
    ("reference/commands.md", "of a run longer than {}", lambda: seconds(network.ALL_SECONDS)),
    ("reference/commands.md", "may be {} large", lambda: mib(budgets.BYTES)),
    ("reference/json-output.md", "is larger than {}", lambda: kib(explain.LONGEST)),
]
"""Page, a text with a figure, and the figure."""

MEASURED = [
    ("how-to/large-apis.md", "a mock API answers each request with 300 tokens"),
    ("how-to/large-apis.md", "A question takes mcpgen's search 0.2 to 2 ms of CPU, and FastMCP's search 3 to 70 ms"),
    ("how-to/results.md", "MCP clients have their own time limit for a call, often 60 seconds"),
]
"""Page, and a text with figures of a benchmark that the page names, or of other programs."""


def text_of(page: str) -> str:
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


@pytest.mark.parametrize(("page", "text", "figure"), FIGURES, ids=[f"{page}: {text}" for page, text, _ in FIGURES])
def test_a_figure_is_the_one_of_the_code(page: str, text: str, figure: Callable[[], object]) -> None:
    assert text.format(figure()) in text_of(page)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_has_no_other_figure(path: Path) -> None:
    page = path.relative_to(DOCS).as_posix()
    rest = text_of(page)
    known = [(name, text.format(figure())) for name, text, figure in FIGURES if name == page]
    for name, text in [*known, *MEASURED]:
        rest = rest.replace(text, FIGURE.sub("", text)) if name == page else rest
    found = [rest[max(0, match.start() - 60) : match.end()] for match in FIGURE.finditer(rest)]
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
