"""Attacks by texts in an API document."""

from __future__ import annotations

import html
import json

from benchmarks.attacks.scenes.verdicts import SECRET, Verdict, said
from benchmarks.attacks.subjects import Subject
from benchmarks.attacks.upstream import serving


def hidden_characters(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        text = json.dumps(server.tools()["get_hidden"], ensure_ascii=False).replace("\\u001b", "\u001b")
        return said(
            (any(mark in text for mark in "\u001b\u202e\U000e0041"), "passed on to the model"), otherwise="taken out"
        )


def escaped_characters(subject: Subject) -> Verdict:
    """Check that hidden characters written as HTML or Markdown escapes do not reach the model.

    An MCP host that renders the tool's description would resolve the escapes.
    """
    with serving() as api, subject.running(api.url, SECRET) as server:
        text = html.unescape(json.dumps(server.tools()["get_escaped"], ensure_ascii=False))
        return said(
            (any(mark in text for mark in "\u202e\u200b\U000e0049"), "passed on to the model"), otherwise="taken out"
        )


def broken_reference(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        there = "get_elsewhere" in server.tools()
        return said((there, "the parameter is gone in silence"), otherwise="left out, with its place")
