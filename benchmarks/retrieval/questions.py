"""Read the questions of the benchmark, and the operations that each of them needs.

Questions of our own stand in `questions/API.txt`: a question, and the tools that it needs. A need is a tool's name, or
several that do equally, with `/` between them; `*` stands for any characters. Of TUNED, lines 1, 3, 5, … were used to
tune an earlier search, and lines 2, 4, 6, … were written at the same time. The questions of UNTUNED were written before
their author had seen the search, for documents that no question had been written for.

Questions of others stand beside the corpus, and are never copied: SOCBench-D, each of whose pools joins five documents,
and ToolAlpaca, whose documents are joined to one pool. Their needs are operations (`GET /path`).

`questions/nothing.txt` and `nothing_held_out.txt` have questions that the named API cannot answer. The questions of
`questions/deprecated.txt` are answered by a deprecated operation and by its successor, and need the successor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).with_name("questions")
TUNED = {
    "tmdb": "tmdb.json",
    "spotify": "spotify.json",
    "github": "github-rest.json",
    "stripe": "stripe.yaml",
    "jira": "jira.json",
}
"""Name of an API → file of its document in the corpus."""

UNTUNED = {
    "notion": "notion.json",
    "xero": "xero-accounting.json",
    "kubernetes": "kubernetes-1.13-swagger2.json",
    "digitalocean": "digitalocean/DigitalOcean-public.v2.yaml",
}


class Question(NamedTuple):
    """A question, and its needs: for each, the tools or operations that do equally."""

    text: str
    needs: tuple[tuple[str, ...], ...]

    def tools(self, names: list[str], operations: dict[str, set[str]]) -> list[set[str]]:
        """Return for each need the names of the tools that serve it.

        `operations`: method and path → names of the tools that call this operation.
        """
        found = []
        for need in self.needs:
            served = {name for each in need for name in (*operations.get(each, ()), *_alike(names, each))}
            assert served, f"no tool serves {need}, which this question needs: {self.text}"
            found.append(served)
        return found


def _alike(names: list[str], pattern: str) -> list[str]:
    return [name for name in names if fnmatchcase(name, pattern)]


class Pool(NamedTuple):
    """Documents that one server serves, and questions to it. `of`: the set to which the pool belongs.

    `nothing`: questions that no tool answers. `successors`: questions that a deprecated tool answers too.
    """

    of: str
    name: str
    documents: tuple[Path, ...]
    questions: list[Question]
    nothing: tuple[str, ...] = ()
    successors: tuple[Question, ...] = ()

    def source(self, folder: Path) -> Path:
        """Return the document of the pool, or a tools file over its documents, which is written to `folder`."""
        if len(self.documents) == 1:
            return self.documents[0]
        for number, document in enumerate(self.documents):
            (folder / f"{number}.json").write_bytes(document.read_bytes())
        each = [
            {"document": f"{number}.json", "base_url": "https://x.example"} for number in range(len(self.documents))
        ]
        tools = {"mcpgen": 1, "server": {"name": "pool"}, "openapi": each, "overrides": {"*": {"hide": False}}}
        path = folder / "tools.yaml"
        path.write_text(json.dumps(tools), encoding="utf-8")
        return path


def pools(corpus: Path, folder: Path) -> Iterator[Pool]:
    """Yield all pools. `folder`: a temporary folder for documents that are parts of another file."""
    public = corpus.parent / "questions"
    for name, document in (TUNED | UNTUNED).items():
        nothing = (text for file in ("nothing", "nothing_held_out") for text, _ in _rows_of(name, file))
        successors = (Question(text, ((operation,),)) for text, operation in _rows_of(name, "deprecated"))
        yield Pool(name, name, (corpus / document,), list(_own(name)), tuple(nothing), tuple(successors))
    for path in sorted((public / "socbench").glob("*~queries.json")):
        front = path.name.removesuffix("queries.json")
        documents = tuple(sorted(path.parent.glob(f"{front}*~openapi.json")))
        asked = json.loads(path.read_text(encoding="utf-8"))["queries"]
        questions = [Question(each["query"], tuple((operation,) for operation in each["endpoints"])) for each in asked]
        yield Pool(f"socbench {front.partition('~')[0][-1]}", front.rstrip("~"), documents, questions)
    if (public / "toolalpaca.json").is_file():
        apis = json.loads((public / "toolalpaca.json").read_text(encoding="utf-8"))
        for number, api in enumerate(apis):
            (folder / f"toolalpaca{number}.json").write_text(api["Documentation"], encoding="utf-8")
        documents = tuple(folder / f"toolalpaca{number}.json" for number in range(len(apis)))
        yield Pool("toolalpaca", "toolalpaca", documents, [each for api in apis for each in _of_toolalpaca(api)])


def _own(api: str) -> Iterator[Question]:
    for row in (FOLDER / f"{api}.txt").read_text(encoding="utf-8").splitlines():
        text, _, names = row.partition("|")
        yield Question(text.strip(), tuple(tuple(each.split("/")) for each in names.split()))


def _rows_of(api: str, file: str) -> Iterator[tuple[str, str]]:
    """Yield the question and the operation (or "") of each row of `questions/FILE.txt` about an API."""
    for row in (FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        name, text, operation = (each.strip() for each in f"{row}|".split("|")[:3])
        if name == api:
            yield text, operation


def _of_toolalpaca(api: dict[str, Any]) -> Iterator[Question]:
    """Yield the questions of one API of ToolAlpaca whose answers call any of its functions."""
    operations = {name: f"{method.upper()} {path}" for name, (path, method) in api["Function_Projection"].items()}
    for text, calls in zip(api["Instructions"], api["Golden_Answers"], strict=True):
        needs = dict.fromkeys((operations[call["Action"]],) for call in calls if call["Action"] in operations)
        if needs:
            yield Question(text, tuple(needs))
