# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""How a text may be written after it went through JSON, HTML, a URL or a program: each character that is no ASCII
letter or digit as itself, behind backslashes, by its number or by its name, and also twice. Pure.

What comes of it is a regular expression. Its time is linear: no text can be read by it in two ways that end alike,
since backslashes, which could be, are never given back.
"""

from __future__ import annotations

import re

LONGEST = 36
"""Characters that one may become: four bytes, percent-encoded three times over, behind backslashes."""

_RUNS = re.compile(r"\\+|[0-9A-Za-z]+|.", re.DOTALL)
_ALPHANUMERIC = re.compile("[0-9A-Za-z]+")
_LETTERS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}

#: What HTML calls them. The module `html` holds two thousand more, and all of them in memory.
_CALLED = (
    "excl quot num dollar percnt amp apos lpar rpar ast plus comma period sol colon semi lt equals gt quest commat "
    "lsqb|lbrack bsol rsqb|rbrack Hat lowbar grave lcub|lbrace verbar|vert|VerticalLine rcub|rbrace"
)
_NAMES = dict(zip("!\"#$%&'()*+,./:;<=>?@[\\]^_`{|}", _CALLED.split(" "), strict=True))


def anchor(text: str) -> str:
    """The longest part of a text that is written in one way only; "" where there is none."""
    return max(_ALPHANUMERIC.findall(text), key=len, default="")


def pattern(text: str) -> str:
    """A regular expression for the text in all these ways, for str as it is and for bytes in UTF-8."""
    made, after_backslash = [], False
    for run in _RUNS.findall(text):
        if run[0] == "\\":
            made.append(rf"(?:\\{{{len(run)},{8 * len(run)}}}+|(?:{_ways(run[0], False)}){{{len(run)}}})")
        elif run.isascii() and run.isalnum():
            made.append(run)
        else:
            made.append(f"(?:{re.escape(run)}|{_ways(run, after_backslash)})")
        after_backslash = run[0] == "\\"
    return "".join(made)


def _ways(character: str, after_backslash: bool) -> str:
    """Whatever a character may be written as, but itself. Backslashes before it may have taken its own with them."""
    code, units = ord(character), character.encode("utf-16-be", "surrogatepass").hex()
    backslashes = r"\\{0,8}+" if after_backslash else r"\\{1,8}+"
    escaped = [f"u{_digits(units[:4])}" + (rf"\\{{1,8}}+u{_digits(units[4:])}" if units[4:] else "")]
    if code < 0x100:
        escaped.append(f"x{_digits(f'{code:02x}')}")
    escaped += [_LETTERS[character]] if character in _LETTERS else []
    itself = [rf"\\{{1,8}}+{re.escape(character)}"] if character != "\\" else []
    encodings = ("utf-8", "latin-1") if 0x7F < code < 0x100 else ("utf-8",)
    percent = ["".join(f"%(?:25){{0,2}}{_digits(f'{byte:02x}')}" for byte in character.encode(each, "surrogatepass"))
               for each in encodings]  # fmt: skip
    entities = [f"#0{{0,4}}{code}", f"#[xX]0{{0,4}}{_digits(f'{code:x}')}"]
    entities += [_NAMES[character]] if character in _NAMES else []
    spaces = [r"\+"] if character == " " else []
    marked_up = rf"&(?:amp;){{0,2}}(?:{'|'.join(entities)});?"
    outer = rf"\\{{0,8}}+(?:{'|'.join([*percent, marked_up])})"  # what was in JSON before
    return "|".join([f"{backslashes}(?:{'|'.join(escaped)})", *itself, outer, *spaces])


def _digits(digits: str) -> str:
    """Hexadecimal digits in either case."""
    return "".join(f"[{each}{each.upper()}]" if each.isalpha() else each for each in digits)
