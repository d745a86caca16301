"""Write a tools file with the same tools as an MCP server made by another program, such as FastMCP. Compile the file,
and check that each old tool name still calls the same operation.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from mcpgen.adopt import operations, security
from mcpgen.adopt.foreign import TITLES, Described, ForeignServer, Remark, has_secret, leave_out_secrets
from mcpgen.adopt.operations import RawOperation
from mcpgen.adopt.selection import Served, served
from mcpgen.adopt.toolsfile import Draft, Entry, FetchedPart, Override, selectors, write
from mcpgen.base.errors import FatalError
from mcpgen.base.names import ALIAS, SERVER_NAME, WRITTEN_TOOL_NAME, clipped, server_name
from mcpgen.base.secrets import without_secrets
from mcpgen.model import Operation, ToolSpec
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched, Folder, Network

_RETURNS_TEXT = (
    "Tools return text. To return structured results with output schemas, as FastMCP does, write "
    "`server: {output: structured}`."
)
_OF_ARGUMENTS = {
    "awslabs": _RETURNS_TEXT,
    "fastmcp": _RETURNS_TEXT,
    "openapi-mcp-generator": (
        "Each member of a request body is an argument; in the old server, the argument `requestBody` held the members."
    ),
    "ivotoby": "",
}
_SETTING = re.compile(r"\bNAME(_(?:BASE_URL|ALLOW_HTTP|CA_FILE|CLIENT_CERT|CLIENT_KEY|PROXY|LOG_LEVEL))\b")
"""Names of environment variables in remarks. NAME stands for their prefix, since the server's name is not known yet."""

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Flags of the user: the path of the tools file, the name of the new server, and documents that replace those of
    the configuration.
    """

    target: str
    name: str = ""
    documents: tuple[str, ...] = ()
    network: Network = field(default_factory=Network)


@dataclass(frozen=True, slots=True)
class Kept:
    """One tool name of the existing server, and the new tool that this name calls; "" if the name calls no new tool."""

    name: str
    tool: str

    @property
    def is_alias(self) -> bool:
        return self.tool not in ("", self.name)


@dataclass(frozen=True, slots=True)
class Adopted:
    """Tools file made from an existing MCP server, the differences from that server, and old tool name → new tool.

    `compiled`: the result of compiling the tools file.
    """

    program: str
    text: str
    kept: tuple[Kept, ...]
    remarks: tuple[Remark, ...]
    compiled: Compiled


# The new file is compiled, because one wrong name silently breaks each prompt that uses the old name. A script is never
# run: it could fetch data with the user's credentials.
def adopt(server: ForeignServer, name: str, folder: str, wanted: Wanted) -> Adopted:
    """Return a tools file with the same tools as `server`.

    `name`: the server's name in the client's configuration. `folder`: folder to which the configuration's relative
    paths refer. Raises FatalError if an OpenAPI document cannot be read, or two tools need the same name.
    """
    remarks = list((server := leave_out_secrets(server)).remarks)
    draft = _draft(server, without_secrets(name), folder, wanted, remarks)
    draft.offers_all = True
    first = _compiled(draft, wanted)
    draft.offers_all = False
    documents = [document.value for document in first.sources.described_by]
    offered = [
        served(server, described, _listed(first, index), remarks) for index, described in enumerate(server.documents)
    ]
    _name_tools(draft, offered, first, server.filters.includes, remarks)
    draft.resources = _resources(offered, server, remarks)
    decided = security.decide(server, first.catalog, documents, remarks)
    schemes = {each: security.scheme_object(credential) for each, credential in decided.schemes}
    draft.security = "none" if decided.none else dict(schemes) or None
    last = _offering(draft, offered, first, wanted, remarks)
    remarks += security.remarks_on_variables(server, decided, last.catalog)
    remarks += _of_arguments(server, last)
    kept = tuple(replace(each, name=without_secrets(each.name)) for each in _all_kept(offered, last))
    remarks += [
        Remark(f"The new server has no tool with the name '{clipped(each.name)}'.") for each in kept if not each.tool
    ]
    prefix = last.catalog.identity.prefix
    told = tuple(dict.fromkeys(replace(each, text=_SETTING.sub(rf"{prefix}\1", each.text)) for each in remarks))
    text = write(draft, wanted.target, told)
    return Adopted(server.program, text, kept, told, replace(last))


# -- first version of the tools file, written before the documents are read --------------------------------------------


def _draft(server: ForeignServer, name: str, folder: str, wanted: Wanted, remarks: list[Remark]) -> Draft:
    place = os.path.dirname(wanted.target)
    entries, folders = [], []
    for index, described in enumerate(server.documents):
        found = wanted.documents[index] if index < len(wanted.documents) else _located(described, folder)
        written = _beside(found, place)
        if written.startswith("../") or os.path.isabs(written):
            folders.append(os.path.dirname(written))
        entries.append(Entry(written, _base_url(described, remarks)))
    known = wanted.name or name or server.name
    return Draft(
        TITLES[server.program],
        known if SERVER_NAME.fullmatch(known) else server_name(known) if known else "",
        entries,
        title=server.title,
        instructions=server.instructions,
        searches=server.searches,
        timeout=server.timeout if server.timeout != 30 else None,
        folders=list(dict.fromkeys(folders)),
    )


def _located(described: Described, folder: str) -> str:
    """Return the path or URL of an OpenAPI document. Raises FatalError if the configuration does not name the document,
    or if the file is missing.
    """
    hint = "Name the path or URL of the OpenAPI document with --document."
    place = described.place
    if not place or "${" in place or place.startswith(("$", "<")):
        raise FatalError(
            "unreadable",
            "The configuration does not say which OpenAPI document the server uses.",
            described.where,
            hint,
        )
    if place.startswith(("http://", "https://")):
        if has_secret(place):
            message = "The URL of the OpenAPI document contains a secret, which mcpgen copies into no file."
            raise FatalError("unreadable", message, described.where, hint)
        return place
    for candidate in (os.path.join(folder, place), place):
        if os.path.isfile(candidate):
            return candidate
    raise FatalError("unreadable", f"There is no file {clipped(place, 200)}.", described.where, hint)


def _beside(document: str, place: str) -> str:
    """Return the path of a document, relative to the folder `place` of the tools file."""
    if document.startswith(("http://", "https://")):
        return document
    try:
        return os.path.relpath(document, place or ".").replace(os.sep, "/")
    except ValueError:  # Windows: no relative path leads to a file on another drive, so the path is absolute
        return os.path.abspath(document).replace(os.sep, "/")


def _base_url(described: Described, remarks: list[Remark]) -> str:
    """Return the base URL that the existing MCP server uses, for the tools file. Return "" if the URL is unreadable or
    contains a secret. A URL without a path gets a slash at its end.
    """
    url = described.base_url.strip()
    if not url.startswith(("http://", "https://")) or "$" in url or "<" in url:
        if url:
            remarks.append(
                Remark(
                    "The configuration has no readable base URL; the server URL of the document is used.",
                    described.where,
                )
            )
        return ""
    if has_secret(url):
        said = "The base URL has a secret and was left out: set the environment variable NAME_BASE_URL."
        remarks.append(Remark(said, described.where))
        return ""
    if url.startswith("http://") and urlsplit(url).hostname not in ("localhost", "127.0.0.1", "::1"):
        said = "The base URL is http, without TLS: set the environment variable NAME_ALLOW_HTTP to 1."
        remarks.append(Remark(said, described.where))
    return url + "/" if not urlsplit(url).path else url


def _compiled(draft: Draft, wanted: Wanted) -> Compiled:
    roots = (os.path.dirname(wanted.target) or ".",)
    folder = Folder(roots).and_beside(wanted.target, tuple(draft.folders))
    if not draft.name:
        draft.name = "api"
        named = compile_source(_fetched(draft, wanted, folder), Options()).catalog
        titles = [tool.operation.api_title for tool in named.tools[:1]]
        draft.name = server_name(titles[0] or named.identity.title) if titles else "api"
    return compile_source(_fetched(draft, wanted, folder), Options())


def _fetched(draft: Draft, wanted: Wanted, folder: Folder) -> Fetched:
    text = write(draft, wanted.target)
    return Fetched(wanted.target, text.encode(), folder=folder, network=wanted.network)


def _offering(
    draft: Draft, offered: Sequence[list[Served]], first: Compiled, wanted: Wanted, remarks: list[Remark]
) -> Compiled:
    """Compile the drafted tools file so that its tools call the same operations as the other server's tools.

    Mark the tools that mcpgen would hide, such as logins, so that the new server keeps them.
    """
    last = _compiled(draft, wanted)
    missing = 0
    for index, entry in enumerate(draft.entries):
        had, has = _tools(first, index), _tools(last, index)
        lost = {each.operation.request for each in offered[index] if each.component == "tool"} & had.keys() - has.keys()
        keys = {each for request in lost for each in (had[request].operation.id, request)}
        entry.overrides = [replace(each, is_offered=each.key in keys) for each in entry.overrides]
        for request in sorted(lost):
            said = (
                f"{clipped(request)} takes a password, returns a token or is hidden by the OpenAPI document. It "
                "stays a tool, because it is a tool of the old server. To remove the tool, remove `hide: false`."
            )
            remarks.append(Remark(said))
        missing += len(lost)
    return _compiled(draft, wanted) if missing else last


# -- tools -------------------------------------------------------------------------------------------------------------


def _listed(compiled: Compiled, index: int) -> tuple[RawOperation, ...]:
    """Return the operations of the OpenAPI document with the index `index`. Operations behind a `$ref` are taken from
    the tools that mcpgen has compiled.
    """
    documents = compiled.sources.described_by
    if index >= len(documents):
        message = "The configuration names the same OpenAPI document twice, but a server can have it only once."
        raise FatalError(
            "unreadable",
            message,
            hint="Name the right documents with --document, or name the document only once in the configuration.",
        )
    known = {(tool.operation.path, tool.operation.method): tool.operation for tool in _tools(compiled, index).values()}
    return operations.listed(documents[index].value, known)


def _tools(compiled: Compiled, index: int) -> dict[str, ToolSpec]:
    """Return the tools of one document, as a mapping from `METHOD /path` to the tool."""
    documents = compiled.sources.described_by
    of = documents[index].name if len(documents) > 1 else ""
    return {
        f"{tool.operation.method} {tool.operation.path}": tool
        for tool in compiled.catalog.tools
        if tool.operation.document == of
    }


def _name_tools(
    draft: Draft, offered: Sequence[list[Served]], first: Compiled, includes: bool, remarks: list[Remark]
) -> None:
    """Write names and aliases of tools, and selectors of operations, into the entries of `draft`, the tools file."""
    tools = {index: _tools(first, index) for index in range(len(offered))}
    ids = Counter(tool.operation.id for found in tools.values() for tool in found.values())
    used: set[str] = set()
    for index, entry in enumerate(draft.entries):
        wanted: list[Operation] = []
        for each in (each for each in offered[index] if each.component == "tool"):
            tool = tools[index].get(each.operation.request)
            if tool is None:
                remarks.append(_not_made(each, first))
                continue
            wanted.append(tool.operation)
            override = _override(each, tool, ids, used, remarks)
            if override.name or override.aliases:
                entry.overrides.append(override)
        known = [tool.operation for tool in tools[index].values()]
        entry.include, entry.exclude = selectors(known, wanted, includes=includes)


def _override(
    each: Served, tool: ToolSpec, ids: Mapping[str | None, int], used: set[str], remarks: list[Remark]
) -> Override:
    """Return the override by which a tool keeps its name on the existing MCP server. If mcpgen does not allow this name
    for a tool, the name becomes an alias; if it cannot be an alias either, a remark says so.

    `used`: names and aliases of other tools; the names of this tool are added.
    """
    names = [each.name, *each.aliases]
    folded = {name.casefold() for name in used}
    is_name = bool(WRITTEN_TOOL_NAME.fullmatch(each.name)) and each.name.casefold() not in folded
    if is_name:
        names.pop(0)
        used.add(each.name)
    for name in names:
        if not ALIAS.fullmatch(name):
            remarks.append(Remark(f"'{clipped(name)}' ({each.operation.request}) is not a valid tool name in mcpgen."))
        elif name in used:
            said = (
                f"{each.operation.request} is called {tool.name}, because '{clipped(name)}' is the name of another "
                "operation."
            )
            remarks.append(Remark(said))
    aliases = tuple(dict.fromkeys(name for name in names if ALIAS.fullmatch(name) and name not in used))
    used.update((each.name, *aliases))
    return Override(_key(tool.operation, ids), each.name if is_name else "", aliases)


def _key(operation: Operation, ids: Mapping[str | None, int]) -> str:
    """Return the key of an override: the operationId if it is unique and a plain identifier, else method and path."""
    if operation.id and ids[operation.id] == 1 and _PLAIN_NAME.fullmatch(operation.id):
        return operation.id
    return f"{operation.method} {operation.path}"


def _not_made(each: Served, compiled: Compiled) -> Remark:
    reasons = {skipped.operation: skipped.reason.message for skipped in compiled.catalog.skipped}
    why = reasons.get(each.operation.request, "mcpgen makes no tool of it")
    return Remark(
        f"'{clipped(each.name)}' ({clipped(each.operation.request)}) is not a tool of the new server: "
        f"{clipped(why, 200)}"
    )


def _resources(offered: Sequence[list[Served]], server: ForeignServer, remarks: list[Remark]) -> list[FetchedPart]:
    """Return the resources of a FastMCP server, each under its URI. A resource whose operation is not a GET request, or
    whose path parameters do not fit a URI template, is left out with a remark.
    """
    found = []
    for described, parts in zip(server.documents, offered, strict=True):
        base_url = described.base_url if len(server.documents) > 1 else ""
        for each in (each for each in parts if each.component in ("resource", "template")):
            variables = re.findall(r"\{([^{}]*)\}", each.operation.path)
            plain = all(map(_PLAIN_NAME.fullmatch, variables)) and each.operation.method == "GET" and bool(each.name)
            if not plain or (each.component == "resource" and variables):
                request, name = each.operation.request, clipped(each.name)
                said = "is not a GET request, or the variables of its path do not fit the URI of the resource"
                remarks.append(Remark(f"The resource '{name}' was left out: {request} {said}."))
                continue
            uri = "/".join([f"resource://{each.name}", *(f"{{{name}}}" for name in sorted(set(variables)))])
            found.append(FetchedPart(each.name, uri, each.operation.request, base_url))
    return found


# -- names and arguments that changed ----------------------------------------------------------------------------------


def _all_kept(offered: Sequence[list[Served]], compiled: Compiled) -> Iterator[Kept]:
    """Yield the new tool for each old name. If several operations had the same name, skip all but the first: only the
    first could be called by this name.
    """
    seen: set[tuple[str, str]] = set()
    for index, found in enumerate(offered):
        for each in found:
            if (each.component, each.name) not in seen:
                seen.add((each.component, each.name))
                yield _kept(each, compiled, index)


def _kept(each: Served, compiled: Compiled, index: int) -> Kept:
    """Return the name that a tool has on the server that mcpgen replaces, and the new tool that can be called by this
    name and sends the same request. If there is no such new tool, return the name and "".

    For a resource, return its name twice if the new server has a resource of that name; else the name and "".
    """
    if each.component != "tool":
        return Kept(each.name, each.name if _has_resource(each, compiled) else "")
    tool = _tools(compiled, index).get(each.operation.request)
    answers = tool is not None and each.name in (tool.name, *tool.aliases)
    return Kept(each.name, tool.name if tool is not None and answers else "")


def _has_resource(each: Served, compiled: Compiled) -> bool:
    return any(spec.resource.name == each.name for spec in compiled.catalog.resources)


def _of_arguments(server: ForeignServer, compiled: Compiled) -> list[Remark]:
    """Return remarks on how results and arguments (form, names) differ from those of the existing MCP `server`."""
    changed: Counter[tuple[str, str]] = Counter()
    for tool in compiled.catalog.tools:
        changed.update((wire, name) for (place, wire), name in tool.arguments.items() if wire and wire != name)
    listed = [
        f"The argument '{clipped(wire)}' is now called {name} (in {count} tools)."
        if count > 1
        else f"The argument '{clipped(wire)}' is now called {name}."
        for (wire, name), count in changed.most_common(12)
    ]
    more = [f"Other arguments with new names: {len(changed) - 12}; see `mcpgen inspect`."] * (len(changed) > 12)
    return [Remark(said) for said in (*filter(None, [_OF_ARGUMENTS[server.program]]), *listed, *more)]
