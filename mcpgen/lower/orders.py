"""Texts that speak to a model instead of about an API: a person should read them before a model does.

Words alone prove nothing, so such a text is reported and never changed. The list holds what published attacks say.
"""

import re
from functools import lru_cache

_ORDERS = re.compile(
    "|".join(
        (
            # what was said before shall not count
            r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier)\b.{0,30}"
            r"\b(?:instruction|prompt|rule|message|guideline)",
            r"\bfrom now on\b.{0,20}\byou\b|\bsystem:|\byou must (?:always|never)\b.{0,30}\btools?\b",
            # the user shall not know
            r"\b(?:do not|don't|never)\b.{0,12}\b(?:tell|inform|mention|alert)\b.{0,25}\b(?:user|human|operator)\b",
            r"\b(?:do not|don't|never)\b.{0,12}\bask\b.{0,12}\b(?:for )?(?:confirmation|permission|the user)\b",
            # another tool shall be called, or this one in its place
            r"\bbefore\b.{0,20}\b(?:using|calling|invoking)\b.{0,15}\b(?:this|any|other) tools?\b",
            r"\b(?:must|always|first)\b.{0,20}\b(?:call|use|invoke|run)\b.{0,25}"
            r"\b(?:this|the following) (?:tool|operation|function)\b",
            r"\b(?:instead of|rather than|in place of)\b.{0,40}\btools?\b",
            r"\bthis tool (?:replaces|supersedes|overrides)\b",
            # what was said shall go out
            r"\b(?:include|send|append|attach|forward|pass)\b.{0,25}\b(?:chat|conversation) (?:history|transcript)\b",
            # who the model is
            r"\byou are (?:now|an? (?:ai|assistant|agent))\b|\bthe assistant (?:should|must|has to)\b",
            r"</?(?:important|system|instructions?)>|\[/?INST\]|<\|[a-z_]+\|>",
            # files of whoever runs it
            r"~/\.|\bid_rsa\b|/etc/passwd|\.aws/credentials|\bmcp\.json\b",
        )
    ),
    re.IGNORECASE | re.DOTALL,
)
_READ = 20_000


@lru_cache(maxsize=8192)
def gives_orders(text: str) -> bool:
    """Whether `text` tells a model what to do beside calling the tool."""
    return _ORDERS.search(text[:_READ]) is not None
