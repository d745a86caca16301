"""Compare how mcpgen classifies operations that answer 202 with the judgment of people who read the documents.

The test selects the operations again, as random samples with fixed seeds, and fails if `accepted.yaml` lacks the
judgment of one. So nobody can leave out an operation that mcpgen gets wrong.
"""

from __future__ import annotations

import random
import re
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from mcpgen.model import Accepted
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.corpus.published import METHODS
from tests.corpus.scopes_reader import file, resolved

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dev"
TABLE: dict[str, dict[str, list[str]]] = yaml.safe_load(Path(__file__).with_name("accepted.yaml").read_text())
LEAST = 0.95
"""Lower limit on the share of operations of each part that mcpgen classifies as the reader did."""

_PATHS = re.compile(r"""^paths:|"paths"\s*:""", re.MULTILINE)
_KUBERNETES = "kubernetes-1.13-swagger2.json"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository"),
]

Key = tuple[str, str]
"""Path of a document, and method and path of an operation in it."""


@lru_cache(maxsize=2)
def answering_202(with_mark: bool = False) -> list[Key]:
    """Return the operations with a response 202 in the documents of the corpus, read without the compiler.

    `with_mark`: True for the documents that begin with a byte order mark, False for all others. `parts` draws its
    samples only from the others.
    """
    found = []
    for path in sorted(each for kind in ("json", "yaml", "yml") for each in CORPUS.rglob(f"*.{kind}")):
        text = path.read_text("utf-8")
        if text.startswith("\ufeff") != with_mark or not _PATHS.search(text):
            continue
        document = file(path)
        for template, own in (document.root.get("paths") or {}).items():
            place, item = resolved(document, own)
            for method in (each for each in METHODS if isinstance(item, dict) and each in item):
                _, operation = resolved(place, item[method])
                if "202" in map(str, operation.get("responses") or ()):
                    found.append((path.relative_to(CORPUS).as_posix(), f"{method.upper()} {template}"))
    return sorted(found)


@lru_cache(maxsize=1)
def parts() -> dict[str, set[Key]]:
    """Return the operations of each part of `accepted.yaml`.

    `drawn`: 50 operations of all documents. `others`: 25 more, none of them from Kubernetes' document. `later`: 50 of
    the operations in neither sample. `rest`: all operations outside Kubernetes' document that are in none of these
    samples.
    """
    first = random.Random(26).sample(answering_202(), 50)
    left = [each for each in answering_202() if each not in first]
    others = random.Random(262).sample([each for each in left if each[0] != _KUBERNETES], 25)
    left = [each for each in left if each not in others]
    later = random.Random(263).sample(left, 50)
    rest = [each for each in left if each not in later and each[0] != _KUBERNETES]
    marked = answering_202(with_mark=True)
    return {"drawn": {*first}, "others": {*others}, "later": {*later}, "rest": {*rest, *marked}}


@lru_cache(maxsize=16)
def recognised(name: str) -> dict[str, Accepted | None]:
    found = compile_source(fetch.read(str(CORPUS / name)), Options(base_url="https://api.example.com"))
    return {f"{tool.operation.method} {tool.operation.path}": tool.accepted for tool in found.catalog.tools}


def judged(part: str) -> dict[Key, tuple[str, list[str]]]:
    """Return, for each operation of `part`, the kind of its response 202 (`AcceptedKind`), and where its result or
    state can be read, as a person has judged.

    The list says where: a request that reads the result or state, the JSON Pointer of a URL in the response body, or
    `location` for the header field. The test accepts any of them.
    """
    found = {}
    for name, lines in TABLE[part].items():
        for line in lines:
            request, _, verdict = line.partition(" = ")
            kind, _, places = verdict.partition(" ")
            found[name, request] = kind, places.split(", ") if places else []
    return found


@pytest.mark.parametrize("part", ["drawn", "others", "later", "rest"])
def test_operations_are_classified_as_by_a_reader(part: str) -> None:
    table = judged(part)
    assert table.keys() == parts()[part]
    wrong = []
    for (name, request), (kind, places) in table.items():
        found = recognised(name)[request]
        if found is None or found.kind != kind or (places and found.look not in places):
            wrong.append(f"{name} {request}: {found} instead of {kind} {places}")
    assert len(table) - len(wrong) >= LEAST * len(table), "\n".join(wrong)
