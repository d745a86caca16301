"""Describe the values of a schema in a few words: `string`, `object {id, name}`."""

from collections.abc import Sequence

from mcpgen.base.jsonvalue import JsonValue
from mcpgen.regenerate.diff.variance.cases import Case
from mcpgen.regenerate.diff.variance.objects import Members

_MOST = 6
"""Limit on the names of members that are shown."""


def types(cases: Sequence[Case]) -> dict[str, str]:
    """Return a mapping from each type in `cases` (alternatives of a schema) to the type to show for it. `number`
    becomes `integer` if all numbers in `cases` must be integers.
    """
    whole = all(case.integral or _is_whole(case) for case in cases if case.kind == "number")
    kinds = sorted({case.kind for case in cases})
    return {kind: "integer" if kind == "number" and whole else kind for kind in kinds}


def _is_whole(case: Case) -> bool:
    return bool(case.values) and isinstance(case.values[0], int)


def outlined(cases: Sequence[Case] | None) -> JsonValue:
    """Return the types of `cases` (alternatives of a schema) as text, such as `string or object {id, name}`.

    Return None if there are no cases, or too many to be listed.
    """
    if not cases:
        return None
    return " or ".join(dict.fromkeys(map(_word, cases)))


def _word(case: Case) -> str:
    if case.kind == "number":
        return "integer" if case.integral else "number"
    if case.kind == "object" and (names := sorted(Members(case).listed)):
        return "object {" + ", ".join(names[:_MOST]) + (", …" if len(names) > _MOST else "") + "}"
    return case.kind
