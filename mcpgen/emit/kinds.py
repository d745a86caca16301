"""Map the kinds that the package `mcpgen.model` defines to their words in `bindings.json`, which the runtime knows.

The kinds are those of security schemes, parameter styles, body encodings and parts of a form.

A kind that is missing in this file is a type error in mypy. A kind that is added here must be added to the runtime
(`core/table.py`) and to `table.schema.json` in the same commit.
"""

from typing import assert_never

from mcpgen.model import BodyEncoding, PartKind, SchemeKind, Style


def scheme(kind: SchemeKind) -> str:
    """Return the word in `bindings.json` for this kind of security scheme."""
    match kind:
        case "apiKey" | "bearer" | "basic" | "oauth2" | "header" | "setting" | "login":
            return kind
        case _:
            assert_never(kind)


def style(kind: Style) -> str:
    """Return the word in `bindings.json` for this parameter style."""
    match kind:
        case "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "tabDelimited":
            return kind
        case "deepObject" | "cookie":
            return kind
        case _:
            assert_never(kind)


def encoding(kind: BodyEncoding) -> str:
    """Return the word in `bindings.json` for this encoding of a body."""
    match kind:
        case "json" | "jsonl" | "form" | "multipart" | "xml" | "text" | "binary":
            return kind
        case _:
            assert_never(kind)


def part(kind: PartKind) -> str:
    """Return the word in `bindings.json` for this encoding of a part of a multipart body."""
    match kind:
        case "text" | "json" | "xml" | "file":
            return kind
        case _:
            assert_never(kind)
