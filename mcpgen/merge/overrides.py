"""Apply the decisions of the project's owner to the operations of an API: exclude operations, and change others.

Selectors of a tools file choose operations. The key of an override names operations: a key that names no operation, or
several, is reported. Each override is written into its operations, where later passes read it.

If several overrides match an operation, the most specific wins, separately for each key and each argument. A single
name is most specific, then a glob over a request, an id or a name, then a selector. Among keys of one kind, the key
with more literal characters wins; among equal keys, the later one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TypeVar

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.names import TOOL_NAME, clipped, did_you_mean, near, nearest
from mcpgen.merge import apply_options
from mcpgen.model import (
    NO_CREDENTIALS,
    Api,
    ArgumentChange,
    BodyChange,
    Change,
    Operation,
    PreviousNames,
    RequestBody,
    Skipped,
    selection,
)
from mcpgen.model.pins import Pin, Pins
from mcpgen.model.selection import Selector, select, selector_of
from mcpgen.naming import tool_names
from mcpgen.read.openapi import paths
from mcpgen.read.openapi.credentials import with_credential

_Found = TypeVar("_Found", Operation, Skipped)
_WRITTEN = "tool "
"""Prefix of the keys of handwritten tools."""
_WILD = re.compile(r"[*?\[]")
_REQUEST = re.compile(r"(\*|[A-Za-z-]+)\s+(/.*|\*)")
_SELECTOR, _GLOB = 1, 2


def chosen(
    api: Api, include: Sequence[Selector], exclude: Sequence[Selector], diagnostics: Diagnostics
) -> tuple[Api, tuple[Operation, ...]]:
    """Return `api` with the operations that the selectors keep, and a tuple of the excluded operations.

    Handwritten tools always stay.
    """
    report_unused(api, (*include, *exclude), diagnostics)
    kept = {operation.key for operation in select(api.operations, include, exclude)}
    kept |= {operation.key for operation in api.operations if is_written(operation)}
    left_out = tuple(operation for operation in api.operations if operation.key not in kept)
    operations = tuple(operation for operation in api.operations if operation.key in kept)
    return replace(api, operations=operations, skipped=select(api.skipped, include, exclude)), left_out


def report_unused(api: Api, selectors: Iterable[str | Selector], diagnostics: Diagnostics) -> None:
    """Report each selector of a tools file or of the command line that selects no operation of `api`."""
    everything: tuple[Operation | Skipped, ...] = (*api.operations, *api.skipped)
    for each in selectors:
        selector = selector_of(each)
        if not any(selector.selects(operation) for operation in everything):
            named = f"The selector '{clipped(each)}'" if isinstance(each, str) else "This selector"
            diagnostics.add("unused-selector", f"{named} selects nothing.", selector.where, _selectable(api))


def _selectable(api: Api) -> str:
    tags = dict.fromkeys(tag for operation in api.operations for tag in operation.tags)
    return (
        f"The tags of the document are {clipped(', '.join(tags), 120)}."
        if tags
        else "Correct the selector, or remove it."
    )


def visible(api: Api, diagnostics: Diagnostics) -> Api:
    """Return `api` without hidden operations. Report operations that the document itself hides."""
    hidden = [operation for operation in api.operations if operation.decided.hidden]
    by_document = [operation for operation in hidden if operation.extension.get("hidden") is True]
    if by_document:
        some = ", ".join(f"{each.method} {each.path}" for each in by_document[:3])
        more = f" and {len(by_document) - 3} more" if len(by_document) > 3 else ""
        message = f"The document marks {some}{more} as hidden."
        diagnostics.add(
            "hidden-operation",
            message,
            by_document[0].where,
            "To make a tool of such an operation, write an override with `hide: false`.",
        )
    return replace(api, operations=tuple(each for each in api.operations if not each.decided.hidden)) if hidden else api


def is_written(operation: Operation) -> bool:
    """Return True if an operation is a handwritten tool: an entry of `tools` in a tools file."""
    return operation.key.startswith(_WRITTEN)


# These names tell a removed operation (a warning) from a moved one (an error): an override such as `confirm` protects
# users and must not be lost silently.
def former(promises: Pins) -> PreviousNames:
    """Return the names that operations and arguments had in earlier versions of a project, according to its
    lock file.
    """
    tools = {text: name for name, gone in promises.retired.items() for text in (gone.operation, gone.id) if text}
    tools |= {text: known.name for key, known in promises.tools.items() for text in (key, known.id) if text}
    return PreviousNames(tools, {key: known.known for key, known in promises.tools.items()})


def named(key: str, operations: Iterable[_Found]) -> list[_Found]:
    """Return the operations that `key` names: a handwritten tool, an operationId, or METHOD and path.

    Names of path parameters may differ from the document's if the path is unambiguous without them.
    """
    operations = list(operations)
    written = [each for each in operations if isinstance(each, Operation) and each.key == _WRITTEN + key]
    by_id = [each for each in operations if each.id == key]
    method, _, path = key.strip().partition(" ")
    method, path = method.upper(), path.strip()
    if written or by_id or not path.startswith("/"):
        return written or by_id
    exact = [each for each in operations if (each.method, each.path) == (method, path)]
    blank = paths.operation_key(method, path)
    blanked = [each for each in operations if each.method and paths.operation_key(each.method, each.path) == blank]
    return exact or blanked


class _Tools:
    """Tool names before any override is applied. An override may name an operation by its tool name."""

    def __init__(self, api: Api, former: PreviousNames) -> None:
        self._api = api
        self._former = former

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Return operation key → tool name. The names are derived on first use, since this takes time."""
        known = self._former.tools
        promised = {each.key: Pin(known[each.key]) for each in self._api.operations if each.key in known}
        return tool_names.assign(self._api.operations, Pins(promised), self._api.title)

    def named(self, key: str) -> list[Operation]:
        """Return the operations whose tool is named `key` before any override."""
        if not TOOL_NAME.fullmatch(key):
            return []
        return [each for each in self._api.operations if self.names.get(each.key) == key and not is_written(each)]


