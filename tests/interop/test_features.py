"""Test that real clients list and read resources, get prompts and complete arguments, in every protocol revision."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from mcpgen.demo import petstore
from tests.interop import schemas
from tests.interop.clients import CLIENTS, Step, Work
from tests.interop.conftest import _carried_out, _generated, _installed
from tests.interop.messages import R5
from tests.leaks import SECRET

PROMPT, TEMPLATE = {"type": "ref/prompt", "name": "adopt"}, {"type": "ref/resource", "uri": "pets://{status}"}
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "resources": ("resources/list", {}),
    "templates": ("resources/templates/list", {}),
    "guide": ("resources/read", {"uri": "features://guide"}),
    "dot": ("resources/read", {"uri": "features://dot"}),
    "pet": ("resources/read", {"uri": "pets://pet/1"}),
    "no pet": ("resources/read", {"uri": "pets://pet/999999"}),
    "nothing": ("resources/read", {"uri": "pets://nowhere"}),
    "prompts": ("prompts/list", {}),
    "prompt": ("prompts/get", {"name": "adopt", "arguments": {"pet": "Rex", "tone": "funny"}}),
    "no pet given": ("prompts/get", {"name": "adopt", "arguments": {}}),
    "of a prompt": ("completion/complete", {"ref": PROMPT, "argument": {"name": "tone", "value": "F"}}),
    "of a template": ("completion/complete", {"ref": TEMPLATE, "argument": {"name": "status", "value": "end"}}),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the console script of the server of `features.tools.yaml`."""
    document = Path(__file__).with_name("features.tools.yaml")
    return _installed(_generated(document, tmp_path_factory.mktemp("interop") / "features"), "features", "features")


@pytest.fixture(scope="module", params=CLIENTS, ids=str)
def work(request: pytest.FixtureRequest, server: Path, tmp_path_factory: pytest.TempPathFactory) -> Work:
    """Let one client make all requests of ASKED."""
    steps: list[Step] = [{"do": "ask", "method": method, "params": params} for method, params in ASKED.values()]
    with petstore.serve(api_key=SECRET, token=SECRET) as api:
        variables = {"FEATURES_BASE_URL": api.url, "FEATURES_API_KEY": SECRET}
        return _carried_out(request.param, server, variables, steps, tmp_path_factory.mktemp("features") / "lines")


def answer(work: Work, asked: str) -> Any:
    """Return the outcome of the request `asked`."""
    outcome = work.outcomes[list(ASKED).index(asked)]
    return outcome.get("answer", outcome)


def test_what_there_is(work: Work) -> None:
    assert [each["uri"] for each in answer(work, "resources")["resources"]] == [
        "features://guide",
        "features://dot",
        "pets://inventory",
    ]
    templates = answer(work, "templates")["resourceTemplates"]
    assert [each["uriTemplate"] for each in templates] == ["pets://pet/{petId}", "pets://{status}"]
    [prompt] = answer(work, "prompts")["prompts"]
    assert [(each["name"], each["required"]) for each in prompt["arguments"]] == [("pet", True), ("tone", False)]


def test_what_is_read(work: Work) -> None:
    [guide], [dot] = answer(work, "guide")["contents"], answer(work, "dot")["contents"]
    assert (guide["mimeType"], guide["text"]) == ("text/markdown", "# How pets are kept")
    assert b64decode(dot["blob"]) == b"\x89PNG\r\n\x1a\n"
    [pet] = answer(work, "pet")["contents"]
    assert (pet["uri"], pet["mimeType"]) == ("pets://pet/1", "application/json")
    assert json.loads(pet["text"])["id"] == 1


def test_what_is_not_there(work: Work) -> None:
    code = -32602 if work.client.revision == R5 else -32002
    missing, nothing = answer(work, "no pet")["error"], answer(work, "nothing")["error"]
    messages = [message.content for message in work.conversation.messages() if message.method == "resources/read"]
    assert [message["error"]["code"] for message in messages if "error" in message] == [code, code]
    assert {missing["code"], nothing["code"]} <= {code, -32602}, "which TypeScript 2 reads into the older one"
    assert "HTTP 404 Not Found" in missing["message"]
    assert "available, adopted, pending" in nothing["message"]


def test_a_prompt(work: Work) -> None:
    text, guide = answer(work, "prompt")["messages"]
    assert text["content"]["text"] == "Write to the owner of Rex. {funny}"
    assert guide["content"]["resource"]["text"] == "# How pets are kept"
    error = answer(work, "no pet given")["error"]
    assert error["code"] == -32602
    assert "pet is required" in error["message"]


def test_completion(work: Work) -> None:
    assert answer(work, "of a prompt")["completion"]["values"] == ["formal", "friendly", "funny"]
    assert answer(work, "of a template")["completion"]["values"] == ["pending"]


def test_every_message_keeps_the_rules_and_fits_its_schema(work: Work) -> None:
    for lines in work.transcripts:
        for message in lines.messages():
            if schemas.PRESENT:
                schemas.check(message)
    assert work.conversation.code == 0


def test_the_client_has_no_complaint(work: Work) -> None:
    assert work.complaints == []
