"""Serve the benchmark's API by FastMCP over HTTP: tools from `from_openapi`, and one tool that asks its user before it
deletes.

That tool is written as FastMCP's documentation shows, for revisions of MCP with and without a handshake. Environment
variables: DOCUMENT, path of the document (JSON); BASE_URL of the API; PORT to listen at; STATE_KEY, shared by all
replicas; STATELESS, to store no sessions.
"""

import json
import os
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx  # type: ignore[import-not-found]
import mcp_types as types  # type: ignore[import-not-found]
from fastmcp import Context, FastMCP  # type: ignore[import-not-found]
from mcp.server.request_state import RequestStateSecurity  # type: ignore[import-not-found]

NEWER = "2026-07-28"
QUESTION = "Delete this thing?"
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass
class Agreement:
    """The form by which the server asks the user to confirm a deletion. It has one optional field."""

    note: str = ""


with open(os.environ["DOCUMENT"], encoding="utf-8") as file:
    document = json.load(file)
client = httpx.AsyncClient(base_url=os.environ["BASE_URL"], timeout=60)
server = FastMCP.from_openapi(
    document,
    client=client,
    name="depot",
    mcp_names={"getThing": "get_thing", "deleteThing": "unasked"},
    request_state_security=RequestStateSecurity(keys=[os.environ["STATE_KEY"].encode()]),
)


@server.tool  # type: ignore[untyped-decorator]
async def delete_thing(name: str, context: Context) -> Any:
    """Delete a thing after the user has agreed."""
    if context.request_context.protocol_version == NEWER:
        answers = context.input_responses
        if answers is None:
            asked = types.ElicitRequest(
                params=types.ElicitRequestFormParams(message=QUESTION, requested_schema=NOTHING)
            )
            return types.InputRequiredResult(input_requests={"confirm": asked}, request_state="asked")
        said = answers["confirm"].action
    else:
        said = (await context.elicit(QUESTION, response_type=Agreement)).action
    if said != "accept":
        return "The user does not want that."
    return (await client.delete(f"/things/{name}")).text


server.run(
    transport="http",
    port=int(os.environ["PORT"]),
    show_banner=False,
    stateless_http="STATELESS" in os.environ,
    uvicorn_config={"access_log": False},
)
