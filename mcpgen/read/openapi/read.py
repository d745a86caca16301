"""Read a `Document` in any version of OpenAPI as an `Api`, with the operations under its paths.

An operation that cannot be read is skipped with its reason; the other operations are still read.

By the extension `x-mcp`, the document's author names, describes or hides tools. The author is not the owner of the
server. An author may also add protection to a tool (`confirm`, `roles`, `scopes`), but never remove it. Values that
mcpgen cannot use are reported as warnings and ignored.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError, SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, lookup, tokens
from mcpgen.base.names import TOOL_NAME, clipped, nearest
from mcpgen.model import NO_SERVER, Api, Decisions, Operation, Skipped, Webhook
from mcpgen.read.document import Document
from mcpgen.read.openapi import credentials, inputs, paths, security, servers, swagger
from mcpgen.read.openapi.credentials import fix_version_parameters
from mcpgen.read.openapi.inputs import DocumentFacts, OperationSource
from mcpgen.read.openapi.schemas import Definitions

_EXTENSION = "x-mcp"
_HIDDEN = "hidden"

_OF_OPERATION = ("name", "title", "description", _HIDDEN, "annotations", "confirm", "roles", "scopes")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_KINDS: dict[str, tuple[type, str]] = {
    "title": (str, "a text"),
    "description": (str, "a text"),
    _HIDDEN: (bool, "true or false"),
    "annotations": (dict, "a mapping of hints"),
}

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "query")
_NEVER = {
    "TRACE": "it would echo the server's credentials to whoever asks",
    "CONNECT": "it asks for a tunnel",
}
_MOST_WEBHOOKS = 1000
"""Most webhooks that are read: references could repeat a list of callbacks at each operation."""

_METHOD = re.compile(r"[A-Z][A-Z-]{0,30}")
_Outcome = Operation | Skipped


@dataclass(frozen=True, slots=True)
class _Version:
    """Data that differ between versions of OpenAPI.

    `schemes`: pointer to the security schemes. `reader`: function that reads an operation's parameters, body and
    responses.
    """

    schemes: str
    reader: inputs.Reader


_OPENAPI = _Version("/components/securitySchemes", inputs.read)
VERSIONS = {
    "2.0": _Version("/securityDefinitions", swagger.read_inputs),
    "3.0": _Version("/components/securitySchemes", inputs.read_3_0),
    "3.1": _OPENAPI,
    "3.2": _OPENAPI,
}


def version_of(document: Document) -> str | None:
    """Return the document's version of OpenAPI, such as `3.1`, or None if it is not an OpenAPI document."""
    root = as_object(document.value)
    declared = root.get("openapi", root.get("swagger"))
    if not isinstance(declared, (str, int, float)):
        return None
    version = ".".join(str(declared).strip().split(".")[:2])
    return "2.0" if version == "2" else version


def read(document: Document, definitions: Definitions, base_url: str | None, diagnostics: Diagnostics) -> Api:
    """Return the API that `document` describes. Its schemas are available through `definitions`.

    `base_url`: the URL of the document, against which relative server URLs are resolved. Raises FatalError for an
    unsupported version.
    """
    name = version_of(document)
    version = VERSIONS.get(name or "")
    if version is None:
        raise FatalError(
            "unsupported-version",
            f"OpenAPI {name} is not supported.",
            document.where("/openapi"),
            f"Convert the document to one of these versions of OpenAPI: {', '.join(VERSIONS)}.",
        )
    root, top = as_object(document.value), document.where("")
    references = definitions.references
    schemes = security.read_schemes(
        _at(root, version.schemes), document.where(version.schemes), references, diagnostics
    )
    hidden = _hidden_tags(root, top, diagnostics)
    around = inputs.DocumentFacts(
        root, references, schemes, base_url, diagnostics, version.reader, hidden, bool(document.sources)
    )
    found, skipped = _read_operations(root.get("paths"), top.inside("paths"), around)
    if name == "2.0":
        url_list: JsonValue = swagger.as_servers(root, root.get("schemes"), base_url)
        where = top.inside("host" if "host" in root else "basePath")
    else:
        url_list, where = as_list(root.get("servers")) or [{"url": "/"}], top.inside("servers")
    info = as_object(root.get("info"))
    known = frozenset(scheme.name for scheme in schemes)
    required = security.read_security(root.get("security"), schemes, known, top.inside("security"), diagnostics)
    found = tuple(replace(each, security=each.security.otherwise(required)) for each in found)
    found = credentials.withhold_members(found, definitions, diagnostics)
    found = fix_version_parameters(found, definitions, diagnostics)
    usable = servers.read(url_list, where, base_url, diagnostics) or NO_SERVER
    return Api(
        title=as_text(info.get("title")).strip() or "API",
        operations=tuple(each if each.servers else replace(each, servers=usable[:1]) for each in found),
        definitions=definitions,
        servers=usable,
        schemes=schemes,
        security=required,
        skipped=skipped,
        webhooks=tuple(islice(_webhooks(root, top, around), _MOST_WEBHOOKS)),
        named_at=top.inside("info"),
    )


