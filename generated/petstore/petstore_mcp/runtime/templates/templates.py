# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fill the templates in `bindings.json`: for values that are composed of several arguments, and for texts of results.

A template is a tree of nodes. A node has one key: `argument` (a value unchanged), `value` (a constant), `text` (parts
of a text), `items` (a list of nodes) or `members` (an object of nodes). An omitted argument yields ABSENT, and so does
a text, list or object of which nothing is left. ABSENT is dropped from its list or object. An omitted argument adds
nothing to a text that has another one. A part of a text is a literal text, an `argument`, or a `pointer` into a
response.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT
from ..request.styles import OTHERS, scalar

if TYPE_CHECKING:
    from ..tables.table import ArgumentNode, ItemsNode, MembersNode, PointerNode, Template, TextNode

Find = Callable[["ArgumentNode | PointerNode"], Any]
"""Function that returns the value for a part of a text, or ABSENT."""

Write = Callable[[Any], str]


def filled(
    node: Template, arguments: dict[str, Any], escape: Callable[[str], str] = str, *, always: bool = False
) -> Any:
    """Return the value that a template node yields, or ABSENT if all arguments of the node are omitted.

    `escape` encodes values that are inserted into texts. `always`: return a text, list or object even if all of its
    arguments are omitted. Raise Unsendable if a value cannot be encoded.
    """
    if "value" in node:
        return node["value"]
    if "argument" in node:
        return arguments.get(node["argument"], ABSENT)
    if "text" in node:
        values = [arguments.get(part["argument"]) for part in node["text"] if not isinstance(part, str)]
        is_empty = all(value is None for value in values)
        return ABSENT if is_empty and not always else _sent(node["text"], arguments, escape)
    found: Any
    if "items" in node:
        items = [filled(item, arguments, escape) for item in node["items"]]
        found = [item for item in items if item is not ABSENT]
    else:
        members = {name: filled(member, arguments, escape) for name, member in node["members"].items()}
        others = arguments.get(OTHERS, {}) if node.get("others") else {}
        found = {name: member for name, member in {**members, **others}.items() if member is not ABSENT}
    return found if found or always else ABSENT


def _sent(parts: list[str | ArgumentNode], arguments: dict[str, Any], escape: Callable[[str], str]) -> str:
    """Return a text with the values of arguments inserted. An omitted argument adds nothing."""

    def find(part: ArgumentNode | PointerNode) -> Any:
        return arguments.get(part["argument"], ABSENT) if "argument" in part else ABSENT

    return written(parts, find, lambda value: escape(scalar(value)))


def written(parts: Sequence[str | ArgumentNode | PointerNode], find: Find, write: Write) -> str:
    """Return the text of `parts`. `find` looks up a value and `write` formats it; a missing value adds nothing."""
    texts = [part if isinstance(part, str) else _written(find(part), write) for part in parts]
    return "".join(texts)


def _written(value: Any, write: Write) -> str:
    return "" if value is ABSENT or value is None else write(value)


def in_xml(text: str) -> str:
    """Return a value escaped for XML text or attributes. Raise Unsendable if XML cannot represent a character."""
    from .xmltext import content  # imported here: few APIs use XML

    return content(text)


def argument_of(node: Template) -> str:
    """Return the name of the first argument that a template node needs, or "". Error messages name this argument."""
    if "argument" in node:
        return node["argument"]
    if "value" in node:
        return ""
    return next(filter(None, (argument_of(each) for each in _inner(node) if not isinstance(each, str))), "")


def _inner(node: TextNode | ItemsNode | MembersNode) -> Iterable[str | Template]:
    """Return the child nodes of a template node."""
    if "text" in node:
        return node["text"]
    return node["items"] if "items" in node else node["members"].values()
