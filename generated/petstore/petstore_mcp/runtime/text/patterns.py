# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Search of texts in linear time, by the engine for patterns that the validator's library has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import jsonschema_rs

PATTERN_BYTES = 1024 * 1024
"""The most memory of one compiled pattern, as the compiler has it."""


def options(formats: dict[str, Callable[[str], bool]]) -> dict[str, Any]:
    """Return how the library is to check: with these formats, patterns under a limit, and nothing fetched."""
    patterns = jsonschema_rs.RegexOptions(size_limit=PATTERN_BYTES)
    return {"validate_formats": True, "formats": formats, "pattern_options": patterns, "offline": True}


def finder(words: Collection[str]) -> Callable[[str], bool]:
    """What says whether a text holds one of some words, which are ASCII letters and digits or nothing.

    All are looked for at once, a megabyte in a tenth of a millisecond; Python takes three for a word.
    """
    if not words:
        return lambda text: False
    return searcher("|".join(words), lambda text: any(word in text for word in words))


# Decision 0155: Long texts are searched by the validator's library.
def searcher(pattern: str, surrogates: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return what says whether a text holds something that the pattern matches, in linear time.

    A text with a lone surrogate, which only a hook can have made, is given to `surrogates` instead.
    """
    holds = jsonschema_rs.validator_for({"pattern": pattern}, **options({})).is_valid

    def found(text: str) -> bool:
        try:
            return holds(text)
        except UnicodeEncodeError:
            return surrogates(text)

    return found
