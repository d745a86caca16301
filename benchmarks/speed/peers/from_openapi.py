"""Run FastMCP's server, made from the document when it starts, as its documentation shows.

Environment variables: DOCUMENT is the document's path (JSON), BASE_URL the URL of the API, and KEY the API key. TEXT
(any value) leaves the output schemas out. STRICT (any value) has arguments checked against their schemas, which is not
the default. PORT serves HTTP at this port with default settings, without an access log. If ASGI (any value) is set as
well, uvicorn serves the server as an ASGI application at this port, in uvicorn's event loop.
"""

import json
import os
from typing import Any

import httpx2 as httpx  # type: ignore[import-not-found]
from fastmcp import FastMCP  # type: ignore[import-not-found]


def without_schema(route: Any, component: Any) -> None:
    component.output_schema = None


with open(os.environ["DOCUMENT"], encoding="utf-8") as file:
    document = json.load(file)
client = httpx.AsyncClient(base_url=os.environ["BASE_URL"], headers={"X-API-Key": os.environ["KEY"]})
server = FastMCP.from_openapi(
    openapi_spec=document,
    client=client,
    mcp_component_fn=without_schema if "TEXT" in os.environ else None,
    strict_input_validation="STRICT" in os.environ,
)
if "ASGI" in os.environ:
    import uvicorn  # imported late, because stdio does not need it

    uvicorn.run(server.http_app(), port=int(os.environ["PORT"]), access_log=False)
elif "PORT" in os.environ:
    quiet = {"access_log": False}
    server.run(transport="http", port=int(os.environ["PORT"]), show_banner=False, uvicorn_config=quiet)
else:
    server.run(show_banner=False)
