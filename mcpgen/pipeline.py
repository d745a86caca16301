"""The calls of the compiler in order, and nothing else. Whoever reads this file has the architecture."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from mcpgen import crowding, openapi, toolsfile
from mcpgen import lock as locks
from mcpgen.check import check
from mcpgen.choices import with_body_types, with_fields, with_output, with_variables
from mcpgen.diagnostics import Diagnostic, Diagnostics, Where, placed
from mcpgen.document import Document, Library
from mcpgen.emit import emit, user_files
from mcpgen.errors import CannotGoOn
from mcpgen.fetch import Fetched
from mcpgen.jsonvalue import digest
from mcpgen.lock import Lock
from mcpgen.lower import lower
from mcpgen.lower.text import plain, shortened
from mcpgen.merge import merge
from mcpgen.model import Api, Catalog, Identity, Server, Skipped
from mcpgen.names import SERVER_NAME, server_name
from mcpgen.openapi import servers
from mcpgen.options import Options
from mcpgen.selection import select
from mcpgen.tree import FileTree

LONGEST_TITLE = 100


@dataclass(frozen=True, slots=True)
class Compiled:
    """The answer of the compiler. `lock` is what the tree's lock file says; `diagnostics` have lines and columns."""

    catalog: Catalog
    tree: FileTree
    lock: Lock
    diagnostics: tuple[Diagnostic, ...]

    @property
    def user_files(self) -> frozenset[str]:
        return user_files(self.catalog.identity)


@dataclass(frozen=True, slots=True)
class Project:
    """What an existing project brings into a compile: its lock, the user's tools file, and how it calls SOURCE and the
    folders of `Options.ref_dir`.
    """

    lock: Lock | None = None
    settings: Fetched | None = None
    source: str = ""
    ref_dirs: tuple[str, ...] = ()


class _Run:
    def __init__(self) -> None:
        self.diagnostics = Diagnostics()
        self.library = Library(self.diagnostics)
        self._definitions = openapi.Definitions(openapi.References(self.library))

    def _load(self, fetched: Fetched) -> Document:
        return self.library.add(fetched.name, fetched.data, fetched.folder.read if fetched.folder else None)

    def read_settings(self, fetched: Fetched) -> Api | None:
        """The user's tools file; None as long as everything in it is commented out."""
        document = self._load(fetched)
        if document.value is None:
            return None
        return toolsfile.read(document, self._definitions, self.diagnostics).api

    def read(self, fetched: Fetched) -> Api:
        document = self._load(fetched)
        if toolsfile.is_tools_file(document.value):
            return toolsfile.read(document, self._definitions, self.diagnostics).api
        version = openapi.version_of(document)
        if version is None:
            raise CannotGoOn(
                "not-an-api",
                f"{fetched.name} is neither an OpenAPI document nor a tools file.",
                document.where(""),
                "It should begin with `openapi: 3.1.0` or `mcpgen: 1`.",
            )
        api = openapi.read(document, self._definitions, fetched.url, self.diagnostics)
        openapi.quick(document, version, self.diagnostics)
        return api


def compile_source(fetched: Fetched, options: Options, project: Project = Project()) -> Compiled:
    """The whole compile: bytes → catalog → files. Pure but for what `fetched` and `project` hold.

    CannotGoOn, with its place, where the source as a whole cannot be compiled.
    """
    run = _Run()
    try:
        return _compiled(run, fetched, options, project)
    except CannotGoOn as end:
        errors = [found for found in run.diagnostics if found.severity == "error"]
        end.diagnostic, *end.before = located([end.diagnostic, *errors], run.library.documents)
        raise


