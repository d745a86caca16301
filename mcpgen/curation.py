"""What a person decides about tools that are there: which are left out, and what changes in the others.

A change names its operation; that it names exactly one, and why it does not, is told here. What it says is written into
the operation, so that every later pass finds it where it looks anyway. Later changes win over earlier ones, key by key,
argument by argument.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import TypeVar

from mcpgen import choices
from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.model import Api, ArgumentChange, BodyChange, Change, Former, Operation, RequestBody, Skipped
from mcpgen.names import clipped, did_you_mean, near, nearest
from mcpgen.openapi import paths
from mcpgen.promises import Promises
from mcpgen.selection import Selector, select

Found = TypeVar("Found", Operation, Skipped)

_WRITTEN = "tool "
"""How the keys of tools begin that are written by hand."""


def is_written(operation: Operation) -> bool:
    """Whether the tool of an operation was written by hand."""
    return operation.key.startswith(_WRITTEN)


# -- which ------------------------------------------------------------------------------------------------------------


def chosen(
    api: Api, include: Sequence[Selector], exclude: Sequence[Selector], diagnostics: Diagnostics
) -> tuple[Api, tuple[Operation, ...]]:
    """`api` with the operations that the selectors of a tools file leave in it, and those that they leave out. What is
    written by hand stays: whoever wrote it wants it.
    """
    everything: tuple[Operation | Skipped, ...] = (*api.operations, *api.skipped)
    for selector in (*include, *exclude):
        if not any(selector.selects(each) for each in everything):
            diagnostics.add("unused-selector", "This selector selects nothing.", selector.where, _selectable(api))
    kept = {operation.key for operation in select(api.operations, include, exclude)}
    kept |= {operation.key for operation in api.operations if is_written(operation)}
    left_out = tuple(operation for operation in api.operations if operation.key not in kept)
    operations = tuple(operation for operation in api.operations if operation.key in kept)
    return replace(api, operations=operations, skipped=select(api.skipped, include, exclude)), left_out


def _selectable(api: Api) -> str:
    tags = dict.fromkeys(tag for operation in api.operations for tag in operation.tags)
    return f"The tags are {clipped(', '.join(tags), 120)}." if tags else "Correct it, or take it out."


def visible(api: Api, diagnostics: Diagnostics) -> Api:
    """`api` without what is hidden."""
    hidden = [operation for operation in api.operations if operation.hidden]
    by_document = [operation for operation in hidden if operation.extension.get("hidden") is True]
    if by_document:
        some = ", ".join(f"{each.method} {each.path}" for each in by_document[:3])
        more = f" and {len(by_document) - 3} more" if len(by_document) > 3 else ""
        message = f"The document itself hides {some}{more}."
        diagnostics.add(
            "hidden-operation", message, by_document[0].where, "An override with `hide: false` brings one back."
        )
    return replace(api, operations=tuple(each for each in api.operations if not each.hidden)) if hidden else api


# -- what was ---------------------------------------------------------------------------------------------------------


def former(promises: Promises) -> Former:
    """What a project knows of operations and arguments that may be gone."""
    tools = {text: name for name, gone in promises.retired.items() for text in (gone.operation, gone.id) if text}
    tools |= {text: known.name for key, known in promises.tools.items() for text in (key, known.id) if text}
    return Former(tools, {key: known.known for key, known in promises.tools.items()})


# -- what changes -----------------------------------------------------------------------------------------------------


def apply(
    api: Api,
    changes: Iterable[Change],
    left_out: Sequence[Operation],
    former: Former,
    diagnostics: Diagnostics,
    *,
    whole: bool = True,
) -> Api:
    """`api` with `changes`, one that fits no operation or more than one reported. `left_out` are operations that a
    selection took out. Of an `api` that is not `whole`, since a document could not be read, nothing is missed. A change
    of something `former` that is gone is a warning.
    """
    operations = {operation.key: operation for operation in api.operations}
    by: dict[str, Change] = {}
    for change in changes:
        found = _named(change.key, operations.values())
        if len(found) != 1:
            if found or whole:
                _report(change, found, api, left_out, former, diagnostics)
            continue
        key = found[0].key
        if key in by:
            message = f"'{clipped(by[key].key)}' and '{clipped(change.key)}' are one operation."
            diagnostics.add("invalid-value", message, change.where, "Write both in one override.")
            continue
        by[key] = change
        _refuse_arguments(operations[key], change, diagnostics)
        _refuse_body(operations[key], change, diagnostics)
        once = former.arguments.get(key, ())
        operations[key] = replace(_changed(operations[key], change), former_arguments=once)
    return replace(api, operations=_with_names(operations, by, diagnostics))


def _refuse_arguments(operation: Operation, change: Change, diagnostics: Diagnostics) -> None:
    """Report changes of arguments whose schema was written by hand: it is passed on as it is."""
    if operation.input_schema is None:
        return
    for name, argument in change.arguments.items():
        message = f"The argument '{clipped(name)}' is of an inputSchema, which is passed on as it was written."
        diagnostics.add("invalid-value", message, argument.where, "Change the inputSchema itself.")


def _refuse_body(operation: Operation, change: Change, diagnostics: Diagnostics) -> None:
    """Report changes of a body that the operation does not have, or does not offer so."""
    if change.body is None:
        return
    if operation.body is None or operation.input_schema is not None:
        message = f"{_in_words(operation)} has no body that a document describes."
        diagnostics.add("invalid-value", message, change.body.where, "Take `body` out.")
    elif change.body.media_type and not choices.offered(operation.body, change.body.media_type):
        message = f"No body of the type '{clipped(change.body.media_type)}' is taken by {_in_words(operation)}."
        names = [each.name for each in operation.body.content]
        hint = nearest(change.body.media_type, names)
        diagnostics.add("invalid-value", message, change.body.where.inside("media_type"), hint)


def _named(key: str, operations: Iterable[Found]) -> list[Found]:
    """The operations that `key` names: a tool written by hand, an operationId, or method and path. Parameters in a path
    may be called otherwise where that leaves no doubt.
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


