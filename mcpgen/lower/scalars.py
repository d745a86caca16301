"""Strings, numbers and booleans in the portable profile: the keywords that every client takes."""

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list
from mcpgen.lower import constraints
from mcpgen.lower.patterns import PatternMemory


def scalar(node: JsonObject, kind: str, patterns: PatternMemory) -> JsonObject:
    """Return the portable schema of a node of one simple type, without its description."""
    result: JsonObject = {"type": kind}
    values = [node["const"]] if "const" in node else as_list(node.get("enum"))
    texts = [value for value in values if isinstance(value, str)]
    if kind == "string":
        if 0 < len(texts) <= constraints.MOST_VALUES and any(texts):
            result["enum"] = list[JsonValue](dict.fromkeys(filter(None, texts)))
        elif texts == [""]:
            result["pattern"] = constraints.EMPTY
        if node.get("format") in constraints.FORMATS and constraints.are_of_format(result.get("enum"), node["format"]):
            result["format"] = node["format"]
        pattern = node.get("pattern")
        if isinstance(pattern, str) and patterns.admits(pattern):
            result["pattern"] = pattern
        if node.get("contentEncoding") == "base64":
            result["contentEncoding"] = "base64"
    if kind in ("integer", "number"):
        result.update(constraints.bounds(node, kind))
    return result
