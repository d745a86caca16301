"""Provide the schemas of documents as JSON Schema 2020-12, converted only when they are looked up.

A schema is named by its place: `{"$ref": "FILE#POINTER"}`. `Definitions` converts the schema of that name, one level
deep. Keywords of the result have the meaning and types of 2020-12, whatever the document's dialect. References in the
result are again names of this form.

Most of a published document of ten megabytes is schemas of responses that no tool describes in full, so they are never
converted.

The meaning of a `$dynamicRef` depends on the path of references by which a schema is reached (JSON Schema 2020-12,
section 8.2.3.2). Such a path is recorded as a scope: the resources with dynamic anchors that were entered, outermost
first. In a non-empty scope, a name begins with the number of the scope.

The alternatives of a schema with a discriminator are its subtypes, which extend it by `allOf` (OpenAPI 3.0.3, 4.7.24).
The parent does not name them. So all schemas in the same object of the document, such as `components/schemas`, are
searched, once per object.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.read.openapi import dialect
from mcpgen.read.openapi.references import References
from mcpgen.read.openapi.resources import Resource

_VALUES = ("x-ms-discriminator-value", "x-discriminator-value")
"""Extensions of Swagger 2.0 documents by which a subtype states its discriminator value."""

Children = Mapping[Where, list[Where]]


class Subtypes:
    """Finder of the schemas that extend a parent schema by `allOf`."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._found: dict[Where, Children] = {}

    def of(self, parent: Where) -> list[Where]:
        """Return the schemas that extend `parent`, directly or indirectly, in the order of their names.

        Only schemas in the same object of the document as `parent`, such as `components/schemas`, are found.
        """
        folder = Where(parent.file, parent.pointer.rpartition("/")[0])
        if not folder.pointer:
            return []
        if folder not in self._found:
            self._found[folder] = self._look_through(folder)
        known, waiting = {parent}, [parent]
        while waiting:
            new = [child for child in self._found[folder].get(waiting.pop(), ()) if child not in known]
            known.update(new)
            waiting += new
        return sorted(known - {parent}, key=lambda child: child.pointer)

    def value_of(self, child: Where) -> str:
        """Return the discriminator value of the schema `child` that an `x-` keyword in it states, or ""."""
        raw = as_object(self._references.at(child, child))
        return next((value for name in _VALUES if (value := as_text(raw.get(name)))), "")

    def _look_through(self, folder: Where) -> Children:
        """Return parent → schemas that extend the parent directly, for all schemas in the object at `folder`,
        such as `components/schemas`.
        """
        children: dict[Where, list[Where]] = {}
        for name, raw in as_object(self._references.at(folder, folder)).items():
            child = folder.inside(name)
            for parent in self._extended(as_object(raw), child):
                children.setdefault(parent, []).append(child)
        return children

    def _extended(self, raw: JsonObject, where: Where) -> Iterator[Where]:
        """Yield the places to which the references of an `allOf` lead."""
        for part in map(as_object, as_list(raw.get("allOf"))):
            if isinstance(reference := part.get("$ref"), str):
                try:
                    yield self._references.target(reference, where)
                except SkipOperation:
                    continue  # broken references are reported when a tool needs the schema


Scope = tuple[Where, ...]
"""The resources with dynamic anchors through which a schema was reached, each by its root, outermost first."""


MOST = 100_000
"""Limit on the number of subschemas inside one named schema."""