def _webhooks(root: JsonObject, top: Where, around: DocumentFacts) -> Iterator[Webhook]:
    """Yield the requests that the API sends: the webhooks of the document, and the callbacks of its operations."""
    for name, entry in as_object(root.get("webhooks")).items():
        yield from _sent(name, entry, top.inside("webhooks", name), "", around)
    for path, item in as_object(root.get("paths")).items():
        for method, operation, where, _ in _methods(as_object(item), top.inside("paths", path)):
            for name, entry in as_object(as_object(operation).get("callbacks")).items():
                callback, place = _resolved(entry, where.inside("callbacks", name), around)
                for expression, each in callback.items():
                    yield from _sent(name, each, place.inside(expression), f"{method} {path}", around)


def _sent(name: str, entry: JsonValue, where: Where, after: str, around: DocumentFacts) -> Iterator[Webhook]:
    """Yield a webhook for each method of a path item."""
    for method, operation, *_ in _methods(*_resolved(entry, where, around)):
        raw = as_object(operation)
        yield Webhook(name, method, as_text(raw.get("summary")) or as_text(raw.get("description")), after)


def _resolved(value: JsonValue, where: Where, around: DocumentFacts) -> tuple[JsonObject, Where]:
    """Return the object at `where` or to which it refers, and its place; an empty object if there is none."""
    try:
        return around.references.resolve(value, where)
    except SkipOperation:
        return {}, where


def _at(root: JsonObject, pointer: str) -> JsonValue:
    try:
        return lookup(root, tokens(pointer))
    except KeyError:
        return None


def _read_operations(
    value: JsonValue, where: Where, around: DocumentFacts
) -> tuple[tuple[Operation, ...], tuple[Skipped, ...]]:
    """Return all operations under the `paths` object at `where`, and the skipped operations, each with the reason."""
    found: list[Operation] = []
    skipped: list[Skipped] = []
    for path, entry in as_object(value).items():
        for outcome in () if path.startswith("x-") else _of_item(path, entry, where.inside(path), around):
            if isinstance(outcome, Skipped):
                skipped.append(outcome)
            else:
                found.append(outcome)
    _report_duplicate_ids(found, around)
    judged = credentials.withhold(_with_unique_names(found, around), around.schemes, around.diagnostics)
    return _with_unique_keys(judged), tuple(skipped)


def _of_item(path: str, entry: JsonValue, where: Where, around: DocumentFacts) -> Iterator[_Outcome]:
    """Yield the operations of a path item: its own, and those of the item that it refers to (OpenAPI 3.1, 4.8.9)."""
    seen: set[str] = set()
    if isinstance(entry, dict) and "$ref" in entry:
        for outcome in _each(path, entry, where, around):
            seen.add(outcome.method)
            yield outcome
    try:
        item, place = around.references.resolve(entry, where)
    except SkipOperation as unusable:
        yield Skipped(path, unusable.diagnostic, path=path)
        return
    for outcome in _each(path, item, place, around):
        if outcome.method not in seen:
            yield outcome


def _each(path: str, item: JsonObject, place: Where, around: DocumentFacts) -> Iterator[_Outcome]:
    for method, value, where, reason in _methods(item, place):
        raw: JsonObject = as_object(value)
        try:
            if reason:
                raise SkipOperation(
                    "unsupported-method", f"{clipped(method)} is never offered as a tool: {reason}.", where
                )
            raw, raw_where = around.references.resolve(value, where)
            yield _read_one(method, path, OperationSource(raw, raw_where, item, place), around)
        except SkipOperation as unusable:
            yield Skipped(
                f"{clipped(method)} {path}",
                unusable.diagnostic,
                method,
                path,
                as_text(raw.get("operationId")).strip() or None,
                _tags(raw),
                raw.get("deprecated") is True,
            )


