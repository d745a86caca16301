"""Report texts and names that a person should review before release: prompt injection, and names of hosts' built-in
tools.
"""

import re
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.invisible import hidden_in, visible
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, pointer
from mcpgen.base.names import clipped
from mcpgen.base.once import ValueCache
from mcpgen.lower.text.prompt_injection import gives_orders
from mcpgen.model import ToolSpec

_OF_HOSTS = frozenset(
    re.findall(
        r"\w+",
        """
        agent ask_user bash browser computer create_file delete_file edit edit_file execute_code
        execute_command exec fetch fetch_url file_search find_files glob grep list_directory list_files ls memory
        multi_edit notebook_edit open_file python read read_file run_command run_in_terminal run_terminal_cmd
        search_files shell str_replace_editor task terminal think todo_read todo_write view_file web_fetch web_search
        write write_file apply_patch
        """,
    )
)
"""Names of the built-in tools of common MCP hosts."""

_SHOWN = 60
_SENTENCE = 20
"""Length in characters above which a name or a value may be a sentence."""

_BY_NAME, _ONE, _LISTED = ("properties", "$defs"), ("items", "additionalProperties"), ("anyOf", "oneOf", "allOf")
_HOLDING = frozenset(_BY_NAME + _ONE + _LISTED)
"""Keywords whose values contain schemas."""

_IS_DATA = " (a name or value)"

_Node = tuple[JsonObject, str]
"""A subschema of a tool's schema, and a JSON Pointer to it."""

Listed = tuple[str, str, str]
"""One text of a tool: its kind (name, title, description, argument or result), a JSON Pointer to it, the text."""


def report(tool: ToolSpec, once: ValueCache, diagnostics: Diagnostics) -> None:
    """Report a tool with the name of a host's built-in tool, and texts of the tool that look like prompt injection.
    Nothing is changed.

    Texts are examined without their hidden characters, as a reader sees them.
    """
    operation = tool.operation
    if is_of_hosts(tool.name):
        message = f"{tool.name} is also the name of a built-in tool of common MCP hosts."
        diagnostics.add(
            "name-of-host", message, operation.where, "Give the tool a name that mentions the API or the product."
        )
    nodes: list[_Node] = []
    if any(once.of_parts(_holds_orders, tool.input_schema)):
        _gather(tool.input_schema, "", nodes)
    suspicious = [place for place, text in _texts(tool, nodes) if gives_orders(visible(text))]
    if suspicious:
        message = f"The text of {tool.name} contains instructions to a model ({', '.join(suspicious[:3])})."
        diagnostics.add("text-gives-orders", message, operation.where, "Check this text before you release the server.")


def _texts(tool: ToolSpec, nodes: list[_Node]) -> Iterator[tuple[str, str]]:
    """Yield (place in words, text) for each text of a tool that a model reads, and for the unabridged texts of the
    document.
    """
    operation = tool.operation
    yield "name", tool.name.replace("_", " ")
    yield "title", tool.title
    yield "summary", operation.summary
    yield (
        "description",
        "\n".join([tool.description, operation.description, operation.about_path, operation.decided.told or ""]),
    )
    yield from ((f"parameter {clipped(each.name, _SHOWN)}", each.description) for each in operation.parameters)
    yield from ((clipped(place, _SHOWN) + _IS_DATA * is_data, text) for place, text, is_data in _of_schema(nodes))


def _holds_orders(schema: JsonValue) -> bool:
    """Return True if a text, name or value inside `schema` tells a model what to do."""
    nodes: list[_Node] = []
    _gather(schema, "", nodes)
    return any(gives_orders(visible(text)) for _, text, _ in _of_schema(nodes))


def listed(shown: JsonObject) -> Iterator[Listed]:
    """Yield each text of a tool that a model reads. `shown`: the tool's entry in `tools/list`."""
    yield "name", "", as_text(shown.get("name")).replace("_", " ")
    yield from ((key, "", as_text(shown.get(key))) for key in ("title", "description"))
    for side, nodes in _schemas(shown):
        yield from ((side, place, text) for place, text, _ in _of_schema(nodes))


def hidden_data(shown: JsonObject) -> Iterator[Listed]:
    """Yield each name and value with hidden characters in `shown`, a tool's entry in `tools/list`."""
    for side, nodes in _schemas(shown):
        yield from ((side, place, text) for node, place in nodes for text in _data(node) if hidden_in(text))


def _schemas(shown: JsonObject) -> Iterator[tuple[str, list[_Node]]]:
    for side, key in (("argument", "inputSchema"), ("result", "outputSchema")):
        nodes: list[_Node] = []
        _gather(shown.get(key), "", nodes)
        yield side, nodes


def is_of_hosts(name: str) -> bool:
    """Return True if a common MCP host has a built-in tool of this name."""
    return name.lower().replace("-", "_") in _OF_HOSTS


def _of_schema(nodes: list[_Node]) -> Iterator[tuple[str, str, bool]]:
    """Yield (place, text, is_data) for each text to check in the schemas. `is_data` is False for a description, and
    True for a name or value. Names and values too short to be sentences are left out.
    """
    for node, place in nodes:
        if isinstance(words := node.get("description"), str):
            yield place, words, False
        for text in _data(node):
            if len(said := text.replace("_", " ")) > _SENTENCE and " " in said:
                yield place, said, True


def _gather(schema: JsonValue, place: str, found: list[_Node]) -> None:
    """Add `schema` and all its subschemas to `found`."""
    if not isinstance(schema, dict):
        return
    found.append((schema, place))
    if _HOLDING.isdisjoint(schema):
        return
    for keyword in _BY_NAME:
        for key, member in as_object(schema.get(keyword)).items():
            _gather(member, pointer(place, key), found)
    for keyword in _ONE:
        _gather(schema.get(keyword), place, found)
    for keyword in _LISTED:
        for member in as_list(schema.get(keyword)):
            _gather(member, place, found)


def _data(node: JsonObject) -> list[str]:
    """Return the property names of one schema and the texts in its `enum` and `default`. Unlike descriptions, they are
    data, which the compiler never changes.
    """
    names = list(as_object(node.get("properties")))
    values = [*as_list(node.get("enum")), node.get("default")]
    return names + [value for value in values if isinstance(value, str)]
