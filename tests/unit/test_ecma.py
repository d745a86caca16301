"""Test which patterns are valid regular expressions of ECMA 262 with the flag `u`.

JavaScript engines gave the expected results.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest

from mcpgen.lower.schema import patterns

TAKEN = (
    r"^[a-z0-9-]{1,63}$",
    r"^\d{4}-\d\d$",
    r"^(?:a|b)+?(?=c)(?<!d)(?<name>x)\k<name>$",
    r"^[\w\-.]+$",
    r"[a-]",
    r"[-a]",
    r"[^\]]",
    r"[]",
    r"\p{L}\p{Script=Greek}\u{1F600}é\xe9\cA\0",
    r"^a{2}b{2,}c{2,3}?$",
    r"(a)\1",
    "",
    "a||b",
)
REFUSED = (
    r"\-",
    r"a\Z",
    r"\A",
    r"(?P<name>a)",
    r"(?>a)",
    r"a++",
    r"a{b}",
    r"a}",
    r"a]",
    r"[[:alpha:]]",
    r"[\w-.]",
    r"[z-a]",
    r"\pL",
    r"[\_]",
    r"(a",
    r"a)",
    r"*a",
    r"(?<=a)+",
    r"\b+",
    r"^*",
    r"a\\\\\y",
    "[a",
    "a\\",
)


@pytest.mark.parametrize("pattern", TAKEN)
def test_what_ecma_takes_is_taken(pattern: str) -> None:
    assert patterns.is_ecma(pattern)


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_ecma_refuses_is_refused(pattern: str) -> None:
    assert not patterns.is_ecma(pattern)


@pytest.mark.skipif(shutil.which("node") is None, reason="node judges")
def test_an_engine_of_javascript_agrees() -> None:
    program = "process.argv.slice(1).forEach(p => { try { RegExp(p, 'u'); console.log(1) } catch { console.log(0) } })"
    judged = subprocess.run(
        ["node", "-e", program, "--", *TAKEN, *REFUSED], capture_output=True, text=True, check=True
    ).stdout.split()
    assert judged == ["1"] * len(TAKEN) + ["0"] * len(REFUSED)


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        (r"^\w+\@\w+\-x$", r"^\w+@\w+-x$"),
        (r"^[\w\-\_]+$", r"^[\w\-_]+$"),
        (r"^a\\\-b$", r"^a\\-b$"),
        (r"^a\.b\/c$", r"^a\.b\/c$"),
        (r"^\<a\>$", r"^\<a\>$"),
        (r"^\-\Z", r"^\-\Z"),
        (r"^\[\-\]$", r"^\[-\]$"),
    ],
)
def test_needless_backslashes_are_taken_off_where_that_mends_a_pattern(written: str, mended: str) -> None:
    assert patterns.without_needless_escapes(written) == mended
