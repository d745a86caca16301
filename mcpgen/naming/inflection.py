"""Turn plurals into singulars for tool names, and recognise path segments without meaning for a name, such as `api`."""

import re

PREFIX_SEGMENT = re.compile(r"api|rest|v\d+(?:\.\d+)*|\d+(?:\.\d+)+|v\{[^{}]*\}", re.IGNORECASE)
"""Pattern of path segments that only locate an API (`api`) or name its version (`v1`)."""

LOCATING_SEGMENT = re.compile(rf"{PREFIX_SEGMENT.pattern}|\d{{1,2}}", re.IGNORECASE)
"""Pattern of first segments that a path's nouns leave out: those of PREFIX_SEGMENT, and small numbers (`/api/0`)."""

DATE_SEGMENT = re.compile(r"(?:19|20)\d\d-?[01]\d(?:-?[0-3]\d)?(?:-(?:alpha|beta|preview))?|\d+-\d+", re.IGNORECASE)
"""Pattern of segments that are dates or codes (`2026-03`, `2026-09-beta`, `0-3`), which no name needs."""

_ONE_THING = frozenset(
    re.findall(
        r"\w+",
        """
        analytics details diagnostics insights limits metrics preferences settings statistics stats totals
        """,
    )
)
"""Plurals that mean one object: a GET returns the statistics, and lists nothing."""

_IN_IE = frozenset(["calorie", "cookie", "genie", "lie", "movie", "pie", "selfie", "tie", "zombie"])
_IRREGULAR: dict[str, str] = dict(
    re.findall(
        r"(\w+)=(\w+)",
        """
        analyses=analysis atlas=atlas axes=axis bias=bias caches=cache canvas=canvas gas=gas headaches=headache
        heroes=hero indices=index kubernetes=kubernetes lens=lens matrices=matrix vertices=vertex
        """,
    )
)


def is_one_thing(noun: list[str]) -> bool:
    return noun[-1:] != [] and noun[-1] in _ONE_THING


def is_plural(noun: list[str]) -> bool:
    return bool(noun) and singular(noun[-1]) != noun[-1]


def singular(word: str) -> str:
    """Return the singular of a plural (`policies` → `policy`), and any other word unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "news", "series", "status")):
        return word
    if word.endswith("ies"):
        return word[:-1] if word[:-1] in _IN_IE else word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "aliases", "nuses", "ruses", "tuses")):
        return word[:-2]
    return word[:-1]
