"""Read a tools file.

The file uses OpenAPI's words, so OpenAPI's readers read its parameters, bodies and security schemes.

A person wrote the file, so an unknown key or a value of the wrong type is never ignored. It is an error with its place
and a suggestion.
"""

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import as_list, as_object, as_text
from mcpgen.model import UNDECLARED, Api, Security
from mcpgen.read.document import Document
from mcpgen.read.openapi.schemas import Definitions
from mcpgen.read.toolsfile import (
    access,
    documents,
    flags,
    links,
    logins,
    overrides,
    prompts,
    resources,
    schema_check,
    server,
    settings,
    tools,
)
from mcpgen.read.toolsfile.schemas import Schemas
from mcpgen.read.toolsfile.toolsfile import ToolsFile

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
    links.check(root, top, diagnostics)
    identity, references = as_object(root.get("server")), definitions.references
    found = access.schemes(root.get("security"), top.inside("security"), references, diagnostics)
    variables = server.variables(root.get("variables"), top.inside("variables"), diagnostics)
    entries = [each for key in ("openapi", "tools", "resources") for each in as_list(root.get(key))]
    urls = [as_object(each).get("base_url") for each in (root, *entries)]
    given = server.given_variables(root.get("variables"), top.inside("variables"))
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
        logging=settings.logging(identity),
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
        output=settings.output(identity),
        fields=settings.fields(identity),
        redirects=settings.redirects(identity),
        headers=settings.headers(root, top, diagnostics),
        lookups=settings.lookups(identity),
        pages=settings.pages(identity),
        confirm=settings.confirm_of_kinds(identity),
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
        choices=flags.read(root, top, diagnostics),
        variables=top.inside("server_var"),
        security=top.inside("security"),
        login=logins.read(root.get("login"), top.inside("login")),
        pins=documents.named(identity, "pin", top.inside("server")),
        given=given,
        accounts=server.accounts(root.get("accounts"), top.inside("accounts"), diagnostics),
        skills=(root["skills"], top.inside("skills")) if "skills" in root else None,
    )
