"""Report where a request lacks something if a call leaves out an argument that `send` uses."""

from collections.abc import Collection, Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import as_list, as_object
from mcpgen.base.names import clipped
from mcpgen.model import Sends, Template, arguments_of
from mcpgen.read.toolsfile.requestline import RequestLine

_HINT = "Give the argument a `default`, which the server then sends, or make it required."

_Loss = tuple[str, str]
"""An argument that a call may leave out, and what then happens, as the end of a sentence."""


def report(sends: Sends | None, line: RequestLine, where: Where, diagnostics: Diagnostics) -> None:
    """Report the arguments of a tool without which its request would lack a part, or be refused.

    `where`: the place of the tool. The query templates of `line` are written under `request`, not under `send`.
    """
    if sends is None:
        return
    optional = {each.name for each in sends.arguments if not each.required and each.default in (None, (None,))}
    for key, templates in (("query", sends.query), ("headers", sends.headers), ("cookies", sends.cookies)):
        for name, node in templates.items():
            in_line = key == "query" and name in line.query
            place = where.inside("request") if in_line else where.inside("send", key, name)
            _report_losses(_inside(node, optional), place, diagnostics)
    if sends.body is not None:
        _report_losses(_of_body(sends.body, optional), where.inside("send", "body"), diagnostics)


def _report_losses(losses: Iterator[_Loss], where: Where, diagnostics: Diagnostics) -> None:
    for name, effect in dict.fromkeys(losses):
        message = f"Calls may leave out '{clipped(name)}'; then {effect}."
        diagnostics.add("omitted-argument", message, where, _HINT)


def _of_body(node: Template, optional: Collection[str]) -> Iterator[_Loss]:
    """Yield what is lost of a body that is sent in every call."""
    if node.get("argument") in optional:
        yield str(node["argument"]), "the body would be empty, so the call is refused"
    elif "text" in node:
        yield from ((name, "the body is sent without it") for name in arguments_of(node) if name in optional)
    else:
        yield from _inside(node, optional)


def _inside(node: Template, optional: Collection[str]) -> Iterator[_Loss]:
    """Yield what is lost in the texts and lists of a template."""
    names = dict.fromkeys(arguments_of(node))
    if "text" in node and len(names) > 1:
        yield from ((name, "the text is sent without it") for name in names if name in optional)
    items = [as_object(item) for item in as_list(node.get("items"))]
    for item in items[:-1]:
        if _can_vanish(item, optional):
            yield from ((name, "the following items of the list move forward") for name in arguments_of(item))
    for child in (*items, *map(as_object, as_object(node.get("members")).values())):
        yield from _inside(child, optional)


def _can_vanish(node: Template, optional: Collection[str]) -> bool:
    """Return True if the node is not sent when a call leaves out its arguments."""
    if "argument" in node or "text" in node:
        return all(name in optional for name in arguments_of(node))
    children = [*as_list(node.get("items")), *as_object(node.get("members")).values()]
    return "value" not in node and all(_can_vanish(as_object(child), optional) for child in children)
