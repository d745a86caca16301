"""Measure how much of a document's inputs the tools show: how many appear with type, required flag and values.

The document and the tool's input schema are walked in parallel. The tool's entry in `bindings.json` maps its arguments
to the document's parameter names. An input counts as shown if keywords of the tool's schema state everything about it;
the description may list its allowed values instead. If an input is lost, everything within it counts as lost, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.bars import Bar
from benchmarks.surface.documents import Surface, Tool
from benchmarks.surface.facts import Group, Shape, said, shape
from tests.requests.described import Operation
from tests.requests.raw import Node

DEPTH = 5
"""Levels of members within an argument that a portable schema may have."""

_MOST = 20_000
"""Limit on the inputs examined in one tool."""

_LARGE = 200
"""Number of nodes of a tool's schema above which an input may be missing because the compiler shortened the schema."""

_NOT_ARGUMENTS = re.compile(
    r"accept(-.*)?|authorization|connection|content-(length|type)|cookie2?|expect|forwarded|host|keep-alive"
    r"|proxy-.*|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-(http-)?method-override"
    r"|traceparent|tracestate|baggage"
)
_CREDENTIAL = re.compile(
    r"(x|amz|ocpapim)*((auth)?apikey|apitoken|accesstoken|authtoken|authkey|subscriptionkey|securitytoken)"
)
Schema = dict[str, Any]


@dataclass(slots=True)
class Row:
    """Results of one document: number of its inputs, number of those that tools show completely, and reasons for the
    incomplete ones.
    """

    name: str
    inputs: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    heaviest: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)


def measure(surface: Surface) -> Row:
    """Count the inputs of one document, and how many of them its tools show completely."""
    row = Row(surface.name)
    for tool in surface.tools:
        _Walk(surface.root, tool, row).all()
    return row


