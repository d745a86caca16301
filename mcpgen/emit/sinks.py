"""The doors for text of a document into TOML and Markdown. Each is named after the syntax that it writes.

Escaping happens once, here, and encodes instead of removing: nothing can re-form what was taken apart.
"""

import json
import re

_MARKDOWN = re.compile(r"([\\`*_\[\]<>&|~$#]|:(?=/))")
_BARE = re.compile(r"[A-Za-z0-9_-]{1,200}")
_LINE_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def toml_string(text: str) -> str:
    """A TOML basic string (TOML 1.0), quotes included. JSON's escapes are a subset of TOML's once everything is ASCII."""
    plain = text.encode("utf-8", "replace").decode("utf-8").replace("\x7f", "")
    return re.sub(
        r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})",
        lambda match: f"\\U{0x10000 + ((int(match[1], 16) - 0xD800) << 10) + int(match[2], 16) - 0xDC00:08x}",
        json.dumps(plain, ensure_ascii=True),
    )


def markdown_text(text: str) -> str:
    """Text inside a Markdown paragraph or table cell: on one line, every character that could be markup escaped."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return _MARKDOWN.sub(r"\\\1", _LINE_BREAKS.sub(" ", plain)).strip()


def markdown_code(text: str) -> str:
    """A code span: its fence is longer than any run of backticks in it (CommonMark 6.1), and no pipe ends a cell."""
    plain = _LINE_BREAKS.sub(" ", text.encode("utf-8", "replace").decode("utf-8")).strip().replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{padding}{plain or ' '}{padding}{fence}"


def bare_name(name: str) -> str:
    """A name of ours that needs no escaping anywhere: server, package, command, variable, tool. ValueError for anything
    else.
    """
    if not _BARE.fullmatch(name):
        raise ValueError(f"not a bare name: {name!r}")
    return name
