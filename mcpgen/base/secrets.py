"""Decide what may be a secret: by the name of a value, and by the look of a text.

Every reader of a document, `adopt`, `bundle` and the questions to users ask this module. The words are those of the
runtime, which refuses forms by them.

A text is random, such as a key, or made of words, such as a name or a path. Each text gets a cost: the bits for each
character that a model of names needs to say the text. The model knows pairs of neighbouring letters in the words of API
descriptions, and how letters, capitals, digits and signs follow each other. Names cost 3 to 4.5 bits for each
character. Random texts cost 5 to 6 bits, whatever characters they are made of.
"""

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import cache, lru_cache
from operator import add
from string import ascii_lowercase
from urllib.parse import unquote_plus

from mcpgen.base.names import fold, words
from mcpgen.base.runtime import secret_words

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

LEFT_OUT = "LEFT-OUT"
"""Text that replaces a secret."""

LONGEST_NAME, LONGEST_SECRET = 200, 4096
"""Longest name that is judged, and longest text without blanks that is judged as random, in characters."""
_PIECE = 64 * 1024
"""Characters of a long text that are searched at once, which bounds the memory."""

_is_secret_name = lru_cache(10_000)(secret_words.is_secret_name)
_fold = lru_cache(10_000)(fold)

_AMBIGUOUS = frozenset(
    (
        *("key", "sig", "signature", "auth", "authorization", "code", "sid", "session", "sessionid", "jwt", "cookie"),
        *("bearer", "hmac", "pat", "pass", "pw", "assertion", "samlresponse", "dsn", "xsignature", "setcookie"),
        *("phpsessid",),
        *("jsessionid", "connectionstring", "webhookurl", "sharedaccesssignature", "proxyauthorization", "login"),
    )
)
"""Folded names (`base.names.fold`) of values that are secrets if they look opaque, and data of the API if not."""