class _Walk:
    """Side-by-side walk through a tool's input schema and its operation, which counts the inputs that are shown."""

    def __init__(self, root: Node, tool: Tool, row: Row) -> None:
        self.root, self.tool, self.row = root, tool, row
        self.operation = Operation(root, *tool.request)
        self.schema: Schema = tool.listed["inputSchema"]
        self.left = _MOST

    def all(self) -> None:
        for parameter in self.operation.parameters:
            place = "query" if parameter.place == "querystring" else parameter.place
            if parameter.name.strip() and not self._is_filled(place, parameter.name):
                groups: list[Group] = [((parameter.schema,), frozenset())]
                must = parameter.required or place == "path"
                self._argument(f"{place} {parameter.name}", self._bound(place, parameter.name), groups, must)
        self._body()

    # -- Arguments of the tool ----------------------------------------------------------------------------------------

    def _is_filled(self, place: str, name: str) -> bool:
        """Return True if HTTP or the operator sets the parameter, and not a caller."""
        schemes = self.root["securityDefinitions" if self.operation.is_swagger else "components"]
        schemes = schemes if self.operation.is_swagger else schemes["securitySchemes"]
        fold = str.lower if place == "header" else str
        keys = [schemes[key] for key in schemes.keys()]  # noqa: SIM118 (a Node yields its items)
        declared = {(key.text("in"), fold(key.text("name"))) for key in keys if key.text("type") == "apiKey"}
        plain = name.lower().replace("_", "-")
        return (
            (place == "header" and _NOT_ARGUMENTS.fullmatch(plain) is not None)
            or (place, fold(name)) in declared
            or (place != "path" and _CREDENTIAL.fullmatch(plain.replace("-", "")) is not None)
        )

    def _bound(self, place: str, name: str) -> Schema | None:
        """Return the entry of a parameter in the tool's request description (`bindings.json`), or None."""
        binding = self.tool.binding
        keys = {"query": ("query", "querystring"), "header": ("headers",), "cookie": ("cookies",)}
        listed = (
            [part for part in binding["path"] if isinstance(part, dict)]
            if place == "path"
            else [each for key in keys[place] for each in binding.get(key, ())]
        )
        fold = str.lower if place == "header" else str
        return next((each for each in listed if fold(each["name"]) == fold(name)), None)

    def _argument(self, path: str, bound: Schema | None, groups: list[Group], must: bool) -> None:
        found = shape(groups)
        if found.is_read_only:
            return
        if bound is None:
            self._input(path, found, [], must, set(), 0, "no argument")
        elif "argument" in bound:
            argument = bound["argument"]
            flags = {argument in self.schema.get("required", ())}
            self._input(path, found, [self.schema["properties"][argument]], must, flags, 0)
        else:
            lost = "" if not found.values or said(bound.get("value", "")) in found.values else "another constant"
            self._count(path, lost)

    def _body(self) -> None:
        body = self.tool.binding.get("body")
        if body is None:
            return
        raw = self.operation.raw
        if self.operation.fields:
            for each in self.operation.fields:
                groups: list[Group] = [((each,), frozenset())]
                self._argument(f"form {each.text('name')}", self._field(body, each.text("name")), groups, _must(each))
            return
        if self.operation.is_swagger:
            parameters = self.operation._gathered
            must = any(_must(each) for each in parameters if each.text("in") == "body")
            schema = self.operation.body_schema("")
        else:
            must = _must(raw["requestBody"])
            entry = self.operation.media_type(body["contentType"])
            schema = entry[1].at("schema") if entry else self.root.at("")
        if body.get("argument") is not None:
            opaque = body["encoding"] in ("text", "binary", "jsonl")
            self._argument("body", body, [] if opaque else [((schema,), frozenset())], must)
            return
        for name, (groups, required) in shape([((schema,), frozenset())]).members().items():
            self._argument(f"body {name}", self._field(body, name), groups, must and required)

    def _field(self, body: Schema, name: str) -> Schema | None:
        return next((each for each in body.get("fields", ()) if each["name"] == name), None)

    # -- Inputs and their members -------------------------------------------------------------------------------------

    def _input(
        self,
        path: str,
        found: Shape,
        shown: list[Schema],
        must: bool | None,
        flags: set[bool],
        depth: int,
        lost: str = "",
    ) -> None:
        """Count one input and everything within it.

        `must`: True if the input is required; None for an item of a list.
        """
        if self.left <= 0:
            return
        self.left -= 1
        nodes = _flat(shown)
        if not lost:
            self._count(path, _missing(found, nodes, must, flags))
        else:
            self._count(path, lost)
        if depth < DEPTH:
            self._beneath(path, found, nodes, depth + 1, lost)

    def _beneath(self, path: str, found: Shape, nodes: list[Schema], depth: int, lost: str) -> None:
        for name, (groups, must) in found.members().items():
            inner = shape(groups)
            if inner.is_read_only:
                continue
            holders = [node for node in nodes if name in node.get("properties", {})]
            flags = {name in node.get("required", ()) for node in holders}
            why = lost or ("" if holders else self._why_absent(nodes))
            self._input(f"{path}.{name}", inner, [n["properties"][name] for n in holders], must, flags, depth, why)
        for mark, groups, keyword in (("[]", found.items(), "items"), ("{}", found.rest(), "additionalProperties")):
            inner = shape(groups)
            if groups and (inner.types or inner.values):
                holders = [node for node in nodes if isinstance(node.get(keyword), dict)]
                why = lost or ("" if holders else self._why_absent(nodes))
                self._input(path + mark, inner, [node[keyword] for node in holders], None, set(), depth, why)

    def _why_absent(self, nodes: list[Schema]) -> str:
        """Return why the tool's schema does not show a member of an input, by what the schema shows instead.

        `nodes`: the schemas of the input in the tool's schema. If the tool's schema is large, say so, since the
        compiler may have left the member out to shorten the schema.
        """
        words = " ".join(str(node.get("description", "")) for node in nodes)
        large = f" (schema of over {_LARGE} nodes)" if _size(self.schema) > _LARGE else ""
        if "Same shape as" in words:
            return "absent: cut as a recursion"
        if "not listed here" in words:
            return f"absent: said to be not listed{large}"
        if any("properties" in node for node in nodes):
            return f"absent: beside others that are shown{large}"
        kinds = "/".join(sorted({node["type"] for node in nodes if "type" in node}))
        return f"absent: shown as {kinds or 'anything'} without it{large}"

    def _count(self, path: str, lost: str) -> None:
        self.row.inputs += 1
        if not lost:
            self.row.kept += 1
            return
        self.row.reasons[lost] += 1
        self.row.heaviest[self.tool.called] += 1
        self.row.examples.setdefault(lost, []).append(f"{path}  in {self.tool.called}")


