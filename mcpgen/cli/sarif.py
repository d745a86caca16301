"""Diagnostics as SARIF 2.1.0, the format in which code hosts and editors take the findings of a tool."""

from collections.abc import Sequence
from urllib.parse import quote

import mcpgen
from mcpgen.cli.report import untold
from mcpgen.diagnostics import CODES, Diagnostic
from mcpgen.jsonvalue import JsonObject, JsonValue
from mcpgen.model import Skipped

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log(found: Sequence[Diagnostic], skipped: Sequence[Skipped] = ()) -> JsonObject:
    """The SARIF log of one run (section 3.13): a rule for each code, a result for each finding, an operation that was
    skipped among them.
    """
    reasons = [
        (entry.reason, f"{entry.operation} was skipped: {entry.reason.message}") for entry in untold(found, skipped)
    ]
    results = [_result(each, message) for each, message in [*((each, each.message) for each in found), *reasons]]
    driver: JsonObject = {
        "name": "mcpgen",
        "version": mcpgen.__version__,
        "rules": [
            {"id": code, "shortDescription": {"text": meaning}, "defaultConfiguration": {"level": severity}}
            for code, (severity, meaning) in CODES.items()
        ],
    }
    run: JsonObject = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [*results]}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(found: Diagnostic, message: str) -> JsonObject:
    result: JsonObject = {
        "ruleId": found.code,
        "ruleIndex": list(CODES).index(found.code),
        "level": found.severity,
        "message": {"text": f"{message} {found.hint}".strip()},
    }
    if found.where is None:
        return result
    physical: JsonObject = {"artifactLocation": {"uri": _uri(found.where.file)}}
    if found.where.line is not None and found.where.column is not None:
        physical["region"] = {"startLine": found.where.line, "startColumn": found.where.column}
    logical: list[JsonValue] = [{"fullyQualifiedName": found.where.pointer}] if found.where.pointer else []
    location: JsonObject = {"physicalLocation": physical, **({"logicalLocations": logical} if logical else {})}
    return {**result, "locations": [location]}


def _uri(file: str) -> str:
    """The file as a relative URI, or what it is called where it is none (section 3.4.3)."""
    return file if "://" in file else quote(file)
