# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Data classes for violations of a schema, and for the locations in schema and value where they occur."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Path = tuple[str | int, ...]
    Forms = Callable[[], list["AlternativeViolations"]]


class Violation:
    """One violation: a schema keyword, and the value that violates it.

    - `path`: names and indexes from the root to `value`. `known`: the expected member names.
    - `detail`: the value of the keyword in the schema, or the missing or unexpected member names.
    - `forms()`: returns a list of violations for each alternative of a union, empty if the value fits the alternative.
    """

    __slots__ = ("detail", "forms", "keyword", "known", "path", "value")

    def __init__(
        self,
        keyword: str,
        path: Path,
        value: Any,
        detail: Any = None,
        known: Iterable[str] = (),
        forms: Forms | None = None,
    ) -> None:
        self.keyword = keyword
        self.path = path
        self.value = value
        self.detail = detail
        self.known = known
        self.forms = forms


class AlternativeViolations(list[Violation]):
    """Violations of one alternative of a union, empty if the value fits it.

    `is_foreign`: True if the value is an object with no member that the alternative describes.
    """

    __slots__ = ("is_foreign",)

    def __init__(self, violations: Iterable[Violation] = (), is_foreign: bool = False) -> None:
        super().__init__(violations)
        self.is_foreign = is_foreign


class Place:
    """A subschema with the part of the value to which it applies."""

    __slots__ = ("path", "pointer", "schema", "value")

    def __init__(self, pointer: str, schema: Any, value: Any, path: Path) -> None:
        self.pointer = pointer
        self.schema = schema
        self.value = value
        self.path = path

    def part(self, *steps: str | int) -> Place:
        """Return the location of a subschema below this one that applies to the same value."""
        schema = self.schema
        for step in steps:
            schema = schema[step]
        return Place(self.pointer + "".join(map(_written, steps)), schema, self.value, self.path)

    def about(self, step: str | int, value: Any) -> Place:
        """Return a Place with the same subschema for `value`, the item or member `step` of this Place's value."""
        return Place(self.pointer, self.schema, value, (*self.path, step))


def _written(step: str | int) -> str:
    """Return a step of a JSON Pointer as the validator library writes it: escaped, but without percent-encoding."""
    return "/" + str(step).replace("~", "~0").replace("/", "~1")
