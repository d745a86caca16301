"""Read a tools file.

The file uses OpenAPI's words, so OpenAPI's readers read its parameters, bodies and security schemes.

A person wrote the file, so an unknown key or a value of the wrong type is never ignored. It is an error with its place
and a suggestion. A link may lead only to a public https URL or a resource of the same file, since clients can read no
other target.
"""

import re
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.base.names import clipped, nearest
from mcpgen.model import UNDECLARED, Api, Security
from mcpgen.read.document import Document
from mcpgen.read.openapi import servers
from mcpgen.read.openapi.schemas import Definitions
from mcpgen.read.toolsfile import (
    access,
    decisions,
    documents,
    overrides,
    prompts,
    resources,
    schema_check,
    server,
    tools,
    toolsfile,
)
from mcpgen.read.toolsfile.access import read_login
from mcpgen.read.toolsfile.schemas import Schemas
from mcpgen.read.toolsfile.toolsfile import ToolsFile

_PLACE = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
_HINT = "Write a public https address, or the URI of one of `resources`."

VERSION = 1


def read(document: Document, definitions: Definitions, diagnostics: Diagnostics) -> ToolsFile:
    """Return the contents of a tools file. Its schemas are added to `definitions`, its errors to `diagnostics`.

    Raises FatalError for another version of the format.
    """
    root = as_object(document.value)
    if isinstance(root.get("mcpgen"), bool) or root.get("mcpgen") != VERSION:
        raise FatalError(
            "unsupported-version",
            f"This version of mcpgen reads only version {VERSION} of the tools file.",
            document.where("/mcpgen"),
            f"Write `mcpgen: {VERSION}`.",
        )
    top = document.where("")
    schema_check.check(root, top, diagnostics)
    _check_links(root, top, diagnostics)
    identity, references = as_object(root.get("server")), definitions.references
    found = access.schemes(root.get("security"), top.inside("security"), references, diagnostics)
    variables, given = server.variables(root.get("variables"), top.inside("variables"), diagnostics)
    entries = [each for key in ("openapi", "tools", "resources") for each in as_list(root.get(key))]
    urls = [as_object(each).get("base_url") for each in (root, *entries)]
    unknown = [name for name in variables if name not in {each.name for each in given}]
    server.report_unused(unknown, urls, top.inside("variables"), diagnostics)
    checker = Schemas(references, diagnostics)
    checker.check_conditions(root, top)
    around = tools.ToolContext(found, variables, definitions, checker, diagnostics)
    site = resources.ResourceContext(found, variables, references, diagnostics)
    operations, skipped = tools.read(root.get("tools"), top.inside("tools"), around)
    api = Api(
        title=as_text(identity.get("title")),
        version=server.version(identity, top.inside("server"), diagnostics),
        name=server.name(identity),
        instructions=as_text(identity.get("instructions")),
        logging=server.logging(identity),
        operations=operations,
        definitions=definitions,
        servers=server.base_url(root.get("base_url"), top.inside("base_url"), diagnostics, variables),
        schemes=found,
        security=Security(
            (tuple(scheme.name for scheme in found),),
            {scheme.name: scheme.scopes for scheme in found if scheme.scopes},
        )
        if found
        else UNDECLARED,
        skipped=skipped,
        defaults=decisions.of_server(identity),
        headers=server.headers(root, top, diagnostics),
        confirm=access.confirm_of_kinds(identity),
        roles=access.roles_of_kinds(identity),
        resources=(
            *resources.read(root.get("resources"), top.inside("resources"), site),
            *resources.read_completions(root, top, site),
        ),
        prompts=prompts.read(root.get("prompts"), top.inside("prompts"), diagnostics),
        named_at=top.inside("server"),
    )
    return ToolsFile(
        api,
        documents=documents.read(root.get("openapi"), top.inside("openapi"), variables, diagnostics),
        overlays=documents.named(root, "overlays", top),
        workflows=documents.named(root, "workflows", top),
        body_types=documents.named(root, "body_type", top),
        include=documents.selectors(root, "include", top, diagnostics),
        exclude=documents.selectors(root, "exclude", top, diagnostics),
        changes=(
            *overrides.read(root.get("overrides"), top.inside("overrides"), diagnostics),
            *overrides.of_parts(root.get("arguments"), top.inside("arguments"), diagnostics),
        ),
        choices=toolsfile.read(root, top, diagnostics),
        variables=top.inside("server_var"),
        security=top.inside("security"),
        login=read_login(root.get("login"), top.inside("login"), diagnostics),
        pins=documents.named(identity, "pin", top.inside("server")),
        given=given,
        accounts=server.accounts(root.get("accounts"), top.inside("accounts"), diagnostics),
        unread=root,
        where=top,
    )


