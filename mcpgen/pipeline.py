"""Call the passes of the compiler in order, and do nothing else. To learn the architecture, read this file first."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urlsplit

from mcpgen import retrieval, views
from mcpgen.base import origins
from mcpgen.base.diagnostics import FATAL_WITH_STRICT, Diagnostic, Diagnostics, Where, placed
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, digest
from mcpgen.base.names import SERVER_NAME, server_name
from mcpgen.base.tree import FileTree
from mcpgen.check import names, too_many_tools, unused_schemes
from mcpgen.check.catalog import check
from mcpgen.check.names import check_pinned
from mcpgen.emit import emit, offered_now, parts, table, user_files
from mcpgen.lock import fingerprint
from mcpgen.lock import lockfile as locks
from mcpgen.lock.lockfile import Lock
from mcpgen.lower import lower
from mcpgen.lower.text.prose import plain, shortened
from mcpgen.lower.tool.accounts import with_accounts
from mcpgen.lower.tool.tenants import with_given_variables
from mcpgen.merge.add_own_tools import merge, with_declared_keys, with_task_operations
from mcpgen.merge.apply_options import (
    with_body_types,
    with_defaults,
    with_headers,
    with_optional_bodies,
    with_variables,
)
from mcpgen.merge.logins import hide_logins, with_login
from mcpgen.merge.merge_documents import OwnerDecisions, joined, settled
from mcpgen.merge.overrides import apply, chosen, former, report_unused, visible, without_security
from mcpgen.model import Api, Catalog, Identity, PreviousNames, Skipped
from mcpgen.model.options import Options
from mcpgen.model.pins import NOTHING
from mcpgen.model.selection import select
from mcpgen.read import openapi, toolsfile
from mcpgen.read.document import Document
from mcpgen.read.fetch import Fetched
from mcpgen.read.flags import Flags, listed_origins, written_origins
from mcpgen.read.inputs import NamedFiles, OpenedFile, Sources
from mcpgen.read.toolsfile import PlacedText, ToolsFile

LONGEST_TITLE = 100
_EXPLAINING = ("unused-selector", "hidden-operation")
"""Codes of warnings and notes that may explain why no tool is left (`_nothing_left`)."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of a compile.

    `catalog`: the tools. `tree`: all files of the project. `lock`: contents of the lock file in `tree`. `diagnostics`:
    findings, with lines and columns. `sources`: the documents that were read. `pinned`: True if the tools file sets the
    server's version. `definitions`: the named schemas to which schemas of responses refer.
    """

    catalog: Catalog
    tree: FileTree
    lock: Lock
    diagnostics: tuple[Diagnostic, ...]
    sources: Sources
    pinned: bool = False
    definitions: Mapping[str, JsonObject] = field(default_factory=dict)

    @property
    def user_files(self) -> frozenset[str]:
        return user_files(self.catalog.identity)

    @property
    def failed(self) -> bool:
        """Return True if there is an error, so that nothing is written."""
        found = (*self.diagnostics, *(entry.reason for entry in self.catalog.skipped))
        return any(diagnostic.severity == "error" for diagnostic in found)

    @property
    def failed_strictly(self) -> bool:
        """Return True if `--strict` forbids writing: after an error, a skipped operation or a grave warning."""
        return self.failed or bool(self.catalog.skipped) or any(d.code in FATAL_WITH_STRICT for d in self.diagnostics)


@dataclass(frozen=True, slots=True)
class Project:
    """Data of an existing project for its next compile.

    `settings`: the user's tools file. `source`, `ref_dirs`, `overlays` and `workflow_files`: paths or URLs of inputs,
    relative to the project. `recorded`: the flags that the lock file stores. `hooks`: True if its hooks.py defines
    something.
    """

    lock: Lock | None = None
    settings: Fetched | None = None
    source: str = ""
    ref_dirs: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    workflow_files: tuple[str, ...] = ()
    recorded: Options = field(default_factory=Options)
    hooks: bool = False


def compile_source(fetched: Fetched, options: Options, project: Project = Project()) -> Compiled:
    """Compile bytes to a catalog and files, without side effects except reading through `fetched` and `project`.

    Raises FatalError, with a place in the source, if the source as a whole cannot be compiled.
    """
    diagnostics = Diagnostics()
    sources = Sources(diagnostics, fetched.network)
    with _explained(sources, diagnostics):
        read = _read(sources, fetched, options, project, diagnostics)
        return _compiled(sources, read, fetched, options, project, diagnostics)


def name_of(fetched: Fetched, options: Options) -> str:
    """Return the name of the server that `compile_source` would compile, without making its tools.

    Raises FatalError, with a place in the source, if the source cannot be read.
    """
    diagnostics = Diagnostics()
    sources = Sources(diagnostics, fetched.network)
    with _explained(sources, diagnostics):
        read = _read(sources, fetched, options, Project(), diagnostics)
        return _identity(read.api, options, None, fetched.name).name


@contextmanager
def _explained(sources: Sources, diagnostics: Diagnostics) -> Iterator[None]:
    """Add places, and the findings before it that explain it, to an error that ends the run."""
    try:
        yield
    except FatalError as end:
        end.diagnostic, *found = located([end.diagnostic, *diagnostics], sources.library.documents)
        explaining = _EXPLAINING if end.diagnostic.code == "no-operations" else ()
        end.before = [each for each in found if each.severity == "error" or each.code in explaining]
        raise


class _Read(NamedTuple):
    """What was read: the tools files on disk, all flags, and the API with the overrides of the tools files applied.

    `found`: the number of operations before any selection.
    """

    on_disk: list[ToolsFile]
    flags: Flags
    api: Api
    found: int


def _read(sources: Sources, fetched: Fetched, options: Options, project: Project, diagnostics: Diagnostics) -> _Read:
    source = sources.open(fetched)
    settings = sources.open(project.settings) if project.settings else None
    if source is None:
        raise FatalError("not-an-api", f"{fetched.name} is empty.", hint="Name an API description.")
    if settings is not None and settings.tools_file is None:
        message = f"{settings.fetched.name} is not a tools file: it has no key `mcpgen`."
        hint = "Begin the file with the line `mcpgen: 1`, without `#`."
        raise FatalError("not-an-api", message, settings.document.where(""), hint)
    files = [each.tools_file for each in (settings, source) if each is not None and each.tools_file is not None]
    flags = Flags(options, project.recorded, files)
    promises = project.lock.promises if project.lock else NOTHING
    api, found = _curated(sources, source, settings, flags, former(promises), diagnostics)
    on_disk = [each.tools_file for each in (settings, source) if each and each.tools_file and each.fetched.folder]
    return _Read(on_disk, flags, api, found)


def _compiled(
    sources: Sources, read: _Read, fetched: Fetched, options: Options, project: Project, diagnostics: Diagnostics
) -> Compiled:
    on_disk, flags, api, found = read
    promises = project.lock.promises if project.lock else NOTHING
    wanted = flags.wanted
    if not sources.unread:
        flags.report_body_types(api, diagnostics)
    api = replace(api, operations=with_body_types(api.operations, wanted.body_type))
    api = with_defaults(with_variables(api, wanted.server_var, flags.variables), wanted)
    api = with_optional_bodies(api, wanted.optional_bodies)
    api = with_given_variables(with_headers(api), [each for file in flags.files for each in file.given], diagnostics)
    _report_no_server(api, diagnostics)
    identity = _identity(api, options, project.lock, fetched.name)
    lowered = lower(api, identity, wanted, promises, diagnostics, sources.library.memory.nodes)
    lowered = retrieval.with_lookups(lowered, api.definitions, promises, diagnostics)
    accounts = next((each.accounts for each in flags.files if each.accounts), ())
    catalog = check(with_accounts(lowered, accounts, promises, diagnostics), diagnostics)
    catalog = views.with_views(catalog, api.definitions, wanted, flags.files)
    accepted = project.lock.origins if project.lock else None
    catalog, reached = _with_origins(catalog, accepted, api.unconfirmed, flags, on_disk, diagnostics)
    if not (catalog.tools or catalog.resources or catalog.prompts):
        raise _nothing_left(catalog, found, Where(fetched.name), diagnostics)
    if wanted.tools == "search":
        pinned = check_pinned(catalog.tools, flags.pins, diagnostics)
        from mcpgen.retrieval.index import build  # imported late: few servers have a search

        search = build(catalog.tools, api.definitions, pinned, wanted.programs or "none")
        catalog = replace(catalog, search=search)
    elif wanted.programs not in (None, "none"):
        message = f"--programs {wanted.programs} needs a server with --tools search, but this server lists all tools."
        raise FatalError("invalid-flag", message, hint="Give --tools search as well, or --programs none.")
    remembered = options.over(project.recorded)
    lock = Lock(
        source=project.source or fetched.name,
        source_digest=digest(fetched.data),
        version=identity.version,
        options=replace(
            remembered,
            name=identity.name,
            ref_dir=project.ref_dirs,
            overlay=project.overlays,
            workflow_files=project.workflow_files,
        ),
        promises=promises,
        origins=reached,
        offered=offered_now(remembered.deploy, project.lock.offered if project.lock else ()),
        parts=_parts(flags, remembered, project),
    )
    if any("skills" in each.unread for each in flags.files):
        from mcpgen.emit.skills.served_skills import with_skills  # imported late: few servers have skills

        catalog = with_skills(catalog, flags.files, lock.chosen, sources.library, diagnostics)
    tree, lock = _emitted(catalog, lock)
    tools = tree[table.tools_path(catalog)]
    names.report(catalog, diagnostics)
    if catalog.search is None:  # a server with a tool search lists few tools
        too_many_tools.report(catalog, len(tools), table.cost_of_list(tools), diagnostics)
    documents = sources.library.documents
    catalog = replace(catalog, skipped=_located_skips(catalog.skipped, documents))
    findings = located(diagnostics, documents)
    return Compiled(catalog, tree, lock, findings, sources, bool(api.version), api.definitions)


def _parts(flags: Flags, remembered: Options, project: Project) -> tuple[str, ...] | None:
    """Return the chosen parts of the server, or None if the owner of an older project has never chosen any."""
    if project.lock is not None and project.lock.parts is None and not flags.parts:
        return None
    return parts.chosen(flags.parts, deploy=remembered.deploy, hooks=project.hooks)


def _with_origins(
    catalog: Catalog,
    before: Mapping[str, bool] | None,
    unconfirmed: frozenset[str],
    flags: Flags,
    on_disk: list[ToolsFile],
    diagnostics: Diagnostics,
) -> tuple[Catalog, dict[str, bool]]:
    """Return `catalog` with the origins that its server may contact. Also return origin → True if it is accepted, for
    the next lock file.

    `before`: the same mapping from the last lock. `unconfirmed`: origins that the project's owner must accept again.
    """
    header = table.destinations(catalog)
    named = origins.described(header)
    owned = listed_origins(flags, on_disk) | (written_origins(flags, on_disk) & named)
    found = origins.decided(named, before, owned, unconfirmed)
    origins.report(header, found, diagnostics, unconfirmed)
    return replace(catalog, origins=tuple(origin for origin, accepted in found.items() if accepted)), found


def _emitted(catalog: Catalog, lock: Lock) -> tuple[FileTree, Lock]:
    """Return all files of the project, and `lock` updated with their digests and with the stored names (pins) of the
    tools.
    """
    tree = emit(catalog, lock.chosen, deploy=lock.options.deploy)
    ours = {path: data for path, data in tree.items() if path not in user_files(catalog.identity)}
    promises = fingerprint.promised(catalog, tree, lock.promises)
    lock = replace(lock, version=catalog.identity.version, promises=promises, files=locks.digests(ours))
    return FileTree({**tree, locks.NAME: locks.dump(lock)}), lock


def versioned(compiled: Compiled, version: str) -> Compiled:
    """Return `compiled` with its package at `version`. The files are emitted again."""
    catalog = replace(compiled.catalog, identity=replace(compiled.catalog.identity, version=version))
    tree, lock = _emitted(catalog, compiled.lock)
    return replace(compiled, catalog=catalog, tree=tree, lock=lock)


def _curated(
    sources: Sources,
    source: OpenedFile,
    settings: OpenedFile | None,
    flags: Flags,
    known: PreviousNames,
    diagnostics: Diagnostics,
) -> tuple[Api, int]:
    """Return the API of all documents and handwritten tools, with the overrides of the tools files applied. Also return
    the number of operations before any selection.
    """
    by_flag = NamedFiles(tuple(PlacedText(name, Where(name)) for name in flags.wanted.overlay))
    of_files = [NamedFiles(each.tools_file.overlays, each) for each in (source, settings) if each and each.tools_file]
    described = sources.described(source, [*of_files, by_flag])
    if settings is not None and settings.tools_file is not None:
        described += sources.described(settings, [*of_files[-1:], by_flag])
    sources.report_unused(named for each in (*of_files, by_flag) for named in each.names)
    schemes = frozenset(scheme.name for each in flags.files for scheme in each.api.schemes)
    owner = OwnerDecisions(flags.servers, schemes, flags.required)
    api, left_out = joined(described, owner, known, sources.nothing(), diagnostics)
    for each in reversed(flags.files):
        api = merge(api, each.api, flags.servers)
    api = with_declared_keys(api, [scheme for each in flags.files for scheme in each.api.schemes], diagnostics)
    if login := next((each.login for each in flags.files if each.login), None):
        api = with_login(api, login, diagnostics)
    unused_schemes.warn(replace(api, operations=api.operations + left_out), flags.files, diagnostics)
    found = len(api.operations) + len(api.skipped) + len(left_out)
    # if a document could not be read, unused selectors are no mistake
    told = diagnostics if not sources.unread else Diagnostics()
    api, more = chosen(settled(api, flags.servers), flags.selectors("include"), flags.selectors("exclude"), told)
    by_flags = [each for kind in ("include", "exclude") for each in flags.selecting(kind) if isinstance(each, str)]
    report_unused(api, by_flags, told)
    kept = select(api.operations, flags.selecting("include"), flags.selecting("exclude"))
    keys = {operation.key for operation in kept}
    more += tuple(operation for operation in api.operations if operation.key not in keys)
    skipped = select(api.skipped, flags.selecting("include"), flags.selecting("exclude"))
    workflows = sources.workflows(_arazzo_documents(source, settings, flags), described)
    api = merge(replace(api, operations=kept, skipped=skipped), workflows, ())
    for each in reversed(flags.files):
        api = apply(api, each.changes, left_out + more, known, diagnostics, whole=not sources.unread)
    api = with_task_operations(hide_logins(api, login, diagnostics), left_out + more, diagnostics)
    if flags.wanted.security == "none":
        api = without_security(api)
    return visible(api, diagnostics), found


def _arazzo_documents(source: OpenedFile, settings: OpenedFile | None, flags: Flags) -> list[NamedFiles]:
    """Return the Arazzo documents that the command line and the tools files name."""
    of_files = [NamedFiles(each.tools_file.workflows, each) for each in (source, settings) if each and each.tools_file]
    return [NamedFiles(tuple(PlacedText(name, Where(name)) for name in flags.wanted.workflow_files)), *of_files]


def verdict(sources: Sources) -> tuple[Diagnostic, ...]:
    """Return the findings of openapi-spec-validator about each OpenAPI document of a compile, after its overlays were
    applied.
    """
    found = Diagnostics()
    for document in sources.described_by:
        if document.sources:
            continue  # mcpgen translated the file to OpenAPI, so OpenAPI's schema does not apply to the file itself
        version = openapi.version_of(document)
        assert version is not None, "no API is read from a document without one"
        openapi.verdict(document, version, sources.library, found)
    return located(found, sources.library.documents)


def located(diagnostics: Iterable[Diagnostic], documents: Mapping[str, Document]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics with lines and columns, found in one walk over each document."""
    diagnostics = list(diagnostics)
    wanted: dict[str, set[str]] = {}
    for found in diagnostics:
        if found.where is not None and found.where.line is None and found.where.file in documents:
            wanted.setdefault(found.where.file, set()).add(found.where.pointer)
    positions = {name: documents[name].positions(pointers) for name, pointers in wanted.items()}
    files = {found.where.file for found in diagnostics if found.where is not None}
    by_hand = {name for name in files & documents.keys() if toolsfile.is_tools_file(documents[name].value)}

    def settled(found: Diagnostic) -> Diagnostic:
        if found.where is None:
            return found
        found = replace(found, by_hand=found.where.file in by_hand)
        if found.where is None or found.where.line is not None or found.where.file not in positions:
            return found
        return placed(found, *positions[found.where.file][found.where.pointer])

    return tuple(settled(found) for found in diagnostics)


