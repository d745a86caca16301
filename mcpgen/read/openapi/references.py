"""Resolve each `$ref` in a document (RFC 6901; OpenAPI 3.1, 4.8.23).

A reference may lead to any place of the same document, to other files of its folder, and to schemas by `$id` and
`$anchor`. Nothing is ever fetched: a URI is a name and not a location.

Data such as examples, defaults and enums is never searched for references. Callers pass only values that may be
references by the standard.
"""

import posixpath
import re
import sys
from urllib.parse import unquote

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError, SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, lookup, tokens
from mcpgen.base.names import clipped
from mcpgen.read.document import Library
from mcpgen.read.openapi.resources import Resource, Resources

_LONGEST_CHAIN = 50
_NOT_A_FILE = re.compile(r"[\x00-\x1f\x7f\\?:]|^/")
"""Pattern of references that do not name a file in the same folder: schemes, hosts, absolute paths, and Windows
paths.
"""


class References:
    """Resolver of references in the documents of `library`. The places that it returns have no line and column yet."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.resources = Resources(library)

    # -- names of schemas ----------------------------------------------------------------------------------------------

    def name(self, where: Where) -> str:
        """Return the name of the schema at `where`: its file and JSON Pointer, as `FILE#POINTER`."""
        return sys.intern(f"{where.file.replace('#', '%23')}#{where.pointer}")  # once: most names occur many times

    def place(self, name: str) -> Where:
        """Return the file and JSON Pointer that a schema's name, `FILE#POINTER`, consists of."""
        file, _, pointer = name.partition("#")
        return Where(file.replace("%23", "#"), pointer)

    def schema(self, where: Where) -> JsonObject:
        """Return a schema that refers to the schema at `where` by its name."""
        return {"$ref": self.name(where)}

    def take_schemas(self, schemas: int) -> bool:
        """Deduct `schemas`, a number of schemas, from the memory budget for converted schemas. Return False if too
        little is left.
        """
        return self._library.memory.take_schemas(schemas)

    def content(self, name: str, by: str) -> bytes:
        """Return the bytes of the file `name`, to which the document `by` refers.

        Raises FatalError if reading the file is forbidden or fails.
        """
        return self._library.content(name, by)

    # -- resolving of references ---------------------------------------------------------------------------------------

    def resolve(self, value: JsonValue, where: Where) -> tuple[JsonObject, Where]:
        """Return `value` and its place; if `value` is a reference, the referenced object and its place.

        Raises SkipOperation if there is no such object, or if references form a loop.
        """
        start = where
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(value, dict):
                raise SkipOperation(
                    "invalid-document",
                    "An object is expected here.",
                    where,
                    "Write an object here, or a reference to an object.",
                )
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value, where
            target = self.target(reference, where)
            value, where = self.at(target, where), target
        raise SkipOperation(
            "reference-loop",
            "References form a loop.",
            start,
            "Change one of these references so that it points to a value.",
        )

    def target(self, reference: str, where: Where) -> Where:
        """Return the place of the target of `reference`, which is written at `where`.

        Another file is opened only to find an anchor in it. Raises SkipOperation if the target is not in a file that
        may be read.
        """
        resource = self.resources.around(where)
        address, _, fragment = reference.partition("#")
        root = self._root(address, resource, reference, where) if address else resource.root
        return self._inside(root, fragment, reference, where)

    def at(self, target: Where, origin: Where) -> JsonValue:
        """Return the value at `target`.

        If there is no value, raises SkipOperation with the place `origin`, where the reference is written.
        """
        try:
            document = self._library.document(target.file)
        except FatalError as failure:
            raise _unread(target.file, failure, origin) from None
        try:
            return lookup(document.value, tokens(target.pointer))
        except KeyError:
            raise _broken(f"{target.file if target.file != origin.file else ''}#{target.pointer}", origin) from None

    # -- parts of a reference ------------------------------------------------------------------------------------------

    def _root(self, address: str, resource: Resource, reference: str, where: Where) -> Where:
        """Return the root of the resource or file that a reference names before its `#`."""
        known = self.resources.named(address, resource)
        if known is not None:
            return known
        path = unquote(address)
        if _NOT_A_FILE.search(address) or _NOT_A_FILE.search(path):
            raise _foreign(reference, where, "points outside the document's folder; mcpgen does not follow it")
        if not self._library.may_refer(where.file):
            raise _foreign(
                reference, where, "points to another file, which is possible only if the document itself is a file"
            )
        file = posixpath.normpath(posixpath.join(posixpath.dirname(where.file), path))
        self._library.refer(file, where.file)
        return Where(file)

    def _inside(self, root: Where, fragment: str, reference: str, where: Where) -> Where:
        """Return the place that the fragment of a reference names in the resource `root`, by a pointer or an anchor."""
        fragment = self._decoded(root, fragment)
        if not fragment:
            return root
        if fragment.startswith("/"):
            target = Where(root.file, root.pointer + fragment)
            # A pointer starts at the root of its resource. If that leads nowhere, it starts at the root of the
            # document.
            return target if not root.pointer or self.exists(target) else Where(root.file, fragment)
        self.at(root, where)
        anchored = self.resources.anchored(root, fragment)
        if anchored is None:
            raise _broken(reference, where)
        return anchored

    def _decoded(self, root: Where, fragment: str) -> str:
        """Return the fragment percent-decoded. If no value exists at the decoded fragment, but one exists at the
        fragment with its percent signs, return the fragment unchanged.
        """
        if "%" not in fragment or self.exists(Where(root.file, root.pointer + unquote(fragment))):
            return unquote(fragment)
        return fragment if self.exists(Where(root.file, root.pointer + fragment)) else unquote(fragment)

    def exists(self, target: Where) -> bool:
        """Return True if there is a value at `target`."""
        try:
            self.at(target, target)
        except SkipOperation:
            return False
        return True


def _unread(file: str, failure: FatalError, origin: Where) -> SkipOperation:
    found = failure.diagnostic
    if found.code == "foreign-reference":
        return SkipOperation(found.code, found.message, origin, found.hint)
    name = posixpath.basename(file)
    hint = (
        f"To refer to a schema of this document, write #/components/schemas/{clipped(name)}."
        if "." not in name
        else found.hint
    )
    message = f"A reference leads to another file. {found.message}"
    return SkipOperation("broken-reference", message, origin, hint)


def _foreign(reference: str, where: Where, why: str) -> SkipOperation:
    return SkipOperation(
        "foreign-reference",
        f"The reference {clipped(reference, 120)} {why}.",
        where,
        "Bundle the documents into one file, or keep them in one folder.",
    )


def _broken(reference: str, where: Where) -> SkipOperation:
    message = f"The reference {clipped(reference, 120)} points to nothing."
    return SkipOperation(
        "broken-reference", message, where, "Define the target of the reference, or correct its spelling."
    )
