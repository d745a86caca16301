"""Write overrides into their operations.

If several overrides apply to an operation, later overrides win, separately for each key and each argument.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.names import clipped, nearest
from mcpgen.merge import apply_options
from mcpgen.merge.overrides.naming import Tools, in_words, is_written, named, report
from mcpgen.merge.overrides.rules import Rule, as_rule, by_operation, rule_of
from mcpgen.merge.overrides.securing import unsecured
from mcpgen.model import Api, ArgumentChange, BodyChange, Change, Operation, PreviousNames, RequestBody
from mcpgen.read.openapi.credentials import with_credential


# A later run with other selectors may include a skipped operation again, so an override of it is not wrong.
def apply(
    api: Api,
    changes: Iterable[Change],
    left_out: Sequence[Operation],
    former: PreviousNames,
    diagnostics: Diagnostics,
    *,
    whole: bool = True,
) -> Api:
    """Return `api` with the overrides `changes` applied. An override that matches no operation, or several, is
    reported.

    `left_out`: operations that selectors excluded. `whole`: False if a document could not be read; then overrides that
    match no operation are not reported. `former`: names of tools and arguments in the last version of the project. An
    override of an operation that was removed since that version is reported only as a warning.
    """
    operations = {operation.key: operation for operation in api.operations}
    tools = Tools(api, former)
    by: dict[str, Change] = {}
    single: list[Change] = []
    rules: list[Rule] = []
    for change in changes:
        rule = None if named(change.key, operations.values()) else rule_of(change)
        if rule is None:
            single.append(change)
        else:
            rules.append(rule)
    for key, fitting in _ruled(rules, operations, tools, diagnostics, whole=whole).items():
        for change in fitting:
            operations[key] = _changed(operations[key], change)
    for change in single:
        found = named(change.key, operations.values()) or tools.named(change.key)
        if len(found) != 1:
            if found or whole:
                report(change, found, api, left_out, former, diagnostics)
            continue
        key = found[0].key
        if key in by:
            message = f"'{clipped(by[key].key)}' and '{clipped(change.key)}' name the same operation."
            diagnostics.add("invalid-value", message, change.where, "Merge the two overrides into one.")
            continue
        by[key] = change
        _refuse_arguments(operations[key], change, diagnostics)
        _refuse_body(operations[key], change, diagnostics)
        once = former.arguments.get(key, ())
        changed = _changed(operations[key], change)
        operations[key] = replace(changed, decided=replace(changed.decided, former_arguments=once))
    return replace(api, operations=_with_names(operations, by, diagnostics))


def _ruled(
    rules: list[Rule], operations: dict[str, Operation], tools: Tools, diagnostics: Diagnostics, *, whole: bool
) -> dict[str, list[Change]]:
    """Return operation key → changes by rules (overrides for several operations), the least specific first.

    Report rules that match no operation, and rules that set a tool name.
    """
    if not rules:
        return {}
    described = {key: each for key, each in operations.items() if not is_written(each)}
    found = by_operation(rules, described, tools.names)
    fitting = {id(change) for changes in found.values() for change in changes}
    for rule in rules:
        change = rule.change
        if change.name is not None:
            message = f"'{clipped(change.key)}' fits several operations, but a name can belong to only one tool."
            diagnostics.add("invalid-value", message, change.where.inside("name"), "Name the operation.")
        if change.aliases:
            message = f"'{clipped(change.key)}' fits several operations, but an alias can belong to only one tool."
            diagnostics.add("invalid-value", message, change.where.inside("aliases"), "Name the operation.")
        if id(change) not in fitting and whole:
            message = f"No operation fits '{clipped(change.key)}'."
            diagnostics.add(
                "unused-override", message, change.where, "Correct the key of the override, or remove the override."
            )
    return {key: [as_rule(change) for change in changes] for key, changes in found.items()}


def _refuse_arguments(operation: Operation, change: Change, diagnostics: Diagnostics) -> None:
    """Report overrides of arguments if the tool has a handwritten input schema, which is passed on unchanged."""
    if operation.decided.input_schema is None:
        return
    for name, argument in change.arguments.items():
        message = f"The argument '{clipped(name)}' belongs to a handwritten inputSchema, which overrides cannot change."
        diagnostics.add("invalid-value", message, argument.where, "Change the inputSchema itself.")


def _refuse_body(operation: Operation, change: Change, diagnostics: Diagnostics) -> None:
    """Report a change of a body that the operation does not have, or a media type that the body does not offer."""
    if change.body is None:
        return
    if operation.body is None or operation.decided.input_schema is not None:
        message = f"{in_words(operation)} has no request body in the document."
        diagnostics.add("invalid-value", message, change.body.where, "Remove `body`.")
    elif change.body.media_type and not apply_options.offered(operation.body, change.body.media_type):
        message = f"{in_words(operation)} does not accept a body of the type '{clipped(change.body.media_type)}'."
        names = [each.name for each in operation.body.content]
        hint = nearest(change.body.media_type, names)
        diagnostics.add("invalid-value", message, change.body.where.inside("media_type"), hint)


def _changed(operation: Operation, change: Change) -> Operation:
    """Return `operation` with `change` applied. Settings that the change does not mention stay."""

    def said(name: str) -> bool:
        return getattr(change, name) is not None

    same = (
        "hidden",
        "name",
        "title",
        "confirm",
        "ask",
        "roles",
        "scopes",
        "output",
        "output_schema",
        "fields",
        "redirects",
        "lookups",
        "pages",
        "result",
        "task",
        "timeout",
        "requires",
    )
    given = {name: getattr(change, name) for name in (*same, "redirects", "portable") if said(name)}
    if change.hidden is not None:
        given["offered"] = not change.hidden
    arguments = dict(operation.decided.arguments)
    for name, new in change.arguments.items():
        arguments[name] = _over(new, arguments[name]) if name in arguments else new
    for name, said_credential in [(name, each.credential) for name, each in arguments.items()]:
        if said_credential is not None and (settled := with_credential(operation, name, said_credential)):
            operation = settled
            if said_credential:
                del arguments[name]
    if change.unsecured:
        operation = unsecured(operation)
    decided = replace(
        operation.decided,
        **given,
        told=change.description if change.description is not None else operation.decided.told,
        hints={**operation.decided.hints, **change.hints},
        arguments=arguments,
        aliases={**operation.decided.aliases, **change.aliases},
        changed_by=(*operation.decided.changed_by, change.key),
    )
    return replace(operation, decided=decided, body=_changed_body(operation.body, change.body))


def _changed_body(body: RequestBody | None, change: BodyChange | None) -> RequestBody | None:
    if body is None or change is None:
        return body
    content = apply_options.offered(body, change.media_type or "*") or body.content
    return replace(body, content=content, required=body.required if change.required is None else change.required)


def _over(new: ArgumentChange, old: ArgumentChange) -> ArgumentChange:
    """Return both changes of an argument combined; `new` wins. A fixed value and a default replace each other."""
    if new.value is not None:
        return new
    said = {field.name: getattr(new, field.name) for field in fields(ArgumentChange)}
    found = replace(old, **{name: value for name, value in said.items() if value is not None and value is not False})
    found = replace(found, hidden=old.hidden if new.hidden is None else new.hidden)
    return replace(found, value=None) if new.default is not None or new.name is not None else found


def _with_names(
    operations: dict[str, Operation], by: dict[str, Change], diagnostics: Diagnostics
) -> tuple[Operation, ...]:
    """Return the operations. If the project's owner gives a tool name to one operation, remove the name from all
    others.

    If the project's owner gives the same name to several operations, the first keeps it, and later overrides with the
    name are reported. Names are compared without case.
    """
    owners: dict[str, str] = {}
    given = {key for key, change in by.items() if change.name is not None}
    for key, operation in operations.items():
        of_document = key not in given and bool(operation.extension.get("name"))
        if operation.decided.name is not None and not of_document and not operation.decided.hidden:
            folded = operation.decided.name.casefold()
            if folded in owners and key in given:
                where: Where = by[key].where.inside("name")
                message = f"Two tools are called {operation.decided.name}."
                diagnostics.add("duplicate-name", message, where, "Rename one of them.")
            owners.setdefault(folded, key)
    return tuple(_with_own_name(each, owners) for each in operations.values())


def _with_own_name(operation: Operation, owners: Mapping[str, str]) -> Operation:
    """Return `operation`, without its tool name if `owners` says that the name belongs to another operation."""
    decided = operation.decided
    if not decided.name or owners.get(decided.name.casefold(), operation.key) == operation.key:
        return operation
    return replace(operation, decided=replace(decided, name=None))
