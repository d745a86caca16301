"""Translate path templates of Discovery documents (RFC 6570) to paths of OpenAPI, whose variables hold no slash.

`{+name}` with the pattern `^projects/[^/]+/topics/[^/]+$` stands for several segments. It is replaced by
`projects/{projectId}/topics/{topicId}`. This gives the same URLs, and no argument can add a segment.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mcpgen.base.jsonvalue import JsonObject, as_object, as_text

_VARIABLE = re.compile(r"\{(\+?)(\w+)\}")
_LITERAL = re.compile(r"[A-Za-z0-9._~:-]+")
_ANY = "[^/]+"
_LONGEST = 1000
"""Limit on the characters of a path template and of a pattern. In longer ones, each variable fills one segment: every
`{+name}` is replaced by all segments of its pattern, which multiplies the lengths.
"""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the translated path. `parameter`: the method's parameter from which it was made. `shape`: template
    of all segments of that parameter, such as `projects/{projectId}`, or "" if the parameter fills one segment.
    """

    name: str
    parameter: str
    pattern: str = ""
    shape: str = ""
    is_last: bool = True


# An argument with slashes could lead to another path. Of 20,641 parameters with a resource name, 20,498 can be split.
def expanded(path: str, parameters: JsonObject) -> tuple[str, list[Variable]]:
    """Return the path with one variable for each segment that an argument fills, and the list of these variables.

    `parameters`: the parameters of the method. Their patterns say how many segments each `{+name}` has.
    """
    found: list[Variable] = []
    taken = {name for name in parameters if f"{{+{name}}}" not in path}

    def replaced(match: re.Match[str]) -> str:
        name = match[2]
        pattern = as_text(as_object(parameters.get(name)).get("pattern"))
        segments = _segments(pattern) if match[1] and max(len(path), len(pattern)) <= _LONGEST else []
        if not any(is_variable for _, is_variable in segments) or len(segments) < 2:
            found.append(Variable(name, name))
            return f"{{{name}}}"
        parts = list(_parts(segments, taken))
        shape = "/".join(text if not pattern else f"{{{text}}}" for text, pattern in parts)
        variables = [(text, pattern) for text, pattern in parts if pattern]
        for index, (text, pattern) in enumerate(variables):
            wanted = "" if pattern == _ANY else pattern
            found.append(Variable(text, name, wanted, shape, index == len(variables) - 1))
        return shape

    return _VARIABLE.sub(replaced, path), found


def _segments(pattern: str) -> list[tuple[str, bool]]:
    """Return the segments of a pattern as (text, whether it is a regular expression). Return an empty list if the
    pattern cannot be split.
    """
    text = pattern.removeprefix("^").removesuffix("$")
    found = []
    for part in re.split(r"/(?![^\[]*\])", text) if text else []:
        if _LITERAL.fullmatch(part) and not part.endswith(".*"):
            found.append((part, False))
            continue
        try:
            re.compile(part)
        except re.error:
            return []
        found.append((_ANY if part == ".*" else part, True))
    return found


def _parts(segments: list[tuple[str, bool]], taken: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each segment as (literal, "") or (variable name, pattern). Variable names are unique, and none is in
    `taken`.
    """
    used = set(taken)
    before = "part"
    for text, is_variable in segments:
        if not is_variable:
            before = text
            yield text, ""
            continue
        name = base = f"{_one(before)}Id"
        count = 1
        while name in used:
            count += 1
            name = f"{base}{count}"
        used.add(name)
        yield name, text


def _one(word: str) -> str:
    """Return the singular of `word`, a literal segment of a path: `projects` gives `project`."""
    word = re.sub(r"\W+", "_", word).strip("_") or "part"
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if re.search(r"(ss|sh|ch|x)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