# -- links -------------------------------------------------------------------------------------------------------------


# A broken link is worse than no link.
def _check_links(root: JsonObject, top: Where, diagnostics: Diagnostics) -> None:
    """Report every link of a tool or an override that clients cannot read: neither a public https URL nor a resource of
    the file.
    """
    uris = list(_resources(root))
    for entry, where in _entries(root, top):
        for uri, place in _addresses(as_object(entry.get("result")), where.inside("result")):
            if not _is_public(uri) and not any(_fits(uri, known) for known in uris):
                message = (
                    f"The link '{clipped(uri)}' leads to no resource of this file, and to no public https address."
                )
                diagnostics.add("invalid-value", message, place, nearest(uri, uris) or _HINT)


def _addresses(result: JsonObject, where: Where) -> Iterator[tuple[str, Where]]:
    """Yield the URI of each link in a result and in its content blocks, with its place."""
    links = [(link, where.inside("links", index)) for index, link in enumerate(as_list(result.get("links")))]
    for index, block in enumerate(as_list(result.get("blocks"))):
        links.append((as_object(block).get("link"), where.inside("blocks", index, "link")))
    for link, place in links:
        if isinstance(uri := as_object(link).get("uri"), str):
            yield uri, place.inside("uri")


def _entries(root: JsonObject, top: Where) -> Iterator[tuple[JsonObject, Where]]:
    """Yield the tools and overrides of a file, each with its place."""
    for index, tool in enumerate(as_list(root.get("tools"))):
        yield as_object(tool), top.inside("tools", index)
    described = enumerate(as_list(root.get("openapi")))
    documents = [(as_object(each), top.inside("openapi", index)) for index, each in described]
    for around, where in [(root, top), *documents]:
        for key, change in as_object(around.get("overrides")).items():
            yield as_object(change), where.inside("overrides", key)


def _resources(root: JsonObject) -> Iterator[str]:
    """Yield the URIs of the file's resources. URI templates are returned as they are written."""
    server = as_text(as_object(root.get("server")).get("name"))
    for entry in map(as_object, as_list(root.get("resources"))):
        uri, name = as_text(entry.get("uri")), as_text(entry.get("name"))
        if uri or (server and name):
            yield uri or f"{server}://{name}"


def _is_public(uri: str) -> bool:
    """Return True if a link is https and its host is public. A placeholder in the host is not allowed, so its value
    cannot change the host.
    """
    host, _, _ = uri.removeprefix("https://").partition("/")
    if not uri.startswith("https://") or "{" in host or "?" in host or "#" in host:
        return False
    address = f"https://{host}"
    return not servers.refusal(address) and not servers.is_private(address)


def _fits(uri: str, known: str) -> bool:
    """Return True if the link `uri` matches `known`, the URI of a resource. Placeholders in the link are replaced by
    example values.
    """
    pattern = "[^/?#]+".join(re.escape(literal) for literal in re.split(r"\{[^{}]*\}", known))
    return re.fullmatch(pattern, _PLACE.sub(_example, uri)) is not None


def _example(place: re.Match[str]) -> str:
    """Return an example of the text that replaces a placeholder: a letter, or one brace for `{{` or `}}`."""
    return place[0][0] if place[0] in ("{{", "}}") else "x"
