"""Test the memory that regular expressions take: the compiler's estimate, and that the server obeys the same limit."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from package.runtime.request import validators
from package.runtime.text import patterns as runtime_patterns

from mcpgen.base.once import ValueCache
from mcpgen.lower.schema import patterns


def test_the_compiler_and_the_server_have_one_limit() -> None:
    assert runtime_patterns.PATTERN_BYTES == patterns.MOST_BYTES


@pytest.mark.parametrize(
    ("pattern", "cheap"),
    [
        (r"^[a-z0-9-]{1,63}$", True),
        (r"^\d{4}-\d{2}-\d{2}$", True),
        (r"^.{1,255}$", True),
        (r"^\p{L}{60}$", False),
        (r"^([a-z]{200}){200}$", False),
        (r"^(?=a)b$", False),
        ("(", False),
    ],
)
def test_a_pattern_has_its_memory_or_is_refused(pattern: str, cheap: bool) -> None:
    assert (patterns.memory(pattern) is not None) is cheap


def test_patterns_of_a_tool_share_its_memory() -> None:
    schema: dict[str, Any] = {"properties": {f"p{number}": {"pattern": f"^.{{250}}{number}$"} for number in range(20)}}
    left = patterns.PatternMemory().unchecked([schema], ValueCache())
    assert 0 < len(left) < 20
    kept = [each["pattern"] for each in schema["properties"].values() if each["pattern"] not in left]
    assert sum(patterns.memory(pattern) or 0 for pattern in kept) <= patterns.MOST_BYTES_OF_TOOL


def test_hard_04_patterns_that_are_left_to_the_api_are_not_compiled() -> None:
    pattern = r"^\p{L}{60}$"
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"pattern": pattern}, "b": {"pattern": "^b$"}, pattern: {}},
    }
    judge = validators.SchemaChecker(schema, {}, [pattern])
    assert judge.is_valid({"a": "1", "b": "b"})
    assert not judge.is_valid({"b": "c"})
    assert judge.schema["properties"].keys() == schema["properties"].keys()


def test_patterns_in_data_are_no_patterns() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"enum": [{"pattern": "("}], "default": {"pattern": "("}}}}
    assert patterns.PatternMemory().unchecked([schema], ValueCache()) == ()


def test_hard_16_what_many_patterns_take_is_not_found_out_without_end() -> None:
    memory = patterns.PatternMemory()
    costly = [rf"^\p{{L}}{{60}}{number}$" for number in range(200)]
    assert [memory.of(pattern) for pattern in costly] == [None] * 200
    assert memory.of("^.{250}a$") is None, "it would fit, but no more is tried"
    assert memory.of("^[a-z]{3}$") is not None


def test_a_pattern_over_the_limit_that_reaches_a_server_is_not_checked() -> None:
    """Check that a server ignores the patterns of a schema if one of them needs more memory than the limit.

    Other keywords are still checked. Such a pattern reaches a server only if `tools.json` was edited, or if a new
    release of jsonschema_rs needs more memory for it.
    """
    judge = validators.SchemaChecker({"properties": {"a": {"pattern": r"^\p{L}{60}$", "minLength": 2}}}, {})
    assert judge.is_valid({"a": "12"})
    assert not judge.is_valid({"a": "1"})
    with pytest.raises(jsonschema_rs.ValidationError):
        validators._build({"pattern": r"^\p{L}{60}$"}, {})
