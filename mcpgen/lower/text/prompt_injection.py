"""Find prompt injection: texts with instructions for a model, which a person should read before the server is released.

Matching words prove nothing, so such a text is only reported and never changed. The patterns come from published
attacks.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

_Order = tuple[tuple[str, ...], re.Pattern[str]]
"""A pattern, and lower-case texts. The pattern is tried only if one of these texts occurs."""


def _order(signs: tuple[str, ...], *patterns: str) -> _Order:
    return signs, re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


_ORDERS: tuple[_Order, ...] = (
    # Patterns of sentences that tell a model to ignore earlier instructions.
    _order(
        ("ignore", "disregard", "forget", "override"),
        r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier)\b.{0,30}"
        r"\b(?:instruction|prompt|rule|message|guideline)",
    ),
    _order(
        ("from now on", "system:", "you must "),
        r"\bfrom now on\b.{0,20}\byou\b|\bsystem:|\byou must (?:always|never)\b.{0,30}\btools?\b",
    ),
    # Patterns of sentences that tell a model to hide something from the user.
    _order(
        ("do not", "don't", "never"),
        r"\b(?:do not|don't|never)\b.{0,12}\b(?:tell|inform|mention|alert)\b.{0,25}\b(?:user|human|operator)\b",
        r"\b(?:do not|don't|never)\b.{0,12}\bask\b.{0,12}\b(?:for )?(?:confirmation|permission|the user)\b",
    ),
    # Patterns of sentences that tell a model to call another tool, or this tool instead of another.
    _order(
        (" tool",),
        r"\bbefore\b.{0,20}\b(?:using|calling|invoking)\b.{0,15}\b(?:this|any|other) tools?\b",
        r"\bthis tool (?:replaces|supersedes|overrides)\b",
    ),
    _order(
        ("instead of", "rather than", "in place of"), r"\b(?:instead of|rather than|in place of)\b.{0,40}\btools?\b"
    ),
    _order(
        tuple(f"{which} {what}" for which in ("this", "the following") for what in ("tool", "operation", "function")),
        r"\b(?:must|always|first)\b.{0,20}\b(?:call|use|invoke|run)\b.{0,25}"
        r"\b(?:this|the following) (?:tool|operation|function)\b",
    ),
    # Patterns of sentences that tell a model to send out the conversation.
    _order(
        ("history", "transcript"),
        r"\b(?:include|send|append|attach|forward|pass)\b.{0,25}\b(?:chat|conversation) (?:history|transcript)\b",
    ),
    # Patterns of sentences that tell the model who it is.
    _order(
        ("you are ", "the assistant "),
        r"\byou are (?:now|an? (?:ai|assistant|agent))\b|\bthe assistant (?:should|must|has to)\b",
    ),
    _order(
        ("important>", "system>", "instruction>", "instructions>", "inst]", "<|"),
        r"</?(?:important|system|instructions?)>|\[/?INST\]|<\|[a-z_]+\|>",
    ),
    # Patterns of paths of private files, such as keys, of the user who runs the model.
    _order(
        ("~/.", "id_rsa", "/etc/passwd", ".aws/credentials", "mcp.json"),
        r"~/\.|\bid_rsa\b|/etc/passwd|\.aws/credentials|\bmcp\.json\b",
    ),
)
_FOLDING = re.compile("[\u0130\u0131\u017f\u212a]")
"""Characters such as the long s, which case-insensitive patterns match as ASCII letters, but which `str.lower` does not
convert to ASCII letters.
"""

_READ = 20_000


@lru_cache(maxsize=8192)
def gives_orders(text: str) -> bool:
    """Return True if `text` tells a model to do something other than call the tool."""
    return next(_matches(text), None) is not None


def orders(text: str) -> tuple[str, ...]:
    """Return the distinct phrases of `text` that tell a model to do something other than call the tool, each on one
    line.
    """
    return tuple(dict.fromkeys(" ".join(match[0].split()) for match in _matches(text)))


def _matches(text: str) -> Iterator[re.Match[str]]:
    text = text[:_READ]
    folded = text.lower()
    plain = text.isascii() or not _FOLDING.search(text)
    for signs, pattern in _ORDERS:
        if not plain or any(map(folded.__contains__, signs)):
            yield from pattern.finditer(text)
