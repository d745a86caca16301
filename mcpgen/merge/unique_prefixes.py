"""What tells several documents apart, whatever their order: the fronts of their keys, and the names of their schemes.

A front or a name belongs to the one that could have it alone. So a document that is added, or comes sooner, never takes
over what was another's, neither the names of its tools nor its credentials.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mcpgen.base.names import environment_suffix, exclusive, short_hash, words
from mcpgen.model import SecurityScheme, Server
from mcpgen.read.inputs import Described


@dataclass(frozen=True, slots=True)
class Place:
    """A server as far as requests go there."""

    url: str
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A scheme and the one server that its credential is for."""

    scheme: SecurityScheme
    place: Place


def place_of(at: Sequence[Server]) -> Place:
    """The place of a document's servers: the first is called."""
    if not at:
        return Place("")
    return Place(at[0].url.rstrip("/"), tuple((each.name, each.default) for each in at[0].variables))


def label_of(place: Place) -> str:
    """The address of a server, in words."""
    return "_".join(words(place.url.partition("://")[2]))


def fronts(each: Sequence[tuple[Described, Place]]) -> list[str]:
    """What stands before the keys of each document: its prefix, or its name as the tools file writes it; with both and
    the server where another has that too. Nothing for SOURCE itself.
    """

    def ladder(one: Described, place: Place) -> list[str]:
        if one.entry is None:
            return [""]
        prefix, text = one.entry.prefix, one.entry.document.text
        return [prefix or text, " ".join(filter(None, (prefix, text, place.url)))]

    return exclusive([ladder(*one) for one in each])


# Decision 0121: Neither order nor one more document moves a name.
def names_of(found: Iterable[tuple[Kept, Described]], taken: Collection[str]) -> Mapping[Kept, str]:
    """The name of every scheme of a server: its own, or, where another has that too, behind the document's name, its
    path or the server. None is in `taken`, and no two of them fill one variable of the environment.
    """
    by: dict[Kept, list[Described]] = {}
    for kept, one in found:
        by.setdefault(kept, []).append(one)
    ordered = sorted(by, key=repr)
    names = exclusive([_ladder(kept, by[kept]) for kept in ordered], taken, environment_suffix)
    assert len({environment_suffix(name) for name in names}) == len(ordered), "one name, one scheme, one server"
    return dict(zip(ordered, names, strict=True))


def _ladder(kept: Kept, documents: Sequence[Described]) -> list[str]:
    name = kept.scheme.name
    labels = [*sorted(set(map(_name, documents))), *sorted(set(map(_whole, documents)))]
    labels.append(label_of(kept.place))
    identity = repr((replace(kept.scheme, name=""), kept.place))
    return [name, *(f"{each}_{name}" for each in labels if each), f"{name}_{short_hash(identity, 8)}"]


def _name(one: Described) -> str:
    """The name of a document's file, in words."""
    return "_".join(words(one.document.rpartition("/")[2].partition(".")[0])) or "api"


def _whole(one: Described) -> str:
    """All of the path of a document, in words, as the tools file writes it: the same wherever the run stands."""
    return "_".join(words(one.entry.document.text.rpartition(".")[0])) if one.entry else _name(one)
