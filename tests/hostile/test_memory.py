"""Test requirement HARD-25: for every document, the process stays below one gibibyte and ends with a result or a
one-sentence error.

The kernel limits the address space (RLIMIT_AS), which is larger than the memory in use. So the limit is stricter than
the promise.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import FatalError
from mcpgen.read.document import Library, budgets, json_text, load
from mcpgen.read.document.budgets import Memory
from tests.hostile.test_fetching import within_limits

MIB = 1024 * 1024
HEAD = '{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/a":{"get":{}}},"x-a":'
MOST = budgets.NODES - 100


def filled(item: str, size: int = 64 * MIB) -> str:
    """Return a JSON document of `size` bytes: one list that repeats `item`."""
    return HEAD + "[" + ",".join([item] * ((size - len(HEAD) - 20) // (len(item) + 1))) + "]}"


def distinct(count: int) -> str:
    """Return a JSON document of `count` members, whose keys and values all differ."""
    return HEAD + "{" + ",".join(f'"{number:x}":"{number:x}"' for number in range(count)) + "}}"


def wide(text: str) -> str:
    """Pad the document to the largest allowed size, with one character that makes Python store every character in four
    bytes.
    """
    room = 64 * MIB - len(text) - 30
    return text[:-1] + ',"x-b":"\U0001f600' + "y" * room + '"}'


DOCUMENTS: dict[str, tuple[Callable[[], str], int]] = {
    "64 MiB of empty lists": (lambda: filled("[]"), 2),
    "64 MiB of small objects": (lambda: filled('{"a":0}'), 2),
    "64 MiB of texts of delimiters": (lambda: filled('"' + "[{,:" * 50_000 + '"'), 0),
    "64 MiB of one text": (lambda: wide(HEAD + "0}"), 0),
    "as many members as there may be": (lambda: distinct(MOST // 2), 0),
    "and one more": (lambda: distinct(MOST // 2 + 100), 2),
    "as many as there may be in a wide text": (lambda: wide(distinct(900_000)), 0),
    "more than there may be in a wide text": (lambda: wide(distinct(1_200_000)), 2),
    "YAML": (lambda: "x-a: [" + "[]," * (budgets.NODES + 10) + "]\nopenapi: 3.1.0\n", 2),
}
SENTENCE = "values and keys together, which is the limit. [too-many-nodes]"


@pytest.mark.parametrize("case", DOCUMENTS)
def test_hard_25_a_document_stays_below_a_gibibyte(case: str, tmp_path: Path) -> None:
    make, code = DOCUMENTS[case]
    (tmp_path / "openapi.json").write_text(make(), encoding="utf-8")
    assert (tmp_path / "openapi.json").stat().st_size <= budgets.BYTES
    done = within_limits("generate", "openapi.json", "-o", "out", folder=tmp_path)
    assert done.returncode == code, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert (SENTENCE in done.stderr) == (code == 2)


def test_hard_25_the_files_of_a_run_share_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "NODES", 100)
    library = Library(Diagnostics())
    library.add("a", json.dumps(list(range(60))).encode(), None)
    with pytest.raises(FatalError, match="more than 40 values"):
        library.add("b", json.dumps(list(range(60))).encode(), None)
    monkeypatch.setattr(budgets, "MEMORY", 10_000)
    library = Library(Diagnostics())
    library.add("a", b'"' + b"x" * 2900 + b'"', None)
    with pytest.raises(FatalError, match="are together larger than"):
        library.add("b", b'"' + b"x" * 2900 + b'"', None)


COUNTED = [
    *[("[]", 1), ("{}", 1), ("[1,2]", 3), ('{"a":1}', 3), ('{"a":{"b":[1,2]}}', 7), ("[[],[]]", 3)],
    ('["[{,:","\\"[,",""]', 4),
]


@pytest.mark.parametrize(("text", "nodes"), COUNTED)
def test_values_and_keys_are_counted_before_they_are_read(text: str, nodes: int) -> None:
    """Check that the nodes of a document are counted before it is parsed: never too few, and at most one too many for
    each empty list.
    """
    assert nodes <= json_text.count_nodes(text, "f", nodes + 2) + 1
    with pytest.raises(FatalError) as refused:
        json_text.count_nodes(text * 50, "f", nodes * 50 - 51)
    assert refused.value.diagnostic.where is not None
    assert load("f", text.encode(), Diagnostics(), Memory()).nodes >= nodes - 1


def test_merges_of_yaml_count_what_they_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "NODES", 500)
    members = ", ".join(f"k{number}: 1" for number in range(100))
    text = f"a: &a {{{members}}}\n" + "".join(f"b{number}: {{<<: *a}}\n" for number in range(10))
    with pytest.raises(FatalError) as refused:
        load("f", text.encode(), Diagnostics())
    assert refused.value.diagnostic.code == "too-many-nodes"
