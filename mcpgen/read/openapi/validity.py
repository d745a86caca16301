"""Check a document against its version of OpenAPI: quickly in every compile, and by the full validator on demand.

Published documents are often invalid in harmless ways, so findings are warnings. Parts that mcpgen cannot use are
reported by the modules that read them. Neither check opens a socket or a file: references to other documents are
refused, except to files that `library` reads.

The full validator runs in a child process with limits on time and memory. It walks schemas without a limit (a few
kilobytes of `allOf` keep it busy for ever), and matches patterns in exponential time.
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

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError
import posixpath
from typing import Any, NoReturn
from urllib.parse import quote, unquote, urlsplit

from mcpgen.base.errors import FatalError

_SECONDS_OF_ALL, _SECONDS_PER_MB = 20, 5
"""CPU time that the validator may use, in seconds: a basic amount, and further seconds per megabyte of text.

Published documents take up to two seconds per megabyte.
"""

_MEBIBYTES_OF_ALL = 512
_PLACE = "place_in_document"
"""Name of the attribute in which an error stores its path from the root of the document."""

_FOLDER = "/1/2/3/4/5/6/7/8"
"""Path that stands for the document's folder in URIs, deep enough that `../` never leaves the root."""

Place = tuple[str | int, ...]
_Finding = tuple[Place, str]
"""A finding of the validator: a path in the document, and a message about the fault there."""

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

    def found() -> Iterator[_Finding]:
        told = set(precise)
        for path, message in official_findings(document, version, library):
            yield from precise.pop(path, [] if path in told else [(path, message.partition("\n")[0])])
        for findings in precise.values():
            yield from findings

    _report(found(), document, diagnostics)


def _precise(document: Document, version: str) -> dict[Place, list[_Finding]]:
    """Return path of the outermost wrong value → findings inside that value, from the meta-schema.

    Each error of the validation library holds a copy of the wrong value, and errors around it hold copies too. If deep
    nesting would multiply the copies, a child process with limits does the work.
    """
    import jsonschema_rs  # imported late: not needed for tools files and --help

    validator = jsonschema_rs.validator_for(_meta_schema(version), offline=True, mask="the value")
    found: dict[Place, list[_Finding]] = {}
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
        said = [(_place_of(as_list(leaf)[0]), str(as_list(leaf)[1])) for leaf in as_list(leaves)]
        found.setdefault(_place_of(whole), []).extend(said)
    # Sorted, because the library's order of findings in one value differs between releases.
    return {whole: sorted(said, key=_by_place) for whole, said in found.items()}


def _by_place(finding: _Finding) -> tuple[list[str], str]:
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


def _report(found: Iterable[_Finding], document: Document, diagnostics: Diagnostics) -> None:
    for index, (path, message) in enumerate(_once(found, document.value)):
        if index == MOST_FINDINGS:
            diagnostics.add(
                "invalid-document", f"There are more than {MOST_FINDINGS} violations of the OpenAPI schema."
            )
            return
        where = document.where(pointer("", *path))
        diagnostics.add("invalid-document", f"The OpenAPI standard's schema reports: {_clipped(message)}.", where)


def _once(found: Iterable[_Finding], value: JsonValue) -> Iterator[_Finding]:
    """Yield each finding once.

    The validator may repeat findings, because it identifies schemas by memory addresses, which are reused.
    """
    told: set[_Finding] = set()
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


# -- the full validator ------------------------------------------------------------------------------------------------


def official_findings(document: Document, version: str, library: Library) -> Iterator[_Finding]:
    """Yield the findings of the validator.

    If the validator fails or exceeds a limit, the last finding reports that, at the schema that was being checked.
    """
    seconds = _SECONDS_OF_ALL + _SECONDS_PER_MB * len(document.data) // 1_000_000
    at: Place = ()
    try:
        for each in run_confined(lambda tell: _run(document, version, library, tell), seconds, _MEBIBYTES_OF_ALL):
            path, message = as_list(each)
            if message is None:
                at = _place_of(path)
            else:
                yield _place_of(path), str(message)
    except Stopped as stopped:
        yield at, f"the check of the whole document stopped here: it {stopped}"


