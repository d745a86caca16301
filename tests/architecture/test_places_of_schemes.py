"""Count the files that ask for the kind of a security scheme by its word.

A kind is data: `mcpgen/model/credential_text.py` says how its credential is written, and `bindings.json` tells the
runtime. A file that compares with a word, such as `bearer`, must change for each new kind. The files below read the
words of others: documents, Postman collections, and configurations of other servers. Their number may only fall.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.imports import ROOT

WORDS = frozenset(("apikey", "bearer", "basic", "oauth2", "openidconnect", "mutualtls"))
ALLOWED = {
    "mcpgen/adopt/programs/awslabs.py": "configurations of another server",
    "mcpgen/adopt/programs/flags.py": "header fields of another server",
    "mcpgen/adopt/security.py": "credentials of another server",
    "mcpgen/demo/petstore/__init__.py": "schemes of the example API",
    "mcpgen/model/credential_text.py": "the one list of HTTP schemes",
    "mcpgen/read/document/redaction.py": "words that are no secrets in examples",
    "mcpgen/read/openapi/security.py": "Security Scheme Objects",
    "mcpgen/read/toolsfile/access.py": "Security Scheme Objects, with the keys of each type",
    "mcpgen/read/translate/discovery.py": "Discovery documents",
    "mcpgen/read/translate/postman/__init__.py": "words of Postman",
    "mcpgen/regenerate/diff/surface.py": "`bindings.json` of format 1",
    "templates/package/runtime/oauth/token_response.py": "`token_type` of a token response (RFC 6749)",
    "templates/package/runtime/http_server/streamable/admission.py": "tokens of callers",
    "templates/package/runtime/http_server/streamable/metrics_page.py": "tokens of callers",
}


def test_the_kinds_of_schemes_are_named_in_these_files_alone() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("mcpgen", "templates/package")
        for path in (ROOT / folder).rglob("*.py")
        if any(_compared(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == ALLOWED.keys()


def _compared(tree: ast.AST) -> Iterator[bool]:
    """Yield whether a part of the code that tells kinds apart names a word: a comparison, a `case`, keys of a dict."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare | ast.MatchValue):
            yield any(_is_word(each) for each in ast.walk(node))
        elif isinstance(node, ast.Dict):
            yield any(key is not None and _is_word(key) for key in node.keys)


def _is_word(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lower() in WORDS
