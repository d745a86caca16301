"""Check the texts that a model reads for defects, and count the arguments that have a description.

A defect is markup that a viewer would render: HTML tags and references; Markdown's links, images, emphasis, code,
headings, tables and rules. Names in code (`snake_case`, `__init__`), globs (`*.txt`, `a * b`) and placeholders (`<id>`)
are allowed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.bars import Bar
from benchmarks.surface.documents import Surface

LONGEST = 1000
_SHORT_FIRST = "a first sentence of under 3 words"
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_TAGS = (
    "a|abbr|article|aside|b|blockquote|br|caption|center|cite|code|dd|del|details|div|dl|dt|em|figure|font|footer|h[1-6]|"
    "header|hr|i|iframe|img|input|ins|kbd|li|link|mark|nav|ol|p|pre|q|s|samp|script|section|small|span|strike|strong|style|"
    "sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video"
)
MARKUP = {
    "HTML tag": re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE),
    "HTML comment": re.compile(r"<!--"),
    "HTML reference": re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|mdash|ndash|hellip|#\d+|#x[0-9a-f]+);", re.IGNORECASE),
    "Markdown link": re.compile(
        r"\[[^\[\]\n]+\]\([^()\s]+(?:\s+\"[^\"]*\")?\)"
        r"|(?<![\w\]^/?])\[(?![^\]]*(?:a-z|A-Z|0-9))\w[^\[\]\n]*\]\[[^\[\]\n]*\](?!\w)"
    ),
    "Markdown strong": re.compile(
        r"(?<![\w*\\/])\*\*(?=[^\s*])[^*\n]*[^\s*]\*\*(?![\w*/])|(?<![\w.])__(?=[A-Z])[^_\n]+ [^_\n]+__(?!\w)"
    ),
    "Markdown emphasis": re.compile(
        r"(?<![\w*/.\\(\"'`=,])\*(?=[A-Za-z])[^*\n]*[A-Za-z.,:;!?]\*(?![\w*/]|\.\w)"
        r"|(?<![\w/.-])_(?=[A-Za-z])[^_\n]+[a-z.]_(?![\w/-]|\.\w)"
    ),
    "Markdown fence": re.compile(r"```|~~~"),
    "Markdown code": re.compile(r"`[^`\n]+`"),
    "Markdown heading": re.compile(r"^ {0,3}#{1,6}\s+\S|^(?:=|-){3,}\s*$", re.MULTILINE),
    "Markdown table": re.compile(r"^\s*\|.*\|\s*$|\|\s*:?-{3,}:?\s*\|", re.MULTILINE),
}
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
# URLs are counted, but their number has no limit, because an address in a code sample is data.
_URL = re.compile(r"\b(?:https?|ftp)://\S+|\bwww\.\w+", re.IGNORECASE)
_FIRST_SENTENCE = re.compile(r".*?[.!?](?=\s|$)|.+", re.DOTALL)


@dataclass(slots=True)
class Row:
    """Results of one document. `findings`: kind of defect → count. `examples`: kind of defect → examples."""

    name: str
    tools: int
    parameters: int = 0
    described: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)


def measure(surface: Surface) -> Row:
    """Count the arguments, the described arguments and the defects in the tools of one document."""
    row = Row(surface.name, len(surface.tools))
    for tool in surface.tools:
        arguments = tool.listed["inputSchema"]["properties"].values()
        row.parameters += len(arguments)
        row.described += sum(bool(str(schema.get("description", "")).strip()) for schema in arguments)
        for what, text in findings(tool.listed):
            row.findings[what] += 1
            row.examples.setdefault(what, []).append(f"{tool.name}: {text!r}")
    return row


def findings(tool: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each defect in the texts and hints of a listed tool, with an excerpt."""
    yield from _description(str(tool["name"]), str(tool.get("description", "")))
    hints = tool.get("annotations", {})
    if not all(isinstance(hints.get(hint), bool) for hint in _HINTS):
        yield "hints missing", str(hints)
    if not str(tool.get("title", "")).strip() or not str(hints.get("title", "")).strip():
        yield "no title", str(tool.get("title", ""))
    for name, schema in tool["inputSchema"]["properties"].items():
        for kind, around in markup(str(schema.get("description", ""))):
            yield f"markup of an argument: {kind}", f"{name}: {around}"
    for text in _texts(tool):
        if unseen := {char for char in text if unicodedata.category(char) in _UNSEEN and char != "\n"}:
            yield "characters that are not seen", f"{[f'{ord(char):04X}' for char in unseen]} in {text[:60]}"


def _description(name: str, text: str) -> Iterator[tuple[str, str]]:
    if not text.strip():
        yield "empty", text
    if len(text) > LONGEST:
        yield "over 1,000 characters", f"{len(text)}: {text[:80]}"
    if _letters(text) == _letters(name):
        yield "equal to the name", text
    for kind, around in markup(text):
        yield f"markup: {kind}", around
    if url := _URL.search(text):
        yield "a URL", text[max(0, url.start() - 30) :][:110]
    first = _FIRST_SENTENCE.match(text.removeprefix("Deprecated.").strip())
    if first is None or len(re.findall(r"[\w'-]+", first.group())) < 3:
        yield _SHORT_FIRST, text[:80]


def markup(text: str) -> Iterator[tuple[str, str]]:
    """Yield each kind of markup in `text`, with an excerpt."""
    for kind, pattern in MARKUP.items():
        if found := pattern.search(text):
            yield kind, text[max(0, found.start() - 25) : found.end() + 25]


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _texts(value: Any) -> Iterator[str]:
    """Yield every text of a tool except patterns, which may contain markup characters."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            if key != "pattern":
                yield from _texts(member)


_NONE_OF = ("empty", "over 1,000 characters", "equal to the name", "no title", "hints missing")


def show(rows: list[Row], examples: int) -> list[Bar]:
    """Print a row of counts for each document and the number of defects of each kind. Return each overall result with
    its upper or lower limit.
    """
    print(f"\n{'descriptions':52} {'tools':>6} {'markup':>7} {'URLs':>6} {'first>=3':>9} {'arguments described':>20}")
    for row in rows:
        first = 100 - 100 * row.findings[_SHORT_FIRST] / row.tools
        described = 100 * row.described / max(1, row.parameters)
        counts = f"{row.tools:6,} {_marked(row):7,} {row.findings['a URL']:6,} {first:9.1f} {described:20.1f}"
        print(f"{row.name[-52:]:52} {counts}")
        if examples:
            for what, count in row.findings.most_common():
                print(f"    {count:6} {what}")
                for example in row.examples[what][:examples]:
                    print(f"               {example}")
    whole = sum((row.findings for row in rows), Counter[str]())
    for what, count in whole.most_common():
        print(f"    {count:6} {what}")
    tools = sum(row.tools for row in rows)
    described, parameters = sum(row.described for row in rows), sum(row.parameters for row in rows)
    print(f"arguments that are described: {100 * described / max(1, parameters):.1f} per cent of {parameters:,}")
    return [
        *(Bar(f"tools: {what}", whole[what], "<=", 0) for what in _NONE_OF),
        Bar("descriptions with markup", sum(map(_marked, rows)), "<=", 0),
        Bar("texts with characters that are not seen", whole["characters that are not seen"], "<=", 0),
        Bar("per cent of first sentences of 3 words or more", 100 - 100 * whole[_SHORT_FIRST] / tools, ">=", 95),
    ]


def _marked(row: Row) -> int:
    return sum(count for what, count in row.findings.items() if what.startswith("markup: "))
