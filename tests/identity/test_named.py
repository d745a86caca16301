"""Check that each rule of the resource server, A1 to A9, has a test at a raw socket that names the rule."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
RULES = [f"a{number}" for number in range(1, 10)]


def test_each_rule_is_named() -> None:
    written = "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("test_rules.py", "test_ends.py"))
    assert sorted(set(re.findall(r"def test_(a\d)_", written))) == RULES
