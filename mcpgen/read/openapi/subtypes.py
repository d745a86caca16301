"""Find the subtypes of a schema: schemas that extend it by `allOf`.

Subtypes of a schema with a discriminator are its alternatives (OpenAPI 3.0.3, 4.7.24). The parent does not name them.
So all schemas in the same object of the document, such as `components/schemas`, are searched, once per object.
"""

from collections.abc import Iterator, Mapping

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.read.openapi.references import References

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
