"""Provide the data for the search on the page of `inspect --html`: index and word lists of the server's search."""

import json

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.runtime import stems, synonyms


# The search exists twice, in Python and in JavaScript: precomputed answers would cover fixed queries alone, and a page
# that asks a process could not be passed on. `tests/page/` compares both. GitHub's page grows by 0.6 MB.
def search_data(index: bytes) -> JsonObject:
    """Return the data for the search on the page of `inspect --html`. `index`: search index of the generated server."""
    return {
        "index": json.loads(index),
        "stop": list[JsonValue](sorted(stems.STOP)),
        "verbs": dict[str, JsonValue](synonyms.VERBS),
        "synonyms": {word: list[JsonValue](others) for word, others in synonyms.SYNONYMS.items()},
        "questions": list[JsonValue](sorted(synonyms.QUESTIONS)),
        "general": list[JsonValue](sorted(synonyms.GENERAL)),
        "foreign": list[JsonValue](sorted(synonyms.FOREIGN)),
    }