def _must(node: Node) -> bool:
    return node["required"].value is True


def _size(schema: Any) -> int:
    """Return the number of nodes in a schema."""
    if not isinstance(schema, dict):
        return 0
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    return 1 + sum(map(_size, [*inner, schema.get("items"), schema.get("additionalProperties")]))


def _flat(nodes: Sequence[Schema]) -> list[Schema]:
    """Return the schemas and all alternatives of their unions in one list."""
    return [*nodes, *(inner for node in nodes for inner in _flat(node.get("anyOf", ())))]


def _missing(found: Shape, nodes: list[Schema], must: bool | None, flags: set[bool]) -> str:
    """Return what a tool's schema does not show of an input, or "" if it shows everything."""
    kinds = {node["type"] for node in nodes if "type" in node}
    wanted = found.types - {"integer"} if {"integer", "number"} <= found.types else found.types
    if not wanted <= kinds:
        return f"type: {'/'.join(sorted(found.types))} shown as {'/'.join(sorted(kinds))}"
    if must is not None and must not in flags:
        return "required flag: should be " + ("required" if must else "optional")
    return _missing_values(found.values, nodes)


def _missing_values(values: tuple[str, ...], nodes: list[Schema]) -> str:
    listed = {said(value) for node in nodes for value in node.get("enum", ())}
    words = " ".join(str(node.get("description", "")) for node in nodes)
    if any(node.get("pattern") == "^$" for node in nodes):
        listed.add("")
    absent = [value for value in values if value not in listed and not _is_said(value, words)]
    if not absent or _is_run(values, nodes):
        return ""
    if absent == [""]:
        return "values: that it may be the empty text"
    return "values: none of them" if len(absent) == len(values) else "values: some of them"


def _is_said(value: str, words: str) -> bool:
    if not value.strip():
        return re.search(r"\bempty\b", words, re.IGNORECASE) is not None
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", words) is not None


def _is_run(values: tuple[str, ...], nodes: list[Schema]) -> bool:
    """Return True if minimum and maximum mean the same as an enum of consecutive numbers."""
    if not all(re.fullmatch(r"-?\d+", value) for value in values):
        return False
    numbers = sorted({int(value) for value in values})
    is_run = numbers == list(range(numbers[0], numbers[-1] + 1))
    return is_run and any((n.get("minimum"), n.get("maximum")) == (numbers[0], numbers[-1]) for n in nodes)


def show(rows: list[Row], examples: int) -> list[Bar]:
    """Print, for each document, the share of inputs (parameters and members of bodies) that its tools show completely.

    The lowest share comes first. Also print the reasons why inputs are not shown. Return the shares for GitHub and
    Stripe, each with its lower limit.
    """
    print(f"\n{'facts':52} {'inputs':>8} {'kept':>8} {'per cent':>9}")
    for row in sorted(rows, key=_share):
        print(f"{row.name[-52:]:52} {row.inputs:8,} {row.kept:8,} {_share(row):9.2f}")
        if not examples:
            continue
        for reason, count in row.reasons.most_common():
            print(f"    {count:6} {reason}")
            for example in row.examples[reason][:: max(1, count // examples)][:examples]:
                print(f"               {example}")
        for tool, count in row.heaviest.most_common(examples):
            print(f"    {count:6} lost by {tool}")
    inputs, kept = sum(row.inputs for row in rows), sum(row.kept for row in rows)
    print(f"{'all':52} {inputs:8,} {kept:8,} {100 * kept / inputs if inputs else 100:9.2f}")
    for reason, count in sum((row.reasons for row in rows), Counter[str]()).most_common():
        print(f"    {count:6} {reason}")
    named = {"github-rest.json": "GitHub", "stripe.yaml": "Stripe"}
    return [
        Bar(f"per cent of inputs shown in full, {named[row.name]}", _share(row), ">=", 98)
        for row in rows
        if row.name in named
    ]


def _share(row: Row) -> float:
    return 100 * row.kept / row.inputs if row.inputs else 100.0
