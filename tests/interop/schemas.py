"""Validate messages with the published JSON Schema of each protocol revision of MCP.

The schemas are read from `../shared/reference/mcp-schemas` beside the repository. If they are missing, `PRESENT` is
false, and only the rules of `messages` apply. Nothing is fetched: the schema registry is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.protocols import Validator
from referencing import Registry

from tests.interop.messages import R4, R5, Message

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "reference" / "mcp-schemas"
PRESENT = FOLDER.is_dir()

RESULTS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "ping": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
}
NOTIFICATIONS = {
    "notifications/progress": "ProgressNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
}
DIALECTS = {
    "http://json-schema.org/draft-07/schema#": Draft7Validator,
    "https://json-schema.org/draft/2020-12/schema": Draft202012Validator,
}


def check(message: Message) -> None:
    """Raise AssertionError with the validator's error if the message violates a schema definition that
    applies to it.
    """
    for definition, value in definitions(message):
        validator(message.revision, definition).validate(value)


def definitions(message: Message) -> Iterator[tuple[str, Any]]:
    """Yield the schema definitions that apply to this message, each with the part of the message that it describes."""
    revision, method, content = message
    yield "JSONRPCMessage", content
    if "method" in content and "id" in content:
        yield "JSONRPCRequest", content
        yield "ServerRequest", content
        yield "ElicitRequest", content
    elif method == "notifications/cancelled":
        yield "ServerNotification", content
        yield "CancelledNotification", content
    elif "method" in content:
        yield "JSONRPCNotification", content
        yield "ServerNotification", content
        yield NOTIFICATIONS[method], content
    elif "error" in content:
        yield "JSONRPCErrorResponse" if revision >= R4 else "JSONRPCError", content
        if revision == R5 and content["error"]["code"] == -32602:
            yield "InvalidParamsError", content["error"]
        if revision == R5 and content["error"]["code"] == -32021:
            yield "MissingRequiredClientCapabilityError", content
    elif content["result"].get("resultType") == "input_required":
        yield "InputRequiredResult", content["result"]
        yield "CallToolResultResponse", content
        for asks in content["result"]["inputRequests"].values():
            yield "ElicitRequest", asks
    else:
        yield "JSONRPCResultResponse" if revision >= R4 else "JSONRPCResponse", content
        yield "ServerResult", content["result"]
        yield RESULTS[method], content["result"]
        if revision == R5:
            yield f"{RESULTS[method]}Response", content


@cache
def validator(revision: str, definition: str) -> Validator:
    """Return the validator of one schema definition. Raise KeyError if the revision has no such definition."""
    schema = json.loads((FOLDER / f"{revision}.json").read_text())
    home = "$defs" if "$defs" in schema else "definitions"
    schema[home][definition]  # raise KeyError here: a validator resolves `$ref` only when it checks a message
    dialect = DIALECTS[schema["$schema"]]
    return dialect({"$ref": f"#/{home}/{definition}", home: schema[home]}, registry=Registry())
