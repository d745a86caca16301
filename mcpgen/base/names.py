"""Rules for names: which characters a name may hold, and how text is split into words.

All functions are pure, and the tests list names with their expected results. `naming/tool_names.py` derives the name of
a tool from its operation.

`romanize` spells names of any script in ASCII letters: `Straße` → `Strasse`, `状态` → `_Zhuang__Tai_`, `имя` → `imya`.
The spelling is for names alone: a Han character gets its Mandarin reading in Japanese words too. So whoever shows such
a name shows the original beside it.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from itertools import chain, count

from anyascii import anyascii

from mcpgen.base.runtime import folded_names

_LONGEST_READ = 2000
"""How much of a text is read: more than any name needs."""

normalize, alike, fold = folded_names.normalize, folded_names.alike, folded_names.fold
alphanumeric, humps = folded_names.alphanumeric, folded_names.humps

TOOL_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
"""Pattern of derived tool names.

50 characters leave room for the prefix that clients add; `__` separates that prefix from the name.
"""

WRITTEN_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Pattern of tool names written by a person: every client and model provider accepts these names."""

ALIAS = re.compile(r"[!#-\[\]-~]{1,128}")
"""Pattern of aliases of a tool. Aliases are never listed, so clients need not accept them."""

_OF_FRAMEWORKS = (
    "self|config|run_manager|runtime|model_(?:config|fields|computed_fields|fields_set|extra|construct|copy|dump|"
    "dump_json|json_schema|parametrized_name|post_init|rebuild|validate|validate_json|validate_strings)"
)
ARGUMENT_NAME = re.compile(rf"(?!(?:{_OF_FRAMEWORKS})\Z)[A-Za-z][A-Za-z0-9_]{{0,63}}")
"""Pattern of derived argument names.

LlamaIndex and AutoGen make each argument a field of a pydantic model. They lose all tools of a server if an argument
begins with `_` or has a name that pydantic reserves. LangChain passes arguments as keywords, and silently drops
arguments named like its own parameters. `tests/converters` tries eight frameworks.
"""

WRITTEN_ARGUMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""Pattern of argument names written by a person or kept by a lock: any property key that every provider accepts."""

ROLE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
"""Pattern of the names of roles of an operator. A role holds no comma, since a setting lists roles separated by commas.
"""

SCOPE = re.compile(r"[!#-\[\]-~]+")
"""A scope token of RFC 6749, appendix A.4."""

DOCUMENT_PREFIX = re.compile(r"(?=.{1,20}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
"""Pattern of the prefix of one document for its tool names, short enough to leave room for the rest of a name."""

SERVER_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")

VERSION_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,5}(?:(?:a|b|rc)\d{1,9})?(?:\.(?:post|dev)\d{1,9}){0,2}", re.ASCII)
"""Pattern of a Python package's version: the normal form of PEP 440, without epochs and local labels."""

_MOST_LISTED = 20
_NEAR, _AS_NEAR = 0.65, 0.15
_SHORTEST_BEGINNING = 3

_SYLLABLE = re.compile("_[A-Z][a-z]*_")
_APOSTROPHE = re.compile(r"['\u2019](?:[sS]\b)?")
_FILLER = frozenset(
    [
        "api", "apis", "definition", "definitions", "description", "docs", "documentation", "endpoints", "http",
        "json", "mcp", "official", "openapi", "public", "reference", "rest", "restful", "server", "service", "spec",
        "specification", "swagger", "the", "web",
    ]
)  # fmt: skip
_LINKS = frozenset(["a", "an", "and", "by", "for", "from", "in", "of", "on", "or", "to", "where", "with"])
_SUBDOMAINS = _FILLER | {"app", "apps", "beta", "cloud", "dev", "gateway", "prod", "sandbox", "staging", "test", "www"}
_SECOND_LEVELS = frozenset(["ac", "co", "com", "edu", "gov", "net", "org"])
_NOBODYS = frozenset(["example", "invalid", "localhost", "local"])
"""Top-level domains that say nothing about the owner of an API (RFC 2606 and RFC 6762)."""
_PUNCTUATION = {"-": "dash", ".": "dot", "/": "slash", ":": "colon", "$": "dollar", " ": "space"}
_COMPARISONS = (("<=", "_lte"), (">=", "_gte"), ("<", "_lt"), (">", "_gt"), ("!=", "_ne"), ("!", "_not"))


def words(text: str) -> list[str]:
    """Split `text` into lower-case words, at punctuation and where a capital letter begins a word (`petStore`).

    Digits stay with their word (`oauth2`, `v1`), and an ending `'s` is dropped.
    """
    return [*_words(text)]


@lru_cache(maxsize=4096)  # cached, since operations share the names of parameters and the segments of paths
def _words(text: str) -> tuple[str, ...]:
    return tuple(humps(_APOSTROPHE.sub("", text)))


