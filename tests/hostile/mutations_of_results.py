"""The guards of what an answer comes to: what is said of its pages, what is written to a file, and where it is fetched."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

RESPONSES = "tests/runtime/test_responses.py"

OF_RESULTS = (
    Mutation("pages that repeat", "paging.py", "    if present is None:", "    if True:", (RESPONSES,)),
    Mutation("pages behind the last", "paging.py", "_is_last(len(items), said, sent)", "False", (RESPONSES,)),
)
