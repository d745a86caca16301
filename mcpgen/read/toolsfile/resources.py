"""Read `resources:` of the tools file: content that clients can read under a URI; and `complete:`: requests that fetch
the possible values of variables of URIs, and of arguments of prompts.

URIs are templates of RFC 6570, level 1: only `{name}`. A `request` becomes an operation whose parameters are the
variables of the URI, so it is sent like the request of a tool. The request of a completion becomes the operation of a
resource that clients cannot see. So the settings for server, credentials and limits apply to it as to the request of
any other resource.

Malformed resources are skipped here; `schema_check` has already reported them.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError, SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, without_empty
from mcpgen.base.names import WRITTEN_ARGUMENT_NAME, clipped, nearest
from mcpgen.model import Decisions, Operation, Parameter, Resource, SecurityScheme, Server
from mcpgen.read.openapi import paths
from mcpgen.read.openapi.references import References
from mcpgen.read.toolsfile import access, results, server

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CHARACTERS = re.compile(r"(?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+")
_LONGEST_URI = 1000
_TYPED = "value"
"""Name of the placeholder for the text that the user has typed so far."""
_TEXT: JsonObject = {"type": "string"}
_PLACE = re.compile(r"\{([^{}]*)\}")


# Only level 1 of RFC 6570: the URI `x/y/z` matches `{+a}/{+b}` in two ways.
def _variables_of(uri: str) -> tuple[str, ...]:
    """Return the variables of a URI template, in order."""
    return tuple(_VARIABLE.findall(uri))


def _uri_refusal(uri: str) -> str:
    """Return why `uri` cannot be the URI of a resource, such as "has one variable twice", or "" if it can."""
    names, pieces = _variables_of(uri), _VARIABLE.split(uri)[::2]
    scheme = _SCHEME.match(pieces[0])
    if len(uri) > _LONGEST_URI:
        return f"is longer than {_LONGEST_URI:,} characters"
    if scheme is None:
        return "does not begin with a scheme and a colon, such as `db:`"
    if scheme[0].lower() in ("http:", "https:"):
        return "is an http URL, which clients would fetch by themselves without this server"
    if not all(_CHARACTERS.fullmatch(piece) for piece in pieces if piece) or uri == scheme[0]:
        return "is not a URI: write other characters as %XX (RFC 3986)"
    wrong = next((name for name in names if not WRITTEN_ARGUMENT_NAME.fullmatch(name)), None)
    if wrong is not None:
        return f"has the variable '{clipped(wrong)}', but variables have only letters, digits and `_`"
    if len(set(names)) < len(names):
        return "has one variable twice"
    return "has two variables with nothing between them" if "" in pieces[1:-1] else ""


# Files are copied, because a generated server must work without files outside its package.
LARGEST = 1024 * 1024
"""Largest file, in bytes, that becomes part of a server.

As base64, such a file fits into one message of every client.
"""

_REQUEST = re.compile(r"GET (/\S*)")
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:\s*;.*)?", re.ASCII)
_HOLDERS = ("text", "file", "request")
_OF_REQUESTS = ("base_url", "security", "arguments", "timeout", "poll")
_INTERVAL = re.compile(r"([1-9][0-9]{0,3})(s|min|h)")
_SECONDS = {"s": 1, "min": 60, "h": 3600}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
MEDIA_TYPES = {
    ".css": "text/css",
    ".csv": "text/csv",
    ".gif": "image/gif",
    ".htm": "text/html",
    ".html": "text/html",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".md": "text/markdown",
    ".mp3": "audio/mpeg",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".sql": "application/sql",
    ".svg": "image/svg+xml",
    ".wav": "audio/wav",
    ".webp": "image/webp",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".zip": "application/zip",
}
"""File name extension → media type. The system's table is not used, since it differs between machines."""


@dataclass(frozen=True, slots=True)
class ResourceContext:
    """Parts of the tools file that its resources may use: security schemes, `variables` of base URLs, files of its
    folder.
    """

    schemes: tuple[SecurityScheme, ...]
    variables: server.Variables
    references: References
    diagnostics: Diagnostics

    def wrong(self, message: str, where: Where, hint: str, code: str = "invalid-value") -> None:
        self.diagnostics.add(code, message, where, hint)


def read(value: JsonValue, where: Where, around: ResourceContext) -> tuple[Resource, ...]:
    """Return the resources at `where`. Faulty resources are reported and omitted."""
    found = (_read(as_object(entry), where.inside(index), around) for index, entry in enumerate(as_list(value)))
    return tuple(resource for resource in found if resource is not None)


