# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Templates of the table, filled in: what is sent beside plain parameters, and the texts of results. Pure.

A node is `{argument}`, the value as it is; `{value}`, a constant; `{text: [PART, ...]}`, into which values are written;
`{items}` and `{members}`, a list and an object of nodes. What needs an argument that a call leaves out is ABSENT, and
left out of what it is a part of. A part is a literal text, `{argument}`, or `{pointer}` into an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT
from .name_conflicts import OTHERS
from .styles import scalar

if TYPE_CHECKING:
    from ..core.table import ArgumentNode, ItemsNode, MembersNode, PointerNode, Template, TextNode

Find = Callable[["ArgumentNode | PointerNode"], Any]
"""The value of a place in a text; ABSENT where there is none."""

Write = Callable[[Any], str]


def filled(node: Template, arguments: dict[str, Any], escape: Callable[[str], str] = str) -> Any:
    """The value of a node, or ABSENT. `escape` is for what is written into texts. Raises Unsendable."""
    if "value" in node:
        return node["value"]
    if "argument" in node:
        return arguments.get(node["argument"], ABSENT)
    if "text" in node:
        return _sent(node["text"], arguments, escape)
    if "items" in node:
        items = [filled(item, arguments, escape) for item in node["items"]]
        return [item for item in items if item is not ABSENT]
    members = {name: filled(member, arguments, escape) for name, member in node["members"].items()}
    others = arguments.get(OTHERS, {}) if node.get("others") else {}
    return {name: member for name, member in {**members, **others}.items() if member is not ABSENT}


def _sent(parts: list[str | ArgumentNode], arguments: dict[str, Any], escape: Callable[[str], str]) -> Any:
    """A text with the values of arguments written into it; ABSENT where one of them is missing, or null."""
    values = [arguments.get(part["argument"]) for part in parts if not isinstance(part, str)]
    if any(value is None for value in values):
        return ABSENT

    def find(part: ArgumentNode | PointerNode) -> Any:
        return arguments[part["argument"]] if "argument" in part else ABSENT

    return written(parts, find, lambda value: escape(scalar(value)))


def written(parts: Sequence[str | ArgumentNode | PointerNode], find: Find, write: Write) -> str:
    """The text of parts, the values of places written into it; nothing stands for one that has none."""
    texts = [part if isinstance(part, str) else _written(find(part), write) for part in parts]
    return "".join(texts)


def _written(value: Any, write: Write) -> str:
    return "" if value is ABSENT or value is None else write(value)


def in_xml(text: str) -> str:
    """A value where text or the value of an attribute stands in XML, so that it makes no markup. Raises Unsendable."""
    from .xmltext import content  # few APIs speak it

    return content(text)


def argument_of(node: Template) -> str:
    """The first argument that a node needs, to name it in front of a model; "" where it needs none."""
    if "argument" in node:
        return node["argument"]
    if "value" in node:
        return ""
    return next(filter(None, (argument_of(each) for each in _inner(node) if not isinstance(each, str))), "")


def _inner(node: TextNode | ItemsNode | MembersNode) -> Iterable[str | Template]:
    """The parts of a node that has some."""
    if "text" in node:
        return node["text"]
    return node["items"] if "items" in node else node["members"].values()
