"""Read `request:` of a tool: a method, a path, and optionally a query after `?`.

A query field without placeholders is sent with every call, like a query in a path of an OpenAPI document. A field with
`{name}` is a template, as if it were written under `send`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.model import PathTemplate
from mcpgen.read.openapi import paths

_REQUEST = re.compile(r"(GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS) (/\S*)")


@dataclass(frozen=True, slots=True)
class RequestLine:
    """A parsed request line.

    `path` includes the constant query fields. `query`: the other query fields, name → template.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)

    def template(self, where: Where, diagnostics: Diagnostics) -> PathTemplate:
        """Return the template of the path. Raises SkipOperation if no request can be made from it."""
        return paths.parse(self.path, where, diagnostics, query_is_meant=True)


def read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> RequestLine | None:
    """Return the request line of a tool, or None if it is malformed, which `schema_check` has reported."""
    found = _REQUEST.fullmatch(as_text(entry.get("request")).strip())
    if found is None:
        return None
    method, target = found.groups()
    path, mark, query = target.partition("?")
    plain, templates = [], dict[str, str]()
    for pair in query.split("&") if mark else []:
        name, _, value = pair.partition("=")
        if "{" not in value and "}" not in value:
            plain.append(pair)
        elif name in templates:
            message = f"The query has '{clipped(name)}' twice."
            diagnostics.add("duplicate-name", message, where.inside("request"), "Use one argument that takes a list.")
        else:
            templates[unquote_plus(name)] = unquote_plus(value)
    return RequestLine(method, f"{path}?{'&'.join(plain)}" if plain else path, templates)


def sent(entry: JsonObject, line: RequestLine, where: Where, diagnostics: Diagnostics) -> JsonObject:
    """Return the tool `entry` with the query templates of its request line moved to `send`."""
    if not line.query:
        return entry
    send = as_object(entry.get("send"))
    query = as_object(send.get("query"))
    for name in sorted(line.query.keys() & query.keys()):
        message = f"The query has '{clipped(name)}' twice: in the request, and here."
        diagnostics.add(
            "duplicate-name",
            message,
            where.inside("send", "query", name),
            "Keep only one of the two: remove the parameter from the request line or from `send`.",
        )
    return {**entry, "send": {**send, "query": {**dict[str, JsonValue](line.query), **query}}}