def _located_skips(skipped: tuple[Skipped, ...], documents: Mapping[str, Document]) -> tuple[Skipped, ...]:
    reasons = located([entry.reason for entry in skipped], documents)
    return tuple(replace(entry, reason=reason) for entry, reason in zip(skipped, reasons, strict=True))


def _report_no_server(api: Api, diagnostics: Diagnostics) -> None:
    if (api.all_operations or api.skipped) and "://" not in api.servers[0].url:
        diagnostics.add(
            "no-server",
            "No absolute server URL is known; every call will fail until a base URL is set.",
            hint="Give --base-url, or set the server's environment variable whose name ends in _BASE_URL.",
        )


def _identity(api: Api, options: Options, lock: Lock | None, source: str) -> Identity:
    if options.name is not None and not SERVER_NAME.fullmatch(options.name):
        raise FatalError(
            "invalid-flag",
            f"--name {options.name!r} cannot be the name of a server.",
            hint="Use at most 40 lower-case letters, digits and hyphens, beginning with a letter.",
        )
    kept = lock.options.name if lock else None
    name = options.name or api.name or kept or server_name(api.title, _host(api), source)
    version = api.version or (lock.version if lock else "0.1.0")
    return Identity(
        name, shortened(plain(api.title), LONGEST_TITLE) or name, version, api.instructions, bool(api.logging)
    )


