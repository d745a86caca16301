"""Serve pets with FastMCP. This file is the input of a test case of `mcpgen adopt`; it is read and never run."""

import os
from pathlib import Path

import httpx
import yaml
from fastmcp import FastMCP
from fastmcp.server.openapi import MCPType, RouteMap

raise SystemExit("this file is never run")

BASE = os.environ.get("PETS_URL", "https://pets.example.com").rstrip("/")
TOKEN = os.getenv("PETS_TOKEN")
headers = {"X-Tenant": "acme-secret-tenant"}
if TOKEN:
    headers["Authorization"] = f"Bearer {TOKEN}"
client = httpx.AsyncClient(base_url=f"{BASE}/v1", headers=headers, timeout=httpx.Timeout(60, connect=3), verify=False)


def load(path=None):
    with open(path or Path(__file__).parent / "pets.yaml") as file:
        return yaml.safe_load(file)


spec = load()
spec["info"]["title"] = "Changed"
NAMES = {"listPets": "pets", **more_names()}
mcp = FastMCP.from_openapi(
    openapi_spec=spec,
    client=client,
    name="Pets of Acme",
    mcp_names=NAMES,
    tags={"shop"},
    route_maps=[
        RouteMap(pattern=r"^/admin/.*", methods=["DELETE"], mcp_type=MCPType.EXCLUDE),
        RouteMap(pattern=r"(?<!x)/secret", mcp_type=MCPType.EXCLUDE),
        *extra_maps(),
    ],
    mcp_component_fn=rename,
)
mcp.remove_tool("addPet")


@mcp.tool()
def hello(name: str) -> str:
    return name


mcp.run(transport="http", port=9000)