class Definitions(Mapping[str, JsonObject]):
    """Mapping from the name of a schema to the schema, converted on demand.

    Raises SkipOperation for a reference that leads nowhere or is not allowed, at the place of the reference. Raises
    SkipOperation for a schema that is too large, at the place of the schema.
    """

    def __init__(self, references: References) -> None:
        self.references = references
        self._converted: dict[str, JsonObject] = {}
        self._origins: dict[str, Where] = {}
        self._refused: dict[str, SkipOperation] = {}
        self._located: dict[str, SkipOperation] = {}
        self._subtypes = Subtypes(references)
        self._scopes: dict[Scope, int] = {(): 0}
        self._scoped: dict[str, tuple[Where, Scope]] = {}

    def __getitem__(self, name: str) -> JsonObject:
        if name not in self._converted:
            where, scope = self._meant(name)
            raw = self._raw(name, where)
            schema = dialect.convert(raw, _Names(self, where, scope))
            self._converted[name] = self._with_subtypes(schema, where, scope) if "discriminator" in schema else schema
        return self._converted[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the schema called `name`, or `default` if it cannot be read. Unlike `[]`, this raises nothing."""
        try:
            return self[name]
        except SkipOperation:
            return default

    def _with_subtypes(self, schema: JsonObject, where: Where, scope: Scope) -> JsonObject:
        """Complete a schema with a discriminator: if the schema lists no alternatives, its subtypes become its `oneOf`.

        The member `isInherited` marks a discriminator that was completed in this way.
        """
        children = {} if "oneOf" in schema or "anyOf" in schema else self._children(schema, where, scope)
        if not children:
            return schema
        own = {value: name for name, value in children.items() if value}
        discriminator = as_object(schema["discriminator"])
        mapping = {**own, **as_object(discriminator["mapping"])}
        alternatives: list[JsonValue] = [{"$ref": name} for name in children]
        return {
            **schema,
            "oneOf": alternatives,
            "discriminator": {**discriminator, "mapping": mapping, "isInherited": True},
        }

    def _children(self, schema: JsonObject, where: Where, scope: Scope) -> dict[str, str]:
        """Return the names of a schema's subtypes, each with its discriminator value.

        Subtypes are the schemas that extend the schema at `where`, and the schemas in the discriminator's mapping.
        """
        places = [
            self._meant(str(name))[0] for name in as_object(as_object(schema["discriminator"])["mapping"]).values()
        ]
        places = [place for place in places if place != where and self.references.exists(place)]
        found = dict.fromkeys([*self._subtypes.of(where), *places])
        return {self._name(place, scope): self._subtypes.value_of(place) for place in found}

    def where(self, name: str) -> Where:
        """Return the place of the schema with the name `name`."""
        return self._meant(name)[0]

    def _meant(self, name: str) -> tuple[Where, Scope]:
        return self._scoped.get(name) or (self.references.place(name), ())

    def converted(self, raw: JsonValue, where: Where) -> JsonObject:
        """Return `raw` as a JSON Schema 2020-12 object, with references resolved as if it were written at `where`."""
        return dialect.convert(raw, _Names(self, where, ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._converted)

    def __len__(self) -> int:
        return len(self._converted)

    def take(self, converted: int, where: Where) -> None:
        """Deduct one more subschema of the schema at `where` from the memory budget. `converted`: number of its
        subschemas so far.

        Raises SkipOperation if there are too many subschemas, or the budget is used up.
        """
        if converted > MOST:
            message = f"This schema contains more than {MOST:,} schemas."
            raise SkipOperation(
                "too-complex", message, where, "Split the schema, or leave out the operations that need it."
            )
        if not self.references.take_schemas(1):
            message = "The schemas of this run are together larger than mcpgen's limit, so this schema was not read."
            raise SkipOperation("too-complex", message, where, "Leave operations out with --exclude.")

    def named(self, reference: str, origin: Where, scope: Scope) -> str:
        """Return the name of the schema to which `reference`, written in the schema at `origin`, leads.

        A broken reference gets a name, too. The reference is reported only when this name is looked up.
        """
        try:
            name = self._name(self.references.target(reference, origin), scope)
        except SkipOperation as unusable:
            name = f"{origin.file}#{reference}"
            self._refused[name] = unusable
        self._origins.setdefault(name, origin)
        return name

    def dynamically_named(self, reference: str, origin: Where, scope: Scope) -> str:
        """Return the name of the schema to which a `$dynamicRef` leads.

        If several resources of the scope have a dynamic anchor of that name, the outermost one counts.
        """
        anchor = reference.rpartition("#")[2]
        try:
            resource = self._around(self.references.target(reference, origin))
        except SkipOperation:
            return self.named(reference, origin, scope)
        if anchor in resource.dynamic:
            outer = (self._around(root).dynamic for root in (*scope, origin))
            target = next((dynamic[anchor] for dynamic in outer if anchor in dynamic), resource.dynamic[anchor])
            return self._name(target, scope)
        return self.named(reference, origin, scope)

    def embedded(self, raw: JsonObject, scope: Scope) -> str | None:
        """Return the name of `raw` in this index (`FILE#POINTER`) if `raw` is a subschema with an `$id`, else None."""
        where = self.references.resources.embedded(raw)
        return self._name(where, scope) if where is not None else None

    def entered(self, where: Where, scope: Scope) -> Scope:
        """Return the dynamic scope inside the schema resource that contains `where`.

        This is `scope` with the resource added, or `scope` unchanged if the resource is in it already or has no dynamic
        anchors.
        """
        resource = self._around(where)
        return (*scope, resource.root) if resource.dynamic and resource.root not in scope else scope

    def _name(self, where: Where, scope: Scope) -> str:
        name = self.references.name(where)
        if scope:
            name = f"{self._scopes.setdefault(scope, len(self._scopes))}@{name}"
            self._scoped[name] = (where, scope)
        return name

    def _around(self, where: Where) -> Resource:
        return self.references.resources.around(where)

    def _raw(self, name: str, where: Where) -> JsonValue:
        origin = self._origins.get(name, where)
        if name in self._located:
            raise self._located[name]
        try:
            if name in self._refused:
                raise self._refused[name]
            return self.references.at(where, origin)
        except SkipOperation as unusable:
            reason = unusable.diagnostic
            place = self._locate(origin, name)
            self._located[name] = SkipOperation(reason.code, reason.message, place, reason.hint)
            raise self._located[name] from None

    def _locate(self, origin: Where, name: str) -> Where:
        """Return the place of the `$ref` that leads to the schema `name`, inside the schema at `origin`. Used for
        diagnostics.
        """
        try:
            waiting: list[tuple[Where, JsonValue]] = [(origin, self.references.at(origin, origin))]
        except SkipOperation:
            return origin
        while waiting:
            at, value = waiting.pop()
            if isinstance(value, dict):
                reference = value.get("$ref")
                if isinstance(reference, str) and self.named(reference, origin, ()) == name:
                    return at.inside("$ref")
                waiting.extend((at.inside(key), member) for key, member in value.items())
            elif isinstance(value, list):
                waiting.extend((at.inside(index), item) for index, item in enumerate(value))
        return origin


class _Names:
    """Assigns names to the schemas to which the schema at `where` refers. `scope`: the resources through which that
    schema was reached (see `Scope`).
    """

    def __init__(self, definitions: Definitions, where: Where, scope: Scope) -> None:
        self._definitions = definitions
        self._where = where
        self._scope = definitions.entered(where, scope)
        self._converted = 0

    def count(self) -> None:
        self._converted += 1
        self._definitions.take(self._converted, self._where)

    def of(self, reference: str) -> str:
        return self._definitions.named(reference, self._where, self._scope)

    def of_dynamic(self, reference: str) -> str:
        return self._definitions.dynamically_named(reference, self._where, self._scope)

    def of_embedded(self, raw: JsonObject) -> str | None:
        return self._definitions.embedded(raw, self._scope)
