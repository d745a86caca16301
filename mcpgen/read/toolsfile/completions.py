"""Read `complete:` of arguments of prompts and of variables of URIs: requests that fetch the possible values of an
argument.

Such a request becomes the operation of a resource that clients cannot see. So the settings for server, credentials and
limits apply to it as to the request of any other resource.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qsl

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Decisions, Operation, Parameter, Resource
from mcpgen.read.openapi import paths
from mcpgen.read.toolsfile import credentials, pointers, resources, uris

TYPED = "value"
"""Name of the placeholder for the text that the user has typed so far."""

_TEXT: JsonObject = {"type": "string"}
_REQUEST = re.compile(r"GET (/\S*)")
_PLACE = re.compile(r"\{([^{}]*)\}")


def read(root: JsonObject, top: Where, around: resources.ResourceContext) -> Iterator[Resource]:
    """Yield a resource for each `complete` in the tools file. The resource is hidden from clients; it holds the request
    that fetches the possible values of an argument.

    Report faulty requests, and leave them out.
    """
    for kind, key in (("prompt", "prompts"), ("resource", "resources")):
        for index, entry in enumerate(map(as_object, as_list(root.get(key)))):
            declared, name = as_object(entry.get("arguments")), as_text(entry.get("name"))
            names = list(declared) if kind == "prompt" else list(uris.variables(as_text(entry.get("uri"))))
            for argument in (each for each in declared if each in names):
                described, where = as_object(declared[argument]), top.inside(key, index, "arguments", argument)
                if "complete" not in described:
                    continue
                if "enum" in described:
                    message = f"The argument '{clipped(argument)}' has both an 'enum' and a 'complete'."
                    around.wrong(message, where.inside("complete"), "Leave out either 'enum' or 'complete'.")
                    continue
                found = described["complete"]
                rules = as_object(found) or {"request": found}
                place = where.inside("complete")
                operation = _operation(rules, (name, argument), names, place, around)
                pointer = as_text(rules.get("values"))
                if operation is None or (pointer and not _is_pointer(pointer, place, around)):
                    continue
                called = f"completion of {argument} of {kind} {name}"
                yield Resource(
                    place, called, "", operation=operation, completes=(kind, name, argument), pointer=pointer
                )


def needed(argument: JsonObject) -> set[str]:
    """Return the names of the other arguments that the completion of an argument needs."""
    found = argument.get("complete")
    return set(_PLACE.findall(as_text(as_object(found).get("request") or found))) - {TYPED}


def _is_pointer(pointer: str, where: Where, around: resources.ResourceContext) -> bool:
    return pointers.pointer(pointer, where.inside("values"), around.diagnostics) is not None


def _operation(
    rules: JsonObject, of: tuple[str, str], names: list[str], where: Where, around: resources.ResourceContext
) -> Operation | None:
    """Return a GET operation whose parameters are the placeholders in the path and in the query."""
    request = _REQUEST.fullmatch(as_text(rules.get("request")).strip())
    if request is None:
        return None  # invalid request, skipped: schema_check has already reported it
    path, _, query = request[1].partition("?")
    try:
        template = paths.parse(path, where, around.diagnostics)
    except SkipOperation as unusable:
        around.wrong(unusable.diagnostic.message, where, unusable.diagnostic.hint)
        return None
    fixed: list[tuple[str, str]] = []
    used = list(template.variables)
    parameters = [Parameter(name, "path", _TEXT, where, True, style="simple") for name in used]
    for name, value in parse_qsl(query, keep_blank_values=True):
        if place := _PLACE.fullmatch(value):
            used.append(place[1])
            parameters.append(Parameter(name, "query", _TEXT, where, style="form", explode=True, argument=place[1]))
        elif "{" in name + value:
            message = f"The request has a placeholder that is only part of the value '{clipped(value)}'."
            around.wrong(message, where, "Write a placeholder as the whole value of a parameter, such as q={value}.")
            return None
        else:
            fixed.append((name, value))
    known = [TYPED, *(name for name in names if name != of[1])]
    for name in used:
        if name not in known:
            hint = nearest(name, known) or f"Write {{{TYPED}}} for the text that the user has typed."
            around.wrong(
                f"The request needs {clipped(name)!r}, but nothing gives it a value.", where, hint, "unknown-name"
            )
            return None
    required = credentials.of_tool(rules, where, around.schemes, around.diagnostics)
    return Operation(
        key=f"completion {of[0]} {of[1]}",
        method="GET",
        path=path,
        template=replace(template, fixed_query=tuple(fixed)),
        where=where,
        parameters=tuple(parameters),
        servers=resources.servers(rules, where, around),
        security=required,
        decided=Decisions(timeout=resources.seconds(rules.get("timeout"))),
    )
