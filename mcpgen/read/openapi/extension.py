"""Read the extension `x-mcp` of a document, at operations, path items and tags. By this extension, the document's
author names, describes or hides tools.

The author is not the owner of the server. An author may also add protection to a tool (`confirm`, `roles`, `scopes`),
but never remove it. Values that mcpgen cannot use are reported as warnings and ignored.
"""

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import TOOL_NAME, clipped, nearest

KEY = "x-mcp"
HIDDEN = "hidden"

_OF_OPERATION = ("name", "title", "description", HIDDEN, "annotations", "confirm", "roles", "scopes")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_KINDS: dict[str, tuple[type, str]] = {
    "title": (str, "a text"),
    "description": (str, "a text"),
    HIDDEN: (bool, "true or false"),
    "annotations": (dict, "a mapping of hints"),
}


def read(raw: JsonObject, where: Where, diagnostics: Diagnostics) -> JsonObject:
    """Return the usable members of the `x-mcp` of the operation `raw` at `where`.

    `confirm`, `roles` and `scopes` are checked later, where they are applied.
    """
    found = dict(_checked(raw, where, _OF_OPERATION, diagnostics))
    place = where.inside(KEY)
    if "name" in found and not _is_name(found["name"]):
        message = f"'{clipped(str(found.pop('name')))}' cannot be the name of a tool; mcpgen derives another one."
        hint = "Write a name of at most 50 lower-case letters, digits and single underscores that begins with a letter."
        diagnostics.add("invalid-extension", message, place.inside("name"), hint)
    hints = as_object(found.get("annotations"))
    for key, value in hints.items():
        at = place.inside("annotations", key)
        if key not in _HINTS:
            _unknown(key, _HINTS, at, diagnostics)
        elif not isinstance(value, bool):
            diagnostics.add(
                "invalid-extension", f"The value of {key} must be true or false.", at, "Write true or false."
            )
    return found


def hides(raw: JsonObject, where: Where, diagnostics: Diagnostics) -> bool:
    """Return True if the `x-mcp` of `raw`, a path item or a tag, hides the operations there."""
    return _checked(raw, where, (HIDDEN,), diagnostics).get(HIDDEN) is True


def hidden_tags(root: JsonObject, where: Where, diagnostics: Diagnostics) -> frozenset[str]:
    """Return the names of tags whose `x-mcp` hides their operations."""
    place = where.inside("tags")
    tags = ((as_object(tag), place.inside(index)) for index, tag in enumerate(as_list(root.get("tags"))))
    return frozenset(str(tag.get("name")) for tag, at in tags if hides(tag, at, diagnostics))


def _checked(raw: JsonObject, where: Where, known: tuple[str, ...], diagnostics: Diagnostics) -> JsonObject:
    """Return the members of `x-mcp` that are in `known` and have a value of the right type. Report all others."""
    value = raw.get(KEY)
    if value is None:
        return {}
    place = where.inside(KEY)
    if not isinstance(value, dict):
        message = f"The value of x-mcp must be a mapping, but it is '{clipped(str(value))}'."
        diagnostics.add(
            "invalid-extension", message, place, f"Write one of these keys in the mapping: {', '.join(known)}."
        )
        return {}
    found: JsonObject = {}
    for key, member in value.items():
        kind, word = _KINDS.get(key, (object, ""))
        if key.startswith("x-"):
            continue
        if key not in known:
            _unknown(key, known, place.inside(key), diagnostics)
        elif not isinstance(member, kind):
            message = f"The value of {key} is not {word}."
            diagnostics.add("invalid-extension", message, place.inside(key), f"Write {word}.")
        else:
            found[key] = member
    return found


def _unknown(key: str, known: tuple[str, ...], where: Where, diagnostics: Diagnostics) -> None:
    message = f"x-mcp cannot have the key '{clipped(key)}' at this place of the document."
    diagnostics.add("invalid-extension", message, where, nearest(key, known))


# A document is untrusted: it must not give a tool the name of one of the host's own tools.
def _is_name(value: JsonValue) -> bool:
    return isinstance(value, str) and TOOL_NAME.fullmatch(value) is not None and "__" not in value