def _methods(item: JsonObject, place: Where) -> Iterator[tuple[str, JsonValue, Where, str]]:
    """Yield each method of a path item: its name, its Operation Object, and the place of that object. The fourth member
    says why the operation cannot become a tool, or is "" if it can.
    """
    for key in (*_METHODS, "trace"):
        if key in item:
            yield key.upper(), item[key], place.inside(key), _NEVER.get(key.upper(), "")
    for method, value in as_object(item.get("additionalOperations")).items():
        reason = _NEVER.get(method.upper(), "")
        if method.lower() in _METHODS:
            reason = "it is a key of the path item, not a method"
        elif not _METHOD.fullmatch(method):
            reason = "it is not a name in capitals"
        yield method, value, place.inside("additionalOperations", method), reason


def _read_one(method: str, path: str, site: OperationSource, around: DocumentFacts) -> Operation:
    raw, where, item = site.raw, site.where, site.item
    meant = _with_braces(path, site, around)
    template = paths.parse(meant, where, around.diagnostics, query_is_meant=around.is_translated)
    inputs = around.reader(site, template, around)
    known = frozenset(scheme.name for scheme in around.schemes)
    said = _read_extension(raw, where, around.diagnostics)
    if hidden := _is_hidden(said, site, around):
        said = {**said, _HIDDEN: True}
    return Operation(
        key=paths.operation_key(method, path),
        method=method,
        path=path,
        template=template,
        where=where,
        id=as_text(raw.get("operationId")).strip() or None,
        summary=as_text(raw.get("summary")),
        description=as_text(raw.get("description")),
        about_path="\n\n".join(
            as_text(item.get(key)) for key in ("summary", "description") if not raw.get(key)
        ).strip(),
        tags=_tags(raw),
        deprecated=raw.get("deprecated") is True,
        parameters=inputs.parameters,
        body=inputs.body,
        responses=inputs.responses,
        servers=inputs.servers,
        security=security.read_security(
            raw.get("security"), around.schemes, known, where.inside("security"), around.diagnostics
        ),
        extension=said,
        credentials=inputs.credentials,
        long_running=_long_running(raw),
        decided=Decisions(
            name=as_text(said.get("name")) or None,
            told=as_text(said.get("description")).strip() or None,
            hidden=hidden or None,
        ),
    )


def _with_braces(path: str, site: OperationSource, around: DocumentFacts) -> str:
    """Return `path` with `{name}` in place of `:name`, if the operation declares a path parameter of this name.

    Report this. The key of the operation keeps the path as written, so that the lock finds the operation.
    """
    if "/:" not in path:
        return path
    names = set()
    for owner, place in ((site.item, site.item_where), (site.raw, site.where)):
        for entry in as_list(owner.get("parameters")):
            try:
                declared, _ = around.references.resolve(entry, place.inside("parameters"))
            except SkipOperation:  # reported when the parameters are read
                continue
            if declared.get("in") == "path":
                names.add(as_text(declared.get("name")))
    meant = paths.with_braces(path, names)
    if meant != path:
        message = f"The path {clipped(path, 120)} writes parameters as `:name`; it is read as {clipped(meant, 120)}."
        around.diagnostics.add("colon-in-path", message, site.where, "Write each parameter in braces, as in `{name}`.")
    return meant


def _long_running(raw: JsonObject) -> str:
    """Return the value of `final-state-via` if Azure's extension marks the operation as long-running, or "yes" without
    this value. Return "" for any other operation.
    """
    if raw.get("x-ms-long-running-operation") is not True:
        return ""
    options = as_object(raw.get("x-ms-long-running-operation-options"))
    return as_text(options.get("final-state-via")) or "yes"


def _is_hidden(said: JsonObject, site: OperationSource, around: DocumentFacts) -> bool:
    """Return True if the document hides an operation: by `x-mcp` of the operation, or else of its path item or one of
    its tags.
    """
    if _HIDDEN in said:
        return said[_HIDDEN] is True
    return _hides(site.item, site.item_where, around.diagnostics) or not around.hidden_tags.isdisjoint(_tags(site.raw))


def _with_unique_names(found: list[Operation], around: DocumentFacts) -> list[Operation]:
    """If `x-mcp` gives several operations the same name, keep it for the operation whose key sorts first.

    Remove the name from the other operations, for which mcpgen then derives names, and report this.
    """
    owners: dict[str, str] = {}
    for operation in sorted(found, key=lambda operation: operation.key):
        if operation.decided.name is not None:
            owners.setdefault(operation.decided.name, operation.key)
    settled: list[Operation] = []
    for operation in found:
        if operation.decided.name is not None and owners[operation.decided.name] != operation.key:
            message = (
                f"The name {operation.decided.name} belongs to another operation, so mcpgen derives another name "
                "for this operation."
            )
            place = operation.where.inside("x-mcp", "name")
            around.diagnostics.add("invalid-extension", message, place, "Give each tool a different name.")
            operation = replace(operation, decided=replace(operation.decided, name=None))
        settled.append(operation)
    return settled


