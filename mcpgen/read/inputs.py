"""Read the inputs of a run: SOURCE, the user's tools file, the documents that they name, and overlays.

Each input is read once. A path is relative to the file that names it; `fetch` reads URLs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.model import Api
from mcpgen.read import fetch, openapi, toolsfile, translate
from mcpgen.read.document import Document, Library, budgets, redacted
from mcpgen.read.fetch import Fetched, Folder, Network
from mcpgen.read.toolsfile import IncludedDocument, PlacedText, ToolsFile

if TYPE_CHECKING:
    from mcpgen.read.overlay import Overlay


@dataclass(frozen=True, slots=True)
class DescribedApi:
    """An API as its document describes it.

    `entry`: the tools file's entry for the document, or None if the document is SOURCE, the argument of the command.
    """

    api: Api
    document: str
    entry: IncludedDocument | None = None


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file that was read: a tools file, or an OpenAPI document."""

    fetched: Fetched
    document: Document
    tools_file: ToolsFile | None = None


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Paths or URLs of overlays or Arazzo documents. `by`: the file that names them, or None for the command line."""

    names: tuple[PlacedText, ...]
    by: OpenedFile | None = None


class Sources:
    """All inputs of one run. `library` keeps the parsed documents by name."""

    def __init__(self, diagnostics: Diagnostics, network: Network) -> None:
        self._network = network
        self.library = Library(diagnostics)
        self._diagnostics = diagnostics
        self._definitions = openapi.Definitions(openapi.References(self.library))
        self._overlays: dict[str, Overlay | None] = {}
        self._used: dict[str, set[int]] = {}
        self._plain: dict[str, Document] = {}
        self._taken: dict[str, Document] = {}
        self._translations: dict[int, tuple[Document, Document]] = {}
        self._bytes_left = budgets.BYTES
        self._asked: set[PlacedText] = set()
        self.unread = False
        """True if a document that a tools file names could not be read, which was reported."""

    @property
    def described_by(self) -> tuple[Document, ...]:
        """Return the documents from which APIs were read, with overlays applied."""
        return tuple(self._taken.values())

    def open(self, fetched: Fetched) -> OpenedFile | None:
        """Parse and return a fetched file. A tools file is read at once, the operations of an OpenAPI document later.

        Return None for a tools file in which everything is commented out.
        """
        reader = fetched.folder.read if fetched.folder else None
        document = self.library.add(fetched.name, fetched.data, reader)
        if document.value is None:
            return None
        if not toolsfile.is_tools_file(document.value):
            return OpenedFile(fetched, document)
        if fetched.folder is not None:
            folders = tuple(each.text for each in self._folders(document))
            fetched = replace(fetched, folder=fetched.folder.and_beside(fetched.name, folders))
            assert fetched.folder is not None
            self.library.allow(fetched.name, fetched.folder.read)
        # imported late: it imports many modules, which most runs do not need
        from mcpgen.read.toolsfile.read import read

        return OpenedFile(fetched, document, read(document, self._definitions, self._diagnostics))

    def _folders(self, document: Document) -> Iterator[PlacedText]:
        """Yield the folders that a tools file lists under `ref_dir`. A missing folder is reported."""
        for each in toolsfile.folders(document):
            if Folder.is_beside(document.name, each.text):
                yield each
            else:
                message = f"There is no folder {clipped(each.text)}."
                self._diagnostics.add(
                    "unusable-file", message, each.where, "Check the path, or remove the entry from `ref_dir`."
                )

    def described(self, opened: OpenedFile, overlays: Iterable[NamedFiles]) -> tuple[DescribedApi, ...]:
        """Return the APIs that a file describes: its own API, or those of the documents that a tools file names.

        The overlays of a document's entry are applied before `overlays`. Raises FatalError if SOURCE is not an API
        description. If a document of a tools file cannot be read, this is reported as an error.
        """
        overlays = list(overlays)
        if opened.tools_file is None:
            return (DescribedApi(self._api(opened.document, opened.fetched.url, overlays), opened.document.name),)
        found = []
        for entry in opened.tools_file.documents:
            if not entry.document.text:
                self.unread = True
                continue
            own = [NamedFiles(entry.overlays, opened), *overlays]
            try:
                fetched = fetch.beside(opened.fetched, entry.document.text, self._network)
                document = self._included(fetched)
                found.append(DescribedApi(self._api(document, fetched.url, own), document.name, entry))
            except FatalError as failure:
                self._report(failure, entry.document.where)
                self.unread = True
        return tuple(found)

    def workflows(self, named: Iterable[NamedFiles], described: Iterable[DescribedApi]) -> Api:
        """Return the workflows of Arazzo documents as operations. Their steps call operations of `described`.

        A document that a tools file names and that cannot be read is reported as an error.
        """
        documents = [self._arazzo(each, files.by) for files in named for each in files.names]
        found = {document.name: document for document in documents if document is not None}
        if not found:
            return self.nothing()
        from mcpgen.read.arazzo.facts import read_facts  # imported late: few runs have workflows
        from mcpgen.read.arazzo.read import read

        others = {name: as_text(as_object(document.value).get("$self")) for name, document in found.items()}
        apis = [each.document for each in described]
        references = self._definitions.references
        every = [read(document, read_facts(document, apis, others), references) for document in found.values()]
        operations, skipped = (tuple(each for part in parts for each in part) for parts in zip(*every, strict=True))
        return replace(self.nothing(), operations=operations, skipped=skipped)

    def nothing(self) -> Api:
        """Return an empty API, which is used if there is no document to compile."""
        return Api("", (), self._definitions)

    def report_unused(self, overlays: Iterable[PlacedText]) -> None:
        """Report `overlays` that apply to no document, and actions of overlays that selected nothing in any
        document.
        """
        for named in overlays:
            if named not in self._asked and not self.unread:
                message = f"There is no document that the overlay {clipped(named.text)} could be applied to."
                self._diagnostics.add(
                    "unused-overlay", message, named.where, "Name a document under `openapi`, or remove this entry."
                )
        for name, found in self._overlays.items():
            for index, action in enumerate(found.actions if found else ()):
                if index not in self._used[name]:
                    message = "The target of this action selects nothing."
                    self._diagnostics.add(
                        "unused-overlay", message, action.where, "Correct the target, or remove this action."
                    )

    # -- documents ----------------------------------------------------------------------------------------------------

    def _included(self, fetched: Fetched) -> Document:
        """Return the document in `fetched` before overlays are applied. It is parsed only once."""
        if fetched.name not in self._plain:
            known = self.library.documents.get(fetched.name)
            if known is None:
                self._bytes_left -= len(fetched.data)
                if self._bytes_left < 0:
                    message = f"The documents together are larger than {budgets.BYTES:,} bytes."
                    raise FatalError(
                        "too-large", message, Where(fetched.name), "Generate one server for each document."
                    )
                known = self.library.add(fetched.name, fetched.data, fetched.folder.read if fetched.folder else None)
            self._plain[fetched.name] = known
        return self._plain[fetched.name]

    def _api(self, document: Document, url: str | None, overlays: list[NamedFiles]) -> Api:
        plain = document
        for named in overlays:
            for name in named.names:
                document = self._overlaid(document, name, named.by)
        if document is not plain:
            document = redacted(document, self._diagnostics)  # an overlay may have given a value another name
        document = self._registered(self._translated(document), plain)
        version = openapi.version_of(document)
        if toolsfile.is_tools_file(document.value) or version is None:
            raise FatalError(
                "not-an-api",
                f"{document.name} is neither an API description nor a tools file."
                if version is None and not toolsfile.is_tools_file(document.value)
                else f"{document.name} is a tools file, but an OpenAPI document is expected here.",
                document.where(""),
                "Name the API description first, and the Arazzo document after it."
                if "arazzo" in as_object(document.value)
                else "Name an OpenAPI document, a Postman collection, a Google Discovery document or a tools file.",
            )
        api = openapi.read(document, self._definitions, url, self._diagnostics)
        # Do not check the OpenAPI translated from another format: the author did not write what the check would report
        if not document.sources:
            openapi.quick(document, version, self._diagnostics)
        return api

    def _translated(self, document: Document) -> Document:
        """Return `document` translated to OpenAPI. Each document is translated once, so that its findings are reported
        once.
        """
        key = id(document.value)
        if key not in self._translations:
            self._translations[key] = document, translate.translated(document, self._diagnostics)
        return self._translations[key][1]

    def _registered(self, document: Document, plain: Document) -> Document:
        """Add `document` to the library, and return it with its name there: the name of `plain`, with a number if
        another document has this name.

        Schema names contain the name of their document. So if different overlays are applied to one document, each
        result needs its own name.
        """
        name, turn = plain.name, 1
        while name in self._taken and self._taken[name].value is not document.value:
            turn += 1
            name = f"{plain.name} ({turn})"
        if name not in self._taken:
            self._taken[name] = document if name == document.name else replace(document, name=name)
            self.library.add_as(self._taken[name], plain.name)
        return self._taken[name]

    def _arazzo(self, named: PlacedText, by: OpenedFile | None) -> Document | None:
        try:
            network = self._network
            fetched = fetch.beside(by.fetched, named.text, network) if by else fetch.read(named.text, network=network)
            document = self._included(fetched)
            if "arazzo" not in as_object(document.value):
                message = f"{document.name} is not an Arazzo document."
                hint = "An Arazzo document begins with `arazzo: 1.0.1`."
                raise FatalError("not-an-api", message, document.where(""), hint)
        except FatalError as failure:
            if by is None:
                raise
            self._report(failure, named.where)
            return None
        return document

    # -- overlays -----------------------------------------------------------------------------------------------------

    def _overlaid(self, document: Document, named: PlacedText, by: OpenedFile | None) -> Document:
        self._asked.add(named)
        try:
            network = self._network
            fetched = fetch.beside(by.fetched, named.text, network) if by else fetch.read(named.text, network=network)
            found = self._overlay(fetched)
        except FatalError as failure:
            if by is None:
                raise
            self._report(failure, named.where)
            return document
        if found is None:
            return document
        if found.extends and not _is_meant(found, document.name):
            message = (
                f"The `extends` of the overlay names {found.extends}, but mcpgen applies the overlay to "
                f"{document.name}."
            )
            self._diagnostics.add("foreign-overlay", message, Where(found.name, "/extends"))
        from mcpgen.read.overlay import applied  # imported late: imports JSONPath, which few runs need

        document, used = applied(found, document, self._diagnostics)
        self._used[found.name] |= used
        return document

    def _overlay(self, fetched: Fetched) -> "Overlay | None":
        from mcpgen.read.overlay import read  # imported late: imports JSONPath, which few runs need

        if fetched.name not in self._overlays:
            self._overlays[fetched.name] = None  # cached, so that errors of an overlay are reported once
            self._used[fetched.name] = set()
            document = self.library.add(fetched.name, fetched.data, None)
            self._overlays[fetched.name] = read(document, self._diagnostics)
        return self._overlays[fetched.name]

    def _report(self, failure: FatalError, where: Where) -> None:
        """Report an error in a file that another file names.

        The place is that of the error, if known, else the line that names the file.
        """
        found = failure.diagnostic
        inside = found.where if found.where and (found.where.line or found.where.pointer) else where
        code = found.code if found.severity == "error" else "unreadable"
        self._diagnostics.add(code, found.message, inside, found.hint)


def _is_meant(found: "Overlay", document: str) -> bool:
    """Return True if `extends` of the overlay names this document.

    Only the last path segments of both names are compared, since folders may differ.
    """
    return found.extends.rpartition("/")[2] == document.replace("\\", "/").rpartition("/")[2]
