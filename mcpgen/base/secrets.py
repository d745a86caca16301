"""Decide what may be a secret: by the name of a value, and by the look of a text.

Every reader of a document, `adopt`, `bundle` and the questions to users ask this module. The words are those of the
runtime, which refuses forms by them.
"""

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from urllib.parse import unquote_plus

from mcpgen.base.assets import runtime_module
from mcpgen.base.names import fold, words

_words = runtime_module("text/secret_words")

LEFT_OUT = "LEFT-OUT"
"""Text that replaces a secret."""

ASKED: re.Pattern[str] = _words.ASKED
"""Words in a text that ask for a secret."""

LONGEST_NAME, LONGEST_SECRET = 200, 4096
"""Longest name that is judged, and longest text without blanks that is judged as random, in characters."""
_PIECE = 64 * 1024
"""Characters of a long text that are searched at once, which bounds the memory."""

_is_secret_name: Callable[[str], bool] = lru_cache(10_000)(_words.is_secret_name)

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
_KEY_BLOCK = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?)"
)
_KNOWN = re.compile(rf"(?<![A-Za-z0-9_])(?:{_PREFIXED})|{_KEY_BLOCK}")
_RUN = re.compile(r"(?<![A-Za-z0-9_+/-])(?=[A-Za-z_+-]*[0-9])[A-Za-z0-9_+-]{24,}(?:/[A-Za-z0-9_+/-]*)?={0,2}")
_WHOLE = re.compile(r"[!-~]{20,}")
_HEX = re.compile(r"[0-9a-f]{32,}", re.IGNORECASE)
_ONE_CASE = re.compile(r"[a-z0-9]{24,}|[A-Z0-9]{24,}")
_NAMED_ID = re.compile(r"(?!key|token|secret|api|pass|auth|pat)[a-z]{2,10}[_-][A-Za-z0-9]+")
_FILLER = re.compile(r"x{5,}|your|example|12345|abcdef|0{8,}|\*{3}|\.{3}|LEFT-OUT", re.IGNORECASE)
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
_QUERY = re.compile(r"(?<=[?&;])(?P<name>[^=&#?\s;]{1,80})=(?P<value>[^&#\s\"'<>`)]+)")
_SENT = re.compile(r"\b(Bearer|Basic|Token)\s{1,3}(?P<value>[A-Za-z0-9._~+/=-]{8,})")
_PLACEHOLDER = re.compile(
    r"[<{\[$%*…]|\.\.\.|\b(?:your|my|example|sample|dummy|fake|some|placeholder|redacted|changeme|insert|left)(?![a-z])"
    r"|your|x{3,}|0{6,}|1234|abcd|example|LEFT-OUT",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?:(?:bearer|basic|token)\s+)?(?:\$?\{[^{}]*\}|\{\{[^{}]*\}\}|<[^<>]*>|%\w+%|\$[A-Za-z_][\w.#/]*|#?/[\w/~-]*)",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"^(?:accept|content|if|x-requested|prefer|range|dnt|te|pragma|cache|user-agent|sec-)\b|version|language|locale"
    r"|time-?zone|currency|^x-http-method",
    re.IGNORECASE,
)
_SWITCHES = frozenset(("true", "false", "yes", "no", "on", "off", "0", "1"))
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_DATED = re.compile(r"v?[0-9]+(?:[-./:T_ ][0-9A-Za-z]{1,8})*Z?|[A-Z]{2,10}-[0-9]{1,6}|[0-9.,+-]+\s?[A-Za-z%]{0,4}")
_HEX_PART = re.compile(r"[0-9a-f]{12,}", re.IGNORECASE)
_IDENTIFIERS = (["id"], ["ids"], ["uuid"], ["sha"], ["hash"], ["digest"], ["etag"], ["cursor"], ["checksum"], ["path"])

_SHORTEST_OPAQUE, _SHORTEST_KNOWN, _SHORTEST_RANDOM = 6, 13, 24
_FEWEST_LETTERS = 10
"""A placeholder such as `xoxb-1111111` has fewer different letters."""
_LONGEST_RUN = 8
_MOST_LIKE_WORDS, _MOST_LIKE_SHORT_WORDS = 0.4, 0.6
"""A name made of words has fewer changes between letters, capitals and digits for each character."""


def is_secret_name(name: str) -> bool:
    """Return True if a value of this name is a secret, whatever it looks like. No long name is."""
    return len(name) <= LONGEST_NAME and _is_secret_name(name)


def is_ambiguous_name(name: str) -> bool:
    """Return True if values of this name are secrets in some APIs and data in others, such as `key` and `code`."""
    return len(name) <= LONGEST_NAME and fold(name) in _AMBIGUOUS


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
    mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    return mixed and not (_PLACEHOLDER.search(value) or _UUID.fullmatch(value) or _DATED.fullmatch(value))


def without_secrets(text: str) -> str:
    """Return `text` with each part that has the form of a secret replaced by `LEFT_OUT`.

    Such parts are known prefixes, private keys, random texts, passwords before a host, and values after a secret name.
    """
    if len(text) > _PIECE:
        if all(without_secrets(piece) == piece for piece in _pieces(text)):
            return text  # without a copy of the text, which may be as large as a document
        return "".join(map(without_secrets, _pieces(text)))
    if len(text) < _SHORTEST_OPAQUE + 2:
        return text
    if "=" in text and ("?" in text or "&" in text):
        text = _QUERY.sub(_without_query_value, text)
    if ":" in text or "=" in text:
        text = _PAIR.sub(_without_value, text)
    if "@" in text and "://" in text:
        text = _USER.sub(rf"\1{LEFT_OUT}@", text)
    if " " in text:
        text = _SENT.sub(lambda match: _kept_unless(is_opaque(match["value"]), match), text)
    if len(text) >= _SHORTEST_KNOWN:
        text = _KNOWN.sub(lambda match: match[0] if _is_placeholder(match[0]) else LEFT_OUT, text)
    if len(text) >= _SHORTEST_RANDOM and _RUN.search(text) and not _PUBLIC.search(text):
        text = _RUN.sub(
            lambda match: LEFT_OUT if len(match[0]) <= LONGEST_SECRET and _is_random(match[0]) else match[0], text
        )
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
    return _kept_unless(is_ambiguous_name(name) and is_opaque(value) and _is_random(value), match)


def _kept_unless(is_secret: bool, match: re.Match[str]) -> str:
    if not is_secret:
        return match[0]
    start, end = match.start("value") - match.start(), match.end("value") - match.start()
    return match[0][:start] + LEFT_OUT + match[0][end:]


def _is_placeholder(text: str) -> bool:
    return not text.startswith("-----") and (_FILLER.search(text) is not None or len(set(text)) < _FEWEST_LETTERS)


def _is_random_value(value: str) -> bool:
    """Return True if a whole value is random. A digest counts too, because no document fixes a digest as a value."""
    if len(value) > LONGEST_SECRET:
        return False
    if (_UUID.fullmatch(value) and "-" in value) or _PUBLIC.search(value) or not _WHOLE.fullmatch(value):
        return False
    if value.startswith("/") or "://" in value:
        return False
    if _HEX.fullmatch(value) or _is_random(value) or _is_mixed(value):
        return True
    return _ONE_CASE.fullmatch(value) is not None and len(re.findall(r"\d+", value)) >= 4


@lru_cache(10_000)
def _is_random(text: str) -> bool:
    """Return True if a text consists of random letters and digits.

    Hexadecimal digests, UUIDs, ids such as `msg_…`, encoded texts and names made of words are not random.
    """
    parts = re.split(r"[_+/.=~-]", text)
    runs = re.findall(r"[A-Z]+|[a-z]+|[0-9]+", text)
    if max(map(len, runs), default=99) > _LONGEST_RUN or any(map(_HEX_PART.fullmatch, parts)):
        return False
    if _FILLER.search(text) or _NAMED_ID.fullmatch(text) or _is_encoded_text(text):
        return False
    lower, upper, digits = (
        sum(each[0] in kind for each in runs) for kind in (ascii_lowercase, ascii_uppercase, "0123456789")
    )
    if lower >= 3 and upper >= 3:
        rate = len(runs) / len(text)
        return rate > (_MOST_LIKE_WORDS if digits >= 2 else _MOST_LIKE_SHORT_WORDS)
    return min(digits, max(lower, upper)) >= 6


def _is_mixed(value: str) -> bool:
    """Return True if letters of both cases, digits and signs alternate in a value, or the two cases alternate."""
    kinds = re.findall(r"[A-Z]+|[a-z]+|[0-9]+|[^A-Za-z0-9]+", value)
    counts = Counter("A" if each[0].isupper() else "a" if each[0].islower() else each[0].isdigit() for each in kinds)
    rate = len(kinds) / len(value)
    if _FILLER.search(value) or _NAMED_ID.fullmatch(value) or min(counts["A"], counts["a"]) < 3:
        return False
    return rate > _MOST_LIKE_WORDS and (counts[True] >= 2 or (counts[False] == 0 and len(value) >= 30))


def _is_encoded_text(text: str) -> bool:
    """Return True if `text` is text in base64, such as a node id or a cursor."""
    try:
        data = b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), validate=True)
    except ValueError:
        return False
    return sum(32 <= byte < 127 for byte in data) > 0.75 * len(data)
