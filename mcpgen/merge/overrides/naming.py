"""Find the operations that the key of an override names. Report a key that names no operation, or several."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import TOOL_NAME, clipped, did_you_mean, near, nearest
from mcpgen.model import Api, Change, Operation, PreviousNames, Skipped
from mcpgen.model.pins import Pin, Pins
from mcpgen.naming import tool_names
from mcpgen.read.openapi import paths

Found = TypeVar("Found", Operation, Skipped)

_WRITTEN = "tool "
"""Prefix of the keys of handwritten tools."""


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


def named(key: str, operations: Iterable[Found]) -> list[Found]:
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


class Tools:
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
        places = " and ".join(in_words(each) for each in found[:4])
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
        message = f"There is no operation '{clipped(change.key)}' any more: {tool} is now {in_words(now)}."
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


def in_words(operation: Operation) -> str:
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
