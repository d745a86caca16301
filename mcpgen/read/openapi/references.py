"""`$ref` in a document: where it leads, and that it leads somewhere (RFC 6901, OpenAPI 3.1 section 4.8.23).

References lead to any place of the same document, to other files of its folder, and to schemas by their `$id` and
`$anchor`. Nothing is ever fetched: a URI is a name and not a location. Data positions (examples, defaults, enums) are
never looked at, because only callers that know that a reference may stand there ask.
"""

import posixpath
import re
from urllib.parse import unquote

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import CannotGoOn, Unusable
from mcpgen.base.jsonvalue import JsonObject, JsonValue, lookup, tokens
from mcpgen.base.names import clipped
from mcpgen.read.document import Library
from mcpgen.read.openapi.resources import Resource, Resources

_LONGEST_CHAIN = 50
_NOT_A_FILE = re.compile(r"[\x00-\x1f\x7f\\?:]|^/")
"""Schemes, hosts, absolute and other systems' paths: what a reference to a file beside the document has none of."""


class References:
    """Resolves references in the documents of `library`. Places are `Where`s without a line."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.resources = Resources(library)

    # -- names of schemas ---------------------------------------------------------------------------------------------

    def name(self, where: Where) -> str:
        """The name under which later passes know the schema that stands at `where`."""
        return f"{where.file.replace('#', '%23')}#{where.pointer}"

    def place(self, name: str) -> Where:
        """Where the schema called `name` stands."""
        file, _, pointer = name.partition("#")
        return Where(file.replace("%23", "#"), pointer)

    def schema(self, where: Where) -> JsonObject:
        """The schema that stands at `where`, by its name."""
        return {"$ref": self.name(where)}

    def take_schemas(self, schemas: int) -> bool:
        """Take what so many converted schemas need of memory; return whether there is as much left."""
        return self._library.memory.take_schemas(schemas)

    def content(self, name: str, by: str) -> bytes:
        """The bytes of the file `name`, which the document `by` names beside itself. CannotGoOn where it cannot."""
        return self._library.content(name, by)

    # -- resolving ----------------------------------------------------------------------------------------------------

    def resolve(self, value: JsonValue, where: Where) -> tuple[JsonObject, Where]:
        """The object that `value` is or refers to, and its place. Unusable where there is none, or where references
        go in circles.
        """
        start = where
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(value, dict):
                raise Unusable(
                    "invalid-document", "An object belongs here.", where, "Write an object, or a reference to one."
                )
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value, where
            target = self.target(reference, where)
            value, where = self.at(target, where), target
        raise Unusable(
            "reference-loop", "References lead back to themselves.", start, "Let one of them end in a value."
        )

    def target(self, reference: str, where: Where) -> Where:
        """The place that `reference`, standing at `where`, leads to; no other file is opened to tell, unless by an
        anchor in it. Unusable for one that leads out of what may be read.
        """
        resource = self.resources.around(where)
        address, _, fragment = reference.partition("#")
        root = self._root(address, resource, reference, where) if address else resource.root
        return self._inside(root, fragment, reference, where)

    def at(self, target: Where, origin: Where) -> JsonValue:
        """The value at `target`. Unusable, placed at `origin`, where there is none."""
        try:
            document = self._library.document(target.file)
        except CannotGoOn as failure:
            raise _unread(target.file, failure, origin) from None
        try:
            return lookup(document.value, tokens(target.pointer))
        except KeyError:
            raise _broken(f"{target.file if target.file != origin.file else ''}#{target.pointer}", origin) from None

    # -- parts --------------------------------------------------------------------------------------------------------

    def _root(self, address: str, resource: Resource, reference: str, where: Where) -> Where:
        """The resource or file that the part of a reference before `#` names."""
        known = self.resources.named(address, resource)
        if known is not None:
            return known
        path = unquote(address)
        if _NOT_A_FILE.search(address) or _NOT_A_FILE.search(path):
            raise _foreign(reference, where, "leads out of the document; it is not followed")
        if not self._library.may_refer(where.file):
            raise _foreign(reference, where, "leads to another file, and only a document that is a file has any")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(where.file), path))
        self._library.refer(file, where.file)
        return Where(file)

    def _inside(self, root: Where, fragment: str, reference: str, where: Where) -> Where:
        """The place in the resource `root` that a fragment names: a pointer, or an anchor."""
        fragment = self._decoded(root, fragment)
        if not fragment:
            return root
        if fragment.startswith("/"):
            target = Where(root.file, root.pointer + fragment)
            # A pointer counts from its resource; where that has no such place, writers mean the whole document.
            return target if not root.pointer or self.exists(target) else Where(root.file, fragment)
        self.at(root, where)
        anchored = self.resources.anchored(root, fragment)
        if anchored is None:
            raise _broken(reference, where)
        return anchored

    def _decoded(self, root: Where, fragment: str) -> str:
        """The fragment without percent-encoding, unless the document has keys that are spelled with it."""
        if "%" not in fragment or self.exists(Where(root.file, root.pointer + unquote(fragment))):
            return unquote(fragment)
        return fragment if self.exists(Where(root.file, root.pointer + fragment)) else unquote(fragment)

    def exists(self, target: Where) -> bool:
        """Return whether there is a value at `target`."""
        try:
            self.at(target, target)
        except Unusable:
            return False
        return True


def _unread(file: str, failure: CannotGoOn, origin: Where) -> Unusable:
    found = failure.diagnostic
    if found.code == "foreign-reference":
        return Unusable(found.code, found.message, origin, found.hint)
    name = posixpath.basename(file)
    hint = f"A schema of this document is #/components/schemas/{clipped(name)}." if "." not in name else found.hint
    message = f"A reference leads to another file. {found.message}"
    return Unusable("broken-reference", message, origin, hint)


def _foreign(reference: str, where: Where, why: str) -> Unusable:
    return Unusable(
        "foreign-reference",
        f"The reference {clipped(reference, 120)} {why}.",
        where,
        "Bundle the documents into one file, or keep them in one folder.",
    )


def _broken(reference: str, where: Where) -> Unusable:
    message = f"The reference {clipped(reference, 120)} leads nowhere."
    return Unusable("broken-reference", message, where, "Define what it names, or correct its spelling.")
