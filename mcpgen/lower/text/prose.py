"""Turn the text of a document into plain text for a model, and shorten texts at the ends of sentences.

The author's wording stays. Tags, tables, links to web pages and code samples are removed, since a model cannot use
them.

Each run of hidden characters becomes one MARK, even if HTML character references stand for them. `sanitize.py` removes
the marks at the end and reports them, so that no step drops a hidden character silently.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from mcpgen.base.invisible import resolved, visible
from mcpgen.base.names import normalize

LONGEST_SAID = 200
"""Longest sentence about a tool, a resource, a prompt or a webhook in a list of them, in characters."""

READ = 20_000
_FENCE = re.compile(r"(?:^|\n)[ \t]*(```|~~~).*?(?:\n[ \t]*\1[ \t]*(?=\n|$)|$)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_BLOCK_TAG = re.compile(r"</?(?:p|br|div|li|ul|ol|h[1-6]|tr|table|pre|blockquote)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?+([A-Za-z][\w.-]*+)([^<>]*+)>")
_ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        """
        a abbr address area article aside audio b base bdi bdo big blockquote body br button canvas caption center cite
        code col colgroup data dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form
        frame h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark menu
        meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp script
        section select small source span strike strong style sub summary sup svg table tbody td template textarea tfoot
        th thead time title tr track tt u ul var video wbr
        """,
    )
)
"""Names of HTML elements. Other words in angle brackets are text of the author: `<TrackingCategory>`."""

_ADDRESS = r"\((?:[^()]|\([^()]*\))*\)"
_IMAGE = re.compile(rf"!\[[^\[\]]*\]{_ADDRESS}")
_LINK = re.compile(rf"\[([^\[\]]*)\]{_ADDRESS}")
_REFERENCE_LINK = re.compile(r"\[([^\[\]]+)\]\[[^\[\]]*\]")
_TABLE_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$|^(?=.*---)[ \t:|-]+$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.*)$", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[*+-]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|(?<!_)___|(?<!_)__|(?<!\w)_(?=\S))(?=\S)(.{1,300}?)(?<=\S)\1(?!\w)")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)(.{1,500}?)(?<!`)\1(?!`)", re.DOTALL)
_ESCAPED = re.compile(r"\\([!#*+.<>()\[\]_`{|}~-])")
_SPAN = re.compile("(\x02[0-9]+\x03)")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+(?:\[![A-Za-z]+\])?", re.MULTILINE)
_Step = tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]]
"""A text, a pattern, and a replacement. The pattern is tried only if the text occurs.

Every pattern takes linear time, whatever the text (`tests/hostile/test_patterns.py`).
"""

_BEFORE_CODE: tuple[_Step, ...] = (("```", _FENCE, "\n"), ("~~~", _FENCE, "\n"), (">", _QUOTE, ""))
_BEHIND_HEADING = " \t#"
_AFTER_CODE: tuple[_Step, ...] = (
    ("![", _IMAGE, ""),
    ("](", _LINK, "\\1\x04"),
    ("][", _REFERENCE_LINK, r"\1"),
    ("|", _TABLE_ROW, ""),
    ("---", _TABLE_ROW, ""),
    ("#", _HEADING, lambda found: f"\n{found[1].rstrip(_BEHIND_HEADING)}.\n\n"),
)
_LINKED = "\x04"
"""Marks the end of link text, until `_without_urls` has judged the sentence around it. No source text contains this
character.
"""

_URL = re.compile(r"<?https?://[^\s<>()\"']+>?")
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:see|read|visit|refer|documentation|docs|learn|more|here|guide|consult)\b", re.IGNORECASE
)
_POINTS_TO_A_PAGE = re.compile(
    r"(?:for (?:more|further|additional|full|complete|detailed)? ?"
    r"(?:information|details|documentation|instructions|help)"
    r"|see(?: also)?|refer to|learn|read|visit|consult|check out|more (?:information|details)|to learn more)\b",
    re.IGNORECASE,
)
"""Beginning of a sentence that only refers to a web page."""

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]\u200b]*\s+(?=[\"'(\[\u200b]?[A-Z0-9\x02])")
_NOT_AN_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|incl|max|min|resp)\.|\b[A-Z]\.)$", re.IGNORECASE)

MARK = "\u200b"
"""Replaces a run of invisible characters. The mark is invisible too, so that later checks also find a text with a
mark.
"""

_JOINERS = "\u200c\u200d"
"""Invisible joiners of letters or emoji, which must not be the last character of a shortened text."""

_MARKS = re.compile(f"{MARK}+")


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Return `text` without markup, as paragraphs separated by blank lines, each on one line.

    Paragraphs without a letter or digit are dropped. Only the first READ characters are used, since no description of a
    tool is longer. Runs of invisible characters are replaced by MARK before markup is removed, and again at the end:
    removing markup can join the parts of an HTML character reference, which may mean such a character.
    """
    text = text[:READ]
    text = _marked(text.replace("\u2028", "\n").replace("\u2029", "\n\n"))
    text = _replaced(text, _BEFORE_CODE)
    spans: list[str] = []
    if "`" in text:
        text = _CODE.sub(lambda match: _set_aside(match[2], spans), text)
    if "<" in text or "&" in text:
        text = _TAG.sub(_without_tag, _BLOCK_TAG.sub("\n\n", _COMMENT.sub("", text)))
        text = _with_references(text)
    text = _replaced(text, _AFTER_CODE)
    paragraphs = (_put_back(_paragraph(block), spans) for block in re.split(r"\n[ \t]*\n", text))
    return _marked("\n\n".join(paragraph for paragraph in paragraphs if any(map(str.isalnum, paragraph))))


