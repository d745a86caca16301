"""Check a document against its version of OpenAPI: quickly in every compile, and by the full validator on demand.

Published documents are often invalid in harmless ways, so findings are warnings. Parts that mcpgen cannot use are
reported by the modules that read them. Neither check opens a socket or a file: references to other documents are
refused.
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.base.confined import Stopped, Tell, run_confined
from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, pointer
from mcpgen.read.document import Document, Library
from mcpgen.read.openapi.official import Finding, Place, official_findings, place_of

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MOST_FINDINGS = 50
_MOST_COPIED = 200_000
"""Limit on values copied for errors (about 1.5 kB each), up to which the check runs in this process.

Few published documents with errors exceed this limit.
"""

_SECONDS, _MEBIBYTES = 10, 512


def quick(document: Document, version: str, diagnostics: Diagnostics) -> None:
    """Check the document against the meta-schema, which takes some hundredths of a second for the largest documents."""
    found = (finding for findings in _precise(document, version).values() for finding in findings)
    _report(found, document, diagnostics)


def verdict(document: Document, version: str, library: Library, diagnostics: Diagnostics) -> None:
    """Report the findings of openapi-spec-validator, which takes half a minute for the largest documents.

    Files that the document refers to are read through `library`. The validator names only the outermost wrong value. If
    the check against the OpenAPI meta-schema finds the faults inside this value, they replace the validator's finding.
    """
    precise = _precise(document, version)

    def found() -> Iterator[Finding]:
        told = set(precise)
        for path, message in official_findings(document, version, library):
            yield from precise.pop(path, [] if path in told else [(path, message.partition("\n")[0])])
        for findings in precise.values():
            yield from findings

    _report(found(), document, diagnostics)


def _precise(document: Document, version: str) -> dict[Place, list[Finding]]:
    """Return path of the outermost wrong value → findings inside that value, from the meta-schema.

    Each error of the validation library holds a copy of the wrong value, and errors around it hold copies too. If deep
    nesting would multiply the copies, a child process with limits does the work.
    """
    import jsonschema_rs  # imported late: not needed for tools files and --help

    validator = jsonschema_rs.validator_for(_meta_schema(version), offline=True, mask="the value")
    found: dict[Place, list[Finding]] = {}
    if validator.is_valid(document.value):
        return found

    def errors(tell: Tell) -> None:
        for whole in validator.iter_errors(document.value):
            leaves: list[JsonValue] = [[[*error.instance_path], error.message] for error in _leaves(whole)]
            tell([[*whole.instance_path], leaves])

    told: list[JsonValue] = []
    try:
        if _copies(document.value) <= _MOST_COPIED:
            errors(told.append)
        else:
            told.extend(run_confined(errors, _SECONDS, _MEBIBYTES))
    except Stopped as stopped:
        return {(): [((), f"the document is invalid, and finding the place {stopped}")]}
    for each in told:
        whole, leaves = as_list(each)
        said = [(place_of(as_list(leaf)[0]), str(as_list(leaf)[1])) for leaf in as_list(leaves)]
        found.setdefault(place_of(whole), []).extend(said)
    # Sorted, because the library's order of findings in one value differs between releases.
    return {whole: sorted(said, key=_by_place) for whole, said in found.items()}


def _by_place(finding: Finding) -> tuple[list[str], str]:
    path, message = finding
    return [str(part) for part in path], message


def _copies(value: JsonValue) -> int:
    """Return how many values the validation errors copy if each value has an error.

    An error copies its value with all values inside. So a value counts once for itself and once for each value around
    it. Counting stops above `_MOST_COPIED`.
    """
    copied, depth, level = 0, 1, [value]
    while level and copied <= _MOST_COPIED:
        copied, depth = copied + depth * len(level), depth + 1
        level = [
            member
            for inner in level
            for member in (inner.values() if type(inner) is dict else inner if type(inner) is list else ())
        ]
    return copied


def _report(found: Iterable[Finding], document: Document, diagnostics: Diagnostics) -> None:
    for index, (path, message) in enumerate(_once(found, document.value)):
        if index == MOST_FINDINGS:
            diagnostics.add(
                "invalid-document", f"There are more than {MOST_FINDINGS} violations of the OpenAPI schema."
            )
            return
        where = document.where(pointer("", *path))
        diagnostics.add("invalid-document", f"The OpenAPI standard's schema reports: {_clipped(message)}.", where)


def _once(found: Iterable[Finding], value: JsonValue) -> Iterator[Finding]:
    """Yield each finding once.

    The validator may repeat findings, because it identifies schemas by memory addresses, which are reused.
    """
    told: set[Finding] = set()
    for path, message in found:
        finding = _existing(path, value), message
        if finding not in told:
            told.add(finding)
            yield finding


def _existing(path: Place, value: JsonValue) -> Place:
    """Return the longest prefix of a finding's path that exists in the document.

    The validator may append keys of its own schema to the path of the wrong value.
    """
    for depth, part in enumerate(path):
        match value, part:
            case dict(), str() if part in value:
                value = value[part]
            case list(), int() if part < len(value):
                value = value[part]
            case _:
                return path[:depth]
    return path


def _leaves(error: "ValidationError") -> list["ValidationError"]:
    """Yield the errors that explain a failed `oneOf` or `anyOf`: those of the branch that matched most deeply.

    Most alternatives are `Schema or Reference`, and it never helps to report that a value is not a Reference.
    """
    branches: list[list[ValidationError]] = getattr(error.kind, "context", None) or []
    inner = [[leaf for nested in branch for leaf in _leaves(nested)] for branch in branches]
    told = [branch for branch in inner if branch and "$ref" not in branch[0].message]
    return max(told, key=lambda branch: max(len(leaf.instance_path) for leaf in branch)) if told else [error]


@cache
def _meta_schema(version: str) -> JsonObject:
    """Return the meta-schema that comes with openapi-spec-validator.

    Its file is located without importing the package, since the import takes a third of a second.
    """
    spec = find_spec("openapi_spec_validator")
    assert spec is not None, "a dependency"
    assert spec.origin is not None, "a folder with an __init__.py"
    path = Path(spec.origin).parent / "resources" / "schemas" / f"v{version}" / "schema.json"
    schema: JsonValue = json.loads(path.read_bytes())
    return as_object(schema)


def _clipped(message: str) -> str:
    message = " ".join(message.split()).rstrip(".")
    return message if len(message) <= 200 else message[:199] + "…"
