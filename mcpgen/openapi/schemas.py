"""Schemas of a document as JSON Schema 2020-12, converted only when something looks at them.

A schema is named by where it stands: `{"$ref": POINTER}`, and `Definitions[POINTER]` is the schema itself with one
level of meaning: whatever dialect the document used, keywords have 2020-12 meaning and the types that 2020-12 gives
them, and every `$ref` is again such a name. A published document of ten megabytes is mostly schemas of answers that no
tool describes in full; those are never converted.
"""

from collections.abc import Iterator, Mapping

from mcpgen.errors import Unusable
from mcpgen.jsonvalue import JsonObject, JsonValue, pointer
from mcpgen.openapi import dialect
from mcpgen.openapi.references import References

_FOREIGN = "foreign:"
"""Before a reference that leaves the document, so that it is refused when it is looked at and not before."""


def named(place: str) -> JsonObject:
    """The schema that stands at the pointer `place`."""
    return {"$ref": place}


class Definitions(Mapping[str, JsonObject]):
    """Pointer → schema. Raises Unusable, at the place of the reference, for one that leads nowhere or out of the
    document.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._converted: dict[str, JsonObject] = {}
        self._origins: dict[str, str] = {}

    def __getitem__(self, place: str) -> JsonObject:
        if place not in self._converted:
            raw = self._raw(place)
            self._converted[place] = dialect.convert(raw, lambda reference: self._name(reference, place))
        return self._converted[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._converted)

    def __len__(self) -> int:
        return len(self._converted)

    def _raw(self, place: str) -> JsonValue:
        try:
            if place.startswith(_FOREIGN):
                self._references.target(place.removeprefix(_FOREIGN), place)
            return self._references.at(place, place)
        except Unusable as unusable:
            where = self._references.document.where(self._locate(self._origins.get(place, place), place))
            reason = unusable.diagnostic
            raise Unusable(reason.code, reason.message, where, reason.hint) from None

    def _name(self, reference: str, place: str) -> str:
        """The name of what `reference` leads to; one that leaves the document is kept with a mark and refused when it
        is looked at.
        """
        local = reference.startswith("#")
        name = self._references.target(reference, place) if local else _FOREIGN + reference
        self._origins.setdefault(name, place)
        return name

    def _locate(self, origin: str, name: str) -> str:
        """The pointer of the very `$ref` inside the schema at `origin` that leads to `name`, for a diagnostic."""
        if origin == name:
            return origin
        stack: list[tuple[str, JsonValue]] = [(origin, self._references.at(origin, origin))]
        while stack:
            place, value = stack.pop()
            if isinstance(value, dict):
                reference = value.get("$ref")
                if isinstance(reference, str) and self._name(reference, origin) == name:
                    return pointer(place, "$ref")
                stack.extend((pointer(place, key), member) for key, member in value.items())
            elif isinstance(value, list):
                stack.extend((pointer(place, index), item) for index, item in enumerate(value))
        return origin
