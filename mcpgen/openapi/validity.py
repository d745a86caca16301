"""Whether a document is valid by the schema of its version: a quick check in every compile, the standard tool's verdict
on demand.

Published documents are often invalid in ways that cost nothing, so findings are warnings; what cannot be understood is
reported where it is read. Neither check ever opens a socket or a file: references that leave the document are refused.
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NoReturn

from mcpgen.diagnostics import Diagnostics
from mcpgen.document import Document
from mcpgen.jsonvalue import JsonObject, JsonValue, as_object, pointer

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MOST_FINDINGS = 50
Path = tuple[str | int, ...]
Finding = tuple[Path, str]
"""Where in the document, and what is wrong there."""


def quick(document: Document, version: str, diagnostics: Diagnostics) -> None:
    """The meta-schema of the standard alone: some hundredths of a second for the largest documents."""
    found = (finding for findings in _precise(document, version).values() for finding in findings)
    _report(found, document, diagnostics)


def verdict(document: Document, version: str, diagnostics: Diagnostics) -> None:
    """openapi-spec-validator's full verdict: half a minute for the largest documents, so on demand.

    It names the outermost value that departs; where the meta-schema tells what in it is wrong, that is said.
    """
    precise = _precise(document, version)

    def found() -> Iterator[Finding]:
        for path, message in _official(document, version):
            yield from precise.pop(path, [(path, message)])
        for findings in precise.values():
            yield from findings

    _report(found(), document, diagnostics)


def _precise(document: Document, version: str) -> dict[Path, list[Finding]]:
    """Where the document departs from the meta-schema: the outermost value → what in it is wrong."""
    import jsonschema_rs  # not needed for tools files, nor for the help

    validator = jsonschema_rs.validator_for(_meta_schema(version), offline=True, mask="the value")
    found: dict[Path, list[Finding]] = {}
    for whole in validator.iter_errors(document.value):
        leaves = [((*error.instance_path,), error.message) for error in _leaves(whole)]
        found.setdefault((*whole.instance_path,), []).extend(leaves)
    return found


def _official(document: Document, version: str) -> Iterator[Finding]:
    """The findings of the standard's tool, and its own failure last: it raises where references lead nowhere."""
    from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator  # a third of a second

    kind = {"3.0": OpenAPIV30SpecValidator, "3.1": OpenAPIV31SpecValidator}[version]
    handlers = dict.fromkeys(("<all_urls>", "http", "https", "file", ""), _refuse)
    offline = type("Offline", (kind,), {"resolver_handlers": handlers})
    try:
        for error in offline(as_object(document.value)).iter_errors():
            yield (*getattr(error, "absolute_path", ()),), str(getattr(error, "message", error))
    except Exception as failure:  # what it raises for broken documents has no common class
        yield (), f"the check of the whole ended early ({type(failure).__name__})"


def _refuse(uri: str) -> NoReturn:
    raise LookupError(uri)


def _report(found: Iterable[Finding], document: Document, diagnostics: Diagnostics) -> None:
    for index, (path, message) in enumerate(found):
        if index == MOST_FINDINGS:
            diagnostics.add("invalid-document", f"There are more than {MOST_FINDINGS} departures from the schema.")
            return
        where = document.where(pointer("", *path))
        diagnostics.add("invalid-document", f"By the standard's schema, {_clipped(message)}.", where)


def _leaves(error: "ValidationError") -> list["ValidationError"]:
    """What is really wrong behind a failed choice: the errors of the alternative that came furthest into the value.

    Alternatives are mostly `Schema or Reference`; that a value is no reference is never the news.
    """
    branches: list[list[ValidationError]] = getattr(error.kind, "context", None) or []
    inner = [[leaf for nested in branch for leaf in _leaves(nested)] for branch in branches]
    told = [branch for branch in inner if branch and "$ref" not in branch[0].message]
    return max(told, key=lambda branch: max(len(leaf.instance_path) for leaf in branch)) if told else [error]


@cache
def _meta_schema(version: str) -> JsonObject:
    resource = files("openapi_spec_validator") / "resources" / "schemas" / f"v{version}" / "schema.json"
    schema: JsonValue = json.loads(resource.read_text("utf-8"))
    return as_object(schema)


def _clipped(message: str) -> str:
    message = " ".join(message.split()).rstrip(".")
    return message if len(message) <= 200 else message[:199] + "…"
