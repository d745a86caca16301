"""Patterns: which may be shown, because the engine that checks them takes linear time whatever the text."""

import re
from functools import cache

LONGEST = 256
_LOOK_AROUND = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\(\?P?<|\(\?>|[*+?]\+|[\d,]\}\+")


@cache
def is_linear(pattern: str) -> bool:
    """Whether a linear-time engine takes `pattern`, and it is short enough to be worth showing."""
    if len(pattern) > LONGEST or _LOOK_AROUND.search(pattern):
        return False
    import jsonschema_rs  # only documents with patterns pay for it

    try:
        jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=jsonschema_rs.RegexOptions(), offline=True)
    except ValueError:
        return False
    return True


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` is linear and found in `text`."""
    if not is_linear(pattern):
        return False
    import jsonschema_rs  # only documents with patterns pay for it

    return jsonschema_rs.is_valid({"pattern": pattern}, text, pattern_options=jsonschema_rs.RegexOptions())
