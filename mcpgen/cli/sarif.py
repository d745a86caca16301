"""Write diagnostics as SARIF 2.1.0, a format that code hosts and editors read."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

import mcpgen
from mcpgen.base.diagnostics import CODES, Severity, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.cli.report import Finding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log(findings: Sequence[Finding]) -> JsonObject:
    """Return the SARIF log of one run (section 3.13): a rule for each code, and a result for each finding and skipped
    operation.
    """
    return run(CODES, [_result(each) for each in findings])


def run(rules: Mapping[str, tuple[Severity, str]], results: Sequence[JsonObject]) -> JsonObject:
    """Return the SARIF log of one run with these results. `rules`: code → its severity and its meaning."""
    driver: JsonObject = {
        "name": "mcpgen",
        "version": mcpgen.__version__,
        "rules": [
            {"id": code, "shortDescription": {"text": meaning}, "defaultConfiguration": {"level": severity}}
            for code, (severity, meaning) in rules.items()
        ],
    }
    log: JsonObject = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [*results]}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [log]}


def _result(finding: Finding) -> JsonObject:
    """Return one SARIF result (section 3.27) for a finding: its first place, count, and other places as related
    locations.
    """
    found = finding.diagnostic
    result: JsonObject = {
        "ruleId": found.code,
        "ruleIndex": list(CODES).index(found.code),
        "level": found.severity,
        "message": {"text": f"{finding.message} {found.hint}".strip()},
    }
    if finding.other:
        result["occurrenceCount"] = finding.count
        result["relatedLocations"] = [location(where) for where in finding.other]
    return result if found.where is None else {**result, "locations": [location(found.where)]}


def location(where: Where) -> JsonObject:
    """Return the place of a result (section 3.28)."""
    physical: JsonObject = {"artifactLocation": {"uri": _uri(where.file)}}
    if where.line is not None and where.column is not None:
        physical["region"] = {"startLine": where.line, "startColumn": where.column}
    logical: list[JsonValue] = [{"fullyQualifiedName": where.pointer}] if where.pointer else []
    return {"physicalLocation": physical, **({"logicalLocations": logical} if logical else {})}


def _uri(file: str) -> str:
    """Return a file name as a relative URI (section 3.4.3); a URL stays as it is."""
    return file if "://" in file else quote(file)
