"""Provide the data for the search on the page of `inspect --html`: index and word lists of the server's search."""

import ast
import json

from mcpgen.base import assets
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.retrieval.stems import STOP, stem


# The search exists twice, in Python and in JavaScript: precomputed answers would cover fixed queries alone, and a page
# that asks a process could not be passed on. `tests/page/` compares both. GitHub's page grows by 0.6 MB.
def search_data(index: bytes) -> JsonObject:
    """Return the data for the search on the page of `inspect --html`. `index`: search index of the generated server.

    The lists of verbs and synonyms are read from a module of the runtime that contains only data, so that they exist
    only once.
    """
    text = (assets.package_templates() / "runtime" / "search" / "synonyms.py").read_text(encoding="utf-8")
    words = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.startswith("_")
    }
    verbs: JsonObject = {stem(word): effect for effect, several in words["_VERBS"].items() for word in several.split()}
    pairs = [each.partition("=")[::2] for each in words["_SYNONYMS"].split()]
    synonyms: JsonObject = {
        stem(word): list[JsonValue](
            dict.fromkeys(stem(other) for other in others.split(",") if stem(other) != stem(word))
        )
        for word, others in pairs
    }
    return {
        "index": json.loads(index),
        "stop": list[JsonValue](sorted(STOP)),
        "verbs": verbs,
        "synonyms": synonyms,
        "questions": list[JsonValue](words["_QUESTIONS"].split()),
        "general": list[JsonValue](sorted(set(map(stem, words["_GENERAL"].split())))),
        "foreign": list[JsonValue](words["_FOREIGN"].split()),
    }
