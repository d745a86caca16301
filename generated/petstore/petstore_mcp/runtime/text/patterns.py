# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Search texts for patterns in linear time, with the regular expression engine of the validator library
(jsonschema-rs).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import jsonschema_rs

PATTERN_BYTES = 2 * 1024 * 1024
"""Maximum memory of a compiled pattern in bytes, as the engine measures it.

It is twice the compiler's limit. The compiler estimates the memory by a rule of its own, and engines differ from it.
"""

WORDS_AT_ONCE = 500
"""Words that one pattern searches for. A pattern of 1,500 words of 32 characters would exceed PATTERN_BYTES."""


def options(formats: dict[str, Callable[[str], bool]]) -> dict[str, Any]:
    """Return options for the validator library: the formats to check, a size limit for patterns, and no network
    access.
    """
    patterns = jsonschema_rs.RegexOptions(size_limit=PATTERN_BYTES)
    return {"validate_formats": True, "formats": formats, "pattern_options": patterns, "offline": True}


def finder(words: Collection[str]) -> Callable[[str], bool]:
    """Return a function that returns True if a text contains one of `words`, which consist of ASCII letters and digits.

    WORDS_AT_ONCE words are searched at once. That takes 0.1 ms per megabyte; Python's `in` takes 3 ms for each word.
    """
    if not words:
        return lambda text: False
    if len(words) > WORDS_AT_ONCE:
        listed = list(words)
        parts = [listed[start : start + WORDS_AT_ONCE] for start in range(0, len(listed), WORDS_AT_ONCE)]
        finders = [finder(part) for part in parts]
        return lambda text: any(found(text) for found in finders)
    return searcher("|".join(words), lambda text: any(word in text for word in words))


# The engine of the validator's library saves two fifths of the time of a call with 1 MB, and takes linear time
# (docs/decisions/speed.md).
def searcher(pattern: str, surrogates: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return a function that returns, in linear time, whether `pattern` matches anywhere in a text.

    A text with a lone surrogate, which only a hook can produce, cannot be searched; `surrogates(text)` then gives the
    result.
    """
    holds = jsonschema_rs.validator_for({"pattern": pattern}, **options({})).is_valid

    def found(text: str) -> bool:
        try:
            return holds(text)
        except UnicodeEncodeError:
            return surrogates(text)

    return found
