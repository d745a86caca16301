"""Test that the search in the page of `mcpgen inspect` finds, refuses and describes tools as a generated server does,
in Node.js without a browser.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from package.runtime.search import notation
from package.runtime.search.retriever import Retriever

from mcpgen.base import assets
from mcpgen.emit.page import search_data
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.page.pages import GITHUB, PETSTORE
from tests.page.test_search import CORPUS, QUERIES

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here")

SCRIPTS = [Path(assets.__file__).parents[1] / "emit" / "page" / f"{name}.js" for name in ("retriever", "notation")]
MORE = [
    "créer une issue",
    "los pets",
    "消除 pet",
    "commander une pizza",
    "movies with Ludwig van Beethoven",
    "pets du café",
    "translate this to Japanese",
    "order a pizza soon",
    "which pets are there now?",
    "delete",
    "many",
    "retrieve the status of a pet to verify it, upload a picture and, after 1,000 orders, DELETE THE ORDER",
    "add a pet to my list to sell it.",
    "When is a pet sold? Upload an image if the order of the pet is placed",
]
ASK = """
const { data, queries, tools } = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const retriever = retrieverOf(data);
const answers = queries.map((query) => {
  const { hits, fits, sure } = retriever.search(query, 5);
  return [hits.map(({ tool, sources }) => [tool, sources]), fits, sure];
});
console.log(JSON.stringify({ answers, described: tools.map(notationOf(data).described) }));
"""


@pytest.mark.parametrize("name", [PETSTORE.name, *(pytest.param(each, marks=pytest.mark.slow) for each in CORPUS)])
def test_the_page_answers_as_a_server_does(name: str) -> None:
    source = PETSTORE if name == PETSTORE.name else GITHUB.with_name(name)
    if not source.is_file():
        pytest.skip("the shared corpus is not here")
    compiled = compile_source(fetch.read(str(source)), Options(tools="search"))
    table = compiled.catalog.search
    assert table is not None
    tools = json.loads(compiled.tree[f"{compiled.catalog.identity.package}/tools.json"])
    retriever, queries = Retriever(json.loads(table.index)), [*QUERIES, *MORE]
    given = json.dumps({"data": search_data(table.index), "queries": queries, "tools": tools})
    command = ["node", "-e", "\n".join(each.read_text(encoding="utf-8") for each in SCRIPTS) + ASK]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, encoding="utf-8")
    found: list[Any] = []
    for query in queries:
        answer = retriever.search(query, 5, lambda name: True)
        hits = [[hit.number, [list(each) for each in hit.sources]] for hit in answer.hits]
        found.append([hits, answer.fits, answer.sure])
    assert json.loads(done.stdout) == {"answers": found, "described": [notation.described(tool) for tool in tools]}
    assert [] in [answer[0] for answer in found]