def _tags(raw: JsonObject) -> tuple[str, ...]:
    return tuple(tag for tag in as_list(raw.get("tags")) if isinstance(tag, str))


# Names are added only where two keys are equal, so that tool names survive when such a twin path comes or goes.
def _with_unique_keys(found: Iterable[Operation]) -> tuple[Operation, ...]:
    """Make the keys of operations unique by adding names of parameters: `/a/{x}` and `/a/{y}` would otherwise have
    equal keys.
    """
    found = tuple(found)
    counts = Counter(operation.key for operation in found)
    return tuple(
        replace(operation, key=f"{operation.method} {operation.path}") if counts[operation.key] > 1 else operation
        for operation in found
    )


def _report_duplicate_ids(found: list[Operation], around: DocumentFacts) -> None:
    seen: set[str] = set()
    for operation in found:
        if operation.id in seen:
            around.diagnostics.add(
                "duplicate-operation-id",
                f"The operationId {operation.id} occurs twice in the document.",
                operation.where.inside("operationId"),
                "Give each operation a different id.",
            )
        if operation.id:
            seen.add(operation.id)


# -- the extension x-mcp -----------------------------------------------------------------------------------------------


def _read_extension(raw: JsonObject, where: Where, diagnostics: Diagnostics) -> JsonObject:
    """Return the usable members of the `x-mcp` of the operation `raw` at `where`.

    `confirm`, `roles` and `scopes` are checked later, where they are applied.
    """
    found = dict(_checked(raw, where, _OF_OPERATION, diagnostics))
    place = where.inside(_EXTENSION)
    if "name" in found and not _is_name(found["name"]):
        message = f"'{clipped(str(found.pop('name')))}' cannot be the name of a tool; mcpgen derives another one."
        hint = "Write a name of at most 50 lower-case letters, digits and single underscores that begins with a letter."
        diagnostics.add("invalid-extension", message, place.inside("name"), hint)
    hints = as_object(found.get("annotations"))
    for key, value in hints.items():
        at = place.inside("annotations", key)
        if key not in _HINTS:
            _unknown(key, _HINTS, at, diagnostics)
        elif not isinstance(value, bool):
            diagnostics.add(
                "invalid-extension", f"The value of {key} must be true or false.", at, "Write true or false."
            )
    return found


def _hides(raw: JsonObject, where: Where, diagnostics: Diagnostics) -> bool:
    """Return True if the `x-mcp` of `raw`, a path item or a tag, hides the operations there."""
    return _checked(raw, where, (_HIDDEN,), diagnostics).get(_HIDDEN) is True


def _hidden_tags(root: JsonObject, where: Where, diagnostics: Diagnostics) -> frozenset[str]:
    """Return the names of tags whose `x-mcp` hides their operations."""
    place = where.inside("tags")
    tags = ((as_object(tag), place.inside(index)) for index, tag in enumerate(as_list(root.get("tags"))))
    return frozenset(str(tag.get("name")) for tag, at in tags if _hides(tag, at, diagnostics))


def _checked(raw: JsonObject, where: Where, known: tuple[str, ...], diagnostics: Diagnostics) -> JsonObject:
    """Return the members of `x-mcp` that are in `known` and have a value of the right type. Report all others."""
    value = raw.get(_EXTENSION)
    if value is None:
        return {}
    place = where.inside(_EXTENSION)
    if not isinstance(value, dict):
        message = f"The value of x-mcp must be a mapping, but it is '{clipped(str(value))}'."
        diagnostics.add(
            "invalid-extension", message, place, f"Write one of these keys in the mapping: {', '.join(known)}."
        )
        return {}
    found: JsonObject = {}
    for key, member in value.items():
        kind, word = _KINDS.get(key, (object, ""))
        if key.startswith("x-"):
            continue
        if key not in known:
            _unknown(key, known, place.inside(key), diagnostics)
        elif not isinstance(member, kind):
            message = f"The value of {key} is not {word}."
            diagnostics.add("invalid-extension", message, place.inside(key), f"Write {word}.")
        else:
            found[key] = member
    return found


def _unknown(key: str, known: tuple[str, ...], where: Where, diagnostics: Diagnostics) -> None:
    message = f"x-mcp cannot have the key '{clipped(key)}' at this place of the document."
    diagnostics.add("invalid-extension", message, where, nearest(key, known))


# A document is untrusted: it must not give a tool the name of one of the host's own tools.
def _is_name(value: JsonValue) -> bool:
    return isinstance(value, str) and TOOL_NAME.fullmatch(value) is not None and "__" not in value
