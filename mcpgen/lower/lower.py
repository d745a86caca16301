"""Every operation of an API → a tool, or a reason why not."""

from collections.abc import Mapping

from mcpgen.diagnostics import Diagnostic, Diagnostics
from mcpgen.errors import Unusable
from mcpgen.lower import annotations, arguments, bindings, bodies, descriptions, naming, nesting, outputs, security
from mcpgen.lower.compose import Composer
from mcpgen.lower.text import hidden_characters
from mcpgen.model import Api, Catalog, Identity, Operation, Server, Skipped, ToolSpec

_FLATTEN = "Let the references lead to the schema itself."


def lower(api: Api, identity: Identity, promised: Mapping[str, str], diagnostics: Diagnostics) -> Catalog:
    """The catalog of tools for `api`, sorted by name. `promised` are the names (operation key → name) that must be
    kept.
    """
    names = naming.assign(api.operations, promised, api.title)
    composer = Composer(api.definitions)
    servers = list(api.servers[:1] or (Server(""),))
    tools: list[ToolSpec] = []
    skipped = list(api.skipped)
    for operation in api.operations:
        try:
            tools.append(_tool(operation, names[operation.key], api, servers, composer, diagnostics))
        except Unusable as unusable:
            skipped.append(Skipped(f"{operation.method} {operation.path}", unusable.diagnostic))
        except RecursionError:  # a chain of hundreds of references; published documents have chains of ten
            reason = Diagnostic("reference-loop", "A chain of references is too long.", _FLATTEN, operation.where)
            skipped.append(Skipped(f"{operation.method} {operation.path}", reason))
    return Catalog(
        identity,
        tuple(servers),
        security.bound_schemes(api, identity.prefix),
        tuple(sorted(tools, key=lambda tool: tool.name)),
        tuple(sorted(skipped, key=lambda entry: entry.operation)),
    )


def _tool(
    operation: Operation, name: str, api: Api, servers: list[Server], composer: Composer, diagnostics: Diagnostics
) -> ToolSpec:
    nesting.refuse_unwritable(operation, composer)
    composer.contradictions.clear()  # what an answer or an operation that was skipped left behind
    plan = bodies.plan(operation.body, composer) if operation.body else None
    layout = arguments.lay_out(operation, plan, composer)
    _report(operation, name, layout, composer, diagnostics)
    nesting.report(operation, composer, diagnostics)
    needed = security.requirement(operation, api)
    server = _server_index(operation, servers)
    output_schema, output_form = outputs.derive(operation, name, composer, diagnostics) or (None, None)
    return ToolSpec(
        name=name,
        title=operation.title or descriptions.title(operation, name),
        description=descriptions.description(operation, name, composer, diagnostics),
        input_schema=layout.schema,
        annotations=annotations.derive(operation),
        binding=bindings.bind(operation, plan, layout, composer, server, needed),
        operation=operation,
        output_schema=output_schema,
        output_form=output_form,
    )


def _server_index(operation: Operation, servers: list[Server]) -> int:
    """The place of the operation's own server in `servers`, which grows by it; 0 is the API's."""
    if not operation.servers:
        return 0
    own = operation.servers[0]
    if own not in servers:
        servers.append(own)
    return servers.index(own)


def _report(
    operation: Operation, name: str, layout: arguments.Arguments, composer: Composer, diagnostics: Diagnostics
) -> None:
    if layout.cuts:
        diagnostics.add("schema-cut", f"The arguments of {name} leave out {'; '.join(layout.cuts)}.", operation.where)
    for sentence in dict.fromkeys(composer.contradictions):
        diagnostics.add(
            "schema-contradiction", f"A schema of {name} combines {sentence}; the later one is used.", operation.where
        )
    hidden = hidden_characters(operation.summary + operation.description)
    if hidden:
        diagnostics.add(
            "hidden-characters",
            f"{hidden} invisible or direction-changing characters were taken out of the text of {name}.",
            operation.where,
            "Remove them from the document.",
        )
