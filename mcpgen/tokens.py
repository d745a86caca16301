"""An estimate of what a value costs a model to read, without a tokenizer: comparable between tools, not a bill."""

import re

from mcpgen.jsonvalue import JsonValue, compact

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]+")


def estimate(value: JsonValue) -> int:
    """About how many tokens the compact JSON of `value` is. Words count by length, punctuation by runs."""
    total = 0
    for piece in _PIECES.findall(compact(value)):
        if piece[0].isalpha():
            total += 1 + (len(piece) - 1) // 7
        elif piece[0].isdigit():
            total += 1 + (len(piece) - 1) // 3
        else:
            total += 1 + (len(piece) - 1) // 4
    return total
