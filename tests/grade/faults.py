"""Make known faults in a document by machine, one in one operation each, to see where a grade falls.

`FAULTS` names the rule that must notice each fault. A fault returns False if the operation cannot have it.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

METHODS = ("get", "put", "post", "patch", "delete")
PAGING = re.compile(r"limit|offset|page|cursor|per_page|page_?size|after|before|start(?:ing)?_?\w*", re.IGNORECASE)
BOUNDS = ("enum", "format", "pattern", "minimum", "maximum", "minLength", "maxLength", "default", "example", "examples")

Node = dict[str, Any]


def operations(document: Node) -> Iterator[tuple[str, str, Node]]:
    """Yield (path, method, operation) of a document."""
    for path, item in document["paths"].items():
        yield from ((path, method, item[method]) for method in METHODS if method in item)


def resolved(document: Node, value: Any) -> Any:
    """Return the value to which references inside the document lead."""
    while isinstance(value, dict) and str(value.get("$ref", "")).startswith("#/"):
        target: Any = document
        for step in value["$ref"][2:].split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        value = target
    return value


def own(document: Node, path: str, method: str) -> Node:
    """Return an operation after its parameters have become its own: no other operation shares them."""
    item = document["paths"][path]
    operation: Node = item[method]
    inner = {(each["name"], each["in"]) for each in _parameters(document, operation)}
    above = [each for each in _parameters(document, item) if (each["name"], each["in"]) not in inner]
    operation["parameters"] = [*above, *_parameters(document, operation)]
    for each in operation["parameters"]:
        if "schema" in each:
            each["schema"] = copy.deepcopy(resolved(document, each["schema"]))
    return operation


def _parameters(document: Node, holder: Node) -> list[Node]:
    return [copy.deepcopy(resolved(document, each)) for each in holder.get("parameters", [])]


def _asked(operation: Node) -> list[Node]:
    """Return the parameters that become arguments, and are described."""
    asked = [each for each in operation["parameters"] if each["in"] in ("path", "query")]
    return [each for each in asked if each.get("description") or each.get("schema", {}).get("description")]


def no_text(_document: Node, operation: Node) -> bool:
    operation.pop("summary", None)
    operation.pop("description", None)
    return True


def text_repeats_the_path(document: Node, operation: Node) -> bool:
    path = next(path for path, _, each in operations(document) if each is operation)
    operation.pop("description", None)
    operation["summary"] = " ".join(re.findall(r"[A-Z]?[a-z]+", re.sub(r"\{.*?\}", "", path)))
    return bool(operation["summary"])


def text_of_another(document: Node, operation: Node) -> bool:
    other = next(each for _, _, each in operations(document) if each is not operation)
    for key in ("summary", "description"):
        operation[key] = other.get(key, "")
    return True


def arguments_without_texts(_document: Node, operation: Node) -> bool:
    for each in (found := _asked(operation)):
        each.pop("description", None)
        each.get("schema", {}).pop("description", None)
    return bool(found)


def arguments_without_bounds(_document: Node, operation: Node) -> bool:
    found = False
    for each in _asked(operation):
        schema = each.get("schema", each)
        free = re.search(r"(?:id|ids|key|name|query|q|text|title|uuid)$", each["name"], re.IGNORECASE)
        if not free and schema.get("type") in ("string", "integer") and any(key in schema for key in BOUNDS):
            for node in (schema, each):
                for key in (*BOUNDS, "description"):
                    node.pop(key, None)
            each["description"] = "Decides which of them are meant."
            found = True
    return found


def enum_of_codes(_document: Node, operation: Node) -> bool:
    for each in _asked(operation):
        schema = each.get("schema", each)
        if schema.get("type") == "string" and schema.get("enum"):
            schema["enum"], each["description"] = ["A", "B", "C"], "Decides which of them are meant."
            for node in (schema, each):
                for key in ("default", "example", "examples"):
                    node.pop(key, None)
            return True
    return False


def verb_against_the_method(document: Node, operation: Node) -> bool:
    method = next(method for _, method, each in operations(document) if each is operation)
    operation["summary"] = "List all of them"
    operation.pop("description", None)
    return method in ("put", "patch", "delete")


def no_errors(_document: Node, operation: Node) -> bool:
    good = {status: each for status, each in operation["responses"].items() if status[:1] in "23"}
    changed = len(good) < len(operation["responses"])
    operation["responses"] = good
    return changed and bool(good)


def no_pages(document: Node, operation: Node) -> bool:
    path = next(path for path, _, each in operations(document) if each is operation)
    kept = [each for each in operation["parameters"] if not PAGING.fullmatch(each["name"])]
    changed = len(kept) < len(operation["parameters"])
    operation["parameters"] = kept
    answer = resolved(document, operation["responses"].get("200", {}))
    schema = answer.get("content", {}).get("application/json", answer).get("schema", {})
    return changed and path.endswith("s") and "array" in str(resolved(document, schema))


def many_arguments(_document: Node, operation: Node) -> bool:
    for number in range(60):
        text = f"Only items whose flavour number {number} is at least this strong, from 0 to 9."
        schema = {"type": "integer", "minimum": 0}
        swagger = {"name": f"flavour_{number}", "in": "query", "description": text, **schema}
        operation["parameters"].append({**swagger, "schema": schema} if "schema" in str(operation) else swagger)
    return True


FAULTS: dict[Callable[[Node, Node], bool], str] = {
    no_text: "no-purpose",
    text_repeats_the_path: "repeats-name",
    text_of_another: "looks-like-another",
    arguments_without_texts: "argument-without-meaning",
    arguments_without_bounds: "argument-without-bounds",
    enum_of_codes: "enum-without-meaning",
    verb_against_the_method: "contradicting-hint",
    no_errors: "undocumented-errors",
    no_pages: "endless-result",
    many_arguments: "costly",
}
"""Fault → the rule that notices it."""
