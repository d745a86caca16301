"""Test requirement HARD-16: every function that reads document text takes time that grows linearly with the text.

Each function gets texts of 20,000 characters that make regular expressions backtrack. A child process does the work
under a CPU limit of the kernel, so no clock is needed.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mcpgen.base import invisible, names, tokens
from mcpgen.base.diagnostics import Where
from mcpgen.emit import sinks
from mcpgen.lower.text import boilerplate, prompt_injection, prose
from mcpgen.model import Operation, PathTemplate
from mcpgen.naming import tool_names, verbs
from mcpgen.read.openapi import content, servers
from mcpgen.regenerate.diff import limits_in_text
from tests.hostile.fuzz.pumps import PUMPS
from tests.hostile.pace import paced

ROOT = Path(__file__).parents[2]
LENGTH = 20_000
PAIRS = 60
SECONDS = 60
"""Limit on the CPU seconds of one function for all texts. Each takes a tenth of it; one with quadratic time would take
hours.
"""


def named(said: str) -> Operation:
    """Return an operation whose path and id contain this text."""
    return Operation("GET /", "GET", f"/{said}/a", PathTemplate((f"/{said}/a",)), Where("f"), id=f"{said}_{said}_a_get")


READERS: dict[str, Callable[[str], Any]] = {
    "plain": lambda said: prose.plain.__wrapped__(said),
    "shortened": lambda said: prose.shortened(said, 240),
    "similarity": lambda said: prose.similarity(said, said),
    "shown": invisible.shown,
    "hidden": invisible.visible,
    "orders": lambda said: prompt_injection.gives_orders.__wrapped__(said),
    "boilerplate": lambda said: [boilerplate._SENTENCE.fullmatch(each) for each in prose.sentences(said)],
    "tokens": tokens.estimate,
    "words": names.words,
    "names": lambda said: (names.argument_name(said), names.server_name(said), names.environment_suffix(said)),
    "alike": names.alike,
    "tool names": lambda said: tool_names.shortened([f"w{number}" for number in range(len(said))], "GET /a"),
    "operation ids": lambda said: tool_names.derive(named(said), "t"),
    "verbs": lambda said: verbs.of_summary(said, "GET"),
    "limits": limits_in_text.limits,
    "markdown": lambda said: (sinks.markdown_text(said), sinks.markdown_code(said), sinks.markdown_prose(said)),
    "yaml": lambda said: (sinks.yaml_scalar(said), sinks.yaml_comment(said)),
    "media types": content.is_media_type,
    "servers": servers.refusal,
}
UNITS = [*PUMPS, "\u0f73\u0f71", "a*\u00e9", "~~~", "```", "&#1", "*a ", "_a", "._a", "aA", "Aa", "01"]


def texts() -> Iterator[str]:
    """Yield texts that make regular expressions backtrack.

    Each text repeats a unit or a pair of units, after an opening character and before an end that does not match.
    """
    chance = Random(16)
    pairs = [chance.choice(UNITS) + chance.choice(UNITS) for _ in range(PAIRS)]
    for unit in [*UNITS, *pairs]:
        for head, tail in (("", ""), ("# a", "x"), ("a](", "!")):
            yield head + unit * (LENGTH // len(unit)) + tail


def work(reader: str, seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    for said in texts():
        READERS[reader](said)


@pytest.mark.parametrize("reader", READERS)
def test_hard_16_time_grows_with_the_text(reader: str) -> None:
    command = [
        sys.executable,
        "-c",
        f"from tests.hostile.test_patterns import work; work({reader!r}, {paced(SECONDS)})",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, f"ended by {done.returncode}: {done.stderr[-2000:]}"


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFKD"])
def test_a_normal_form_is_the_one_of_the_standard(form: Any) -> None:
    """Compare mcpgen's Unicode normalization with Python's `unicodedata`.

    The results may differ only in runs of combining marks that are longer than in any script: mcpgen cuts such runs.
    """
    for base in ("e\u0301", "\u1100\u1161\u11a8", "\u09c7\u09be", "\ufdfa", "q\u0323\u0307", "\u212b"):
        said = base * 2000
        assert names.normalize(form, said) == unicodedata.normalize(form, said)
    for mark in ("\u0316", "\u0f73"):
        cut = names.normalize(form, "a" + mark * 5000 + "b")
        assert cut[0] + cut[-1] == "ab"
        assert 30 < len(cut) < 70


def test_a_reference_with_too_many_digits_is_no_character() -> None:
    assert prose.plain(f"a &#{'1' * 5000}; b &#65; c &#x{'f' * 5000};").startswith("a \ufffd b A c")
