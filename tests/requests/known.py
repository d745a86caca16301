"""List known differences between requests and the standard. The property test skips them, and another test checks each.

Whoever fixes a difference removes it here. The test that expects the difference then fails as a reminder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.requests.sources import Case


class Difference(NamedTuple):
    """A known difference between requests and the standard.

    `applies`: function that returns True for arguments with this difference. `document`, `tool`, `arguments`: a minimal
    example.
    """

    why: str
    applies: Callable[[Case, dict[str, Any]], bool]
    document: str
    tool: str
    arguments: dict[str, Any]


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, (dict, list)):
        yield from value if isinstance(value, dict) else ()
        for member in value.values() if isinstance(value, dict) else value:
            yield from _keys(member)


def _is_exploded_key_with_brackets(case: Case, arguments: dict[str, Any]) -> bool:
    given = [
        value
        for name, value in arguments.items()
        if isinstance(value, dict) and any(each.place in ("query", "cookie", "form") for each in case.places[name])
    ]
    return any(re.search(r"[\[\]]", key) for value in given for key in _keys(value))


DIFFERENCES = (
    Difference(
        "A key of an exploded object that holds brackets stands as it is, since objects of any members are how "
        "documents take parameters such as `filter[name]`; it reads like a member of a member.",
        _is_exploded_key_with_brackets,
        "small/readme/parameters-style-3.1.yaml",
        "query_form_exploded",
        {"primitive": "a", "array": [], "object": {"x[y]": "b"}},
    ),
)


def is_known(case: Case, arguments: dict[str, Any]) -> bool:
    return any(difference.applies(case, arguments) for difference in DIFFERENCES)
