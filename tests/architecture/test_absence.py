"""Test that servers and security are never absent after reading.

`read/` and `add_own_tools` write both into each operation, so that no later module asks whether an operation has its
own.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import NoneType
from typing import get_args

import pytest

from mcpgen.model import Api, HttpBinding, Operation, Security

COMPILER = Path(__file__).parents[2] / "mcpgen"
FACTS = ("servers", "security", "scopes", "caller_scopes")
QUESTION = re.compile(r"(?<!decided)\.(?:servers|security|scopes|caller_scopes) is (?:not )?None")


@pytest.mark.parametrize("owner", [Api, HttpBinding, Operation, Security])
def test_the_model_holds_no_absent_server_and_no_absent_security(owner: type) -> None:
    types = {name: kind for name, kind in owner.__annotations__.items() if name in FACTS}
    assert types
    assert [name for name, kind in types.items() if NoneType in get_args(kind)] == []


def test_no_module_asks_whether_a_server_or_security_is_absent() -> None:
    asking = {path for path in COMPILER.rglob("*.py") if QUESTION.search(path.read_text())}
    assert asking == {COMPILER / "demo" / "api.py"}, "only a route of a demo, which is no operation, may lack security"
