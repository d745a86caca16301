"""Compare the estimated number of tokens with the counts of the tokenizer o200k.

`python -m benchmarks.surface --part tokens` compares them over whole documents.
"""

from __future__ import annotations

import json

import pytest

from mcpgen.base import tokens
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.tokens import estimate

COUNTED: list[tuple[int, JsonValue]] = [
    (7, {"name": "list_pets"}),
    (15, {"description": "Lists the pets of a shelter, the newest first."}),
    (17, {"enum": ["AKQ", "ALY", "BOU"], "type": "string"}),
    (30, {"type": "object",
          "properties": {"petId": {"type": "integer", "minimum": 1, "maximum": 100000}}, "required": ["petId"]}),
    (14, {"description": "Größe der Tiere, Größe ist in cm."}),
    (18, {"pattern": '^"[0-9]+-[0-9]+"$'}),
    (13, {"name": "actions_add_custom_labels_self_hosted_runner_org"}),
    (6, ["日本語の説明"]),
]  # fmt: skip
"""JSON values with the number of tokens that gpt-tokenizer 4.0.0 counts in their compact JSON."""


@pytest.mark.parametrize(("counted", "value"), COUNTED, ids=lambda value: str(value)[:30])
def test_an_estimate_is_near_what_is_counted(counted: int, value: JsonValue) -> None:
    assert abs(estimate(value) - counted) <= max(1, round(0.2 * counted))


def test_all_of_them_together_are_nearer() -> None:
    assert 0.9 <= sum(estimate(value) for _, value in COUNTED) / sum(counted for counted, _ in COUNTED) <= 1.1


@pytest.mark.parametrize(
    "value",
    [
        *(value for _, value in COUNTED),
        {"properties": {"type": {"type": "string"}, "_": {"type": ["a", ""]}, "a b": {"description": 'é {"type'}}},
        {"my_type": 1, "content_type": {"_type": "x"}, "type": "a type"},
        {"a": 'x{"type"y', "é": {"type": {"type": "—"}}, '{"type"': [{"type_of": 1}, [{"type": None}]]},
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_text_costs_what_its_pieces_cost_wherever_it_is_parted(value: JsonValue) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert estimate(value) == (sum(map(tokens._cost_of_piece, tokens._PIECES.findall(text))) + 5) // 10


def test_nothing_costs_next_to_nothing() -> None:
    assert estimate({}) == 1
    assert estimate("") == 1