def _read(entry: JsonObject, where: Where, around: ResourceContext) -> Resource | None:
    name, uri = as_text(entry.get("name")), as_text(entry.get("uri"))
    if not name or not _is_settled(entry, name, where, around) or not _is_addressed(entry, name, where, around):
        return None
    variables = _variables_of(uri)
    content: bytes | str | None = None
    operation = None
    if isinstance(entry.get("text"), str):
        content = as_text(entry["text"])
    if isinstance(entry.get("file"), str):
        content = _content(as_text(entry["file"]), where.inside("file"), around)
    elif isinstance(entry.get("request"), str):
        operation = _operation(entry, variables, where, around)
    if content is None and operation is None:
        return None  # `_content` or `_operation` has reported the error
    return Resource(
        where,
        name,
        uri,
        as_text(entry.get("title")),
        as_text(entry.get("description")),
        _media_type(entry, content, where, around),
        content,
        operation,
        variables,
        {key: values for key in variables if (values := _values(as_object(entry.get("arguments")).get(key)))},
        extra=without_empty(poll=_interval(entry.get("poll"))),
    )


def _is_settled(entry: JsonObject, name: str, where: Where, around: ResourceContext) -> bool:
    """Return True if exactly one of the keys `text`, `file` and `request` gives the content. Report any other number of
    them, and keys that only a resource with a `request` may have.
    """
    given = [key for key in _HOLDERS if key in entry]
    if len(given) != 1:
        said = "has no key that gives its content" if not given else f"has both {given[0]!r} and {given[1]!r}"
        around.wrong(
            f"The resource '{clipped(name)}' {said}.", where, "Write exactly one of 'text', 'file' and 'request'."
        )
        return False
    for key in _OF_REQUESTS if given != ["request"] else ():
        if key in entry:
            message = f"The key {key!r} has no meaning for a resource with a {given[0]}."
            around.wrong(message, where.inside(key), "Leave this key out, or give the resource a 'request' instead.")
    return True


def _is_addressed(entry: JsonObject, name: str, where: Where, around: ResourceContext) -> bool:
    """Return True if the URI is missing or can be used by a server. Report an unusable URI."""
    uri = entry.get("uri")
    if uri is None:
        return True
    if not isinstance(uri, str):
        return False
    if reason := _uri_refusal(uri):
        hint = "Write a URI such as db://users, or leave `uri` out; the default is SERVER://NAME."
        around.wrong(f"The URI '{clipped(uri)}' {reason}.", where.inside("uri"), hint)
        return False
    variables = _variables_of(uri)
    if variables and "request" not in entry:
        message = (
            f"The URI of '{clipped(name)}' has the variable {variables[0]!r}, but the resource has no "
            "request that uses it."
        )
        around.wrong(message, where.inside("uri"), "Only a resource with a 'request' can be a template.")
        return False
    for key in as_object(entry.get("arguments")):
        if key not in variables:
            message = f"The URI has no variable '{clipped(key)}'."
            hint = nearest(key, list(variables)) or f"Write {{{key}}} into the URI."
            around.wrong(message, where.inside("arguments", key), hint, "unknown-name")
    return True


def _content(file: str, where: Where, around: ResourceContext) -> bytes | str | None:
    """Return the content of a file: text if it can be decoded, else bytes.

    If the file cannot be read, report an error and return None.
    """
    name = os.path.normpath(os.path.join(os.path.dirname(where.file), file))
    hint = "Name a file in the folder of the tools file, or in a folder below it."
    try:
        data = around.references.content(name, where.file)
    except FatalError as refused:
        around.wrong(refused.diagnostic.message, where, hint, "unusable-file")
        return None
    if len(data) > LARGEST:
        message = f"{file} has {len(data):,} bytes; a file in a server can have at most {LARGEST:,}."
        around.wrong(message, where, "Serve the file by a 'request', or split it.", "unusable-file")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data
    return data if _CONTROL.search(text) else text


def _media_type(entry: JsonObject, content: bytes | str | None, where: Where, around: ResourceContext) -> str:
    """Return the media type given by `mimeType`, else that of the content. Return "" if it depends on the response."""
    given = as_text(entry.get("mimeType")).strip()
    if given and not _MEDIA_TYPE.fullmatch(given):
        message = f"'{clipped(given)}' is not a media type."
        around.wrong(message, where.inside("mimeType"), "Write a media type such as text/markdown.")
    if given or content is None:
        return given
    usual = "application/octet-stream" if isinstance(content, bytes) else "text/plain"
    return MEDIA_TYPES.get(os.path.splitext(as_text(entry.get("file")))[1].lower(), usual)