def _place_of(path: JsonValue) -> Place:
    """Return a path in the document as a tuple, from the JSON array that the child process wrote."""
    return tuple(part for part in as_list(path) if isinstance(part, (str, int)))


def _run(document: Document, version: str, library: Library, tell: Tell) -> None:
    """Call `tell` with `[path, message]` for each finding, and with `[path, null]` before the check of each schema."""
    beside = _Beside(document, library)
    try:
        checker = _checker(version, beside, tell)
        for error in checker(as_object(document.value), base_uri=beside.uri).iter_errors():
            path = getattr(error, _PLACE, None) or [*getattr(error, "absolute_path", ())]
            tell([path, str(getattr(error, "message", error))])
    except MemoryError:
        raise
    except RecursionError:
        tell([[], "the check of the whole document stopped early: schemas refer to each other too deep"])
    except Exception:  # for broken documents the validator raises errors of any class
        tell([[], f"the check of the whole document stopped early: {beside.unread}"])


def _checker(version: str, beside: "_Beside", tell: Tell) -> Any:
    """Return the validator for a version of OpenAPI. It resolves references to other files only through `beside`."""
    import openapi_spec_validator as standard  # imported late: the import takes a third of a second

    kind: Any = {
        "2.0": standard.OpenAPIV2SpecValidator,
        "3.0": standard.OpenAPIV30SpecValidator,
        "3.1": standard.OpenAPIV31SpecValidator,
        "3.2": standard.OpenAPIV32SpecValidator,
    }[version]
    schemas: Any = kind.keyword_validators["schema"]

    def check_schema(self: Any, schema: Any, *given: Any, **named: Any) -> Iterator[Any]:
        if version == "2.0" and "type" in schema and schema["type"] == "file":
            # `type: file` marks a response as a file (2.0, "Response Object"). It is no type of JSON Schema, so this
            # check of single schemas is skipped. The meta-schema of 2.0, which checks the whole document, allows it.
            return

        if not named.get("meta_checked"):  # report progress for outermost schemas, not for their subschemas
            tell([[*getattr(schema, "parts", ())], None])
        for error in schemas.__call__(self, schema, *given, **named):
            if not hasattr(error, _PLACE):  # the error's path begins at the schema; put the schema's path before it
                setattr(error, _PLACE, [*getattr(schema, "parts", ()), *error.absolute_path])
            yield error

    handlers = {**dict.fromkeys(("<all_urls>", "http", "https", ""), _refuse), "file": beside.read}
    keywords = {**kind.keyword_validators, "schema": type("Schemas", (schemas,), {"__call__": check_schema})}
    return type("Offline", (kind,), {"resolver_handlers": handlers, "keyword_validators": keywords})


class _Beside:
    """Loader for other files of a document, which the validator requests by URI.

    `unread`: if a file could not be read, a clause that says why.
    """

    def __init__(self, document: Document, library: Library) -> None:
        self.uri = f"file://{_FOLDER}/{quote(posixpath.basename(document.name))}"
        self.unread = "a reference leads nowhere"
        self._document = document
        self._library = library

    def read(self, uri: str) -> JsonValue:
        """Return the parsed value of the file that `uri` names. Raises LookupError if reading it is forbidden or
        fails.
        """
        path = posixpath.relpath(unquote(urlsplit(uri).path), _FOLDER)
        name = posixpath.normpath(posixpath.join(posixpath.dirname(self._document.name), path))
        try:
            if not self._library.may_refer(self._document.name):
                raise LookupError(uri)
            self._library.refer(name, self._document.name)
            return self._library.document(name).value
        except (FatalError, LookupError):
            self.unread = f"{name} may not be read, or cannot be read"
            raise LookupError(uri) from None


def _refuse(uri: str) -> NoReturn:
    raise LookupError(uri)
