"""Test with random valid arguments that a request, read by the standard, gives the same values, or that the call is
refused.

The reader beside this file uses the document, never the JSON files that mcpgen generates. Refusals must be few, and for
the listed reasons.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from package.runtime.files.files import Files
from package.runtime.request.argument_errors import Refused
from package.runtime.request.arguments import Checker
from package.runtime.request.request import build

from tests.requests.agreement import differences
from tests.requests.draws import arguments
from tests.requests.known import DIFFERENCES, Difference, is_known
from tests.requests.pairs import Unreadable
from tests.requests.sources import CORPUS, Case, cases, name_of, paths
from tests.requests.standard import Sent, read

REASONS = (
    r"expected a value that is not empty",
    r"expected text without line breaks and NUL characters",
    r"expected text without NUL characters",
    r"expected text that cannot be read as a step to another path",
    r"expected visible ASCII characters, without blanks at the ends",
    r"expected visible ASCII characters without blanks, quotes, semicolons and backslashes",
    r"expected items without (?:a comma|a space|a vertical bar|a tab|a dot|an equals sign), which stands between .*",
    r"expected a file name without a directory",
    r"expected names of members without brackets, which nest them, and not empty",
    r"expected members with names, since each is a cookie",
    r"expected text that can be written as .*",
    r"is required where any part of the body is given",
    r"the body would be empty: give at least one of .*",
    r"belongs to \w+",
    r"writes the query parameter .*, which is not its own",
)
"""Texts of errors that may refuse valid arguments: the location cannot represent a value, or two arguments contradict
each other.
"""

MOST_REFUSED = 0.05
EXAMPLES = 4
"""Average number of draws for each operation. The hypothesis profile `wide` draws 30 times as many."""

NO_FILES = Files(None, "FILES_DIR")
seen: Counter[str] = Counter()
"""Counters of this run: draws, and refusals by reason."""


def reason(text: str) -> str | None:
    return next((pattern for pattern in REASONS if re.fullmatch(pattern, text, re.DOTALL)), None)


def count(refused: Refused) -> None:
    reasons = {reason(problem.text) for problem in refused.problems}
    assert None not in reasons, [str(problem) for problem in refused.problems]
    seen["refused"] += 1
    seen.update(str(each) for each in reasons)


def check(case: Case, given_arguments: dict[str, Any]) -> None:
    seen["draws"] += 1
    assert not list(map(str, Checker().check(case.tool, given_arguments)))
    try:
        request = build(case.tool, given_arguments, NO_FILES, bytes)
    except Refused as refused:
        count(refused)
        return
    path, _, query = request.target.partition("?")
    reading = read(case.operation, Sent(request.method, path, query, request.fields, request.body))
    filled_in = case.tool.binding.get("defaults", {})
    assert all(case.tool.schema["properties"][name]["default"] == value for name, value in filled_in.items())
    assert not differences(case, filled_in | given_arguments, reading), (request.target, request.fields, request.body)


@pytest.mark.parametrize("path", paths(), ids=name_of)
def test_what_is_sent_is_read_back(path: Path) -> None:
    sample = {repr(case): (case, arguments(case)) for case in cases(path)}

    @settings(max_examples=max(20, EXAMPLES * len(sample)) * settings().max_examples // 100)
    @given(st.data())
    def is_read_back(data: st.DataObject) -> None:
        case, strategy = sample[data.draw(st.sampled_from(list(sample)))]
        drawn = data.draw(strategy)
        assume(not is_known(case, drawn))
        check(case, drawn)

    is_read_back()


def test_few_draws_are_refused() -> None:
    """Check that at most the share MOST_REFUSED of the random arguments in the tests above was refused."""
    assert seen["refused"] <= MOST_REFUSED * seen["draws"], seen


HERE = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")


@HERE
@pytest.mark.xfail(raises=(AssertionError, Unreadable), strict=True)
@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference.applies.__name__)
def test_a_known_difference_is_still_there(difference: Difference) -> None:
    [case] = [each for each in cases(CORPUS / difference.document) if each.tool.name == difference.tool]
    check(case, difference.arguments)


@HERE
def test_the_sample_is_there() -> None:
    assert len(paths()) > 60
