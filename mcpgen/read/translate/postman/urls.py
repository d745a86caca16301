"""Read the URL of a request in a Postman collection: its server, and its path and query with variables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_plus

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.read.translate.postman.examples import VARIABLE

_PARTS = re.compile(r"(?:([\w+.{}-]+)://)?([^/?#]*)([^?#]*)(?:\?([^#]*))?")
_ANGLES = re.compile(r"<([\w .-]+)>")
"""A variable as documentation writes it, such as `<id>`."""

_MOST_STEPS = 10
_LONGEST = 10_000
"""Limits on how often values of variables are filled in, and on the characters of the result. A value may name several
variables, so that each step can multiply the text.
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """A query parameter or path variable: its name and its example value.

    `index`: its position in the list in the collection; None if it comes from the text of the URL.
    """

    name: str
    value: str = ""
    description: str = ""
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Url:
    """The URL of a request. `server`: scheme and host, "" if a variable without a value holds them.

    `path` has its variables as `{name}`. `variables`: name → its example and its description.
    """

    server: str
    path: str
    variables: Mapping[str, Pair]
    query: tuple[Pair, ...]

    @property
    def is_http(self) -> bool:
        """Return True unless the server has another scheme, such as `wss`."""
        return self.server.partition("://")[0].lower() in ("", "http", "https")


def described(value: JsonValue) -> str:
    """Return a description, which Postman writes as text or as an object with `content`."""
    return (as_text(as_object(value).get("content")) or as_text(value)).strip()


def _filled(text: str, variables: Mapping[str, str]) -> str:
    """Return `text` with variables of the collection replaced by their values. Variables without a value stay.

    If the result would be too long, all variables that are left then stay.
    """
    for _ in range(_MOST_STEPS):
        values = [variables.get(match[1].strip(), "") for match in VARIABLE.finditer(text)]
        if len(text) + sum(map(len, values)) > _LONGEST:
            break
        new = VARIABLE.sub(lambda match: variables.get(match[1].strip()) or match[0], text)
        if new == text:
            break
        text = new
    return text


def read_url(value: JsonValue, variables: Mapping[str, str]) -> Url:
    """Return the URL of a request. The collection holds it as a text, or as an object whose parts are lists (Postman
    Collection 2.1, Url).
    """
    parts = as_object(value)
    raw = as_text(value) if isinstance(value, str) else as_text(parts.get("raw")) or _joined(parts)
    match = _PARTS.match(with_server_filled(raw.strip(), variables))
    assert match is not None, "every part of the pattern may be empty"
    scheme, host, path, query = match[1] or "", match[2] or "", match[3] or "", match[4] or ""
    known = bool(host) and "{{" not in host and "{{" not in scheme
    server = f"{scheme or 'https'}://{host}" if known else ""
    declared = {
        as_text(each.get("key")) or as_text(each.get("id")): Pair(
            as_text(each.get("key")), _shown(each.get("value")), described(each.get("description")), index
        )
        for index, each in enumerate(map(as_object, as_list(parts.get("variable"))))
    }
    found: dict[str, Pair] = {}
    segments = [_segment(segment, declared, found) for segment in path.split("/")]
    pairs = tuple(_listed(parts["query"])) if as_list(parts.get("query")) else tuple(_written(query))
    return Url(server, "/".join(segments) or "/", found, pairs)


def with_server_filled(raw: str, variables: Mapping[str, str]) -> str:
    """Return the URL with the variables before its path replaced by their values, since they name the server.

    This is the only use of a variable's value: other values may be secrets. Other variables become arguments.
    """
    front = re.match(r"(?:[\w+.-]+://)?[^/?#]*", raw)
    assert front is not None, "the pattern may match nothing"
    return _filled(front[0], variables) + raw[front.end() :]


def _joined(parts: JsonObject) -> str:
    """Return the text of a URL that is given only in parts."""
    host, path = parts.get("host"), parts.get("path")
    text = host if isinstance(host, str) else ".".join(map(as_text, as_list(host)))
    if parts.get("port"):
        text += f":{_shown(parts['port'])}"
    if parts.get("protocol"):
        text = f"{as_text(parts['protocol'])}://{text}"
    steps = [as_text(step) or as_text(as_object(step).get("value")) for step in as_list(path)]
    return f"{text}/{'/'.join(steps)}" if not isinstance(path, str) else f"{text}/{path.lstrip('/')}"


def _segment(text: str, declared: Mapping[str, Pair], found: dict[str, Pair]) -> str:
    """Return a path segment with `{name}` for each variable. Each variable is added to `found`."""
    if text.startswith(":") and len(text) > 1 and re.fullmatch(r":[\w-]+", text):
        name = text[1:]
        found[name] = declared.get(name, Pair(name))
        return f"{{{name}}}"

    def named(match: re.Match[str]) -> str:
        name = re.sub(r"\W+", "_", match[1].strip().lstrip("$")).strip("_") or "value"
        found.setdefault(name, Pair(name))
        return f"{{{name}}}"

    return _ANGLES.sub(named, VARIABLE.sub(named, text))


def _listed(value: JsonValue) -> list[Pair]:
    return [
        Pair(as_text(each["key"]), _shown(each.get("value")), described(each.get("description")), index)
        for index, each in enumerate(map(as_object, as_list(value)))
        if as_text(each.get("key"))
    ]


def _written(query: str) -> list[Pair]:
    pairs = [text.partition("=") for text in query.split("&") if text]
    return [Pair(unquote_plus(name), unquote_plus(value)) for name, _, value in pairs]


def _shown(value: JsonValue) -> str:
    return as_text(value) if isinstance(value, str) else "" if value is None else str(value)
