"""Read the actions of an overlay file (Overlay 1.0, section 4.4).

A person wrote the file, so every mistake in it is an error with its place.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped, near, nearest
from mcpgen.read.document import Document
from mcpgen.read.overlay.query import Malformed, Query

VERSIONS = ("1.0", "1.1")

_OF_FILE = ("overlay", "info", "extends", "actions")
_OF_ACTION = ("target", "description", "update", "remove")


@dataclass(frozen=True, slots=True)
class Action:
    """One action of an overlay: remove the values that `target` selects, or update them. `where`: the place of the
    `target` expression in the overlay file.
    """

    target: Query
    where: Where
    update: JsonValue = None
    remove: bool = False


@dataclass(frozen=True, slots=True)
class Overlay:
    """One overlay. `extends`: the document for which it was written, as the overlay names it.

    `replaces`: True if plain values may be replaced, as in version 1.1 but not in 1.0.
    """

    name: str
    actions: tuple[Action, ...]
    replaces: bool
    extends: str = ""


def read(document: Document, diagnostics: Diagnostics) -> Overlay:
    """Return the overlay in `document`. Report faulty actions and omit them.

    Raises FatalError if the document is not an overlay, or has an unsupported version.
    """
    root, top = as_object(document.value), document.where("")
    declared = root.get("overlay")
    if declared is None:
        raise FatalError(
            "invalid-overlay",
            f"{document.name} is not an OpenAPI Overlay.",
            top,
            "An overlay begins with `overlay: 1.0.0`.",
        )
    version = ".".join(str(declared).split(".")[:2])
    if version not in VERSIONS:
        message = f"Overlay version {clipped(str(declared))} is not supported."
        raise FatalError(
            "invalid-overlay", message, top.inside("overlay"), f"Use one of these versions: {', '.join(VERSIONS)}."
        )
    report = _Reporter(diagnostics)
    meant = report.unknown_keys(root, _OF_FILE, top)
    if not isinstance(root.get("info"), dict) and "info" not in meant:
        report.add(
            "An overlay must have an `info` with a title and a version.", top, "Write `info: {title: …, version: …}`."
        )
    actions = root.get("actions")
    if (not isinstance(actions, list) or not actions) and "actions" not in meant:
        place = top.inside("actions") if "actions" in root else top
        report.add(
            "An overlay must have a list of `actions` with at least one action.",
            place,
            "Write the list under `actions`, each action as `- target: $…`.",
        )
    return Overlay(
        document.name,
        tuple(_actions(as_list(actions), top.inside("actions"), document, report)),
        version != "1.0",
        as_text(root.get("extends")),
    )


class _Reporter:
    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics

    def add(self, message: str, where: Where, hint: str = "") -> None:
        self._diagnostics.add("invalid-overlay", message, where, hint)

    def unknown_keys(self, value: JsonObject, known: tuple[str, ...], where: Where) -> set[str]:
        """Report the keys of an object that are not in `known`. Return the known keys that were probably meant by the
        reported keys.
        """
        unknown = [key for key in value if key not in known and not key.startswith("x-")]
        for key in unknown:
            self.add(f"An overlay cannot have the key '{clipped(key)}' here.", where.inside(key), nearest(key, known))
        return {name for key in unknown for name in near(key, known)}


def _actions(entries: list[JsonValue], where: Where, document: Document, report: _Reporter) -> Iterator[Action]:
    for index, entry in enumerate(entries):
        place = where.inside(index)
        if not isinstance(entry, dict):
            report.add(
                "An action of an overlay must be a mapping.",
                place,
                "Write `target:` and `update:` or `remove: true`.",
            )
            continue
        if "copy" in entry:
            report.add(
                "mcpgen does not support `copy` in actions of overlays.",
                place.inside("copy"),
                "Under `update`, write the value that `copy` would copy.",
            )
            continue
        meant = report.unknown_keys(entry, _OF_ACTION, place) - entry.keys()
        target, remove = entry.get("target"), entry.get("remove", False)
        if "target" in meant or ({"update", "remove"} & meant and not remove and "update" not in entry):
            continue  # the misspelt key was already reported as unknown
        if not isinstance(target, str):
            at = place.inside("target") if "target" in entry else place
            report.add(
                "An action must have a `target`, which is a JSONPath expression.",
                at,
                "Write the target as in $.paths['/pets'].get.",
            )
        elif not isinstance(remove, bool):
            report.add("The value of `remove` must be true or false.", place.inside("remove"), "Write `remove: true`.")
        elif not remove and "update" not in entry:
            report.add("An action must have `update` or `remove: true`.", place, "Write `update: …` or `remove: true`.")
        else:
            at = place.inside("target")
            try:
                yield Action(Query(target), at, entry.get("update"), remove)
            except Malformed as wrong:
                message = f"The target {clipped(target, 120)} is not a valid JSONPath expression: {wrong}."
                report.add(message, _within(document, at, target, wrong.offset), "See RFC 9535.")


def _within(document: Document, where: Where, text: str, offset: int) -> Where:
    """Return the place of one character in the text `text`, which is the value at `where`. `offset`: index of the
    character.

    If the file spells the text differently, for example with escapes, return the place of the value's key.
    """
    line, column = document.positions([where.pointer])[where.pointer]
    found = document.text.splitlines()[line - 1].find(text, column - 1)
    return where if found < 0 else Where(where.file, where.pointer, line, found + offset + 1)
