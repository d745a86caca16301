"""Read which OAuth scopes a published document requires of callers, independently of the compiler, to compare the
results.

The reader uses the raw text of the document and no code of the compiler. It reads operations under `paths` with
references to other files of the folder, `security` at an operation or at the root, and the schemes of OpenAPI 2.0 and
3.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from tests.corpus.published import METHODS, blanked, load

Alternatives = frozenset[frozenset[str]]
"""Sets of scopes. A token must have all scopes of one set. No set is a superset of another. Empty: no scope
is needed.
"""


class Place(NamedTuple):
    """A file with its content. References in the content are relative to the file's path."""

    path: Path
    root: Any


@lru_cache(maxsize=4096)
def file(path: Path) -> Place:
    return Place(path, load(path))


def resolved(place: Place, node: Any) -> tuple[Place, Any]:
    """Return the node that a reference leads to, in this file or another file of its folder."""
    while isinstance(node, dict) and isinstance(node.get("$ref"), str):
        name, _, pointer = node["$ref"].partition("#")
        if "://" in name:
            break
        place = file((place.path.parent / name).resolve()) if name else place
        node = place.root
        for key in filter(None, pointer.split("/")):
            node = node[unquote(key).replace("~1", "/").replace("~0", "~")]
    return place, node


def kinds(document: Place) -> dict[str, str]:
    """Return a mapping from the name of each security scheme to its type, or to `bearer` for an HTTP bearer scheme."""
    old, new = document.root.get("securityDefinitions"), (document.root.get("components") or {}).get("securitySchemes")
    schemes = {name: resolved(document, each)[1] for name, each in {**(old or {}), **(new or {})}.items()}
    is_bearer = {name: str(each.get("scheme")).lower() == "bearer" for name, each in schemes.items()}
    return {name: "bearer" if is_bearer[name] else str(each.get("type")) for name, each in schemes.items()}


def alternatives(security: Any, types: dict[str, str]) -> Alternatives:
    """Return which scopes one `security` list requires of a caller with an OAuth token."""
    sets = []
    for requirement in security or ():
        if not requirement:
            return frozenset()  # `{}` in `security`: anybody may call
        oauth = [
            scopes
            for name, scopes in requirement.items()
            if types.get(name) in ("oauth2", "openIdConnect") or (types.get(name, "bearer") == "bearer" and scopes)
        ]
        if oauth:
            sets.append(frozenset(word for scopes in oauth for scope in scopes for word in scope.split()))
    if frozenset() in sets:
        return frozenset()
    return frozenset(each for each in sets if not any(other < each for other in sets))


def asked(path: Path) -> dict[str, Alternatives]:
    """Return a mapping from method and path to the required scopes. Names of path variables are removed."""
    document = file(path)
    types, found = kinds(document), {}
    for template, own in (document.root.get("paths") or {}).items():
        place, item = resolved(document, own)
        for method in (each for each in METHODS if isinstance(item, dict) and each in item):
            _, operation = resolved(place, item[method])
            security = operation["security"] if "security" in operation else document.root.get("security")
            found[blanked(f"{method.upper()} {template}")] = alternatives(security, types)
    return found
