"""The documents of one compile: SOURCE, the user's tools file, and the files that they refer to.

Each file is read only once.
"""

from collections.abc import Callable

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import FatalError
from mcpgen.read.document import budgets
from mcpgen.read.document.budgets import Memory
from mcpgen.read.document.document import Document
from mcpgen.read.document.load import load
from mcpgen.read.document.redaction import redacted

Reader = Callable[[str], bytes]
"""Function that returns the bytes of a file. Raises FatalError if the file may not or cannot be read."""


class Library:
    """Parsed documents by their names in diagnostics. A file is opened only when a reference into it is looked up."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.documents: dict[str, Document] = {}
        self._diagnostics = diagnostics
        self._readers: dict[str, Reader | None] = {}
        self._failures: dict[str, FatalError] = {}
        self._bytes_left = budgets.BYTES
        self.memory = Memory()

    def add(self, name: str, data: bytes, reader: Reader | None) -> Document:
        """Parse `data` and keep the document as `name`, without values that may be secrets.

        `reader`: function that opens files that the document refers to; None forbids such references.
        """
        self._readers[name] = reader
        document = redacted(load(name, data, self._diagnostics, self.memory), self._diagnostics)
        self.documents[name] = document
        return document

    def add_as(self, document: Document, origin: str) -> None:
        """Add `document`, which was made from the document `origin`, for example by an overlay.

        Permit the new document to refer to the same files as `origin`.
        """
        self._readers[document.name] = self._readers[origin]
        self.documents[document.name] = document

    def allow(self, name: str, reader: Reader | None) -> None:
        """Permit the document `name` to refer to other files. The function `reader` opens them."""
        self._readers[name] = reader

    def may_refer(self, name: str) -> bool:
        """Return True if the document `name` is permitted to refer to other files."""
        return self._readers.get(name) is not None

    def refer(self, name: str, by: str) -> None:
        """Register the file `name`, to which the document `by` refers, without opening it."""
        self._readers.setdefault(name, self._readers[by])

    def document(self, name: str) -> Document:
        """Return the document `name`, which was added before, or registered by `refer`.

        Raises FatalError if the file cannot be read; a second call raises the same error.
        """
        if name in self.documents:
            return self.documents[name]
        if name in self._failures:
            raise self._failures[name]
        try:
            return self._open(name)
        except FatalError as failure:
            self._failures[name] = failure
            raise

    def content(self, name: str, by: str) -> bytes:
        """Return the bytes of the file `name`, which the document `by` names and which is not parsed.

        Raises FatalError if the document must not refer to files, or the file cannot be read.
        """
        reader = self._readers.get(by)
        if reader is None:
            message = f"{by} was not read from a file in a folder, so it cannot refer to other files."
            raise FatalError("foreign-reference", message)
        return reader(name)

    def _open(self, name: str) -> Document:
        reader = self._readers[name]
        assert reader is not None, name
        if len(self.documents) >= budgets.FILES:
            raise FatalError("too-large", f"The document is spread over more than {budgets.FILES:,} files.")
        data = reader(name)
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise FatalError("too-large", f"The referenced files are together larger than {budgets.BYTES:,} bytes.")
        return self.add(name, data, reader)
