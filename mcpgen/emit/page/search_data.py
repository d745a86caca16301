"""Provide the data for the search on the page of `inspect --html`: the server's index, word lists and numbers."""

import json
from collections.abc import Iterator, Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.runtime import coverage, notation, postings, retriever, search_listing, stems, synonyms

_MODULES = (stems, postings, coverage, retriever, notation, search_listing)
"""Modules of the runtime whose numbers (weights and limits) the scripts of the page use under the same names."""


# The search exists twice, in Python and in JavaScript: precomputed answers would cover fixed queries alone, and a page
# that asks a process could not be passed on. `tests/page/` compares both. GitHub's page grows by 0.6 MB.
def search_data(index: bytes) -> JsonObject:
    """Return the data for the search on the page of `inspect --html`. `index`: search index of the generated server."""
    return {
        "index": json.loads(index),
        "numbers": {name: value for module in _MODULES for name, value in _numbers(vars(module))},
        "short": dict[str, JsonValue](notation.SHORT),
        "stop": list[JsonValue](sorted(stems.STOP)),
        "verbs": dict[str, JsonValue](synonyms.VERBS),
        "synonyms": {word: list[JsonValue](others) for word, others in synonyms.SYNONYMS.items()},
        "questions": list[JsonValue](sorted(synonyms.QUESTIONS)),
        "general": list[JsonValue](sorted(synonyms.GENERAL)),
    }


def _numbers(names: Mapping[str, object]) -> Iterator[tuple[str, int | float]]:
    """Yield name and value of each constant of a module that is a number, without the underscore of private names."""
    for name, value in names.items():
        if name.isupper() and isinstance(value, (int, float)) and not isinstance(value, bool):
            yield name.lstrip("_"), value