_PREFIXED = (
    r"(?:sk|rk)[-_](?!ssh|ecdsa)[A-Za-z0-9_-]{12,}|gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}"
    r"|xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{24,}|ya29\.[\w-]{12,}"
    r"|eyJ[\w-]{8,}(?:\.[\w-]{4,}){1,4}|eyJ[\w-]{30,}={0,2}|SG\.[\w-]{10,}(?:\.[\w-]+)?|hf_[A-Za-z0-9]{16,}"
    r"|npm_[A-Za-z0-9]{16,}|pypi-[\w-]{16,}|do[opr]_v1_[A-Za-z0-9]{16,}|shp(?:at|ca|pa|ss)_[A-Za-z0-9]{16,}"
    r"|whsec_[A-Za-z0-9+/=_-]{12,}|hv[sb]\.[\w-]{16,}|dapi[0-9a-f]{24,}|xkeysib-[\w-]{16,}|dckr_pat_[\w-]{12,}"
    r"|lin_api_\w{12,}|(?:ntn|secret)_[A-Za-z0-9]{20,}|key-[0-9a-f]{24,}|PMAK-[A-Za-z0-9-]{12,}|sq0[a-z]{3}-[\w-]{12,}"
    r"|AGE-SECRET-KEY-\w{12,}|figd_[\w-]{12,}|sntrys_[\w=+/-]{12,}|rubygems_[0-9a-f]{16,}|(?:bot)?[0-9]{8,10}:AA[\w-]{30,}"
)
_KEY_BEGIN = "-----BEGIN"
_KEY_BLOCK = (
    rf"{_KEY_BEGIN} [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?)"
)
_KNOWN = re.compile(rf"(?<![A-Za-z0-9_])(?:{_PREFIXED})|{_KEY_BLOCK}")
_RUN = re.compile(
    rf"(?<![\w+/#-])(?:(?<!\w:)[\w+-]{{{SHORTEST_IN_TEXT},}}+(?:/[\w+/-]*+)?"
    rf"|(?<![.:])[A-Za-z0-9+/]{{{SHORTEST_IN_TEXT},}}+)={{0,2}}+(?!\.[a-z])",
    re.ASCII,
)
"""Texts that may be random: none that follow a `/`, a `#` or the parts of a URN, and no names of hosts."""
_WHOLE = re.compile(r"(?!\$[.\[])[!-~]+")
"""Values without blanks that may be random: no JSONPath, whose filters look random."""
_PUBLIC = re.compile(
    r"-----BEGIN (?:CERTIFICATE|PUBLIC|PGP SIG|PGP PUBLIC|SSH SIG)|ssh-(?:rsa|ed25519) |sha\d+[-:=]|public.?key",
    re.IGNORECASE,
)
_USER = re.compile(
    r"(\b[a-z][a-z0-9+.]*://)([^\s/?#@:\"'<>{}]*:[^\s/?#@\"'<>{}]+|[^\s/?#@:\"'<>{}]{20,})@", re.IGNORECASE
)
_PAIR = re.compile(
    r"(?<![\w.\[\]-])(?P<name>[A-Za-z][\w.\[\]-]{0,60})(?P<mark>\\?[\"']?\s{0,3}(?:=|:)\s{0,3})(?P<quote>\\?[\"'])?"
    r"(?P<value>(?(quote)[^\"'\\]+|[^\s\"'\\&#,;<>(){}\[\]|]+))"
)
_SIGNED = re.compile(
    r"(?<![\w.\[\]-])(?P<name>[A-Za-z][\w.\[\]-]{0,60})(?P<mark>\s{0,3}[=:]\s{0,3})"
    rf"(?P<value>(?![\"'`\\])[!-~]{{{SHORTEST_VALUE - 1},{LONGEST_SECRET}}}[^\s\"'`.,;:)])"
)
"""A name, and a value up to the next blank: a random value of a secret name reaches so far, whatever signs it has.

The value stands in no quotation marks.
"""
_QUERY = re.compile(r"(?<=[?&;])(?P<name>[^=&#?\s;]{1,80})=(?P<value>[^&#\s\"'<>`)]+)")
_ANY_DIGIT = re.compile(r"\d")
_SCHEMES = ("https://", "http://")
_SENT_WORDS = ("Bearer", "Basic", "Token")
_SENT = re.compile(rf"\b({'|'.join(_SENT_WORDS)})\s{{1,3}}(?P<value>[A-Za-z0-9._~+/=-]{{8,}})")
_PLACEHOLDER = re.compile(
    r"[<{\[$%*…]|\.\.\.|\b(?:your|my|example|sample|dummy|fake|some|placeholder|redacted|changeme|insert|left)(?![a-z])"
    r"|your|x{3,}|0{6,}|1234|abcd|example|LEFT-OUT",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?:(?:bearer|basic|token)\s+)?(?:\$?\{[^{}]*\}|\{\{[^{}]*\}\}|<[^<>]*>|%\w+%|\$[A-Za-z_][\w.#/~-]*|#?/[\w/~-]*)"
    r"|(?:header|cookie):[\w.-]{1,80}|body:text",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"^(?:accept|content|if|x-requested|prefer|range|dnt|te|pragma|cache|user-agent|sec-)\b|version|language|locale"
    r"|time-?zone|currency|^x-http-method|-(?:action|encoding|format|kind|mode|operation|target|type)$",
    re.IGNORECASE,
)
_IDS = re.compile(r"\bids?\b", re.IGNORECASE)
_SWITCHES = frozenset(("true", "false", "yes", "no", "on", "off", "0", "1"))
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_DATED = re.compile(r"v?[0-9]+(?:[-./:T_ ][0-9A-Za-z]{1,8})*Z?|[A-Z]{2,10}-[0-9]{1,6}|[0-9.,+-]+\s?[A-Za-z%]{0,4}")
_IDENTIFIERS = (["id"], ["ids"], ["uuid"], ["sha"], ["hash"], ["digest"], ["etag"], ["cursor"], ["checksum"], ["path"])

_SHORTEST_OPAQUE, _SHORTEST_KNOWN = 6, 13
_LONGEST_ID, _NEAR = 23, 80
"""Longest random text that is an id if a text speaks of ids before it, and how many characters before it."""
_SECRET_FIELD = re.compile(r"cookie|authori[sz]ation|authenticat|session|[cx]srf", re.IGNORECASE)

_FEWEST_LETTERS = 10
"""A placeholder such as `xoxb-1111111` has fewer different letters."""


def is_secret_name(name: str) -> bool:
    """Return True if a value of this name is a secret, whatever it looks like. No long name is."""
    return len(name) <= LONGEST_NAME and _is_secret_name(name)


def is_secret_field(name: str) -> bool:
    """Return True if a model must not see a header field of this name in a response."""
    return is_secret_name(name) or _SECRET_FIELD.search(name) is not None


def is_ambiguous_name(name: str) -> bool:
    """Return True if values of this name are secrets in some APIs and data in others, such as `key` and `code`."""
    return len(name) <= LONGEST_NAME and _fold(name) in _AMBIGUOUS


def may_be_secret(name: str, value: str) -> bool:
    """Return True if `value` must not be copied from a place called `name`. A name alone decides, or the look."""
    if not value.strip() or value == LEFT_OUT:
        return False
    if is_secret_name(name) or (is_ambiguous_name(name) and is_opaque(value)):
        return True
    return without_secrets(value) != value or (_is_random_value(value) and words(name)[-1:] not in _IDENTIFIERS)


def holds_key(text: str) -> bool:
    """Return True if `text` holds a private key or a key with a known prefix. Names of values do not count."""
    return any(not _is_placeholder(match[0]) for match in _KNOWN.finditer(text))


def is_harmless_header(name: str, value: str) -> bool:
    """Return True if a header field with a constant value plainly holds no secret, such as a version."""
    plain = _HARMLESS.search(name) is not None or _DATED.fullmatch(value) is not None or value.lower() in _SWITCHES
    return bool(value.strip()) and plain and not may_be_secret(name, value)


def is_reference(text: str) -> bool:
    """Return True if `text` names the place of a value: a variable, an argument, a placeholder or a JSON pointer."""
    return _REFERENCE.fullmatch(text.strip()) is not None


def is_opaque(value: str) -> bool:
    """Return True if `value` is one word of letters and digits, and no date, number, version, UUID or placeholder."""
    value = value.strip()
    if not _SHORTEST_OPAQUE <= len(value) <= LONGEST_SECRET or any(map(str.isspace, value)):
        return False
    mixed = any(map(str.isalpha, value)) and _ANY_DIGIT.search(value) is not None
    return mixed and not (_PLACEHOLDER.search(value) or _UUID.fullmatch(value) or _DATED.fullmatch(value))


def without_secrets(text: str) -> str:
    """Return `text` with each part that has the form of a secret replaced by `LEFT_OUT`.

    Such parts are known prefixes, private keys, random texts, passwords before a host, and values after a secret name.
    """
    if len(text) > _PIECE:
        if all(without_secrets(piece) == piece for piece in _pieces(text)):
            return text  # without a copy of the text, which may be as large as a document
        return "".join(map(without_secrets, _pieces(text)))
    return text if len(text) < _SHORTEST_OPAQUE + 2 else _cleaned(text)


@lru_cache(16)  # a value is judged several times in a row: with its name, and by its look alone
def _cleaned(text: str) -> str:
    """Return a short text without secrets, as `without_secrets` does."""
    if "=" in text and ("?" in text or "&" in text):
        text = _QUERY.sub(_without_query_value, text)
    # much faster than the patterns below, which find nothing in most texts
    long = [word for word in text.split() if len(word) >= _SHORTEST_KNOWN]
    has_opaque = _ANY_DIGIT.search(text) is not None
    # the scheme is the only name in a plain URL, such as the many links in examples
    if "=" in text or (":" in text and not (text.startswith(_SCHEMES) and text.count(":") == 1)):
        if any(len(word) >= SHORTEST_VALUE for word in long):
            text = _SIGNED.sub(_without_signed, text)
        if has_opaque:
            text = _PAIR.sub(_without_value, text)
    if "@" in text and "://" in text:
        text = _USER.sub(rf"\1{LEFT_OUT}@", text)
    if has_opaque and any(word in text for word in _SENT_WORDS):
        text = _SENT.sub(lambda match: _kept_unless(is_opaque(match["value"]), match), text)
    if _KEY_BEGIN in text or any(map(_KNOWN.search, long)):
        text = _KNOWN.sub(lambda match: match[0] if _is_placeholder(match[0]) else LEFT_OUT, text)
    if any(map(_RUN.search, long)) and (found := _RUN.sub(_without_random, text)) != text:
        return text if _PUBLIC.search(text) else found
    return text


def _pieces(text: str) -> Iterator[str]:
    """Yield a long text in pieces, cut before a blank if there is one."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            end = max(text.rfind(" ", start + 1, end), 0) or end
        yield text[start:end]
        start = end


def _without_query_value(match: re.Match[str]) -> str:
    name, value = unquote_plus(match["name"]), unquote_plus(match["value"])
    secret = is_secret_name(name) or (is_ambiguous_name(name) and is_opaque(value))
    return _kept_unless(secret and not is_reference(value) and not _PLACEHOLDER.search(value), match)


def _without_value(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"]
    if is_secret_name(name.rpartition(".")[2]):
        return _kept_unless(is_opaque(value), match)
    return _kept_unless(is_ambiguous_name(name) and is_opaque(value) and _is_random_part(value), match)


def _without_signed(match: re.Match[str]) -> str:
    is_query = "&" in match["value"] and not match["mark"][-1].isspace()
    is_secret = is_secret_name(match["name"].rpartition(".")[2]) and not is_query
    return _kept_unless(is_secret and _is_random_value(match["value"]), match)


def _without_random(match: re.Match[str]) -> str:
    text, start = match[0], match.start()
    is_id = len(text) <= _LONGEST_ID and _IDS.search(match.string, max(0, start - _NEAR), start)
    return text if is_id or len(text) > LONGEST_SECRET or not _is_random_part(text) else LEFT_OUT


def _kept_unless(is_secret: bool, match: re.Match[str]) -> str:
    if not is_secret:
        return match[0]
    start, end = match.start("value") - match.start(), match.end("value") - match.start()
    return match[0][:start] + LEFT_OUT + match[0][end:]


def _is_placeholder(text: str) -> bool:
    return not text.startswith("-----") and (_is_filler(text) or len(set(text)) < _FEWEST_LETTERS)


def _is_random_value(value: str) -> bool:
    """Return True if a whole value is random, and no address, JSONPath, public key, digest with its name or UUID."""
    if not SHORTEST_VALUE <= len(value) <= LONGEST_SECRET or "://" in value or not _WHOLE.fullmatch(value):
        return False
    if (_UUID.fullmatch(value) and "-" in value) or _PUBLIC.search(value):
        return False
    return is_random_value(value)


# -- random texts ------------------------------------------------------------------------------------------------------


def is_random_value(value: str) -> bool:
    """Return True if a whole value without blanks is random. Hexadecimal values count too: no API fixes a digest."""
    if len(value) < SHORTEST_VALUE:
        return False
    if not _is_like_password(value) and (value.startswith("/") or _STRUCTURE.fullmatch(value)):
        return False
    return _HEX_VALUE.fullmatch(value) is not None or _costs(value, _LEAST_OF_VALUE)


def _is_random_part(text: str) -> bool:
    """Return True if a part of a text is random, and no text in base64, such as a node id or a cursor."""
    return len(text) >= SHORTEST_IN_TEXT and _costs(text, _LEAST_IN_TEXT) and not _is_encoded_text(text)


def _is_filler(text: str) -> bool:
    """Return True if a text only stands for a value, such as `xxxxx` and `your-key`."""
    return _FILLER.search(text) is not None


@lru_cache(10_000)
def _costs(text: str, least: float) -> bool:
    """Return True if a text costs at least `least` bits for each character, and has no form that random texts lack.

    Digests, UUIDs, ids such as `msg_...` and names of short parts have such forms.
    """
    if text.isalpha() and text in (text.lower(), text.upper()):
        least = _LEAST_OF_ONE_CASE
    if sum(map(_bits, map(add, text, text[1:]))) + _FIRST < least * len(text) or _is_filler(text):
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
