"""Choose unique prefixes for the operation keys of several documents, and unique names for their schemes.

If several documents propose the same prefix or name, none of them gets it, and each gets a longer one. So neither a new
order of the documents nor a new document gives a document's tool name or credential to another document.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mcpgen.base.names import environment_suffix, exclusive, short_hash, words
from mcpgen.model import SecurityScheme, Server
from mcpgen.read.inputs import DescribedApi


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """The parts of a server that requests depend on: URL, and variables as (name, default)."""

    url: str
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ServerScheme:
    """A security scheme, and the one server that its credential is for."""

    scheme: SecurityScheme
    place: ServerPlace


def place_of(at: Sequence[Server]) -> ServerPlace:
    """Return the URL and variables of the first server, which receives the requests."""
    return ServerPlace(at[0].url.rstrip("/"), tuple((each.name, each.default) for each in at[0].variables))


def label_of(place: ServerPlace) -> str:
    """Return the host and path of a server as words joined by `_`."""
    return "_".join(words(place.url.partition("://")[2]))


def fronts(each: Sequence[tuple[DescribedApi, ServerPlace]]) -> list[str]:
    """Return a unique key prefix for each document: the document's `prefix`, else its path.

    Documents that would get the same prefix get a longer one: `prefix`, path and server URL, joined. A document that is
    the command's argument SOURCE gets the empty prefix.
    """

    def ladder(one: DescribedApi, place: ServerPlace) -> list[str]:
        if one.entry is None:
            return [""]
        prefix, text = one.entry.prefix, one.entry.document.text
        return [prefix or text, " ".join(filter(None, (prefix, text, place.url)))]

    return exclusive([ladder(*one) for one in each])


# A name that two documents propose goes to neither: otherwise the order of documents would decide
# (docs/decisions/compiling.md).
def names_of(found: Iterable[tuple[ServerScheme, DescribedApi]], taken: Collection[str]) -> Mapping[ServerScheme, str]:
    """Return a unique name for each pair of scheme and server.

    The name is the scheme's own if no other pair has the same one. Otherwise the document's name, its path or the
    server is put before the scheme's name. No name is in `taken`, and no two names give the same environment variable.
    """
    by: dict[ServerScheme, list[DescribedApi]] = {}
    for kept, one in found:
        by.setdefault(kept, []).append(one)
    ordered = sorted(by, key=repr)
    names = exclusive([_ladder(kept, by[kept]) for kept in ordered], taken, environment_suffix)
    assert len({environment_suffix(name) for name in names}) == len(ordered), "one name, one scheme, one server"
    return dict(zip(ordered, names, strict=True))


def _ladder(kept: ServerScheme, documents: Sequence[DescribedApi]) -> list[str]:
    name = kept.scheme.name
    labels = [*sorted(set(map(_name, documents))), *sorted(set(map(_whole, documents)))]
    labels.append(label_of(kept.place))
    identity = repr((replace(kept.scheme, name=""), kept.place))
    return [name, *(f"{each}_{name}" for each in labels if each), f"{name}_{short_hash(identity, 8)}"]


def _name(one: DescribedApi) -> str:
    """Return the file name of a document as words joined by `_`, or "api" if the file name holds no word."""
    return "_".join(words(one.document.rpartition("/")[2].partition(".")[0])) or "api"


def _whole(one: DescribedApi) -> str:
    """Return the path of a document as words joined by `_`.

    The path is taken as the tools file writes it, so the result does not depend on the working directory.
    """
    return "_".join(words(one.entry.document.text.rpartition(".")[0])) if one.entry else _name(one)
