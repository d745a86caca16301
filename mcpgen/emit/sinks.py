"""The doors for text of a document into TOML, YAML, Markdown and HTML. Each is named after the syntax that it writes.

Escaping happens once, here, and encodes instead of removing: nothing can re-form what was taken apart.
"""

import re

from mcpgen.base.invisible import hidden_characters, shown
from mcpgen.base.jsonvalue import JsonValue, compact

_MARKDOWN = re.compile(r"([\\`*_\[\]<>&|~$#]|:(?=/))")
_PLAIN_YAML = re.compile(r"(?:\.\./)*[A-Za-z_/][A-Za-z0-9_./-]*(?::[A-Za-z_/][A-Za-z0-9_./*?-]*)?")
_WORD_OF_YAML = re.compile(r"y|n|yes|no|on|off|true|false|null", re.IGNORECASE)
"""Plain scalars that are no text in some version of YAML, among those that begin with a letter."""

_BARE = re.compile(r"[A-Za-z0-9_-]{1,200}")
_LINE_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def toml_string(text: str) -> str:
    """A TOML basic string (TOML 1.0), quotes included, ASCII alone."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return '"' + "".join(map(_toml_character, plain)) + '"'


def _toml_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return character
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def markdown_text(text: str) -> str:
    """Text inside a Markdown paragraph or table cell: on one line, every character that could be markup escaped."""
    return _MARKDOWN.sub(r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    """`text` on one line, with characters that a reader would not see written out."""
    return shown(_LINE_BREAKS.sub(" ", text.encode("utf-8", "replace").decode("utf-8"))).strip()


def markdown_code(text: str) -> str:
    """A code span: its fence is longer than any run of backticks in it (CommonMark 6.1), and no pipe ends a cell."""
    plain = _one_line(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{padding}{plain or ' '}{padding}{fence}"


def yaml_scalar(text: str) -> str:
    """A YAML scalar on one line that is read as the text `text`, by YAML 1.2 and 1.1, in a block and in a flow, as key
    and as value: plain where nothing in it could mean anything else, else in double quotes (YAML 1.2, 7.3.1).
    """
    if _PLAIN_YAML.fullmatch(text) and not _WORD_OF_YAML.fullmatch(text):
        return text
    return '"' + "".join(map(_yaml_character, text.encode("utf-8", "replace").decode("utf-8"))) + '"'


def _yaml_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable() and not hidden_characters(character):
        return character
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def yaml_comment(text: str) -> str:
    """Text behind the `#` of a YAML comment: on one line, everything that a reader would not see written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in _one_line(text))


def html_data(value: JsonValue) -> str:
    """JSON as the content of a `<script type="application/json">` (HTML, 4.12.1.3): ASCII, and without `<`, `>` and
    `&`, so that it can neither end its element nor begin a comment.
    """
    return compact(value).replace(">", "\\u003e").replace("&", "\\u0026")


def bare_name(name: str) -> str:
    """A name of ours that needs no escaping anywhere: server, package, command, variable, tool. ValueError for anything
    else.
    """
    if not _BARE.fullmatch(name):
        raise ValueError(f"not a bare name: {name!r}")
    return name
