"""Parse the path keys of a document (OpenAPI 3.1, 4.8.8.2), and derive the stable key of an operation.

Published keys hold more than the standard allows: a query (`/a?action=b`), a fragment (`/#X-Target=c`), several
variables in a segment. Such keys are accepted if they are unambiguous. Keys that could lead to another host or path
(`//host`, `..`, control characters) are refused.
"""

import re
from collections.abc import Collection
from urllib.parse import parse_qsl, quote, unquote

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.names import clipped
from mcpgen.model import PathTemplate

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\\"<>^`|\ud800-\udfff]|%(?![0-9A-Fa-f]{2})")
_Pairs = tuple[tuple[str, str], ...]
_UNSENT = "!$&'()*+,;=:@/~-._%"
LONGEST = 4000
"""Longest path key, in characters. Servers accept request targets of about 8,000, which include the values of
variables.
"""


def parse(path: str, where: Where, diagnostics: Diagnostics, *, query_is_meant: bool = False) -> PathTemplate:
    """Return the template of `path`. Raises SkipOperation if no request can be made from it.

    A query or a fragment in the path is reported, unless `query_is_meant` is True, which means that the user wrote it
    on purpose.
    """
    body, fragment_mark, _ = path.partition("#")
    body, query_mark, query = body.partition("?")
    fixed, filled = _of_query(path, query, where)
    if (fragment_mark or query_mark) and not query_is_meant:
        sent = (
            "the variables in the query become query parameters."
            if "{" in query
            else "mcpgen sends the query unchanged."
        )
        message = (
            f"The path {clipped(path, 120)} contains a query; {sent}"
            if query_mark
            else f"The path {clipped(path, 120)} contains a fragment, which was removed."
        )
        diagnostics.add("path-query", message, where, "Declare query parameters instead.")
    variables = tuple(_VARIABLE.findall(body))
    pieces = _VARIABLE.split(body)[::2]
    _refuse_unsendable(path, body, variables, pieces, where)
    if len(set(variables)) != len(variables):
        diagnostics.add(
            "repeated-path-parameter",
            f"The path {clipped(path, 120)} names a parameter twice; each occurrence becomes an argument.",
            where,
            "Give each of these parameters a different name.",
        )
    literals = tuple(quote(piece, safe=_UNSENT) for piece in pieces)
    return PathTemplate(literals, _distinct(variables), variables, fixed, filled)


def _of_query(path: str, query: str, where: Where) -> tuple[_Pairs, _Pairs]:
    """Return the constant pairs of a query, and the pairs (name, variable) whose value is one variable.

    Raises SkipOperation if a value mixes a variable and other text, since no rule says how to encode such a value.
    """
    fixed: list[tuple[str, str]] = []
    filled: list[tuple[str, str]] = []
    for name, value in parse_qsl(query, keep_blank_values=True):
        if variable := _VARIABLE.fullmatch(value):
            filled.append((name, variable[1]))
        elif "{" in name + value or "}" in name + value:
            message = f"The query of the path '{clipped(path, 120)}' mixes a variable with other text in one value."
            raise SkipOperation("invalid-path", message, where, "Declare query parameters instead.")
        else:
            fixed.append((name, value))
    return tuple(fixed), tuple(filled)


# OpenAPI forbids such paths, and Keycloak's document has them. Skipping the operation would lose a tool that works.
def _distinct(variables: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names; a name that occurs again gets a number: `x`, `x_2`."""
    found: list[str] = []
    for name in variables:
        number = 2
        wanted = name
        while wanted in found or (wanted != name and wanted in variables):
            wanted, number = f"{name}_{number}", number + 1
        found.append(wanted)
    return tuple(found)


def _refuse_unsendable(path: str, body: str, variables: tuple[str, ...], pieces: list[str], where: Where) -> None:
    reason = ""
    if len(path) > LONGEST:
        reason = f"is longer than {LONGEST:,} characters"
    elif not body.startswith("/"):
        reason = "does not begin with a slash"
    elif body.startswith("//"):
        reason = "begins with two slashes, which names another host"
    elif any(_FORBIDDEN.search(piece) for piece in pieces) or any("{" in piece or "}" in piece for piece in pieces):
        reason = "holds characters that a path cannot hold"
    elif any(_is_dot_segment(segment) for segment in _VARIABLE.sub("x", body).split("/")):
        reason = "holds a dot segment"
    elif "" in variables:
        reason = "holds a parameter without a name"
    if reason:
        raise SkipOperation("invalid-path", f"The path '{clipped(path, 120)}' {reason}.", where, "Correct the path.")


def _is_dot_segment(segment: str) -> bool:
    for _ in range(3):
        segment = unquote(segment)
    return segment in {".", ".."}


def with_braces(path: str, names: Collection[str]) -> str:
    """Return `path` with `{name}` in place of each segment `:name`, as Express writes parameters, for these names."""
    segments = path.split("/")
    return "/".join(f"{{{each[1:]}}}" if each[:1] == ":" and each[1:] in names else each for each in segments)


def operation_key(method: str, path: str) -> str:
    """Return METHOD and the path without names of variables (`GET /pets/{}`), so that renaming a variable does not
    change the key.
    """
    return f"{method} {_VARIABLE.sub('{}', path)}"
