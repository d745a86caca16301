"""Show request templates, fixed values and result rules in the syntax of the tools file."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object


def text(parts: JsonValue) -> str:
    """Return a text in the syntax of the tools file: literals, and placeholders in braces."""
    return "".join(_part(each) for each in as_list(parts))


def _part(each: JsonValue) -> str:
    if isinstance(each, dict):
        return f"{{{each.get('argument', each.get('pointer', ''))}}}"
    return str(each).replace("{", "{{").replace("}", "}}")


def template(node: JsonObject) -> str:
    """Return a template (a value with placeholders) in the syntax of the tools file."""
    if "text" in node:
        return text(node["text"])
    return json.dumps(_plain(node), ensure_ascii=False)


def _plain(node: JsonObject) -> JsonValue:
    if "argument" in node:
        return f"{{{node['argument']}}}"
    if "text" in node:
        return text(node["text"])
    if "items" in node:
        return [_plain(as_object(each)) for each in as_list(node["items"])]
    if "members" in node:
        others: JsonObject = {"*": "all other arguments"} if "others" in node else {}
        return {**{key: _plain(as_object(each)) for key, each in as_object(node["members"]).items()}, **others}
    return node.get("value")


def always(fixed: list[JsonValue]) -> Iterator[str]:
    """Yield a line for each constant value that every call sends."""
    for each in map(as_object, fixed):
        value = each["value"] if isinstance(each["value"], str) else json.dumps(each["value"], ensure_ascii=False)
        yield f"always sent: {each['in']} {each['name']} = {value}".replace("  ", " ")


def shown(rules: JsonObject) -> Iterator[str]:
    """Yield lines on each rule for a tool's results. A rule without own words is shown as the tools file writes it."""
    for name, value in rules.items():
        yield from _WORDS[name](value) if name in _WORDS else (f"result {name}: {_flat(value)}",)


def _flat(value: JsonValue) -> str:
    """Return a value of a rule on one line."""
    if isinstance(value, list):
        return ", ".join(map(_flat, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _selected(select: JsonValue) -> Iterator[str]:
    if isinstance(select, dict):
        yield f"shown parts of every answer: {', '.join((f'{name} = {pointer}' for name, pointer in select.items()))}"
    else:
        yield f"shown part of every answer: {select}"


def _condition(node: JsonValue) -> str:
    """Return a condition on a response in the syntax of the tools file."""
    condition = as_object(node)
    values = as_list(condition.get("values"))
    written = ", ".join(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in values)
    comparison = f" {'!=' if 'not' in condition else '=='} {written}" if values else ""
    return f"{condition.get('pointer', 'status')}{comparison}"


def _block(block: JsonObject) -> str:
    """Return one line that says what a content block of a result contains."""
    each = f" for each of {block['each']}" if "each" in block else ""
    if "answer" in block:
        return "the answer"
    if "text" in block:
        return f"text {text(block['text'])}{each}"
    if "link" in block:
        return f"link to {text(as_object(block['link'])['uri'])}{each}"
    if "resource" in block:
        held = as_object(block["resource"])
        source = held["blob"] if "blob" in held else text(held["text"])
        return f"resource {text(held['uri'])} with {source}{each}"
    kind = "image" if "image" in block else "audio"
    return f"{kind} {block[kind]}{each}"


_WORDS: Mapping[str, Callable[[JsonValue], Iterable[str]]] = {
    "graphql": lambda _: ["failed if: the answer has errors and no data (GraphQL)"],
    "failed": lambda conditions: [f"failed if: {' or '.join(map(_condition, as_list(conditions)))}"],
    "remove": lambda pointers: [f"removed from every answer: {_flat(pointers)}"],
    "select": _selected,
    "text": lambda parts: [f"shown as: {text(parts)}"],
    "links": lambda links: [
        f"links to: {text(link['uri'])} ({text(link['name'])})" for link in map(as_object, as_list(links))
    ],
    "blocks": lambda blocks: [f"block: {_block(as_object(block))}" for block in as_list(blocks)],
}
"""Name of a rule for results → the lines that show its value."""
