"""Decide by the standards how many answers each id in a client's line must get, independently of the server's code.

The rules come from JSON-RPC 2.0 and the Model Context Protocol (base protocol, stdio, cancellation). Only for lines
whose id cannot be read, the rules are mcpgen's own.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

Key = tuple[type, object]

BATCHES = "2025-03-26"
LONGEST = 8 * 1024 * 1024
MOST_DIGITS = 308
DEEPEST = 128
LONGEST_ID = 1024
MOST_MESSAGES = 100
BLANKS = b" \t\r"


class Demand(NamedTuple):
    """Answers that a line requires. `ids`: the ids that need an answer.

    `without_id`: the number of errors without an id, or with the id null.

    `cancelled`: ids that may stay unanswered, because the line cancels their requests.
    """

    ids: Counter[Key]
    without_id: int = 0
    cancelled: frozenset[Key] = frozenset()
    shakes: bool = False
    """True if the line is a handshake. After it, another revision may apply."""


NOTHING = Demand(Counter())


class _No(ValueError):
    """Raised for a text that is not valid JSON."""


class _Object(dict[str, Any]):
    """A JSON object that remembers which of its member names occurred more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counted = Counter(name for name, _ in pairs)
        self.twice = {name for name, number in counted.items() if number > 1}


def demand(line: bytes, agreed: str | None) -> Demand:
    """Return which answers one line (without its line feed) demands, if the client and the server agreed on revision
    `agreed`.
    """
    if not line.strip(BLANKS):
        return NOTHING
    error = Demand(Counter(), 1)
    if len(line) > LONGEST:
        return error
    try:
        value = _parsed(line)
    except ValueError:
        return error
    if isinstance(value, list):
        if agreed != BATCHES or not value:
            return error
        if len(value) > MOST_MESSAGES:
            refused = Counter(key(each["id"]) for each in value if _is_request(each))
            return Demand(refused) if refused else error
        demands = [_message(each, agreed) for each in value]
        ids = sum((each.ids for each in demands), Counter[Key]())
        nameless = sum(each.without_id for each in demands)
        return Demand(ids, nameless, frozenset().union(*(each.cancelled for each in demands)))
    return _message(value, agreed)


def key(id_: object) -> Key:
    """Return a dictionary key for a JSON-RPC id. The ids 7 and "7" get different keys; 7 and 7.0 get the same."""
    return (int, int(id_)) if type(id_) is float and id_.is_integer() else (type(id_), id_)


def _message(message: Any, agreed: str | None) -> Demand:
    error = Demand(Counter(), 1)
    if not isinstance(message, _Object):
        return error
    if "method" not in message and message.keys() & {"result", "error"}:
        return NOTHING
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, _Object) else None
    twice = set().union(*(each.twice for each in (message, params, meta) if isinstance(each, _Object)))
    id_ = message.get("id")
    known = _is_id(id_) and "id" not in twice
    answer = Demand(Counter([key(id_)]), shakes=message.get("method") == "initialize") if known else error
    if twice or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str) or "id" in message:
        return answer
    if message["method"] == "notifications/cancelled" and isinstance(params, _Object):
        return Demand(Counter(), 0, frozenset([_hashable(params.get("requestId"))]))
    return NOTHING


def _is_request(message: Any) -> bool:
    """Return True if a message is a request: it has a method and a valid id. (In a batch that is too long, each request
    gets an error with its id.)
    """
    return isinstance(message, _Object) and "method" in message and _is_id(message.get("id"))


def _is_id(id_: object) -> bool:
    if type(id_) is float:
        return id_.is_integer() and abs(id_) < 2**53
    return type(id_) is int or (type(id_) is str and len(id_) <= LONGEST_ID)


def _hashable(id_: object) -> Key:
    return key(id_) if isinstance(id_, (int, str, float)) else (type(id_), None)


def _parsed(line: bytes) -> Any:
    try:
        value = json.loads(
            line.decode().strip(" \t\r"),
            object_pairs_hook=_Object,
            parse_constant=_refused,
            parse_int=_integer,
            parse_float=_double,
        )
    except RecursionError:
        raise _No from None
    if _depth(value) > DEEPEST:
        raise _No
    return value


def _refused(name: str) -> object:
    raise _No(name)


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise _No
    return int(digits)


def _double(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _No
    return number


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level := [each for each in level if isinstance(each, (dict, list))]:
        depth += 1
        level = [child for each in level for child in (each.values() if isinstance(each, dict) else each)]
    return depth
