"""Run openapi-spec-validator over a document, in a child process with limits on time and memory.

The validator walks schemas without a limit (a few kilobytes of `allOf` keep it busy for ever), and matches patterns in
exponential time. Here the validator never opens a socket or a file. It refuses references to other documents, except to
files that `library` reads for it.
"""

import posixpath
from collections.abc import Iterator
from typing import Any, NoReturn
from urllib.parse import quote, unquote, urlsplit

from mcpgen.base.confined import Stopped, Tell, run_confined
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonValue, as_list, as_object
from mcpgen.read.document import Document, Library

SECONDS, SECONDS_PER_MB = 20, 5
"""CPU time that the validator may use, in seconds: a basic amount, and further seconds per megabyte of text.

Published documents take up to two seconds per megabyte.
"""

_MEBIBYTES = 512
_PLACE = "place_in_document"
"""Name of the attribute in which an error stores its path from the root of the document."""

_FOLDER = "/1/2/3/4/5/6/7/8"
"""Path that stands for the document's folder in URIs, deep enough that `../` never leaves the root."""

Place = tuple[str | int, ...]
Finding = tuple[Place, str]
"""A finding of the validator: a path in the document, and a message about the fault there."""


def official_findings(document: Document, version: str, library: Library) -> Iterator[Finding]:
    """Yield the findings of the validator.

    If the validator fails or exceeds a limit, the last finding reports that, at the schema that was being checked.
    """
    seconds = SECONDS + SECONDS_PER_MB * len(document.text) // 1_000_000
    at: Place = ()
    try:
        for each in run_confined(lambda tell: _run(document, version, library, tell), seconds, _MEBIBYTES):
            path, message = as_list(each)
            if message is None:
                at = place_of(path)
            else:
                yield place_of(path), str(message)
    except Stopped as stopped:
        yield at, f"the check of the whole document stopped here: it {stopped}"


def place_of(path: JsonValue) -> Place:
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
