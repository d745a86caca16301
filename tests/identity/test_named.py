"""Test that each rule for resource servers, A1 to A9, has a test that names it and sends requests over a raw socket."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
RULES = [f"a{number}" for number in range(1, 10)]


def test_each_rule_is_named() -> None:
    written = "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("test_rules.py", "test_ends.py"))
    assert sorted(set(re.findall(r"def test_(a\d)_", written))) == RULES
