"""Test the SARIF log against the requirements of the format (SARIF 2.1.0, sections 3.13, 3.27 and 3.28)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.diagnostics import CODES, Diagnostic, Where
from mcpgen.cli import main
from mcpgen.cli.report import group
from mcpgen.cli.sarif import log
from mcpgen.model import Skipped

LEVELS = {"error", "warning", "note", "none"}


def test_every_code_is_a_rule_and_every_result_names_its_own() -> None:
    found = [Diagnostic(code, "Wrong.", "Mend it.", Where("a b.yaml", "/x", 3, 4)) for code in CODES]
    (run,) = json.loads(json.dumps(log(group(found))))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CODES)
    assert all(rule["defaultConfiguration"]["level"] in LEVELS for rule in rules)
    for result, diagnostic in zip(run["results"], [each.diagnostic for each in group(found)], strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == diagnostic.code
        assert result["level"] == diagnostic.severity
        assert result["message"]["text"] == "Wrong. Mend it."
        (location,) = result["locations"]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": "a%20b.yaml"},
            "region": {"startLine": 3, "startColumn": 4},
        }
        assert location["logicalLocations"] == [{"fullyQualifiedName": "/x"}]


def results(findings: list[Diagnostic], skipped: list[Skipped]) -> list[Any]:
    (run,) = json.loads(json.dumps(log(group(findings, skipped))))["runs"]
    return list(run["results"])


def test_a_finding_without_a_place_has_no_location_and_a_skip_is_a_finding() -> None:
    reason = Diagnostic("invalid-path", "It is wrong.", "", Where("https://x.example/a b"))
    skip, found = results([Diagnostic("no-server", "None.")], [Skipped("GET /a", reason)])
    assert "locations" not in found
    assert skip["message"]["text"] == "GET /a was skipped: It is wrong."
    assert skip["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "https://x.example/a b"}}}]


def test_what_is_found_alike_is_one_result_with_its_other_places() -> None:
    found = [Diagnostic("invalid-style", "Wrong.", "", Where("f", f"/{n}", n, 1)) for n in (1, 2, 3)]
    (result,) = results(found, [])
    assert result["occurrenceCount"] == 3
    lines = [each["physicalLocation"]["region"]["startLine"] for each in result["relatedLocations"]]
    assert (result["locations"][0]["physicalLocation"]["region"]["startLine"], lines) == (1, [2, 3])


@pytest.mark.parametrize(("text", "code"), [("openapi: 3.1.0\npaths: {}\n", 2), ("[", 2), ("openapi: 3.1.0\n", 2)])
def test_a_run_that_cannot_go_on_is_a_log_too(
    text: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "openapi.yaml"
    source.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["check", str(source), "--format", "sarif"])
    assert ended.value.code == code
    told = json.loads(capsys.readouterr().out)
    assert told["version"] == "2.1.0"
    assert len(told["runs"][0]["results"]) == 1
