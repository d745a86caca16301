"""Which operations become tools: `tag:X`, `path:GLOB`, `method:M`, `id:GLOB`, `deprecated`.

Repeated selectors are alternatives, parts joined by `,` must all hold, and an exclusion wins over an inclusion.
"""

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import TypeVar

from mcpgen.errors import CannotGoOn
from mcpgen.model import Operation, Skipped

Selectable = Operation | Skipped
Selected = TypeVar("Selected", Operation, Skipped)

_TESTS: dict[str, Callable[[Selectable, str], bool]] = {
    "tag": lambda operation, wanted: wanted.casefold() in (tag.casefold() for tag in operation.tags),
    "path": lambda operation, wanted: fnmatchcase(operation.path, wanted),
    "method": lambda operation, wanted: operation.method == wanted.upper(),
    "id": lambda operation, wanted: operation.id is not None and fnmatchcase(operation.id, wanted),
}


def select(operations: Iterable[Selected], include: Iterable[str], exclude: Iterable[str]) -> tuple[Selected, ...]:
    """The operations, or those that had to be skipped, that some of `include` selects (all where it is empty) and none
    of `exclude`.

    CannotGoOn for a selector that is not one.
    """
    wanted, unwanted = [_parse(text) for text in include], [_parse(text) for text in exclude]
    return tuple(
        operation
        for operation in operations
        if (not wanted or any(test(operation) for test in wanted)) and not any(test(operation) for test in unwanted)
    )


def _parse(selector: str) -> Callable[[Selectable], bool]:
    tests = [_parse_part(part.strip(), selector) for part in selector.split(",")]
    return lambda operation: all(test(operation) for test in tests)


def _parse_part(part: str, selector: str) -> Callable[[Selectable], bool]:
    if part == "deprecated":
        return lambda operation: operation.deprecated
    kind, colon, wanted = part.partition(":")
    if not colon or kind not in _TESTS or not wanted:
        raise CannotGoOn(
            "invalid-flag",
            f"{selector!r} is not a selector.",
            hint="Write tag:X, path:GLOB, method:M, id:GLOB or deprecated; join them with commas where all must hold.",
        )
    test = _TESTS[kind]
    return lambda operation: test(operation, wanted)
