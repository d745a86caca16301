"""Schemas of a document as JSON Schema 2020-12, converted only when something looks at them.

A schema is named by where it stands: `{"$ref": "FILE#POINTER"}`, and `Definitions` gives the schema of a name with one
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


class Definitions(Mapping[str, JsonObject]):
    """Name → schema, of one document. Raises Unusable, placed at the reference, for one that leads nowhere or leaves
    it.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._converted: dict[str, JsonObject] = {}
        self._origins: dict[str, str] = {}

    def __getitem__(self, name: str) -> JsonObject:
        if name not in self._converted:
            place = self._references.place(name)
            raw = self._raw(place)
            self._converted[name] = dialect.convert(raw, lambda reference: self._name(reference, place))
        return self._converted[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._references.names(name)

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

    def _name(self, reference: str, origin: str) -> str:
        """The name of what `reference`, inside the schema at `origin`, leads to; a foreign one is refused when looked
        at.
        """
        place = self._target(reference, origin)
        self._origins.setdefault(place, origin)
        return self._references.name(place)

    def _target(self, reference: str, origin: str) -> str:
        return self._references.target(reference, origin) if reference.startswith("#") else _FOREIGN + reference

    def _locate(self, origin: str, place: str) -> str:
        """The pointer of the very `$ref` inside the schema at `origin` that leads to `place`, for a diagnostic."""
        if origin == place:
            return origin
        stack: list[tuple[str, JsonValue]] = [(origin, self._references.at(origin, origin))]
        while stack:
            at, value = stack.pop()
            if isinstance(value, dict):
                reference = value.get("$ref")
                if isinstance(reference, str) and self._target(reference, origin) == place:
                    return pointer(at, "$ref")
                stack.extend((pointer(at, key), member) for key, member in value.items())
            elif isinstance(value, list):
                stack.extend((pointer(at, index), item) for index, item in enumerate(value))
        return origin
