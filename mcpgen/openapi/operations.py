"""Paths of a document → operations. One that cannot be read is skipped with its reason; the others go on."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.errors import Unusable
from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.model import Operation, SecurityScheme, Skipped
from mcpgen.openapi import content, parameters, paths, security, servers
from mcpgen.openapi.references import References

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
NEVER = ("trace",)
"""TRACE would echo the server's credentials to whoever asks."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What operations of one document share."""

    references: References
    schemes: tuple[SecurityScheme, ...]
    base_url: str | None
    diagnostics: Diagnostics

    @property
    def credentials(self) -> frozenset[tuple[str, str]]:
        return frozenset(
            (scheme.location, scheme.wire_name.lower()) for scheme in self.schemes if scheme.type == "apiKey"
        )


def read(value: JsonValue, where: Where, around: Surroundings) -> tuple[tuple[Operation, ...], tuple[Skipped, ...]]:
    """All operations under the `paths` object at `where`, and those that had to be skipped."""
    found: list[Operation] = []
    skipped: list[Skipped] = []
    for label, outcome in _each(value, where, around):
        if isinstance(outcome, Unusable):
            skipped.append(Skipped(label, outcome.diagnostic))
        else:
            found.append(outcome)
    _report_duplicate_ids(found, around)
    return _with_unique_keys(found), tuple(skipped)


def _each(value: JsonValue, where: Where, around: Surroundings) -> Iterator[tuple[str, Operation | Unusable]]:
    for path, entry in as_object(value).items():
        if path.startswith("x-"):
            continue
        try:
            item, place = around.references.resolve(entry, where.inside(path))
        except Unusable as unusable:
            yield path, unusable
            continue
        for method in NEVER:
            if method in item:
                reason = f"{method.upper()} is never offered as a tool."
                yield f"{method.upper()} {path}", Unusable("unsupported-method", reason, place.inside(method))
        for method in METHODS:
            if method in item:
                try:
                    yield f"{method.upper()} {path}", _read_one(method, path, item, place, around)
                except Unusable as unusable:
                    yield f"{method.upper()} {path}", unusable


def _read_one(method: str, path: str, item: JsonObject, place: Where, around: Surroundings) -> Operation:
    references, diagnostics = around.references, around.diagnostics
    raw, where = references.resolve(item[method], place.inside(method))
    template = paths.parse(path, where, diagnostics)
    lists = [
        (item.get("parameters"), place.inside("parameters")),
        (raw.get("parameters"), where.inside("parameters")),
    ]
    read = parameters.read(lists, around.credentials, references, diagnostics)
    owner, owner_place = next(
        ((o, p) for o, p in ((raw, where), (item, place)) if isinstance(o.get("servers"), list)), ({}, where)
    )
    known = frozenset(scheme.name for scheme in around.schemes)
    return Operation(
        key=paths.operation_key(method.upper(), path),
        method=method.upper(),
        path=path,
        template=template,
        where=where,
        id=as_text(raw.get("operationId")).strip() or None,
        summary=as_text(raw.get("summary")) or as_text(item.get("summary")),
        description=as_text(raw.get("description")) or as_text(item.get("description")),
        tags=tuple(tag for tag in as_list(raw.get("tags")) if isinstance(tag, str)),
        deprecated=raw.get("deprecated") is True,
        parameters=parameters.matched_with_path(read, template, where, diagnostics),
        body=content.read_body(raw.get("requestBody"), where.inside("requestBody"), references, diagnostics),
        responses=content.read_responses(raw.get("responses"), where.inside("responses"), references, diagnostics),
        servers=servers.read(owner["servers"], owner_place.inside("servers"), around.base_url, diagnostics)
        if owner
        else None,
        security=security.read_requirements(raw.get("security"), known, where.inside("security"), diagnostics),
        extension=as_object(raw.get("x-mcp")),
    )


def _with_unique_keys(found: list[Operation]) -> tuple[Operation, ...]:
    """Twins such as `/a/{x}` and `/a/{y}` get keys with the names of their parameters."""
    counts = Counter(operation.key for operation in found)
    return tuple(
        replace(operation, key=f"{operation.method} {operation.path}") if counts[operation.key] > 1 else operation
        for operation in found
    )


def _report_duplicate_ids(found: list[Operation], around: Surroundings) -> None:
    seen: set[str] = set()
    for operation in found:
        if operation.id in seen:
            around.diagnostics.add(
                "duplicate-operation-id",
                f"The operationId {operation.id} stands twice in the document.",
                operation.where.inside("operationId"),
                "Give each operation an id of its own.",
            )
        if operation.id:
            seen.add(operation.id)
