"""Test that the page of `mcpgen inspect` searches as a generated server does, with a real browser and a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base import tokens
from mcpgen.cli import servers
from mcpgen.cli import source as sources
from mcpgen.model.options import Options
from tests.page.browser import CHROMIUM, Page
from tests.page.pages import GITHUB, PETSTORE, Run, assert_quiet, written

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian's package chromium)")

QUERIES = """\
who acts in the movie Titanic?
list open issues of a repository, then comment on one
Create a pet; delete the pet and after that list all pets
change the weight of a pet
vaccinate
web hook
pay outs of unpaid invoices
book a flight to Paris
merge a pull request
failed workflow runs
search for customers by email
what is the runtime
naïve café 漢字 Zoë
play the next track on my device
the of and
add a track to my playlist""".splitlines()
CORPUS = ("github-rest.json", "stripe.yaml", "spotify.json", "jira.json", "tmdb.json")


@pytest.mark.parametrize("name", [PETSTORE.name, *(pytest.param(each, marks=pytest.mark.slow) for each in CORPUS)])
def test_the_search_answers_as_a_server_does(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Compare the texts of two implementations of the search: the page's and that of a generated server."""
    run, page = chromium
    source = PETSTORE if name == PETSTORE.name else GITHUB.with_name(name)
    if not source.is_file():
        pytest.skip("the shared corpus is not here")
    path, _ = written(source, tmp_path, capsys)
    single = QUERIES[:2] if source == PETSTORE else QUERIES
    asked = [QUERIES[:8], QUERIES[8:], *([each] for each in single)]
    found = list(answers(source, asked))

    async def scene() -> None:
        await page.open(path)
        for queries, expected in zip(asked, found, strict=True):
            await page.run(f"document.getElementById('ask').value = {json.dumps(chr(10).join(queries))}")
            await page.run("document.getElementById('ask').dispatchEvent(new Event('input'))")
            shown = await page.run("document.getElementById('answer').textContent")
            assert shown == expected["answer"], queries
            cost = await page.run("document.getElementById('answer-cost').textContent")
            assert cost == f"about {expected['tokens']:,} tokens"
        assert_quiet(page, path)

    run(scene())


def answers(source: Path, asked: list[list[str]]) -> Iterator[dict[str, Any]]:
    """For each list of queries in `asked`, let a generated server search once. Yield its answer and the answer's
    estimated number of tokens.
    """
    with servers.emitted(sources.compiled(str(source), Options(tools="search"))) as server:
        for queries in asked:
            code, out, err = server.ask(*(word for query in queries for word in ("--search", query)))
            assert (code, err) == (0, "")
            yield {"answer": out.rstrip("\n"), "tokens": tokens.estimate(out.rstrip("\n"))}


def test_an_empty_question_has_no_answer(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, page = chromium
    path, _ = written(PETSTORE, tmp_path, capsys)

    async def scene() -> None:
        await page.open(path)
        await page.run("document.getElementById('ask').focus()")
        await page.type("delete a pet")
        assert "delete_pet(" in await page.run("document.getElementById('answer').textContent")
        await page.run("document.getElementById('ask').value = ' \\n '")
        await page.run("document.getElementById('ask').dispatchEvent(new Event('input'))")
        assert await page.run("document.getElementById('answer').hidden")
        assert await page.run("document.getElementById('answer-cost').textContent") == ""
        assert_quiet(page, path)

    run(scene())
