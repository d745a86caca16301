"""Test that two compiles of the same published document have no differences, with output schemas or without."""

from __future__ import annotations

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.model.options import Options
from mcpgen.pipeline import Project, compile_source
from mcpgen.read import fetch
from mcpgen.regenerate.diff import compare
from mcpgen.regenerate.regenerate import compile_after, surface_of
from tests.corpus.test_corpus import CORPUS, Entry
from tests.corpus.test_verdicts import SMALL

pytestmark = pytest.mark.skipif(not SMALL, reason="the corpus is not beside the repository")


@pytest.mark.parametrize("structured", [False, True], ids=["plain", "structured"])
@pytest.mark.parametrize("entry", SMALL, ids=lambda entry: entry.path.removeprefix("dev/"))
def test_a_document_does_not_differ_from_itself(entry: Entry, structured: bool) -> None:
    fetched, options = fetch.read(str(CORPUS / entry.path)), Options(structured=structured)
    try:
        before = compile_source(fetched, options)
    except FatalError:
        pytest.skip("nothing in it can be called")
    surface = surface_of(before)
    after = compile_after(fetched, options, Project(lock=before.lock))
    assert not compare(surface, surface_of(after))