def _operation(
    entry: JsonObject, variables: tuple[str, ...], where: Where, around: ResourceContext
) -> Operation | None:
    """Return a GET operation whose parameters are the variables of the URI.

    Variables that occur in the path of `request` are sent in the path, all other variables in the query.
    """
    request = _REQUEST.fullmatch(as_text(entry["request"]).strip())
    if request is None:
        return None  # invalid request, skipped: schema_check has already reported it
    place, path = where.inside("request"), request[1]
    path, _, query = path.partition("?")
    if "{" in query:
        message = "The request has a variable after `?`, where only fixed text is allowed."
        around.wrong(
            message,
            place,
            "Remove this variable from `request`. Variables of the URI that are not in the path of `request` are "
            "always sent in the query.",
        )
        return None
    try:
        template = paths.parse(path, place, around.diagnostics)
    except SkipOperation as unusable:
        found = unusable.diagnostic
        around.wrong(found.message, place, found.hint)
        return None
    for name in template.variables:
        if name not in variables:
            message = f"The request needs {clipped(name)!r}, but the URI does not contain this variable."
            hint = nearest(name, list(variables)) if variables else f"Write {{{name}}} into the URI."
            around.wrong(message, place, hint, "unknown-name")
            return None
    declared = as_object(entry.get("arguments"))
    required = access.credentials(entry, where, around.schemes, around.diagnostics)
    return Operation(
        key=f"resource {as_text(entry['name'])}",
        method="GET",
        path=path,
        template=replace(template, fixed_query=tuple(parse_qsl(query, keep_blank_values=True))),
        where=where,
        parameters=tuple(_parameter(name, name in template.variables, declared.get(name), where) for name in variables),
        servers=servers(entry, where, around),
        security=required,
        decided=Decisions(timeout=seconds(entry.get("timeout")), scopes=access.scopes(entry)),
    )


def _parameter(name: str, in_path: bool, declared: JsonValue, where: Where) -> Parameter:
    values = _values(declared)
    schema: JsonObject = {"type": "string", **({"enum": list[JsonValue](values)} if values else {})}
    description = as_text(as_object(declared).get("description"))
    if in_path:
        return Parameter(name, "path", schema, where, True, description, style="simple")
    return Parameter(name, "query", schema, where, True, description, style="form", explode=True)


def servers(entry: JsonObject, where: Where, around: ResourceContext) -> tuple[Server, ...]:
    """Return the server of `base_url` as a tuple of one, or () if `base_url` is missing or unusable."""
    return server.base_url(entry.get("base_url"), where.inside("base_url"), around.diagnostics, around.variables)


def _interval(value: JsonValue) -> int | None:
    """Return the seconds of a `poll`, or None if it is not given."""
    found = _INTERVAL.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) * _SECONDS[found[2]] if found else None


def _values(declared: JsonValue) -> tuple[str, ...]:
    """Return the distinct values of a variable's `enum`."""
    values = as_list(as_object(declared).get("enum"))
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))


def seconds(value: JsonValue) -> float | None:
    """Return the value of `timeout` in seconds, or None if it is missing."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else None


def read_completions(root: JsonObject, top: Where, around: ResourceContext) -> Iterator[Resource]:
    """Yield a resource for each `complete` in the tools file. The resource is hidden from clients; it holds the request
    that fetches the possible values of an argument.

    Report faulty requests, and leave them out.
    """
    for kind, key in (("prompt", "prompts"), ("resource", "resources")):
        for index, entry in enumerate(map(as_object, as_list(root.get(key)))):
            declared, name = as_object(entry.get("arguments")), as_text(entry.get("name"))
            names = list(declared) if kind == "prompt" else list(_variables_of(as_text(entry.get("uri"))))
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
                operation = _request(rules, (name, argument), names, place, around)
                pointer = as_text(rules.get("values"))
                if operation is None or (pointer and not _is_pointer(pointer, place, around)):
                    continue
                called = f"completion of {argument} of {kind} {name}"
                yield Resource(
                    place, called, "", operation=operation, completes=(kind, name, argument), pointer=pointer
                )


def named_by_completion(argument: JsonObject) -> set[str]:
    """Return the names of the other arguments that the completion of an argument needs."""
    found = argument.get("complete")
    return set(_PLACE.findall(as_text(as_object(found).get("request") or found))) - {_TYPED}


def _is_pointer(pointer: str, where: Where, around: ResourceContext) -> bool:
    return results.pointer(pointer, where.inside("values"), around.diagnostics) is not None


def _request(
    rules: JsonObject, of: tuple[str, str], names: list[str], where: Where, around: ResourceContext
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
    known = [_TYPED, *(name for name in names if name != of[1])]
    for name in used:
        if name not in known:
            hint = nearest(name, known) or f"Write {{{_TYPED}}} for the text that the user has typed."
            around.wrong(
                f"The request needs {clipped(name)!r}, but nothing gives it a value.", where, hint, "unknown-name"
            )
            return None
    required = access.credentials(rules, where, around.schemes, around.diagnostics)
    return Operation(
        key=f"completion {of[0]} {of[1]}",
        method="GET",
        path=path,
        template=replace(template, fixed_query=tuple(fixed)),
        where=where,
        parameters=tuple(parameters),
        servers=servers(rules, where, around),
        security=required,
        decided=Decisions(timeout=seconds(rules.get("timeout"))),
    )
