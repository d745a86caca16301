"""Replace requests in texts by the names of their tools: `see POST /orders` becomes `see create_order`.

A model knows tools, not requests. A request is replaced if exactly one other tool sends it. The tool's own request is
not replaced. A description from the tools file or `x-mcp`, and a handwritten input schema, are not changed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from mcpgen.base.jsonvalue import JsonObject, JsonValue, compact
from mcpgen.base.once import ValueCache
from mcpgen.model import Passage, ToolSpec

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
_METHOD = f"(?:{'|'.join(_METHODS)})"
_BEGINNINGS = tuple(f"{method} " for method in _METHODS)
_REQUEST = re.compile(
    rf"(?P<several>\b{_METHOD}(?:/| or | and |, ))?"
    rf"\b(?P<method>{_METHOD})(?P<words>(?: request)?(?: to)?) (?P<path>(?:/|\w[\w-]*/)[^\s\"'`,;()]*)"
)
_VARIABLE = re.compile(r"\{[^{}]*\}|(?<=/)[:$]\w+")
_SOURCE = re.compile(r" From (\w+)\.$")
_PUNCTUATION = ".:!?*"
_VALUES = ("default", "const", "example")

Request = tuple[str, str, str]
"""A request: document, method, and path without the names of its variables."""


def named(tools: Sequence[ToolSpec], once: ValueCache) -> tuple[ToolSpec, ...]:
    """Return the tools with tool names in place of requests (`GET /orders`) in their texts."""
    known = _by_request(tools)
    return tuple(_Text(known, tool).rewritten(once) for tool in tools)


def _by_request(tools: Sequence[ToolSpec]) -> dict[Request, str]:
    """Return request → the only tool that sends it. Each request is listed with and without the path of the server's
    URL.
    """
    found: dict[Request, set[str]] = {}
    for tool in tools:
        operation = tool.operation
        bases = {"", *(urlsplit(server.url).path.rstrip("/") for server in operation.servers)}
        for path in {_blank(base + operation.path) for base in bases}:
            found.setdefault((operation.document, operation.method, path), set()).add(tool.name)
    return {request: names.pop() for request, names in found.items() if len(names) == 1}


def _mentions_request(schema: JsonValue) -> bool:
    text = compact(schema)
    return _may_mention(text) and _REQUEST.search(text) is not None


def _may_mention(text: str) -> bool:
    """Return False for most texts without a request, much faster than the pattern."""
    return "/" in text and any(map(text.__contains__, _BEGINNINGS))


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path.rstrip("/"))


@dataclass(frozen=True, slots=True)
class _Text:
    """The texts of one tool. `known`: request, such as `GET /pets` → name of the only tool that sends it. In the texts,
    this name replaces the request.
    """

    known: dict[Request, str]
    tool: ToolSpec

    def rewritten(self, once: ValueCache) -> ToolSpec:
        """Return the tool, with tool names in place of requests such as `GET /pets/{id}` in its description and in the
        descriptions of its input schema.
        """
        tool = self.tool
        if tool.operation.decided.told is None:
            tool = replace(tool, passages=tuple(map(self._passage, tool.passages)))
        if tool.profile != "written" and any(once.of_parts(_mentions_request, tool.input_schema)):
            tool = replace(tool, input_schema=self._schema(tool.input_schema))
        return tool

    def _passage(self, passage: Passage) -> Passage:
        return passage if passage.is_whole else Passage(self._text(passage.text))

    def _schema(self, schema: JsonObject) -> JsonObject:
        """Return `schema` with tool names in place of requests (`GET /orders`) in all its descriptions."""
        return {key: self._value(key, value) for key, value in schema.items()}

    def _value(self, keyword: str, value: JsonValue) -> JsonValue:
        if keyword == "description" and isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict) and keyword in ("properties", "$defs", "patternProperties"):
            return {name: self._value("", inner) for name, inner in value.items()}
        if isinstance(value, dict) and keyword not in _VALUES:
            return self._schema(value)
        if isinstance(value, list) and keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
            return [self._value("", inner) for inner in value]
        return value

    def _text(self, text: str) -> str:
        """Return `text` with tool names in place of requests such as `POST /orders`.

        Descriptions of arguments can end with `From TOOL.`, which mcpgen adds: TOOL lists the possible values. Remove
        this sentence if a request was replaced and the text before the sentence now contains the same tool name.
        """
        if not _may_mention(text):
            return text
        told = _REQUEST.sub(self._name, text)
        source = _SOURCE.search(told) if told != text else None
        return told[: source.start()] if source and source[1] in told[: source.start()] else told

    def _name(self, found: re.Match[str]) -> str:
        """Return the text that replaces a mentioned request: the name of the only tool that sends it. Keep the
        request if this is the text's own tool, if no or several tools send it, or if the text names several methods.
        """
        path = found["path"].rstrip(_PUNCTUATION)
        behind = found["path"][len(path) :]
        operation = self.tool.operation
        name = self.known.get((operation.document, found["method"], _blank("/" + path.removeprefix("/"))))
        if name is None or name == self.tool.name or found["several"]:
            return found[0]
        return name + (" call" if "request" in found["words"] else "") + behind