# Messages about overrides would bury the message that says why the document could not be read.
def report(
    change: Change,
    found: Sequence[Operation],
    api: Api,
    left_out: Sequence[Operation],
    former: PreviousNames,
    diagnostics: Diagnostics,
) -> None:
    """Report why an override matches no operation, or more than one."""
    key = clipped(change.key)
    if found:
        places = " and ".join(_in_words(each) for each in found[:4])
        hint = (
            "Name the operation by method and path, or write the override in the entry of its document under `openapi`."
        )
        diagnostics.add("unknown-operation", f"'{key}' names {places}.", change.where, hint)
    elif skipped := named(change.key, api.skipped):
        message = f"{skipped[0].operation} was skipped: {skipped[0].reason.message}"
        diagnostics.add("unused-override", message, change.where, "Correct the document, or remove the override.")
    elif named(change.key, left_out):
        message = f"'{key}' is not one of the selected operations."
        diagnostics.add(
            "unused-override", message, change.where, "Select the operation with `include`, or remove the override."
        )
    elif known := _known(change.key, former):
        _report_former(change, known, api, left_out, former, diagnostics)
    else:
        message = f"There is no operation '{key}'."
        hint = nearest(change.key, _candidates(change.key, api, left_out))
        diagnostics.add("unknown-operation", message, change.where, hint)


def _known(key: str, former: PreviousNames) -> str:
    """Return the key of the earlier operation in `former.tools` that an override's `key` means, or "" if there is none.

    The override may omit the name of a document with which a key in `former.tools` begins (`NAME GET /pets`).
    """
    exact = next((text for text in (key, _WRITTEN + key) if text in former.tools), "")
    method, _, path = key.strip().partition(" ")
    if exact or not path.strip().startswith("/"):
        return exact
    blank = paths.operation_key(method.upper(), path.strip())
    requests = ((text, paths.operation_key(*text.rsplit(" ", 1))) for text in former.tools if " /" in text)
    return next((text for text, blanked in requests if blanked == blank or blanked.endswith(f" {blank}")), "")


