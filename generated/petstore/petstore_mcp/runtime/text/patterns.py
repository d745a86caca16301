# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Search texts for patterns in linear time, with the regular expression engine of the validator library
(jsonschema-rs).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema_rs

PATTERN_BYTES = 2 * 1024 * 1024
"""Maximum memory of a compiled pattern in bytes, as the engine measures it.

It is twice the compiler's limit. The compiler estimates the memory by a rule of its own, and engines differ from it.
"""


def options(formats: dict[str, Callable[[str], bool]]) -> dict[str, Any]:
    """Return options for the validator library: the formats to check, a size limit for patterns, and no network
    access.
    """
    patterns = jsonschema_rs.RegexOptions(size_limit=PATTERN_BYTES)
    return {"validate_formats": True, "formats": formats, "pattern_options": patterns, "offline": True}


# The engine of the validator's library saves two fifths of the time of a call with 1 MB, and takes linear time
# (docs/decisions/speed.md).
def searcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that returns, in linear time, whether `pattern` matches anywhere in a text.

    It raises UnicodeEncodeError for a text with a lone surrogate, which only a hook can produce.
    """
    searched: Callable[[str], bool] = jsonschema_rs.validator_for({"pattern": pattern}, **options({})).is_valid
    return searched