def _compiled(run: _Run, fetched: Fetched, options: Options, project: Project) -> Compiled:
    api = run.read(fetched)
    if project.settings is not None and (settings := run.read_settings(project.settings)) is not None:
        api = merge(api, settings)
    found = len(api.operations) + len(api.skipped)
    api = replace(
        api,
        operations=with_body_types(select(api.operations, options.include, options.exclude), options.body_type),
        skipped=select(api.skipped, options.include, options.exclude),
    )
    api = with_output(with_variables(api, options.server_var), options.structured)
    api = with_fields(api, options.fields)
    api = _with_base_url(api, options.base_url, run.diagnostics)
    identity = _identity(api, options, project.lock)
    promised: Mapping[str, str] = project.lock.tools if project.lock else {}
    catalog = check(lower(api, identity, options, promised, run.diagnostics), run.diagnostics)
    if not catalog.tools:
        reasons = [entry.reason for entry in catalog.skipped[:1]]
        where = reasons[0].where if reasons else None if found else Where(fetched.name)
        hint = (reasons[0].hint if reasons else "") or _EMPTY_HINT
        raise CannotGoOn("no-operations", _why_empty(catalog, found), where, hint)
    crowding.warn(catalog, run.diagnostics)
    tree = emit(catalog)
    lock = Lock(
        source=project.source or fetched.name,
        source_digest=digest(fetched.data),
        version=identity.version,
        options=replace(options, name=identity.name, ref_dir=project.ref_dirs),
        tools={**promised, **{tool.operation.key: tool.name for tool in catalog.tools}},
        files=locks.digests({path: data for path, data in tree.items() if path not in user_files(identity)}),
    )
    tree = FileTree({**tree, locks.NAME: locks.dump(lock)})
    catalog = replace(catalog, skipped=_located_skips(catalog.skipped, run.library.documents))
    return Compiled(catalog, tree, lock, located(run.diagnostics, run.library.documents))


def verdict(fetched: Fetched) -> tuple[Diagnostic, ...]:
    """The full verdict of the standard's own tool on an OpenAPI document; nothing for a tools file."""
    found = Diagnostics()
    library = Library(Diagnostics())
    document = library.add(fetched.name, fetched.data, fetched.folder.read if fetched.folder else None)
    version = openapi.version_of(document)
    if version is not None and not toolsfile.is_tools_file(document.value):
        openapi.verdict(document, version, library, found)
    return located(found, library.documents)


def located(diagnostics: Iterable[Diagnostic], documents: Mapping[str, Document]) -> tuple[Diagnostic, ...]:
    """The diagnostics with lines and columns: one walk over each document that any of them names."""
    diagnostics = list(diagnostics)
    wanted: dict[str, set[str]] = {}
    for found in diagnostics:
        if found.where is not None and found.where.line is None and found.where.file in documents:
            wanted.setdefault(found.where.file, set()).add(found.where.pointer)
    positions = {name: documents[name].positions(pointers) for name, pointers in wanted.items()}
    return tuple(
        placed(found, *positions[found.where.file][found.where.pointer])
        if found.where is not None and found.where.line is None and found.where.file in positions
        else found
        for found in diagnostics
    )


def _located_skips(skipped: tuple[Skipped, ...], documents: Mapping[str, Document]) -> tuple[Skipped, ...]:
    reasons = located([entry.reason for entry in skipped], documents)
    return tuple(replace(entry, reason=reason) for entry, reason in zip(skipped, reasons, strict=True))


def _with_base_url(api: Api, base_url: str | None, diagnostics: Diagnostics) -> Api:
    if base_url is not None:
        reason = servers.refusal(base_url) or ("" if "://" in base_url else "it is not absolute")
        if reason and "metadata" not in reason:
            raise CannotGoOn("invalid-flag", f"--base-url {base_url} cannot be used: {reason}.")
        return replace(api, servers=(Server(base_url),))
    if not api.servers or "://" not in api.servers[0].url:
        diagnostics.add(
            "no-server",
            "No absolute server URL is known; each call will say that the base URL is missing.",
            hint="Give --base-url, or set the server's _BASE_URL variable.",
        )
    return api


def _identity(api: Api, options: Options, lock: Lock | None) -> Identity:
    if options.name is not None and not SERVER_NAME.fullmatch(options.name):
        raise CannotGoOn(
            "invalid-flag",
            f"--name {options.name!r} cannot be the name of a server.",
            hint="Use lower-case letters, digits and hyphens, a letter first, at most 40.",
        )
    name = options.name or api.name or (lock.options.name if lock else None) or server_name(api.title)
    version = api.version or (lock.version if lock else "0.1.0")
    return Identity(name, shortened(plain(api.title), LONGEST_TITLE) or name, version, api.instructions)


_EMPTY_HINT = "Check the paths, and --include and --exclude."


def _why_empty(catalog: Catalog, found: int) -> str:
    if not found:
        return "The source has no operation."
    if not catalog.skipped:
        return f"None of {found} operations was selected."
    first = catalog.skipped[0]
    count = len(catalog.skipped)
    return f"None of {count} operations could be compiled; the first, {first.operation}: {first.reason.message}"
