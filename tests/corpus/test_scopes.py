"""Test the OAuth scopes that servers require of callers, for every published document with scopes. Compare them with an
independent reader.

The tests compare `scopes_supported`, each tool's challenge, and the tools listed for a token that lacks one scope.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.catalog import Catalog
from package.runtime.core.jsonrpc import Request
from package.runtime.http_server.streamable.access import Access
from package.runtime.identity.identity import Identity

from mcpgen.base.errors import FatalError
from mcpgen.emit import emit
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.corpus.published import blanked
from tests.corpus.scopes_reader import Alternatives, asked

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
SPECS = Path(__file__).parents[2] / "specs"
WORDS = ("oauth2", "openIdConnect", "bearer")
"""Types of security schemes with scopes. The text of a document with scopes contains one of these words."""


def with_scopes() -> list[Path]:
    """Return the documents with a scheme that has scopes. Files without `paths` are left out: other documents refer to
    them.
    """
    found = (
        path for folder in (CORPUS, SPECS) for kind in ("json", "yaml", "yml") for path in folder.rglob(f"*.{kind}")
    )
    texts = {path: path.read_text("utf-8") for path in found if path.is_file()}
    return sorted(p for p, text in texts.items() if any(word in text for word in WORDS) and PATHS.search(text))


PATHS = re.compile(r"""^paths:|"paths"\s*:""", re.MULTILINE)
DOCUMENTS = with_scopes()
pytestmark = [
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository"),
    pytest.mark.slow,
]


def caller(scopes: frozenset[str]) -> Identity:
    return Identity("https://issuer.example", "someone", "", scopes, 2e9, {}, "")


def served(path: Path, folder: Path) -> tuple[Catalog, dict[str, str]] | None:
    """Compile a document, and load its tools as a server does (a catalog). Return the catalog, and a mapping from each
    tool to its operation. If the document does not compile, return only None.
    """
    try:
        catalog = compile_source(fetch.read(str(path)), Options(base_url="https://api.example.com")).catalog
    except (FatalError, ValueError):
        return None
    tree = emit(catalog)
    for name in ("tools.json", "bindings.json"):
        folder.joinpath(name).write_bytes(tree[f"{catalog.identity.package}/{name}"])
    operations = {tool.name: blanked(f"{tool.operation.method} {tool.operation.path}") for tool in catalog.tools}
    return Catalog.load(str(folder)), operations


def call(name: str) -> Request:
    return Request(1, "tools/call", {"name": name, "arguments": {}})


def holds(scopes: frozenset[str], wanted: Alternatives) -> bool:
    return not wanted or any(each <= scopes for each in wanted)


def listed(access: Access, scopes: frozenset[str]) -> list[str]:
    """Return the names in the bytes that `tools/list` sends to a caller with these scopes."""
    tools: list[dict[str, Any]] = json.loads(b"".join(access.catalog(caller(scopes)).tools))
    return [tool["name"] for tool in tools]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_what_callers_need(path: Path, tmp_path: Path) -> None:
    found = served(path, tmp_path)
    if found is None:
        pytest.skip("it has no tool")
    catalog, operations = found
    of_document = asked(path)
    wanted = {name: of_document[key] for name, key in operations.items()}
    access = Access(catalog, checks=True)
    known = frozenset(scope for each in wanted.values() for scopes in each for scope in scopes)
    every = Access(catalog, checks=True, first=("*",)).first_scopes()
    assert every <= known - {"offline_access"}
    assert all(holds(every | {"offline_access"}, each) for each in wanted.values())
    reading = [name for name in wanted if not catalog.writes(name)]
    assert all(holds(access.first_scopes() | {"offline_access"}, wanted[name]) for name in reading)
    assert access.first_scopes() <= known
    for scopes in (known, frozenset[str](), *(known - {scope} for scope in sorted(known))):
        allowed = [name for name in catalog.names() if holds(scopes, wanted[name])]
        assert listed(access, scopes) == allowed, scopes
        for name in wanted:
            challenge = access.lacking(caller(scopes), call(name))
            if holds(scopes, wanted[name]):
                assert challenge is None
            else:
                assert challenge in wanted[name]
                assert len(challenge - scopes) == min(len(each - scopes) for each in wanted[name])
