"""Recognise which operations the descriptions of a document mention (by path, operationId or summary), and which
description says that its operation takes an id from another operation's response.
"""

import re
from collections.abc import Iterator

from mcpgen.base.names import alphanumeric
from mcpgen.lower.jobs.states import Member
from mcpgen.model import Operation

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_POLLS = re.compile(r"\bpoll(ing|ed|s)?\b", re.IGNORECASE)
_READS = re.compile(r"\bGET\b")
_PATH = re.compile(r"(?<![\w}-])/[^\s`'\"<>]+")
_SHORTEST = 6


def names_of(operation: Operation) -> list[str]:
    """Return the operationId and the summary of an operation, without case and punctuation. Leave out short names."""
    return [alphanumeric(each) for each in (operation.id or "", operation.summary) if len(each) >= _SHORTEST]


def mentions(text: str, operation: Operation) -> bool:
    """Return True if a text mentions an operation by its path, operationId or summary."""
    said = alphanumeric(text)
    return has_path(text, operation.path) or any(name in said for name in names_of(operation))


def takes(read: Operation, member: Member, operation: Operation) -> bool:
    """Return True if the description of `read` says that it takes the id in `member` from a response of `operation`."""
    is_named = re.search(rf"\b{re.escape(member.name)}\b", read.description) is not None
    return is_named and mentions(read.description, operation)


def polling_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text that tell the reader to poll a GET request."""
    return (each for each in _SENTENCE.split(text) if _POLLS.search(each) and _READS.search(each))


def paths_in(text: str) -> Iterator[str]:
    """Yield what may be a path in a text, with and without the punctuation behind it."""
    for found in _PATH.findall(text):
        yield from dict.fromkeys((found, found.rstrip(".,:;?!)")))


def has_path(text: str, path: str) -> bool:
    """Return True if a text contains a path, and not only as a part of a longer path."""
    if path == "/" or path not in text:
        return False
    return re.search(rf"(?<![\w}}-]){re.escape(path)}(?![\w/{{-])", text) is not None
