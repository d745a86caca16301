# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Annotations of the types of the tables: keywords of JSON Schema, and the types that only have such keywords."""

from typing import Annotated, TypeVar

Item = TypeVar("Item")
Type = TypeVar("Type", bound=type)


class Has:
    """Keywords of JSON Schema that Python types cannot express: a part of `Annotated`, or a decorator of a type."""

    def __init__(self, **keywords: object) -> None:
        self.keywords = keywords

    def __call__(self, kind: Type) -> Type:
        kind.KEYWORDS = self.keywords  # type: ignore[attr-defined]
        return kind


def has_one_of(*members: str) -> Has:
    """Return the keywords of a type whose objects have exactly one of `members`."""
    return Has(oneOf=[{"required": [each]} for each in members])


NonEmpty = Annotated[list[Item], Has(minItems=1)]
NonEmptyMap = Annotated[dict[str, Item], Has(minProperties=1)]

Text = Annotated[str, Has(minLength=1)]
Name = Annotated[str, Has(pattern="^[A-Za-z0-9_-]{1,64}$")]
Seconds = Annotated[float, Has(exclusiveMinimum=0)]
Place = Annotated[str, "JSON Pointer into the answer; empty for the whole answer.", Has(pattern="^(/.*)?$")]

Argument = Annotated[str, Has(minLength=1)]
"""Name of an argument: one that every model provider accepts, or any name in a schema that a person wrote."""