def _host(api: Api) -> str:
    """Return the host of the first server, or "" if its URL has no valid host."""
    try:
        return urlsplit(api.servers[0].url).hostname or ""
    except ValueError:
        return ""


_EMPTY_HINT = "Check the paths of the document, and the flags --include and --exclude."
_TOLD_HINT = "Correct the errors above."


def _none(count: int, verb: str, rest: str) -> str:
    return f"None of {count:,} operations {verb} {rest}" if count > 1 else f"The only operation {verb} not {rest}"


def _nothing_left(catalog: Catalog, found: int, source: Where, diagnostics: Diagnostics) -> FatalError:
    """Return the error that explains why there is no tool.

    `found`: how many operations there were before any selection.
    """
    if catalog.skipped:
        first, count = catalog.skipped[0], len(catalog.skipped)
        failed = _none(count, "could", "be compiled")
        if first.reason.severity == "error" and first.reason in diagnostics:
            return FatalError("no-operations", f"{failed}.", source, _TOLD_HINT)
        message = f"{failed}; {'the first, ' if count > 1 else ''}{first.operation}: {first.reason.message}"
        return FatalError("no-operations", message, first.reason.where, first.reason.hint or _EMPTY_HINT)
    if found:
        return FatalError("no-operations", f"{_none(found, 'was', 'selected')}.", source, _EMPTY_HINT)
    if any(each.severity == "error" for each in diagnostics):
        return FatalError("no-operations", "No tools remain after the selection.", source, _TOLD_HINT)
    return FatalError("no-operations", "The document has no operations.", source, _EMPTY_HINT)
