# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Whose the names are that a request writes: a value may only write names that are its own, or free.

Members of an exploded object, and further members of a body, are named by the call. None of them may be the name of
what another argument wrote. What the owner of the server holds, by a constant, a template or by leaving an argument
out, is held more strictly: whether or not anything is sent there, in any case of its letters, and with brackets behind
it, since there are servers that read all these as one name. Names of credentials are held most strictly: no value
writes a name that any server may read as one (PHP makes `_` of dots and blanks, CGI of hyphens, ASP.NET ignores case).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import unquote

from .argument_errors import Problem, Refused

if TYPE_CHECKING:
    from typing import Protocol

    from ..core.table import Field
    from ..core.table import Parameter as Bound

    class Pairs(Protocol):
        """A parameter that writes pairs (parameters.Pairs)."""

        name: str
        argument: str
        bound: Bound
        own: str | tuple[str, ...]


AnyPairs = TypeVar("AnyPairs", bound="Pairs")

_NO_LETTERS = re.compile(r"[\W_]+")

OTHERS: Any = object()
"""Stands among the arguments for all that a call gives beyond what the schema names, where that is allowed."""

Written = tuple[str, "Bound | Field", Sequence[str]]
"""What wrote something, as a model calls it; how the binding describes that; and the names that it wrote."""


def names_of(pairs: Iterable[str]) -> list[str]:
    """The names of pairs `name=value`, decoded."""
    return [unquote(pair.partition("=")[0]) for pair in pairs]


def front(name: str, written: str) -> str | tuple[str, ...]:
    """What a pair begins with that is read as one of that name, which stands in it as `written`; where it would be read
    as another's, what no pair begins with.
    """
    return f"{written}=" if names_of([f"{written}="]) == [name] else ()


@lru_cache(maxsize=512)
def fold(name: str) -> str:
    """Return what all names have in common that some server reads as this one: decoded, in one case, without brackets
    behind it, its letters and digits alone. The compiler has the same (`names.fold`).
    """
    for _ in range(3):
        name = unquote(name)
    if not name.isascii():
        import unicodedata  # a megabyte of tables, and names are ASCII

        name = unicodedata.normalize("NFKC", name)
    name = name.casefold()
    return _NO_LETTERS.sub("", name.partition("[")[0]) or name


# Decision 0033: Names that fold to a credential's are refused.
def refuse_credentials(given: Iterable[tuple[str, str]], place: str, credentials: frozenset[str]) -> None:
    """Raise Refused for an argument with a name, given by the call, that folds to one of the folded `credentials`."""
    for argument, name in given if credentials else ():
        if fold(name) in credentials:
            raise Refused(Problem(argument, f"writes the {place} {name}, which servers may read as a credential"))


class Shared(Generic[AnyPairs]):
    """A place that several parameters write pairs into: `place` says what each is there, `withheld` whose names only
    the owner of the server may write; `credentials` are folded names that no value may write.
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
        """The pairs of all, each having `written` its own. Raises Refused where one wrote a name that is another's."""
        own, found = self._apart, list[str]()
        for parameter, pairs in zip(self.parameters, written, strict=True):
            for pair in pairs:
                own = own and pair.startswith(parameter.own)
            found += pairs
        if not own:  # else each name is that of the one that wrote it, and no two have the same
            each = zip(self.parameters, written, strict=True)
            named = [(parameter.argument, parameter.bound, names_of(pairs)) for parameter, pairs in each]
            given = ((argument, name) for argument, bound, names in named for name in names if name != bound["name"])
            refuse_credentials(given, self._place, self._credentials)
            check(named, self._place, self._withheld)
        return found


def folded(names: Iterable[str]) -> set[str]:
    """Names as a server has them that does not tell cases apart."""
    return {name.casefold() for name in names}


def readings(name: str) -> set[str]:
    """What a server may take a name for, in one case: `Role[]` for itself and for `role`."""
    return folded([name, name.partition("[")[0]])


def check(written: Iterable[Written], place: str, withheld: Iterable[str] = ()) -> None:
    """Raises Refused for a name that is another's, or one of those `withheld`. `place` is what it would be there."""
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
    """The names that the owner holds, and what holds them; nothing that was written does where they are withheld."""
    held = {bound["name"].casefold(): bound for _, bound, _ in written if "value" in bound or "template" in bound}
    return dict.fromkeys(folded(withheld)) | held


def _beyond(name: str, own: str) -> set[str]:
    """What a written name may be taken for beyond what it was written under."""
    if name == own:
        return set()
    return folded([name]) if name.startswith(f"{own}[") else readings(name)


def _refused(argument: str, place: str, name: str) -> Refused:
    return Refused(Problem(argument, f"writes the {place} {name}, which is not its own"))