def short_hash(text: str, length: int = 4) -> str:
    """Return a hash of `text` with `length` digits of base 31, whose alphabet has no easily confused letters."""
    alphabet = "23456789abcdefghijkmnpqrstuvwxy"
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return "".join(alphabet[number // 31**place % 31] for place in range(length))


def distinct(candidates: Iterable[str], stem: str, seed: str, taken: Container[str]) -> str:
    """Return the first of `candidates` that is not in `taken`.

    If all are taken, return `stem` followed by a hash of `seed`.
    """
    hashed = (f"{stem}_{short_hash(f'{seed} {turn}', 8)}" for turn in count())
    return next(candidate for candidate in chain(candidates, hashed) if candidate not in taken)


def exclusive(
    ladders: Sequence[Sequence[str]], taken: Collection[str] = (), fold: Callable[[str], str] = str
) -> list[str]:
    """Return for each list of candidates its first name that occurs in no other list and not in `taken`.

    The result does not depend on the order of the lists. A list without such a name gets its last candidate with a
    number. Names are compared after applying `fold` to them.
    """
    owners = Counter(folded for ladder in ladders for folded in {fold(name) for name in ladder})
    owners.update(fold(name) for name in taken)
    used = set(owners)
    found = []
    for ladder in ladders:
        alone = (name for name in ladder if owners[fold(name)] == 1)
        numbered = (f"{ladder[-1]}_{turn}" for turn in count(2))
        name = next(chain(alone, (name for name in numbered if fold(name) not in used)))
        used.add(fold(name))
        found.append(name)
    return found


# LlamaIndex and AutoGen lose all tools of a server if an argument has a name that Pydantic reserves (`model_config`).
# LangChain drops arguments with names of its own parameters (`config`, `self`). Members inside objects keep their
# names: below unions, the server could not tell which schema says how to rename.
def argument_name(wire_name: str) -> str:
    """Return the argument name for a parameter or property: unchanged if model providers and agent frameworks accept
    the name, else rewritten.

    `filter[name]` → `filter_name`, `$top` → `top`, `api-version` → `api_version`, `StartTime<` → `StartTime_lt`,
    `ids[]` → `ids`, `_id` → `id`, `2fa` → `argument_2fa`, `config` → `argument_config`, `状态` → `zhuang_tai`.
    """
    if ARGUMENT_NAME.fullmatch(wire_name):
        return wire_name
    text = _in_ascii(wire_name)
    for comparison, suffix in _COMPARISONS:
        if text.endswith(comparison):
            text = text.removesuffix(comparison) + suffix
    text = re.sub(r"[^A-Za-z0-9]+", "_", text.removesuffix("[]")).strip("_")
    if not text:
        return "argument_" + short_hash(wire_name)
    if text[0].isdigit() or (len(text) <= 64 and not ARGUMENT_NAME.fullmatch(text)):
        text = "argument_" + text
    if len(text) > 64:
        text = text[:59].rstrip("_") + "_" + short_hash(wire_name)
    return text


def spelled_out(wire_name: str) -> list[str]:
    """Return the argument name with the punctuation in words, if that is a valid name: `a.b` → `a_dot_b`."""
    said = "_".join(filter(None, (_PUNCTUATION.get(part, part) for part in re.split(r"([-./:$ ])", wire_name))))
    return [said] if ARGUMENT_NAME.fullmatch(said) else []


def is_readable(wire_name: str) -> bool:
    """Return True if the argument name for `wire_name` still shows which name was meant."""
    return not _is_respelled(wire_name) and any(map(str.isalnum, _in_ascii(wire_name)))


def _in_ascii(name: str) -> str:
    """Return `name` in ASCII, with syllables in lower case: `状态` → `_zhuang__tai_`."""
    said = name if not _is_respelled(name) else _SYLLABLE.sub(lambda found: found[0].lower(), romanize(name))
    return normalize("NFKD", said).encode("ascii", "ignore").decode()


def written_argument_name(name: str) -> str:
    """Return the argument name for a name that a person wrote: unchanged if all model providers accept the name, else
    rewritten.
    """
    return name if WRITTEN_ARGUMENT_NAME.fullmatch(name) else argument_name(name)


def server_name(title: str, host: str = "", file: str = "") -> str:
    """Return a name for the server, made of the title of its API: `Swagger Petstore - OpenAPI 3.1` → `petstore`.

    Filler words such as `API` are dropped. If no word is left, or one word twice, the label of `host` that names the
    API's owner is used, such as `themoviedb` in `api.themoviedb.org`, or else the name of the document's `file`. The
    name has at most 24 characters if that leaves a whole word.
    """
    found = _title_words(title)
    kept = _speaking(found)
    if len(set(kept)) < min(2, max(len(kept), 1)):
        kept = [_owner(host)] * bool(_owner(host)) or _speaking(_title_words(_stem(file))) or kept[:1] or found
    name = ""
    for word in kept:
        if name and len(name) + 1 + len(word) > 24:
            break
        name = f"{name}-{word}" if name else word[:40]
    while "-" in name and name.rpartition("-")[2] in _LINKS:
        name = name.rpartition("-")[0]
    return name if name[:1].isalpha() else f"api-{name}"[:40].rstrip("-")


def _stem(file: str) -> str:
    """Return the name of a file, given by a path or a URL, without its folders and endings. Return "" for names such as
    `index`, which say nothing.
    """
    stem = re.split(r"[/\\]", file.partition("?")[0])[-1].partition(".")[0]
    return "" if stem.lower() in ("index", "main", "stdin", "tools") else stem


def _title_words(title: str) -> list[str]:
    title = re.sub(r"\([^()]*\)", " ", title).strip() or title
    folded = _in_ascii(_APOSTROPHE.sub("", title)).lower()
    return re.findall(r"[a-z0-9]+", folded)


def _speaking(found: list[str]) -> list[str]:
    """Return the words of a title that say which API it is, without filler words and versions."""
    kept = [word for word in found if word not in _FILLER and not re.fullmatch(r"v?[0-9]+", word)]
    return kept[next((at for at, word in enumerate(kept) if word not in _LINKS), 0) :]


def _owner(host: str) -> str:
    """Return the label of a host name that names the owner: `themoviedb` for `api.themoviedb.org`.

    Return "" if no label names an owner.
    """
    labels = host.lower().rstrip(".").split(".")
    if len(labels) < 2 or not labels[-1].isalpha() or labels[-1] in _NOBODYS:
        return ""
    labels = labels[:-2] if labels[-2] in _SECOND_LEVELS and len(labels) > 2 else labels[:-1]
    owner = next((label for label in reversed(labels) if label not in _SUBDOMAINS), "")
    return owner if owner not in _NOBODYS and re.fullmatch(r"[a-z][a-z0-9-]*", owner) else ""


def environment_suffix(name: str) -> str:
    """Return the suffix of the environment variable for a security scheme or server variable: `petstoreAuth` →
    `PETSTORE_AUTH`.

    The suffix has at most 64 characters; a longer suffix is cut and ends in a hash.
    """
    suffix = "_".join(words(romanize(name))).upper() or "VALUE_" + short_hash(name).upper()
    return suffix if len(suffix) <= 64 else suffix[:59].rstrip("_") + "_" + short_hash(name).upper()


def clipped(text: str, length: int = 60) -> str:
    """Return `text` for a diagnostic: cut to `length` characters, control characters escaped."""
    shown = text if len(text) <= length else text[: length - 1] + "…"
    return shown.encode("unicode_escape").decode() if not shown.isprintable() else shown


def nearest(key: str, known: Sequence[str]) -> str:
    """Return a hint for a mistyped `key`: the most similar names of `known`, or a list of all if none is similar."""
    more = f" … ({len(known)} in all)" if len(known) > _MOST_LISTED else ""
    listed = f"Use one of {', '.join(known[:_MOST_LISTED])}{more}." if known else ""
    return did_you_mean(near(key, known)) or listed


def near(key: str, known: Sequence[str]) -> list[str]:
    """Return up to three names of `known` that `key` may misspell or abbreviate, the most similar first."""
    folded = {name.casefold(): name for name in reversed(known)}
    if key.casefold() in folded:
        return [folded[key.casefold()]]
    found = get_close_matches(key.casefold(), folded, 3, _NEAR)
    likeness = {name: SequenceMatcher(None, name, key.casefold()).ratio() for name in found}
    found = [name for name in found if likeness[name] > likeness[found[0]] - _AS_NEAR]
    if not found and len(key) >= _SHORTEST_BEGINNING:
        found = [name for name in folded if name.startswith(key.casefold().rstrip("s"))]
    return [folded[name] for name in found[:3]]


def did_you_mean(names: Sequence[str]) -> str:
    """Return a hint that suggests `names` ("Did you mean …?"), or "" if there are none."""
    return f"Did you mean {' or '.join(repr(name) for name in names)}?" if names else ""


# -- names of any script in ASCII --------------------------------------------------------------------------------------


def romanize(text: str) -> str:
    """Return `text` with each letter spelled in ASCII. Other characters beyond ASCII stay.

    A syllable of a script without spaces becomes a word of its own, because words are split at capitals and at `_`.
    """
    return text if text.isascii() else "".join(map(_spelled, unicodedata.normalize("NFC", text[:_LONGEST_READ])))


def _is_respelled(name: str) -> bool:
    """Return True if `name` has a letter that is no Latin letter, or one without a base letter, such as `ß`.

    Readers of the ASCII spelling could not tell the original: `größe` → `grosse`. `é` → `e` is no such letter.
    """
    return not name.isascii() and any(
        not first.isascii() and first.isalpha() for first in (unicodedata.normalize("NFKD", each)[:1] for each in name)
    )


def _spelled(character: str) -> str:
    if character.isascii() or not (character.isalpha() or unicodedata.category(character).startswith("M")):
        return character
    said = "".join(filter(str.isalnum, anyascii(character)))
    is_syllable = said[:1].isupper() and unicodedata.category(character) == "Lo"
    return f"_{said}_" if is_syllable else said
