"""Decide whether a text is random, such as a key, or made of words, such as a name or a path.

Each text gets a cost: the bits for each character that a model of names needs to say the text. The model knows pairs
of neighbouring letters in the words of API descriptions, and how letters, capitals, digits and signs follow each other.
Names cost 3 to 4.5 bits for each character. Random texts cost 5 to 6 bits, whatever characters they are made of.
"""

import re
from base64 import b64decode
from functools import cache, lru_cache
from operator import add
from string import ascii_lowercase

SHORTEST_VALUE, SHORTEST_IN_TEXT = 20, 22
"""Fewest characters of a random value, and of a random part of a text. Shorter names cost as much as random texts."""

_LEAST_OF_VALUE, _LEAST_IN_TEXT, _LEAST_OF_ONE_CASE = 4.8, 4.9, 4.6
"""Bits for each character of a random value, of a random part of a text, and of letters of one case alone."""

_LETTERS = (
    *(
        "65447659597353958343567858",
        "35553677378357377456478868",
        "37563783494578388463588868",
        "35652667277667468547567868",
    ),
    *(
        "47435668798453757235867579",
        "35553477287477377455488768",
        "47662754387564468347486767",
        "36762777377666367564588859",
    ),
    *(
        "56454659898452369543859896",
        "36553665465656355646355666",
        "56652667377565566736576656",
        "37752799387368379755578949",
    ),
    *(
        "25662887388658339856587768",
        "47444628486786579733668979",
        "66558659686442559354455778",
        "37773775498378348354588878",
    ),
    *(
        "55554756565557565666155655",
        "37552768396656369544568959",
        "57473784396667448742487969",
        "38682784299678479445597959",
    ),
    *(
        "54554759587443748333889788",
        "36671876277777477776778777",
        "26663664378564368546676667",
        "45463665466566536663656456",
    ),
    *("44444766477544536534676666", "35542655366656467666665555"),
)
"""Bits of each letter (column) after each letter (row): 0 to 9, from 13,500 words of API descriptions."""

_MOVES = (
    (0.0, 6.0, 7.0, 3.0),
    (0.0, 0.0, 7.0, 3.0),
    (7.5, 6.0, 3.5, 4.0),
    (4.5, 5.5, 6.0, 7.0),
)
"""Bits of a character (column) after another one (row), by their kinds: small letter, capital, digit, sign."""

_SMALL, _CAPITAL, _DIGIT, _SIGN = range(4)
_FIRST = 4.5
_PASSWORD_SIGNS, _UNUSUAL = frozenset("!#$%^&*~|`\\"), 4.0
"""Signs that names and paths hardly have, and the bits that each of them costs more."""

_FOREIGN_SIGNS, _FEWEST_FOREIGN = _PASSWORD_SIGNS - frozenset("%&"), 2
"""Such signs that queries hardly have either. With two of them, a text is no path, and no name of short parts."""

_LONGEST_PART, _SHORT_PARTS = 6, 5
"""Names such as `so-1vcpu-2gb` have short parts: none of 6 characters, or less than 5 on average, with the sign."""

_FEWEST_DIFFERENT = 8
_HEX = re.compile(r"[0-9a-f]{12,}", re.IGNORECASE)
_HEX_VALUE = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]{20,}|[0-9]{32,}", re.IGNORECASE)
_SEPARATORS = re.compile(r"[-_+/.:=~]")
_MANY_SIGNS = re.compile(r"[^A-Za-z0-9]{8}")
_NAMED_ID = re.compile(r"(?!key|token|secret|api|pass|auth|pat)[a-z]{2,10}[_-][A-Za-z0-9]+")
_FILLER = re.compile(r"x{5,}|your|example|12345|abcdef|a-z|0{8,}|\*{3}|\.{3}|LEFT-OUT", re.IGNORECASE)
_STRUCTURE = re.compile(r"""[\[{<"'].*[\]}>"']""")


def is_random_value(value: str) -> bool:
    """Return True if a whole value without blanks is random. Hexadecimal values count too: no API fixes a digest."""
    if len(value) < SHORTEST_VALUE:
        return False
    if not _is_like_password(value) and (value.startswith("/") or _STRUCTURE.fullmatch(value)):
        return False
    return _HEX_VALUE.fullmatch(value) is not None or _costs(value, _LEAST_OF_VALUE)


def is_random_part(text: str) -> bool:
    """Return True if a part of a text is random, and no text in base64, such as a node id or a cursor."""
    return len(text) >= SHORTEST_IN_TEXT and _costs(text, _LEAST_IN_TEXT) and not _is_encoded_text(text)


def is_filler(text: str) -> bool:
    """Return True if a text only stands for a value, such as `xxxxx` and `your-key`."""
    return _FILLER.search(text) is not None


@lru_cache(10_000)
def _costs(text: str, least: float) -> bool:
    """Return True if a text costs at least `least` bits for each character, and has no form that random texts lack.

    Digests, UUIDs, ids such as `msg_...` and names of short parts have such forms.
    """
    if text.isalpha() and text in (text.lower(), text.upper()):
        least = _LEAST_OF_ONE_CASE
    if sum(map(_bits, map(add, text, text[1:]))) + _FIRST < least * len(text) or is_filler(text):
        return False
    if len(set(text)) < _FEWEST_DIFFERENT or _MANY_SIGNS.search(text):
        return False
    if _is_like_password(text):
        return True
    parts = _SEPARATORS.split(text)
    if any(map(_HEX.fullmatch, parts)) or max(map(len, parts)) < _LONGEST_PART:
        return False
    if text.lower() == text and len(text) < _SHORT_PARTS * len(parts):
        return False
    return not _NAMED_ID.fullmatch(text)


def _is_like_password(text: str) -> bool:
    return len(_FOREIGN_SIGNS.intersection(text)) >= _FEWEST_FOREIGN


@cache
def _bits(pair: str) -> float:
    """Return the bits of the second of two characters after the first."""
    first, second = map(_kind, pair)
    bits = _MOVES[first][second]
    if first <= _CAPITAL >= second and (first, second) != (_SMALL, _CAPITAL):
        before, after = map(ascii_lowercase.index, pair.lower())
        bits += int(_LETTERS[before][after])
    return bits + _UNUSUAL if pair[1] in _PASSWORD_SIGNS else bits


def _kind(character: str) -> int:
    if "a" <= character <= "z":
        return _SMALL
    if "A" <= character <= "Z":
        return _CAPITAL
    return _DIGIT if "0" <= character <= "9" else _SIGN


def _is_encoded_text(text: str) -> bool:
    """Return True if `text` is readable text in base64."""
    try:
        data = b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), validate=True)
    except ValueError:
        return False
    return sum(32 <= byte < 127 for byte in data) > 0.75 * len(data)
