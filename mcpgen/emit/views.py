"""Write the `result` rules of a tool in the form of `bindings.json`."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.emit.conditions import conditions
from mcpgen.model import Link, Part, ResultBlock, ResultView


def view(rules: ResultView) -> JsonObject:
    """Return the `result` rules of a tool (which parts of a response it returns, and how) in the form of
    `bindings.json`.
    """
    result: JsonObject = {"graphql": True} if rules.graphql else {}
    if rules.failed:
        result["failed"] = conditions(rules.failed)
    if rules.remove:
        result["remove"] = list[JsonValue](rules.remove)
    if rules.select is not None:
        select = rules.select
        result["select"] = select if isinstance(select, str) else dict[str, JsonValue](select)
    if rules.text is not None:
        result["text"] = _text(rules.text)
    if rules.links:
        result["links"] = [_link(link) for link in rules.links]
    if rules.blocks:
        result["blocks"] = [_block(block) for block in rules.blocks]
    return result


def _block(block: ResultBlock) -> JsonObject:
    result: JsonObject = {"each": block.each} if block.each else {}
    if block.kind == "answer":
        result["answer"] = True
    elif block.kind == "text":
        result["text"] = _text(block.text)
    elif block.kind == "link" and block.link is not None:
        result["link"] = _link(block.link)
    elif block.kind == "resource":
        held: JsonObject = {"blob": block.pointer} if block.pointer else {"text": _text(block.text)}
        label: JsonObject = {"mimeType": _text(block.media_type)} if block.media_type else {}
        result["resource"] = {"uri": _text(block.uri), **label, **held}
    else:
        result[block.kind] = block.pointer
    if told := _annotations(block):
        result["annotations"] = told
    return result


def _annotations(block: ResultBlock) -> JsonObject:
    result: JsonObject = {"audience": list[JsonValue](block.audience)} if block.audience else {}
    if block.priority is not None:
        result["priority"] = block.priority
    if block.last_modified:
        result["lastModified"] = _text(block.last_modified)
    return result


def _link(link: Link) -> JsonObject:
    return {key: _text(parts) for key, parts in link.texts().items()}


def _text(parts: tuple[Part, ...]) -> list[JsonValue]:
    return list[JsonValue](parts)
