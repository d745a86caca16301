"""Test how mcpgen reports the errors of openapi-spec-validator: each error once, with a place that exists."""

from __future__ import annotations

import json

import pytest

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.read.document import load
from mcpgen.read.openapi import validity

VALUE = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {"tags": ["x"]}}}}


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ((), ""),
        (("paths", "/a", "get", "tags", 0), "/paths/~1a/get/tags/0"),
        (("paths", "/a", "get", "tags", 1), "/paths/~1a/get/tags"),
        (("paths", "/b"), "/paths"),
        (("default",), ""),
        (("info", "title", "deeper"), "/info/title"),
    ],
)
def test_what_is_said_several_times_of_one_place_is_told_once(
    monkeypatch: pytest.MonkeyPatch, path: validity.Place, pointer: str
) -> None:
    message = "True is not of type 'number'"
    said = [(path, message), ((*path, "nowhere"), message), ((*path, "elsewhere"), message)] * validity.MOST_FINDINGS
    monkeypatch.setattr(validity, "official_findings", lambda *given: iter(said))
    diagnostics = Diagnostics()
    document = load("api.json", json.dumps(VALUE).encode(), diagnostics)
    validity.verdict(document, "3.1", None, diagnostics)  # type: ignore[arg-type]
    told, *others = [each for each in diagnostics if each.code == "invalid-document"]
    assert others == []
    assert told.where is not None
    assert told.where.pointer == pointer