def _report(
    change: Change,
    found: Sequence[Operation],
    api: Api,
    left_out: Sequence[Operation],
    former: Former,
    diagnostics: Diagnostics,
) -> None:
    """Say why a change has not exactly one operation."""
    key = clipped(change.key)
    if found:
        places = " and ".join(_in_words(each) for each in found[:4])
        hint = "Name it by method and path, or in the entry of its document."
        diagnostics.add("unknown-operation", f"'{key}' names {places}.", change.where, hint)
    elif skipped := _named(change.key, api.skipped):
        message = f"{skipped[0].operation} was skipped: {skipped[0].reason.message}"
        diagnostics.add("unused-override", message, change.where, "Mend the document, or take the override out.")
    elif _named(change.key, left_out):
        message = f"'{key}' is not among the operations that are selected."
        diagnostics.add("unused-override", message, change.where, "Include it, or take the override out.")
    elif known := _known(change.key, former):
        _report_former(change, known, api, left_out, former, diagnostics)
    else:
        message = f"There is no operation '{key}'."
        hint = nearest(change.key, _candidates(change.key, api, left_out))
        diagnostics.add("unknown-operation", message, change.where, hint)


def _known(key: str, former: Former) -> str:
    """The text of `former.tools` that `key` means; "" where it means none. The name of a document may stand before."""
    exact = next((text for text in (key, _WRITTEN + key) if text in former.tools), "")
    method, _, path = key.strip().partition(" ")
    if exact or not path.strip().startswith("/"):
        return exact
    blank = paths.operation_key(method.upper(), path.strip())
    requests = ((text, paths.operation_key(*text.rsplit(" ", 1))) for text in former.tools if " /" in text)
    return next((text for text, blanked in requests if blanked == blank or blanked.endswith(f" {blank}")), "")


