"""Remove form members that are credentials, if the request carries the credential anyway.

A member counts as a credential if three things agree. Parameters of the same name are credentials elsewhere in the
document. The member's description begins like a credential's. The operation requires a declared security scheme.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped, fold
from mcpgen.model import MediaType, Operation, RequestBody
from mcpgen.read.openapi.credentials import is_called_credential, verdict

_MOST_REFERENCES = 5
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def withhold_members(
    operations: Iterable[Operation], definitions: Mapping[str, JsonObject], diagnostics: Diagnostics
) -> tuple[Operation, ...]:
    """Return `operations` without form members that are credentials. Report the name of each removed member once."""
    operations = tuple(operations)
    known = {fold(each.name) for one in operations for each in one.withheld if verdict(each) == "credential"}
    if not known:
        return operations
    changed: list[Operation] = []
    taken: dict[str, list[Operation]] = {}
    for operation in operations:
        needed = operation.security.alternatives
        names = _names(operation.body, known, definitions) if operation.body and needed and all(needed) else ()
        for name in names:
            taken.setdefault(name, []).append(operation)
        changed.append(replace(operation, body=_without(operation.body, names, definitions)) if names else operation)
    for name, of in taken.items():
        many = f" ({len(of)} operations)" if len(of) > 1 else ""
        message = f"The form member {clipped(name)} is a credential, so it is not an argument{many}."
        diagnostics.add(
            "credential-parameter",
            message,
            of[0].where,
            "Instead of this form member, the server sends the credential of the security scheme.",
        )
    return tuple(changed)


def _names(body: RequestBody, known: set[str], definitions: Mapping[str, JsonObject]) -> list[str]:
    """Return the names of a body's form members that are credentials.

    `known`: names of parameters that are credentials elsewhere in the document, as `fold` returns them: two names that
    servers may treat as equal have one folded name.
    """
    schemas = [found_schema(each.schema, definitions) for each in body.content if _is_form(each)]
    members = {name: member for schema in schemas for name, member in as_object(schema.get("properties")).items()}
    return [name for name, member in members.items() if fold(name) in known and _is_called(member, definitions)]


def _is_form(media_type: MediaType) -> bool:
    return media_type.name.partition(";")[0].strip().lower() in _FORMS


def found_schema(schema: JsonValue, definitions: Mapping[str, JsonObject]) -> JsonObject:
    """Return the schema that `schema` refers to, if `$ref` is its only keyword; else `schema` itself.

    A schema with a broken reference is returned unchanged.
    """
    own = as_object(schema)
    return definitions.get(as_text(own["$ref"]), own) if own.keys() == {"$ref"} else own


def _is_called(member: JsonValue, definitions: Mapping[str, JsonObject]) -> bool:
    found = as_object(member)
    for _ in range(_MOST_REFERENCES):
        found = found_schema(found, definitions)
    return is_called_credential(as_text(found.get("description")))


def _without(body: RequestBody | None, names: Iterable[str], definitions: Mapping[str, JsonObject]) -> RequestBody:
    assert body is not None, "it had members"
    left = frozenset(names)
    return replace(body, content=tuple(_without_members(each, left, definitions) for each in body.content))


def _without_members(media_type: MediaType, names: frozenset[str], definitions: Mapping[str, JsonObject]) -> MediaType:
    schema = found_schema(media_type.schema, definitions)
    members = {key: each for key, each in as_object(schema.get("properties")).items() if key not in names}
    if not _is_form(media_type) or len(members) == len(as_object(schema.get("properties"))):
        return media_type
    required: list[JsonValue] = [key for key in as_list(schema.get("required")) if key not in names]
    return replace(media_type, schema={**schema, "properties": members, "required": required})
