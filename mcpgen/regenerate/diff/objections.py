"""Report texts in which the lint finds prompt injection or hidden characters that were not there before.

The author of a document may put prompt injection into any text. So every new or changed text is checked. A finding that
the old text also has is no change; a new finding is breaking.
"""

from collections.abc import Iterable, Iterator

from mcpgen.base.invisible import shown
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text, tokens
from mcpgen.lower.text.prompt_injection import orders
from mcpgen.lower.tool import lint
from mcpgen.regenerate.diff import rules
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Listed, Surface


# The owner has already accepted the findings in the old text, so only new findings count
# (docs/decisions/differences.md).
def of_tool(old: Listed | None, new: Listed) -> Iterator[Change]:
    """Yield a change for each finding of the lint in `new` that `old` does not have.

    `old` is None for a new tool.
    """
    before: JsonObject = old.shown if old is not None else {}
    if before == new.shown:
        return
    had = _folded(words for _, _, text in lint.listed(before) for words in orders(text))
    for side, place, text in lint.listed(new.shown):
        if found := [words for words in orders(text) if words.casefold() not in had]:
            yield rules.of_tool("text-gives-orders", new.name, after=[*found], at=_place(side, place))
    hidden = {text for _, _, text in lint.hidden_data(before)}
    for side, place, text in lint.hidden_data(new.shown):
        if text not in hidden:
            yield rules.of_tool("hidden-characters", new.name, after=shown(text), at=_place(side, place))
    if lint.is_of_hosts(new.name) and (old is None or old.name != new.name):
        yield rules.of_tool("name-of-host", new.name, after=new.name)


def of_server(old: Surface, new: Surface) -> Iterator[Change]:
    """Yield a change for each new finding of the lint in the texts of the server, its resources and its prompts."""
    had = _folded(words for _, text in _texts(old) for words in orders(text))
    for place, text in _texts(new):
        if found := [words for words in orders(text) if words.casefold() not in had]:
            yield rules.of_server("server-gives-orders", after=[*found], at=place)


def _folded(found: Iterable[str]) -> frozenset[str]:
    return frozenset(words.casefold() for words in found)


def _texts(surface: Surface) -> Iterator[tuple[str, str]]:
    """Yield (place in words, text) for each text of a server outside its tools."""
    server = as_object(surface.header.get("server"))
    yield "The title of the server", as_text(server.get("title"))
    yield "The text of the instructions", as_text(server.get("instructions"))
    for kind, entries in (("resource", surface.resources), ("prompt", surface.prompts)):
        for entry in entries:
            name = as_text(as_object(entry.get("listed")).get("name"))
            yield from ((f"The {kind} {name}", text) for text in _strings(entry))


def _strings(value: JsonValue) -> Iterator[str]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else []


def _place(side: str, place: str) -> str:
    """Return the place of a text in a tool, as the beginning of a sentence."""
    path = rules.dotted(tuple(tokens(place)))
    if side == "argument":
        return f"Argument {path}" if path else "The input schema of the tool"
    if side == "result":
        return f"{path} of the result" if path else "The output schema of the tool"
    return f"The {side}"
