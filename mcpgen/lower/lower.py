"""Convert every operation of an API to a tool, or record why there is no tool for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcpgen.base.diagnostics import Diagnostic, Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import as_object
from mcpgen.base.names import clipped
from mcpgen.base.work import Budget, Exhausted
from mcpgen.lower.inputs import arguments, bodies, nesting
from mcpgen.lower.inputs.bodies import BodyPlan
from mcpgen.lower.inputs.constants import fixed_consents
from mcpgen.lower.jobs import proposals
from mcpgen.lower.jobs.recognize import recognize
from mcpgen.lower.jobs.requests import Requests
from mcpgen.lower.request import bindings, security
from mcpgen.lower.schema import branching, budget, compose, patterns
from mcpgen.lower.schema.compose import PART, RUN, RUN_PER_NODE, Composer
from mcpgen.lower.schema.patterns import report_patterns
from mcpgen.lower.text import boilerplate, sanitize
from mcpgen.lower.text.boilerplate import Boilerplate
from mcpgen.lower.text.prompt_injection import gives_orders
from mcpgen.lower.text.prose import first_sentence, plain
from mcpgen.lower.tool import (
    annotations,
    descriptions,
    features,
    guards,
    id_sources,
    lint,
    listings,
    outputs,
    questions,
    result_rules,
    tasks,
    tenants,
)
from mcpgen.lower.tool.id_sources import Producers
from mcpgen.lower.workflows import resolve
from mcpgen.model import (
    LONGEST_DESCRIPTION,
    Api,
    Catalog,
    Identity,
    InputProfile,
    Operation,
    Passage,
    SchemaProfile,
    SecurityRequirement,
    Server,
    Skipped,
    ToolSpec,
    joined,
)
from mcpgen.model.options import Options
from mcpgen.model.pins import UNKNOWN, Pin, Pins
from mcpgen.naming import tool_names

_WHY_LARGE: Mapping[InputProfile, str] = {
    "portable": "only names and types of its arguments are left, and mcpgen cannot shorten these",
    "full": "the full profile never shortens a schema",
    "written": "mcpgen does not shorten a handwritten inputSchema",
}
_FLATTEN = "Let the references point directly to the schema."


def lower(
    api: Api, identity: Identity, options: Options, promises: Pins, diagnostics: Diagnostics, nodes: int = 0
) -> Catalog:
    """Return the catalog of tools for `api`, sorted by name. Tools keep the names that `promises` holds from earlier
    versions of the project.

    The work budget grows with `nodes`, the number of values and keys in the source.
    """
    names = tool_names.assign(api.operations, promises, api.title)
    _report_names(api.operations, names, diagnostics)
    if gives_orders(api.title):
        message = "The title of the API contains instructions to a model."
        diagnostics.add("text-gives-orders", message, api.named_at, "Read it first.")
    listed = {operation.key for operation in api.operations}
    while True:
        found = Diagnostics()
        sources = id_sources.find(api.operations, listed)
        composer = Composer(api.definitions, Budget(RUN + RUN_PER_NODE * nodes, PART))
        named: set[str] = set()
        catalog = _lowered(api, identity, options, names, promises, sources, named, composer, found)
        made = {tool.operation.key for tool in catalog.tools}
        if named <= made:
            diagnostics.extend(list(found))
            return catalog
        # A tool's text mentions a tool that could not be made: convert all again, and mention only tools in `made`
        listed &= made


def _report_names(operations: Sequence[Operation], names: Mapping[str, str], diagnostics: Diagnostics) -> None:
    """Report each name in a document's `x-mcp` that its tool does not get, because another tool already has the
    name.
    """
    for operation in operations:
        if operation.decided.name and names[operation.key] != operation.decided.name:
            message = (
                f"The name '{operation.decided.name}' belongs to another tool, so this tool is called "
                f"{names[operation.key]}."
            )
            hint = "To give this name to this tool, set `name` in an override of a tools file."
            diagnostics.add("invalid-extension", message, operation.where.inside("x-mcp", "name"), hint)


def _lowered(
    api: Api,
    identity: Identity,
    options: Options,
    names: Mapping[str, str],
    promises: Pins,
    sources: Producers,
    named: set[str],
    composer: Composer,
    diagnostics: Diagnostics,
) -> Catalog:
    """Convert every operation to a tool, and return the catalog. `lower` does this again if a text mentions a missing
    tool.

    `sources`: finds the operation that lists the valid ids for an argument. `named` is filled with the keys of the
    operations whose tools are mentioned in texts of other tools.
    """
    context = _Context(
        api,
        options,
        composer,
        boilerplate.found(api.operations, identity.instructions),
        names,
        security.undeclared(api),
        sources,
        named,
        {api.servers[0]: 0},
        promises,
        Requests((*api.operations, *api.left_out), composer),
        diagnostics,
    )
    tools: list[ToolSpec] = []
    skipped = list(api.skipped)
    for operation in api.operations:
        try:
            tools.append(_tool(operation, names[operation.key], context))
        except SkipOperation as unusable:
            skipped.append(Skipped(f"{operation.method} {operation.path}", unusable.diagnostic))
        except RecursionError:  # a chain of hundreds of references; in published documents, chains have about ten
            reason = Diagnostic("reference-loop", "A chain of references is too long.", _FLATTEN, operation.where)
            skipped.append(Skipped(f"{operation.method} {operation.path}", reason))
        except Exhausted as end:
            reason = compose.reason(end, "Its schemas", composer, operation.where)
            skipped.append(Skipped(f"{operation.method} {operation.path}", reason))
    tools, left_out = resolve(tools, composer, diagnostics)
    bodies.report_demanded(context.demanding, diagnostics)
    _report_rules(api.operations, context.used, diagnostics)
    read = features.bind_resources(
        api, identity, lambda operation: _server_index(operation, context.servers), diagnostics
    )
    rewritten = descriptions.named(sorted(tools, key=lambda tool: tool.name), composer.once)
    fitted = [replace(tool, passages=descriptions.fit(tool.passages, context.longest)) for tool in rewritten]
    catalog = Catalog(
        replace(identity, instructions=context.boilerplate.beside(identity.instructions)),
        tuple(context.servers),
        security.bound_schemes(api, identity.prefix),
        descriptions.distinct_titles(fitted),
        tuple(sorted([*skipped, *left_out], key=lambda entry: entry.operation)),
        read,
        features.resolve_prompts(api.prompts, read, diagnostics),
        tuple(replace(each, says=first_sentence(plain(each.says))) for each in api.webhooks),
        asks_certificate=any(scheme.unsent == "certificate" for scheme in api.schemes),
        longest_description=context.longest,
    )
    return sanitize.sanitize_catalog(catalog, api.named_at, diagnostics)


def _report_rules(operations: Sequence[Operation], used: set[Where], diagnostics: Diagnostics) -> None:
    """Report argument names in rules (overrides for several operations) that have no effect.

    A name has no effect if no operation that the rule matches has this argument.
    """
    changes = ((name, change) for operation in operations for name, change in operation.decided.arguments.items())
    unused = {change.where: name for name, change in changes if change.by_rule and change.where not in used}
    for where, name in unused.items():
        message = f"No operation that this override selects has an argument '{clipped(name)}'."
        diagnostics.add(
            "unused-override",
            message,
            where,
            "Correct the name of the argument, or remove this entry from the override.",
        )


@dataclass(frozen=True, slots=True)
class _Context:
    """Facts about the API that are needed to convert an operation to a tool, and findings that the conversion collects.

    `names`: operation key → tool name. `accepted`: the security alternatives of operations if neither they nor the API
    state `security`. `servers`: server → its index in the catalog; the conversion adds servers. `requests`: finds the
    GET operation that reads the state of a job. `longest`: limit on the characters of a description.

    Findings: `named` are operations whose tools are mentioned in texts of other tools. `demanding` are operations whose
    body mcpgen makes required. `used` are places of rules in the tools file that changed an argument. `missing` are
    dangling references that were reported.
    """

    api: Api
    options: Options
    composer: Composer
    boilerplate: Boilerplate
    names: Mapping[str, str]
    accepted: tuple[SecurityRequirement, ...]
    sources: Producers
    named: set[str]
    servers: dict[Server, int]
    promises: Pins
    requests: Requests
    diagnostics: Diagnostics
    longest: int = LONGEST_DESCRIPTION
    demanding: list[Operation] = field(default_factory=list)
    used: set[Where] = field(default_factory=set)
    missing: set[Diagnostic] = field(default_factory=set)

    def known(self, operation: Operation) -> Pin:
        """Return the names that the tool of `operation` had in earlier versions of the project."""
        return self.promises.tools.get(operation.key, UNKNOWN)

    def layout(
        self, operation: Operation, plan: BodyPlan | None, profile: SchemaProfile, room: int
    ) -> arguments.Arguments:
        """Return the arguments of `operation`. If possible, their input schema has at most `room` tokens."""
        known = self.known(operation)
        sources = self.sources.of(operation, plan, self.composer)
        self.named.update(sources.values())
        told = {slot: self.names[key] for slot, key in sources.items()}
        found = arguments.lay_out(operation, plan, told, known, self.composer, profile, room, self.diagnostics)
        self.used.update(found.used)
        return found


def _tool(operation: Operation, name: str, context: _Context) -> ToolSpec:
    composer, diagnostics = context.composer, context.diagnostics
    composer.budget.begin()
    whole, operation = operation, result_rules.seen(operation, composer, diagnostics)
    nesting.refuse_unwritable(operation, composer)
    composer.contradictions.clear()  # drop all findings up to here: they are not about this tool's texts
    composer.missing.clear()
    composer.unshown.clear()
    plan = bodies.plan(operation, composer)
    demanding = plan is not None and plan.is_needed and plan.body.required is None
    title = descriptions.title(operation, name)
    hints = annotations.derive(operation, composer.definitions)
    consents = fixed_consents(operation, plan, composer)
    confirm = guards.confirmation_of(operation, hints, context.api.confirm, consents, diagnostics)
    needs = plan.said if plan else ""
    passages = descriptions.passages(operation, name, needs, context.boilerplate, composer, diagnostics)
    passages.append(Passage(guards.CONFIRMATIONS[confirm], is_whole=True))
    composer.budget.begin()
    most_tokens = context.options.max_tokens or budget.MOST_TOKENS
    room = most_tokens - budget.cost_beside(name, title, joined(descriptions.fit(passages, context.longest)))
    profile = context.options.schema_profile or "portable"
    if operation.decided.input_schema is not None:
        layout = bindings.lay_out(operation, room, composer.once)
    else:
        layout = context.layout(operation, plan, profile, room)
        if plan is not None and layout.sends_body and not plan.is_needed:
            plan = replace(plan, is_needed=True)
            layout = context.layout(operation, plan, profile, room)
    if layout.profile == "full" and branching.steps(layout.schema) > branching.MOST:
        layout = context.layout(operation, plan, "portable", room)
    _report(operation, name, layout, most_tokens, context)
    nesting.report(operation, composer, diagnostics)
    result_rules.report(operation.decided.result, list(as_object(layout.schema.get("properties"))), diagnostics)
    task = tasks.derive(operation, [*as_object(layout.schema.get("properties"))], diagnostics)
    asked, left = questions.derive(operation.decided.ask or (), layout.schema, layout.names, diagnostics)
    output_schema, output_form = outputs.derive(operation, name, composer, diagnostics) or (None, None)
    if task is not None:
        output_schema, output_form = None, None
    composer.budget.begin()
    binding = bindings.bind(
        operation,
        plan,
        layout,
        composer,
        _server_index(operation, context.servers),
        security.requirement(operation, context.api, context.accepted),
        security.scopes(operation, context.api),
        guards.scopes_of(operation, diagnostics),
    )
    listing = listings.derive(whole, hints, binding, context.api.defaults.pages, composer, diagnostics)
    said = [listings.SENTENCE if listing else "", tasks.sentence(task, binding.requires), *questions.sentences(asked)]
    tool = ToolSpec(
        name=name,
        title=title,
        passages=(*passages, *(Passage(each, is_whole=True) for each in said)),
        input_schema=left,
        annotations=hints,
        binding=replace(binding, pages=None if task else listing, task=task),
        operation=operation,
        profile=layout.profile,
        output_schema=output_schema,
        output_form=output_form,
        confirm=confirm,
        questions=asked,
        roles=guards.roles_of(operation, hints, context.api.roles, diagnostics),
        arguments={(place, wire): name for (place, wire), name in layout.names.items()},
        renamed=frozenset(layout.renamed),
        aliases=tuple(sorted(set(operation.decided.aliases) - {name})),
    )
    tool = tenants.with_server_arguments(tool, operation.servers[0], context.known(operation).arguments, diagnostics)
    _report_missing(context)
    if task is None:
        names = proposals.Arguments(tool.arguments, as_object(layout.schema.get("properties")))
        tool = replace(tool, accepted=recognize(whole, context.requests, names, composer))
        if tool.accepted is not None:
            proposals.report(tool.accepted, operation, diagnostics)
    tool = sanitize.sanitize_tool(_checkable(tool, composer, diagnostics), composer.once, diagnostics)
    lint.report(tool, composer.once, diagnostics)
    if demanding:
        context.demanding.append(operation)
    return tool


def _report_missing(context: _Context) -> None:
    """Report each dangling reference that was found while a tool was made. Each reference is reported only once in a
    run.
    """
    for reason in dict.fromkeys(context.composer.missing):
        if reason not in context.missing:
            context.missing.add(reason)
            message = f"{reason.message} The server does not check this part; the API does."
            context.diagnostics.add(reason.code, message, reason.where, reason.hint)


def _checkable(tool: ToolSpec, composer: Composer, diagnostics: Diagnostics) -> ToolSpec:
    """Return `tool` with the list of patterns that its server does not check (`binding.unchecked`).

    Report these patterns, and patterns that are shown differently from the document. Raises SkipOperation if a
    handwritten schema takes more than `branching.MOST` steps to check.
    """
    where = tool.operation.where
    schemas = {"inputSchema": tool.whole_schema, "outputSchema": tool.output_schema or {}}
    derived = {"inputSchema": tool.profile == "portable", "outputSchema": tool.output_form != "written"}
    for key, schema in schemas.items():  # derived schemas need no limit: without references, the steps cannot multiply
        if not derived[key] and (steps := branching.steps(schema)) > branching.MOST:
            message = (
                f"Checking one value by the {key} of {tool.name} takes {steps:,} steps; the limit is "
                f"{branching.MOST:,}."
            )
            raise SkipOperation(
                "branching-schema", message, where.inside(key), "Remove repeated references to the same schema."
            )
    unchecked = patterns.unchecked(schemas.values(), composer.once)
    report_patterns(
        tool,
        [*(patterns.HiddenPattern("unchecked-pattern", each) for each in unchecked), *composer.unshown],
        diagnostics,
    )
    return replace(tool, binding=replace(tool.binding, unchecked=unchecked))


def _server_index(operation: Operation, servers: dict[Server, int]) -> int:
    """Return the index of the operation's server in `servers`. A server that is missing there is added."""
    return servers.setdefault(operation.servers[0], len(servers))


def _report(operation: Operation, name: str, layout: arguments.Arguments, most_tokens: int, context: _Context) -> None:
    cuts = [*layout.cuts, *layout.given_up]
    if layout.profile not in (context.options.schema_profile or "portable", "written"):
        message = (
            f"The schema of {name} has too many definitions or branches for `--schema-profile full`, so it was "
            "simplified as with `portable`."
        )
        context.diagnostics.add("schema-cut", message, operation.where)
    if cuts:
        why = f", to cost at most {most_tokens:,} tokens" if layout.given_up else ""
        message = f"The arguments of {name} leave out {'; '.join(cuts)}{why}."
        context.diagnostics.add("schema-cut", message, operation.where)
    if not layout.fits:
        why = _WHY_LARGE[layout.profile]
        message = f"{name} costs more than {most_tokens:,} tokens: {why}."
        hint = "Raise --max-tokens, or leave the tool out."
        context.diagnostics.add("large-tool", message, operation.where, hint)
    for sentence in dict.fromkeys(context.composer.contradictions):
        message = f"A schema of {name} combines {sentence}; whichever comes last is used."
        hint = "Let at least one value fit all parts that an `allOf`, a reference or an alternative combines."
        context.diagnostics.add("schema-contradiction", message, operation.where, hint)
