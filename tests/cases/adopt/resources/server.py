"""Serve pets with FastMCP. This file is the input of a test case of `mcpgen adopt`; it is read and never run."""

import httpx
import yaml
from fastmcp import FastMCP
from fastmcp.server.openapi import MCPType, RouteMap

mcp = FastMCP.from_openapi(
    yaml.safe_load(open("pets.yaml")),
    httpx.AsyncClient(base_url="https://api.example.com/v1"),
    route_maps=[
        RouteMap(methods=["GET"], pattern=r".*\{.*\}.*", mcp_type=MCPType.RESOURCE_TEMPLATE),
        RouteMap(methods=["GET"], mcp_type=MCPType.RESOURCE),
    ],
)