def _with_references(text: str) -> str:
    """Return `text` with HTML character references resolved. The placeholders of code spans stay unchanged."""
    parts = _SPAN.split(text)
    parts[::2] = [resolved(_marked(part)) for part in parts[::2]]
    return "".join(parts)


def _marked(text: str) -> str:
    """Return `text` with one MARK for each run of invisible characters, including those written as HTML character
    references.
    """
    return text if text.isascii() and text.isprintable() and "&" not in text else _MARKS.sub(MARK, visible(text, MARK))


def _without_tag(found: re.Match[str]) -> str:
    """Return "" for an HTML tag, and the word without brackets for anything else in angle brackets.

    Brackets that touch another word stay.
    """
    name, rest = found.groups()
    if name.lower() in _ELEMENTS or rest or found[0].startswith("</"):
        return ""
    return found[0] if found.string[found.start() - 1 : found.start()].isalnum() else name


def _replaced(text: str, steps: tuple[_Step, ...]) -> str:
    for trigger, pattern, replacement in steps:
        if trigger in text:
            text = pattern.sub(replacement, text)
    return text


def _set_aside(code: str, spans: list[str]) -> str:
    """Store a code span in `spans` and return its placeholder, since brackets and stars in code are no markup.

    Placeholders are control characters, and these were removed from the text before.
    """
    spans.append(" ".join(code.split()))
    return f"\x02{len(spans) - 1}\x03"


def _put_back(paragraph: str, spans: list[str]) -> str:
    return _SPAN.sub(lambda match: spans[int(match[1][1:-1])], paragraph) if spans else paragraph


def _paragraph(block: str) -> str:
    """Join the lines of a block to one line.

    Items of a list are joined; items that only point to a page are dropped.
    """
    items: list[tuple[bool, str]] = []
    for line in filter(None, map(str.strip, block.split("\n"))):
        bullet = _BULLET.match(line)
        if bullet or not items:
            items.append((bullet is not None, line[bullet.end() :] if bullet else line))
        else:
            items[-1] = items[-1][0], f"{items[-1][1]} {line}"
    joined = ""
    for is_item, text in items:
        kept = _without_urls(_inline(text))
        separator = "" if not joined else "; " if is_item and joined[-1] not in ":;.,!?" else " "
        joined += separator + kept if kept else ""
    return normalize("NFC", joined).strip()


def _inline(text: str) -> str:
    """Return a line of text without Markdown emphasis and backslash escapes."""
    text = re.sub(r"\s+", " ", text).replace(f" {MARK} ", f"{MARK} ")
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def _without_urls(paragraph: str) -> str:
    """Return `paragraph` without URLs, and without sentences that only refer to a web page, such as `See URL.`."""
    if "://" not in paragraph and _LINKED not in paragraph:
        return paragraph
    kept = [sentence for sentence in sentences(paragraph) if not _points_elsewhere(sentence)]
    text = _URL.sub("", " ".join(kept)).replace(_LINKED, "")
    return re.sub(r"\s+([.,;:)])", r"\1", re.sub(r"\s{2,}", " ", text)).replace("()", "")


def _points_elsewhere(sentence: str) -> bool:
    if _URL.search(sentence) and _POINTS_ELSEWHERE.search(sentence):
        return True
    return _LINKED in sentence and _POINTS_TO_A_PAGE.match(sentence.lstrip("(")) is not None


def sentences(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph, each with its punctuation."""
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(paragraph):
        if not _NOT_AN_END.search(paragraph[max(start, match.start() - 12) : match.start()]):
            found.append(paragraph[start : match.start()] + match[0].rstrip())
            start = match.end()
    return [*found, paragraph[start:]] if paragraph[start:] else found


def first_sentence(text: str) -> str:
    """Return the first sentence of a description, at most LONGEST_SAID characters of it."""
    return shortened(next(iter(sentences(text.strip().partition("\n")[0])), ""), LONGEST_SAID)


def shortened(text: str, limit: int) -> str:
    """Return at most `limit` characters of plain `text`, as one paragraph: whole sentences if one fits, else whole
    words and `…`.
    """
    flat = " ".join(text.split("\n\n"))
    if len(flat) <= limit:
        return flat
    kept = ""
    for sentence in sentences(flat):
        if len(kept) + 1 + len(sentence) > limit:
            break
        kept = f"{kept} {sentence}" if kept else sentence
    if len(kept) >= limit // 4:
        return kept
    cut = flat[: limit - 1]
    return cut[: cut.rfind(" ")].rstrip(" ,;:") + "…" if " " in cut else cut.rstrip(_JOINERS) + "…"


def ended(sentence: str) -> str:
    """Return `sentence` with a full stop if it has no final punctuation and its script uses full stops."""
    sentence = sentence.strip()
    last = sentence.rstrip(MARK)[-1:]
    if not last or last in ".!?…:" or unicodedata.east_asian_width(last) in "WF":
        return sentence
    return sentence + "."


def similarity(one: str, other: str) -> float:
    """Return the share of words that two texts have in common (Jaccard), from 0 to 1."""
    left, right = set(re.findall(r"\w+", one.lower())), set(re.findall(r"\w+", other.lower()))
    return len(left & right) / len(left | right) if left | right else 1.0