def _report_former(
    change: Change, known: str, api: Api, left_out: Sequence[Operation], former: PreviousNames, diagnostics: Diagnostics
) -> None:
    """Report an override of an operation that existed when the project was last written.

    If the operation no longer exists, this is a warning. If it has another key, this is an error: the override may
    protect something, so the project's owner has to write the new key.
    """
    tool = former.tools[known]
    now = next((each for each in (*api.operations, *left_out) if former.tools.get(each.key) == tool), None)
    if now is not None:
        message = f"There is no operation '{clipped(change.key)}' any more: {tool} is now {_in_words(now)}."
        diagnostics.add(
            "unknown-operation", message, change.where, "Use the new name of the operation in the override."
        )
        return
    keys = (text for text, name in former.tools.items() if name == tool and " " in text)
    label = next(keys, known).removeprefix(_WRITTEN)
    label = clipped(label) if label == tool else f"{clipped(label)} ({tool})"
    hint = did_you_mean(near(change.key, _candidates(change.key, api, left_out)))
    message = f"{label} was removed from the API, so this override has no effect."
    diagnostics.add(
        "orphaned-override",
        message,
        change.where,
        f"{hint} Otherwise, remove the override." if hint else "Remove the override.",
    )


def _in_words(operation: Operation) -> str:
    where = f" of {operation.document}" if operation.document else ""
    return f"{operation.method} {clipped(operation.path)}{where}"


def _candidates(key: str, api: Api, left_out: Sequence[Operation]) -> list[str]:
    """Return the names of which `key` may be a misspelling.

    These are METHOD and path if `key` contains a space, else operationIds and names of handwritten tools.
    """
    operations = (*api.operations, *left_out)
    written = [each.key.removeprefix(_WRITTEN) for each in operations if is_written(each)]
    requests = [f"{each.method} {each.path}" for each in operations if not is_written(each)]
    ids = [each.id for each in operations if each.id]
    return requests if " " in key.strip() else [*ids, *written] or requests


@dataclass(frozen=True, slots=True)
class _Rule:
    """An override that applies to every operation that its key matches. An override with a greater `weight` is more
    specific and wins.
    """

    change: Change
    weight: tuple[int, int]
    selector: Selector | None = None

    def fits(self, operation: Operation, tool: str) -> bool:
        """Return True if the override's key matches `operation`, whose tool is named `tool`."""
        if self.selector is not None:
            return self.selector.selects(operation)
        key = self.change.key.strip()
        if request := _REQUEST.fullmatch(key):
            method, path = request[1].upper(), request[2]
            return fnmatchcase(operation.method, method) and fnmatchcase(operation.path, path)
        return fnmatchcase(operation.id or "", key) or fnmatchcase(tool, key)


def _rule_of(change: Change) -> _Rule | None:
    """Return an override as a rule for all operations that its key selects, or None if its key names one operation."""
    key = change.key.strip()
    literal = len(_WILD.sub("", key))
    try:
        return _Rule(change, (_SELECTOR, literal), selection.parse(key))
    except ValueError:
        return _Rule(change, (_GLOB if literal else 0, literal)) if _WILD.search(key) else None


def _as_rule(change: Change) -> Change:
    """Return the override as it is applied to one operation that a rule matches.

    A rule sets no name and no aliases, and skips arguments that an operation does not have.
    """
    arguments = {name: replace(each, by_rule=True) for name, each in change.decided.arguments.items()}
    return replace(change, decided=replace(change.decided, name=None, aliases={}, arguments=arguments))


# An owner can set `hide: true` for a group of operations, and `hide: false` at one of them.
def _by_operation(
    rules: list[_Rule], operations: Mapping[str, Operation], tools: Mapping[str, str]
) -> dict[str, list[Change]]:
    """Return operation key → overrides that match it, the least specific first. `tools`: operation key → tool name."""
    ordered = sorted(rules, key=lambda each: each.weight)
    return {
        key: [each.change for each in ordered if each.fits(operation, tools.get(key, ""))]
        for key, operation in operations.items()
    }


