# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Refuse names that an argument must not write into the query, the cookies or a form.

Arguments write `name=value` pairs. A call chooses the names of members of exploded objects and of undeclared body
members. Such a name must differ from all names that other arguments of the same call have written. It may be the name
of a parameter that the call leaves out, because documents often declare the members of such an object as parameters
too.

The owner of the generated server reserves names by constants, templates and arguments that are hidden from the model.
These names are refused in any letter case, and with brackets after them, and even if the call sends nothing under them.
Some servers read all these spellings as the same name.

No argument may write a name that a server could read as the name of a credential. For this check, only letters and
digits are compared, without case: PHP replaces dots and spaces by `_`, CGI replaces hyphens, and ASP.NET ignores case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import unquote

from ..text.folded_names import fold
from .argument_errors import Problem, Refused

if TYPE_CHECKING:
    from typing import Protocol

    from ..tables.table import Field
    from ..tables.table import Parameter as Bound

    class Pairs(Protocol):
        """Interface of a parameter that writes `name=value` pairs (parameters.Pairs)."""

        name: str
        argument: str
        bound: Bound
        own: str | tuple[str, ...]


AnyPairs = TypeVar("AnyPairs", bound="Pairs")

OTHERS: Any = object()
"""Key under which all undeclared arguments are stored together, if a tool accepts undeclared arguments."""

Written = tuple[str, "Bound | Field", Sequence[str]]
"""One argument: its name, its entry in the binding, and the names that it has written."""


def names_of(pairs: Iterable[str]) -> list[str]:
    """Return the decoded names in encoded `name=value` pairs."""
    return [unquote(pair.partition("=")[0]) for pair in pairs]


def front(name: str, written: str) -> str | tuple[str, ...]:
    """Return the encoded prefix `name=` of all pairs that the parameter `name` writes. `written`: the encoded name.

    If decoding `written` does not give `name`, return (), with which `startswith` finds no pair. For example, a cookie
    of style `cookie` sends the name `%41` as it is, and servers decode it to `A`.
    """
    return f"{written}=" if names_of([f"{written}="]) == [name] else ()


# An argument must not replace a credential. CGI reads `X-Key` and `X_Key` as one header, and PHP `api.key` and
# `api_key` as one parameter (docs/decisions/requests.md).
def refuse_credentials(given: Iterable[tuple[str, str]], place: str, credentials: frozenset[str]) -> None:
    """Raise Refused if an argument sends a value under a name that servers may read as a credential's name.

    `given`: pairs of an argument and a name under which it sends a value. `credentials`: credentials' names as `fold`
    returns them: two names that servers may read as the same have one folded name.
    """
    for argument, name in given if credentials else ():
        if fold(name) in credentials:
            raise Refused(Problem(argument, f"writes the {place} {name}, which servers may read as a credential"))


class PairSpace(Generic[AnyPairs]):
    """The query, the cookies or a form, into which several parameters write pairs.

    `place` is the word for one pair in messages. `withheld`: names that no argument may write, because the owner of the
    generated server hid them. `credentials`: names of credentials, normalized by `fold`. Besides its own name, a
    parameter may write no name that `fold` normalizes to one of these.
    """

    __slots__ = ("_apart", "_credentials", "_place", "_withheld", "parameters")

    def __init__(
        self, parameters: Sequence[AnyPairs], place: str, withheld: Iterable[str], credentials: frozenset[str]
    ) -> None:
        self.parameters = parameters
        self._place = place
        self._withheld = withheld
        self._credentials = credentials
        self._apart = len({each.name for each in parameters}) == len(parameters)

    def joined(self, written: list[list[str]]) -> list[str]:
        """Return the pairs of all parameters as one list. `written` holds, for each parameter, the pairs that it has
        written.

        Raise Refused if one parameter has written another's name.
        """
        own, found = self._apart, list[str]()
        for parameter, pairs in zip(self.parameters, written, strict=True):
            for pair in pairs:
                own = own and pair.startswith(parameter.own)
            found += pairs
        if not own:  # a parameter wrote a pair (`name=value`) not under its own name, or two parameters share a name
            each = zip(self.parameters, written, strict=True)
            named = [(parameter.argument, parameter.bound, names_of(pairs)) for parameter, pairs in each]
            given = ((argument, name) for argument, bound, names in named for name in names if name != bound["name"])
            refuse_credentials(given, self._place, self._credentials)
            check(named, self._place, self._withheld)
        return found


def folded(names: Iterable[str]) -> set[str]:
    """Return the names case-folded, for servers that ignore case."""
    return {name.casefold() for name in names}


def readings(name: str) -> set[str]:
    """Return the case-folded names that servers may read `name` as.

    Example: `Role[]` can be read as `role[]` and `role`.
    """
    return folded([name, name.partition("[")[0]])


def check(written: Iterable[Written], place: str, withheld: Iterable[str] = ()) -> None:
    """Raise Refused if two arguments send values under the same name, or if an argument sends a value under a name that
    the server's owner reserves.

    Reserved are the names in `withheld`, and the names of parameters and body fields whose values are constants or
    templates. `place`: the word for a name in the message, such as "query parameter".
    """
    written = list(written)
    strays = any(name != bound["name"] for _, bound, names in written for name in names)
    held = _held(written, withheld) if strays else {}
    owners: dict[str, tuple[str, Bound | Field]] = {}
    for argument, bound, names in written:
        for name in names:
            first, owner = owners.setdefault(name, (argument, bound))
            if owner is not bound:
                raise _refused(argument if bound["name"] != name else first, place, name)
            if held and any(held.get(each, bound) is not bound for each in _beyond(name, bound["name"])):
                raise _refused(argument, place, name)


def _held(written: Iterable[Written], withheld: Iterable[str]) -> dict[str, Bound | Field | None]:
    """Return reserved name, case-folded -> the parameter or body field that sends it, or None for a name in `withheld`.

    Reserved are the names in `withheld`, which no argument may write, and the names of parameters and body fields whose
    values are constants or templates (texts with placeholders).
    """
    held = {bound["name"].casefold(): bound for _, bound, _ in written if "value" in bound or "template" in bound}
    return dict.fromkeys(folded(withheld)) | held


def _beyond(name: str, own: str) -> set[str]:
    """Return case-folded names under which servers may find a value that the parameter `own` sends as `name`.

    If `name` is `own`, return an empty set. If `name` is `own` with brackets after it (`role[x]`), return only this
    name. Otherwise return `name` both with its brackets and without them.
    """
    if name == own:
        return set()
    return folded([name]) if name.startswith(f"{own}[") else readings(name)


def _refused(argument: str, place: str, name: str) -> Refused:
    return Refused(Problem(argument, f"writes the {place} {name}, which is not its own"))