def _report_former(
    change: Change, known: str, api: Api, left_out: Sequence[Operation], former: Former, diagnostics: Diagnostics
) -> None:
    """Say of an operation that was there whether it is gone. One that is there under another key is not: what was
    decided of it may be a guard, so its owner has to say it again.
    """
    tool = former.tools[known]
    now = next((each for each in (*api.operations, *left_out) if former.tools.get(each.key) == tool), None)
    if now is not None:
        message = f"There is no operation '{clipped(change.key)}' any more: {tool} is now {_in_words(now)}."
        diagnostics.add("unknown-operation", message, change.where, "Name it so.")
        return
    keys = (text for text, name in former.tools.items() if name == tool and " " in text)
    label = next(keys, known).removeprefix(_WRITTEN)
    label = clipped(label) if label == tool else f"{clipped(label)} ({tool})"
    hint = did_you_mean(near(change.key, _candidates(change.key, api, left_out)))
    message = f"{label} is gone from the API: this override matches nothing."
    diagnostics.add(
        "orphaned-override", message, change.where, f"{hint} If not, take it out." if hint else "Take it out."
    )


def _in_words(operation: Operation) -> str:
    where = f" of {operation.document}" if operation.document else ""
    return f"{operation.method} {clipped(operation.path)}{where}"


def _candidates(key: str, api: Api, left_out: Sequence[Operation]) -> list[str]:
    """What `key` could have been written for, in its own manner."""
    operations = (*api.operations, *left_out)
    written = [each.key.removeprefix(_WRITTEN) for each in operations if is_written(each)]
    requests = [f"{each.method} {each.path}" for each in operations if not is_written(each)]
    ids = [each.id for each in operations if each.id]
    return requests if " " in key.strip() else [*ids, *written] or requests


def _changed(operation: Operation, change: Change) -> Operation:
    """`operation` as `change` has it; what that does not say stays."""

    def said(name: str) -> bool:
        return getattr(change, name) is not None

    same = ("hidden", "name", "title", "confirm", "roles", "output", "output_schema", "fields", "result", "timeout")
    given = {name: getattr(change, name) for name in (*same, "portable") if said(name)}
    arguments = dict(operation.arguments)
    for name, new in change.arguments.items():
        arguments[name] = _over(new, arguments[name]) if name in arguments else new
    return replace(
        operation,
        **given,
        told=change.description if change.description is not None else operation.told,
        hints={**operation.hints, **change.hints},
        arguments=arguments,
        body=_changed_body(operation.body, change.body),
    )


def _changed_body(body: RequestBody | None, change: BodyChange | None) -> RequestBody | None:
    if body is None or change is None:
        return body
    content = choices.offered(body, change.media_type or "*") or body.content
    return replace(body, content=content, required=body.required if change.required is None else change.required)


def _over(new: ArgumentChange, old: ArgumentChange) -> ArgumentChange:
    """What `new` says, and what else `old` does. A fixed value and a default displace each other."""
    if new.value is not None:
        return new
    said = {field.name: getattr(new, field.name) for field in fields(ArgumentChange)}
    found = replace(old, **{name: value for name, value in said.items() if value is not None and value is not False})
    found = replace(found, hidden=old.hidden if new.hidden is None else new.hidden)
    return replace(found, value=None) if new.default is not None or new.name is not None else found


def _with_names(
    operations: dict[str, Operation], by: dict[str, Change], diagnostics: Diagnostics
) -> tuple[Operation, ...]:
    """The operations, each name that a person gave with one owner, and taken from an operation whose document demands
    it.
    """
    owners: dict[str, str] = {}
    given = {key for key, change in by.items() if change.name is not None}
    for key, operation in operations.items():
        of_document = key not in given and bool(operation.extension.get("name"))
        if operation.name is not None and not of_document and not operation.hidden:
            folded = operation.name.casefold()
            if folded in owners and key in given:
                where: Where = by[key].where.inside("name")
                message = f"Two tools are called {operation.name}."
                diagnostics.add("duplicate-name", message, where, "Rename one of them.")
            owners.setdefault(folded, key)
    return tuple(
        replace(each, name=None) if each.name and owners.get(each.name.casefold(), each.key) != each.key else each
        for each in operations.values()
    )
