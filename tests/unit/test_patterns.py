"""Test the memory that regular expressions take: the compiler's estimate, and the limit that the server obeys."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from package.runtime.request import arguments
from package.runtime.text import patterns as runtime_patterns

from mcpgen.base.once import ValueCache
from mcpgen.lower.schema import patterns
from mcpgen.lower.schema.patterns import pattern_cost


def test_the_limit_of_the_server_is_wider_than_that_of_the_compiler() -> None:
    assert runtime_patterns.PATTERN_BYTES == 2 * patterns.MOST_BYTES


@pytest.mark.parametrize(
    ("pattern", "cheap"),
    [
        (r"^[a-z0-9-]{1,63}$", True),
        (r"^\d{4}-\d{2}-\d{2}$", True),
        (r"^.{1,255}$", True),
        (r"^[\s\S]{1,1000}$", True),
        (r"^\p{L}{1,20}$", True),
        (r"^\p{L}{60}$", False),
        (r"^\p{L}{60,}$", False),
        (r"^([a-z]{200}){200}$", False),
        (r"^(?:[a-z]{200,}){200}?$", False),
        (r"^.{99999999999999999999}$", False),
        (r"^(?=a)b$", False),
        ("(", False),
        (")(", False),
    ],
)
def test_a_pattern_is_judged_by_its_text(pattern: str, cheap: bool) -> None:
    assert patterns.admits(pattern) is cheap


_PARTS = [
    *("a", "é", "[a-z]", "[a-z0-9_.-]", "[^/]", ".", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"[\s\S]", r"[^\s]"),
    *(r"\p{L}", r"\P{Lu}", r"[\p{L}\p{N}]", "[à-ÿ]", r"[\u4e00-\u9fa5]", "(a|b)", "(?:abc|def)", "(ab?c)", "(a*)"),
]


@pytest.mark.parametrize("part", _PARTS)
def test_the_engine_takes_at_most_twice_the_memory_that_is_estimated(part: str) -> None:
    """Compile each part, repeated 20 times between other characters: what the compiler admits, the server accepts."""
    pattern = f"^x{part}{{20}}y{part}{{20}}z$"
    limit = jsonschema_rs.RegexOptions(size_limit=2 * (pattern_cost(pattern) or 0))
    assert jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=limit)


def test_patterns_of_a_tool_share_its_memory() -> None:
    schema: dict[str, Any] = {"properties": {f"p{number}": {"pattern": f"^.{{250}}{number}$"} for number in range(20)}}
    left = patterns.unchecked([schema], ValueCache())
    assert 0 < len(left) < 20
    kept = [each["pattern"] for each in schema["properties"].values() if each["pattern"] not in left]
    assert sum(pattern_cost(pattern) or 0 for pattern in kept) <= patterns.MOST_BYTES_OF_TOOL


def test_hard_04_patterns_that_are_left_to_the_api_are_not_compiled() -> None:
    pattern = r"^\p{L}{60}$"
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"pattern": pattern}, "b": {"pattern": "^b$"}, pattern: {}},
    }
    judge = arguments.SchemaChecker(schema, {}, [pattern])
    assert judge.is_valid({"a": "1", "b": "b"})
    assert not judge.is_valid({"b": "c"})
    assert judge.schema["properties"].keys() == schema["properties"].keys()


def test_patterns_in_data_are_no_patterns() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"enum": [{"pattern": "("}], "default": {"pattern": "("}}}}
    assert patterns.unchecked([schema], ValueCache()) == ()


def test_hard_16_what_many_patterns_take_is_estimated_without_compiling_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonschema_rs, "validator_for", None)
    costly = [rf"^\p{{L}}{{60}}{number}$" for number in range(200)]
    assert not any(patterns.admits(pattern) for pattern in costly)


@pytest.mark.parametrize("refused", [r"x\p{L}{70}9", r"^\p{NoSuchProperty}$"])
def test_a_pattern_that_the_server_refuses_is_not_checked_and_others_are(refused: str) -> None:
    """Check that a server ignores the one pattern that its engine cannot compile, or not within the limit.

    Such a pattern reaches a server if `tools.json` was edited, or if a release of jsonschema_rs refuses it.
    """
    properties = {"a": {"pattern": refused, "minLength": 2}, "b": {"pattern": "^b$"}}
    judge = arguments.SchemaChecker({"properties": properties}, {})
    assert judge.is_valid({"a": "12"})
    assert not judge.is_valid({"a": "1"})
    assert not judge.is_valid({"b": "c"})
    with pytest.raises(jsonschema_rs.ValidationError):
        arguments._build({"pattern": refused}, {})
