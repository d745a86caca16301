"""Escape text for TOML, YAML, Markdown and HTML. Text of a document enters files of these formats only through the
functions here (sinks), also as filters of the Jinja templates of a project. Only this module imports jinja2.

Each sink is named after the syntax that it writes. Sinks encode characters and never remove any, since removal could
join the remaining parts to new markup.
"""

import html
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2

from mcpgen.base.invisible import hidden_characters, shown
from mcpgen.base.jsonvalue import JsonValue, compact

_MARKDOWN = re.compile(r"([\\`*_\[\]<>&|~$#]|:(?=/))")
_PLAIN_YAML = re.compile(r"(?:\.\./)*[A-Za-z_/][A-Za-z0-9_./-]*(?::[A-Za-z_/][A-Za-z0-9_./*?-]*)?")
_WORD_OF_YAML = re.compile(r"y|n|yes|no|on|off|true|false|null", re.IGNORECASE)
"""Unquoted YAML scalars that begin with a letter, but that some version of YAML does not read as text."""

_BARE = re.compile(r"[A-Za-z0-9_-]{1,200}")
_LINK = re.compile(r"(?:https|goose)://[A-Za-z0-9./_-]{1,80}(?:\?(?:[A-Za-z0-9&=._~-]|%[0-9A-F]{2}){1,20000})?")
_LINE_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def toml_string(text: str) -> str:
    """Return a TOML basic string (TOML 1.0) with its quotes, in ASCII."""
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
    """Return `text` for a Markdown paragraph or table cell: on one line, with every character that could be markup
    escaped.
    """
    return _MARKDOWN.sub(r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    """Return `text` on one line, with invisible characters replaced by their code points."""
    return shown(_LINE_BREAKS.sub(" ", text.encode("utf-8", "replace").decode("utf-8"))).strip()


def markdown_code(text: str) -> str:
    """Return `text` as a Markdown code span.

    The code span is delimited by more backticks than any run of backticks in the text (CommonMark 6.1). Pipes are
    escaped.
    """
    plain = _one_line(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{padding}{plain or ' '}{padding}{fence}"


def markdown_prose(text: str) -> str:
    """Return `text` for a Markdown paragraph or table cell: as `markdown_text`, but backticks delimit code spans."""
    parts = _one_line(text).split("`")
    return "".join(markdown_code(part) if at % 2 else _MARKDOWN.sub(r"\\\1", part) for at, part in enumerate(parts))


def yaml_scalar(text: str) -> str:
    """Return a YAML scalar on one line that is read as `text`.

    The scalar has the same meaning in YAML 1.2 and 1.1, in block and flow style, as key and as value. It is unquoted if
    that is unambiguous, else double-quoted (YAML 1.2, 7.3.1).
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
    """Return `text` for a YAML comment: on one line, with invisible characters replaced by their code points."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in _one_line(text))


def html_data(value: JsonValue) -> str:
    """Return JSON as the content of a `<script type="application/json">` (HTML, 4.12.1.3).

    The result is ASCII without `<`, `>` and `&`, so it can neither end the `<script>` element nor begin a comment.
    """
    return compact(value).replace(">", "\\u003e").replace("&", "\\u0026")


def html_text(text: str) -> str:
    """Return `text` for the content of an HTML element, or for an attribute in double quotes."""
    return html.escape(shown(text.encode("utf-8", "replace").decode("utf-8")))


def bare_name(name: str) -> str:
    """Return `name`, the name of a server, package, command, variable or tool, if it needs no escaping in any file
    format.

    Raises ValueError for any other text.
    """
    if not _BARE.fullmatch(name):
        raise ValueError(f"not a bare name: {name!r}")
    return name


def link(url: str) -> str:
    """Return `url` unchanged if it needs no escaping in Markdown because its query is percent-encoded.

    Raises ValueError for any other text.
    """
    if not _LINK.fullmatch(url):
        raise ValueError(f"not an encoded link: {url!r}")
    return url


# -- templates ---------------------------------------------------------------------------------------------------------


FILTERS = {
    "toml": toml_string,
    "yaml": yaml_scalar,
    "text": markdown_text,
    "prose": markdown_prose,
    "code": markdown_code,
    "html": html_text,
    "bare": bare_name,
    "link": link,
}
"""Name → filter for templates. Every expression that a template prints passes one of these filters; a test checks
that.
"""


def render(folder: Path, values: Mapping[str, object]) -> dict[str, bytes]:
    """Render every `PATH.jinja` below `folder`. Return PATH → contents, in UTF-8 with one newline at the end."""
    environment = _environment(folder)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jinja"))
    rendered = {name.removesuffix(".jinja"): environment.get_template(name).render(values) for name in names}
    return {name: (text.rstrip("\n") + "\n").encode() for name, text in rendered.items()}


@cache
def _environment(folder: Path) -> jinja2.Environment:
    """Return the environment of the templates in `folder`.

    The environment caches compiled templates: compiling templates takes most of the time of a small run, and
    `regenerate` renders them twice.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 — most targets are TOML, YAML and Markdown, where HTML escaping would be wrong; sinks escape
    )
    environment.filters.update(FILTERS)
    return environment
