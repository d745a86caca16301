"""Estimate how many tokens a JSON value costs a model, without a tokenizer.

The text is split into pieces where OpenAI's tokenizer o200k splits it; other tokenizers split similarly. The cost of a
piece is the average for its kind, fitted to 7,480 tools of published documents. The estimate for a document differs
from the true count by at most a tenth.
"""

import re
from functools import lru_cache

from mcpgen.base.jsonvalue import JsonValue, unescaped

_PIECES = re.compile(
    r"[A-Za-z]{0,64}+[^\W\d_\x00-\x7f][^\W\d_]*"  # a word with letters beyond ASCII
    r"|[^A-Za-z0-9\s]?(?:[A-Z]*[a-z]+|[A-Z]+)|[0-9]{1,3}|[^\sA-Za-z0-9]+"
)
_NODE, _PARTED_NODE = '{"type"', '{" type"'
"""The beginning of most schemas, and the same text with a space at a place where the tokenizer splits it anyway.

With the space, the cached pieces become shorter and recur more often.
"""

_LONG = 12
"""Longest word, in letters, that is likely to be one token."""

# Costs in tenths of a token.
_WORD, _RARE_WORD, _MARK_BEFORE = 10, 17, 4
_NUMBER, _MARKS, _EACH_FURTHER, _NOT_ASCII = 12, 12, 6, 6
_FEW = 4


def estimate(value: JsonValue) -> int:
    """Estimate the tokens of the compact JSON of `value`."""
    return estimate_text(unescaped(value))


def estimate_text(text: str) -> int:
    """Estimate the tokens of compact JSON in which no character is escaped without need."""
    return (sum(map(_cost, text.replace(_NODE, _PARTED_NODE).split(" "))) + 5) // 10


@lru_cache(maxsize=65536)
def _cost(chunk: str) -> int:
    """Return the cost, in tenths of a token, of a text without spaces.

    Tokens do not span spaces, so costs of chunks add up. Results are cached, since schemas repeat their chunks.
    """
    return sum(map(_cost_of_piece, _PIECES.findall(chunk)))


def _cost_of_piece(piece: str) -> int:
    """Return the cost of one piece of text, in tenths of a token.

    A piece is a word with the punctuation mark before it, a number, or a run of punctuation marks.
    """
    if piece.isascii() and piece[-1].isalpha():
        word = _WORD if len(piece) <= _LONG and not piece.isupper() else _RARE_WORD
        return word if piece[0].isalpha() else word + _MARK_BEFORE
    if piece[0].isdigit():
        return _NUMBER
    if not piece.isascii():
        foreign = sum(not character.isascii() for character in piece)
        return _NOT_ASCII * foreign + (_WORD if foreign < len(piece) else 0)
    return _MARKS + _EACH_FURTHER * max(0, len(piece) - _FEW)
