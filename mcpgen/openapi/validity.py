"""Whether a document is valid by the schema of its version: a quick check in every compile, the standard tool's verdict
on demand.

Published documents are often invalid in ways that cost nothing, so findings are warnings; what cannot be understood is
reported where it is read. Neither check ever opens a socket or a file: references that leave the document are refused.
"""

import json
import posixpath
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote, unquote, urlsplit

from mcpgen.diagnostics import Diagnostics
from mcpgen.document import Document, Library
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import JsonObject, JsonValue, as_object, pointer

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MOST_FINDINGS = 50
_FOLDER = "/1/2/3/4/5/6/7/8"
"""Stands for the document's folder in URIs, deep enough for references that lead up."""
Place = tuple[str | int, ...]
Finding = tuple[Place, str]
"""Where in the document, and what is wrong there."""


def quick(document: Document, version: str, diagnostics: Diagnostics) -> None:
    """The meta-schema of the standard alone: some hundredths of a second for the largest documents."""
    found = (finding for findings in _precise(document, version).values() for finding in findings)
    _report(found, document, diagnostics)


def verdict(document: Document, version: str, library: Library, diagnostics: Diagnostics) -> None:
    """openapi-spec-validator's full verdict: half a minute for the largest documents, so on demand. Files that the
    document refers to are read through `library`.

    It names the outermost value that departs; where the meta-schema tells what in it is wrong, that is said.
    """
    precise = _precise(document, version)

    def found() -> Iterator[Finding]:
        told = set(precise)
        for path, message in _official(document, version, library):
            yield from precise.pop(path, [] if path in told else [(path, message.partition("\n")[0])])
        for findings in precise.values():
            yield from findings

    _report(found(), document, diagnostics)


def _precise(document: Document, version: str) -> dict[Place, list[Finding]]:
    """Where the document departs from the meta-schema: the outermost value → what in it is wrong."""
    import jsonschema_rs  # not needed for tools files, nor for the help

    validator = jsonschema_rs.validator_for(_meta_schema(version), offline=True, mask="the value")
    found: dict[Place, list[Finding]] = {}
    for whole in validator.iter_errors(document.value):
        leaves = [((*error.instance_path,), error.message) for error in _leaves(whole)]
        found.setdefault((*whole.instance_path,), []).extend(leaves)
    return found


def _official(document: Document, version: str, library: Library) -> Iterator[Finding]:
    """The findings of the standard's tool, and its own failure last: it raises where references lead nowhere."""
    import openapi_spec_validator as standard  # a third of a second

    kind = {
        "2.0": standard.OpenAPIV2SpecValidator,
        "3.0": standard.OpenAPIV30SpecValidator,
        "3.1": standard.OpenAPIV31SpecValidator,
        "3.2": standard.OpenAPIV32SpecValidator,
    }[version]
    beside = _Beside(document, library)
    handlers = {**dict.fromkeys(("<all_urls>", "http", "https", ""), _refuse), "file": beside.read}
    offline = type("Offline", (kind,), {"resolver_handlers": handlers})
    try:
        for error in offline(as_object(document.value), base_uri=beside.uri).iter_errors():
            yield (*getattr(error, "absolute_path", ()),), str(getattr(error, "message", error))
    except Exception:  # what it raises for broken documents has no common class
        yield (), f"the check of the whole ended early: {beside.unread}"


class _Beside:
    """The files beside a document, for a tool that asks for them by URI. `unread` says what kept it from going on."""

    def __init__(self, document: Document, library: Library) -> None:
        self.uri = f"file://{_FOLDER}/{quote(posixpath.basename(document.name))}"
        self.unread = "a reference leads nowhere"
        self._document = document
        self._library = library

    def read(self, uri: str) -> JsonValue:
        """The value of the file that `uri` names. LookupError where there is none that may be read."""
        path = posixpath.relpath(unquote(urlsplit(uri).path), _FOLDER)
        name = posixpath.normpath(posixpath.join(posixpath.dirname(self._document.name), path))
        try:
            if not self._library.may_refer(self._document.name):
                raise LookupError(uri)
            self._library.refer(name, self._document.name)
            return self._library.document(name).value
        except (CannotGoOn, LookupError):
            self.unread = f"{name} is not one that may be read, or cannot be"
            raise LookupError(uri) from None


def _refuse(uri: str) -> NoReturn:
    raise LookupError(uri)


def _report(found: Iterable[Finding], document: Document, diagnostics: Diagnostics) -> None:
    for index, (path, message) in enumerate(_once(found, document.value)):
        if index == MOST_FINDINGS:
            diagnostics.add("invalid-document", f"There are more than {MOST_FINDINGS} departures from the schema.")
            return
        where = document.where(pointer("", *path))
        diagnostics.add("invalid-document", f"By the standard's schema, {_clipped(message)}.", where)


def _once(found: Iterable[Finding], value: JsonValue) -> Iterator[Finding]:
    """Each of them once: the standard's tool knows schemas by where they lie in memory, so how often it says the same
    is chance.
    """
    told: set[Finding] = set()
    for path, message in found:
        finding = _existing(path, value), message
        if finding not in told:
            told.add(finding)
            yield finding


def _existing(path: Place, value: JsonValue) -> Place:
    """As much of the path as leads somewhere: the standard's tool tells some from within."""
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
    """What is really wrong behind a failed choice: the errors of the alternative that came furthest into the value.

    Alternatives are mostly `Schema or Reference`; that a value is no reference is never the news.
    """
    branches: list[list[ValidationError]] = getattr(error.kind, "context", None) or []
    inner = [[leaf for nested in branch for leaf in _leaves(nested)] for branch in branches]
    told = [branch for branch in inner if branch and "$ref" not in branch[0].message]
    return max(told, key=lambda branch: max(len(leaf.instance_path) for leaf in branch)) if told else [error]


@cache
def _meta_schema(version: str) -> JsonObject:
    """The schema beside the standard's tool, which is looked up and not imported: that takes a third of a second."""
    spec = find_spec("openapi_spec_validator")
    assert spec is not None, "a dependency"
    assert spec.origin is not None, "a folder with an __init__.py"
    path = Path(spec.origin).parent / "resources" / "schemas" / f"v{version}" / "schema.json"
    schema: JsonValue = json.loads(path.read_bytes())
    return as_object(schema)


def _clipped(message: str) -> str:
    message = " ".join(message.split()).rstrip(".")
    return message if len(message) <= 200 else message[:199] + "…"
