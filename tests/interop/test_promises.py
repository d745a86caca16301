"""Test real clients with tools that have output schemas: no response of the API makes a client lose a result."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from tests.interop import schemas
from tests.interop.messages import R3
from tests.interop.promises import ADDRESS, COUNTS, EXPECTED
from tests.interop.sessions import Promised

NAMES = list(EXPECTED)


def test_it_lists_every_output_schema_as_it_was_compiled(promised: Promised) -> None:
    assert "failed" not in promised.listed, promised.listed
    assert promised.listed["tools"] == promised.tools
    assert {tool["name"] for tool in promised.tools if "outputSchema" in tool} == EXPECTED.keys()


@pytest.mark.parametrize("name", NAMES)
def test_no_client_loses_a_result(promised: Promised, name: str) -> None:
    outcome = promised.outcomes[NAMES.index(name)]
    assert "failed" not in outcome, outcome
    result = outcome["result"]
    assert result["content"]
    assert result.get("isError", False) == (EXPECTED[name] is None)
    if EXPECTED[name] is None or promised.client.revision < R3:
        assert result.get("structuredContent") is None
        return
    assert result["structuredContent"] == EXPECTED[name]
    schema = next(tool["outputSchema"] for tool in promised.tools if tool["name"] == name)
    Draft202012Validator(schema).validate(result["structuredContent"])


@pytest.mark.parametrize("name", ["kept", "of_another_type", "no_list", "no_number", "by_hand"])
def test_the_text_says_the_same(promised: Promised, name: str) -> None:
    result = promised.outcomes[NAMES.index(name)]["result"]
    whole = json.loads(result["content"][0]["text"])
    if name == "of_another_type":
        assert (whole["id"], whole["pet_ids"], whole["applicant"]["address"]) == (1, [6], ADDRESS)
    else:
        assert whole == COUNTS


def test_a_promise_that_was_broken_is_told_with_the_answer(promised: Promised) -> None:
    text = promised.outcomes[NAMES.index("broken_by_hand")]["result"]["content"][0]["text"]
    assert "- unicorn: is required" in text
    assert json.loads(text.rpartition("\n")[2]) == COUNTS


def test_the_client_has_no_complaint(promised: Promised) -> None:
    assert promised.complaints == []


@pytest.mark.skipif(not schemas.PRESENT, reason="the JSON Schemas of MCP are not beside this repository")
def test_every_message_fits_its_schema(promised: Promised) -> None:
    for lines in promised.transcripts:
        for message in lines.messages():
            schemas.check(message)
