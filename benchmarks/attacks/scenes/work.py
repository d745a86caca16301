"""Attacks that demand more work, memory or file descriptors than a call may use."""

from __future__ import annotations

import json
import resource
from typing import Any

from benchmarks.attacks.scenes.verdicts import EXTRA, SECRET, Verdict, said
from benchmarks.attacks.subjects import PATIENCE, Session, Subject
from benchmarks.attacks.upstream import body, serving

MANY = 90_000
LARGE = json.dumps([{"id": number, "note": "x" * 80} for number in range(75_000)]).encode()
AT_ONCE = 64
DESCRIPTORS = 24
CALLS = 80


def unknown_names(subject: Subject) -> Verdict:
    return _answered(subject, "list_items", {f"name {number}": number for number in range(MANY)})


def wrong_items(subject: Subject) -> Verdict:
    return _answered(subject, "search_items", {"tags": ["x"] * MANY})


def large_answers(subject: Subject) -> Verdict:
    with serving() as small, subject.running(small.url, SECRET) as server:
        server.call("list_items", {})
        before = server.memory()
    with serving(body(LARGE)) as api, subject.running(api.url, SECRET, SHOP_TIMEOUT="60") as server:
        answered = _at_once(server, AT_ONCE)
        more = server.memory() - before
        return said(
            (answered < AT_ONCE, f"{AT_ONCE - answered} of {AT_ONCE} calls without an answer"),
            (more > 2 * EXTRA, f"{more:.0f} MiB more memory"),
            otherwise=f"{more:.0f} MiB more memory",
        )


def few_descriptors(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        answered = _at_once(server, CALLS)
        return said(
            (answered < CALLS, f"{CALLS - answered} of {CALLS} calls without a result"), otherwise="all are answered"
        )


def _answered(subject: Subject, tool: str, arguments: dict[str, Any]) -> Verdict:
    """Judge whether wrong arguments are refused in time, with a short text, and with little memory."""
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.call("list_items", {})
        before = server.memory()
        called = server.call(tool, arguments)
        more = server.memory() - before
        return said(
            (not called.answered, f"no answer within {PATIENCE:.0f} s, {more:.0f} MiB more memory"),
            (len(api.requests) > 1, "sent as it was"),
            (not called.refused, "no error"),
            (more > EXTRA, f"{more:.0f} MiB more memory"),
            (len(called.text) > 20_000, f"an error of {len(called.text):,} characters"),
            otherwise="refused in few words",
        )


def _at_once(server: Session, count: int) -> int:
    """Make `count` calls at once, and return the number of those that get a result."""
    for number in range(count):
        params = {"name": "list_items", "arguments": {}}
        server.write({"jsonrpc": "2.0", "id": f"c{number}", "method": "tools/call", "params": params})
    good: set[str] = set()
    while len(good) < count and (message := server.line()) is not None:
        if "result" in message and not message["result"].get("isError") and str(message.get("id")).startswith("c"):
            good.add(message["id"])
    return len(good)
