"""Test that the documentation lists exactly the keys of `check --format json`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main

PAGE = (Path(__file__).parents[2] / "docs/reference/json-output.md").read_text(encoding="utf-8")
_SECTION = PAGE.partition("`check --format json` prints one document")[2].partition("\n\n##")[0]
ROWS = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", _SECTION, re.MULTILINE))
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Rooms", "version": "1"},
    "paths": {
        "/rooms": {"get": {"responses": {"200": {"description": "ok"}}}},
        "/halls": {"trace": {"responses": {"200": {"description": "ok"}}}},
    },
    "webhooks": {"booked": {"post": {"summary": "A room was booked.", "responses": {"200": {"description": "ok"}}}}},
}


def told(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    (folder / "rooms.json").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["check", str(folder / "rooms.json"), "--format", "json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def named(key: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", ROWS[key]))


def test_the_keys_are_those_that_the_page_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(json.dumps(DOCUMENT), tmp_path, capsys)
    assert found.keys() == ROWS.keys()
    assert found["summary"].keys() == named("summary")
    assert found["skipped"][0].keys() == named("skipped")
    assert found["diagnostics"][0].keys() == named("diagnostics")
    assert found["webhooks"][0].keys() == named("webhooks") - {"after"}


def test_a_check_that_cannot_go_on_has_the_keys_that_the_page_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told("{}", tmp_path, capsys)
    assert found.keys() == {"schema", "diagnostics"}
    assert found["diagnostics"][0].keys() == named("diagnostics") - {"operation", "count", "also"}