# Not only the requirement is removed: otherwise the server would have a variable that nobody needs.
def without_security(api: Api) -> Api:
    """Return `api` without credentials: none is required, and none is sent."""
    return replace(api.changed(unsecured), schemes=(), security=NO_CREDENTIALS)


def unsecured(operation: Operation) -> Operation:
    """Return `operation` without credentials. Settings (values of the environment that are not secret) stay."""
    settings = tuple(each for each in operation.credentials if not each.text.secret)
    return replace(operation, security=NO_CREDENTIALS, credentials=settings)


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
    tools = _Tools(api, former)
    by: dict[str, Change] = {}
    single: list[Change] = []
    rules: list[_Rule] = []
    for change in changes:
        rule = None if named(change.key, operations.values()) else _rule_of(change)
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
    rules: list[_Rule], operations: dict[str, Operation], tools: _Tools, diagnostics: Diagnostics, *, whole: bool
) -> dict[str, list[Change]]:
    """Return operation key → changes by rules (overrides for several operations), the least specific first.

    Report rules that match no operation, and rules that set a tool name.
    """
    if not rules:
        return {}
    described = {key: each for key, each in operations.items() if not is_written(each)}
    found = _by_operation(rules, described, tools.names)
    fitting = {id(change) for changes in found.values() for change in changes}
    for rule in rules:
        change = rule.change
        if change.decided.name is not None:
            message = f"'{clipped(change.key)}' fits several operations, but a name can belong to only one tool."
            diagnostics.add("invalid-value", message, change.where.inside("name"), "Name the operation.")
        if change.decided.aliases:
            message = f"'{clipped(change.key)}' fits several operations, but an alias can belong to only one tool."
            diagnostics.add("invalid-value", message, change.where.inside("aliases"), "Name the operation.")
        if id(change) not in fitting and whole:
            message = f"No operation fits '{clipped(change.key)}'."
            diagnostics.add(
                "unused-override", message, change.where, "Correct the key of the override, or remove the override."
            )
    return {key: [_as_rule(change) for change in changes] for key, changes in found.items()}


def _refuse_arguments(operation: Operation, change: Change, diagnostics: Diagnostics) -> None:
    """Report overrides of arguments if the tool has a handwritten input schema, which is passed on unchanged."""
    if operation.decided.input_schema is None:
        return
    for name, argument in change.decided.arguments.items():
        message = f"The argument '{clipped(name)}' belongs to a handwritten inputSchema, which overrides cannot change."
        diagnostics.add("invalid-value", message, argument.where, "Change the inputSchema itself.")


def _refuse_body(operation: Operation, change: Change, diagnostics: Diagnostics) -> None:
    """Report a change of a body that the operation does not have, or a media type that the body does not offer."""
    if change.body is None:
        return
    if operation.body is None or operation.decided.input_schema is not None:
        message = f"{_in_words(operation)} has no request body in the document."
        diagnostics.add("invalid-value", message, change.body.where, "Remove `body`.")
    elif change.body.media_type and not apply_options.offered(operation.body, change.body.media_type):
        message = f"{_in_words(operation)} does not accept a body of the type '{clipped(change.body.media_type)}'."
        names = [each.name for each in operation.body.content]
        hint = nearest(change.body.media_type, names)
        diagnostics.add("invalid-value", message, change.body.where.inside("media_type"), hint)


def _changed(operation: Operation, change: Change) -> Operation:
    """Return `operation` with `change` applied. Settings that the change does not mention stay."""
    arguments = dict(operation.decided.arguments)
    for name, new in change.decided.arguments.items():
        arguments[name] = _over(new, arguments[name]) if name in arguments else new
    for name, said_credential in [(name, each.credential) for name, each in arguments.items()]:
        if said_credential is not None and (settled := with_credential(operation, name, said_credential)):
            operation = settled
            if said_credential:
                del arguments[name]
    if change.unsecured:
        operation = unsecured(operation)
    decided = replace(
        change.decided.over(operation.decided),
        arguments=arguments,
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
    given = {key for key, change in by.items() if change.decided.name is not None}
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
