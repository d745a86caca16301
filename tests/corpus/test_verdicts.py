"""Test that the compiler's fast validation of a document agrees with openapi-spec-validator, over published
documents.
"""

from __future__ import annotations

from typing import Any

import openapi_spec_validator as standard
import pytest

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source, verdict
from mcpgen.read import fetch
from mcpgen.read.document import Library
from mcpgen.read.openapi import quick, version_of
from tests.corpus.test_corpus import CORPUS, DOCUMENTS, Entry

VALIDATORS: dict[str | None, Any] = {
    "2.0": standard.OpenAPIV2SpecValidator,
    "3.0": standard.OpenAPIV30SpecValidator,
    "3.1": standard.OpenAPIV31SpecValidator,
    "3.2": standard.OpenAPIV32SpecValidator,
}
LARGEST = 450_000
"""Limit on the bytes of a document. openapi-spec-validator takes half a minute for the largest documents."""

SMALL = [entry for entry in DOCUMENTS if (CORPUS / entry.path).stat().st_size <= LARGEST]
pytestmark = pytest.mark.skipif(not SMALL, reason="the corpus is not beside the repository")


@pytest.mark.parametrize("entry", SMALL, ids=lambda entry: entry.path.removeprefix("dev/"))
def test_both_verdicts_say_the_same_of_the_schema(entry: Entry) -> None:
    fetched = fetch.read(str(CORPUS / entry.path))
    found = Diagnostics()
    document = Library(Diagnostics()).add(fetched.name, fetched.data, None)
    version = version_of(document)
    assert version is not None
    quick(document, version, found)
    whole = VALIDATORS[version](document.value).schema_validator
    assert bool(list(found)) == (next(whole.iter_errors(document.value), None) is not None)


@pytest.mark.parametrize(
    "entry", [entry for entry in SMALL if "separate" in entry.path or "split" in entry.path], ids=str
)
def test_the_full_verdict_reads_the_files_of_a_document(entry: Entry) -> None:
    path = CORPUS / entry.path
    compiled = compile_source(fetch.read(str(path), (str(path.parents[1]),)), Options())
    found = verdict(compiled.sources)
    assert not [finding.message for finding in found if "ended early" in finding.message]
