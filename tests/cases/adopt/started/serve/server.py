"""Serve pets with FastMCP. This file is the input of a test case of `mcpgen adopt`; it is read and never run."""

import os

import httpx
import yaml
from fastmcp import FastMCP

with open("pets.yaml") as file:
    spec = yaml.safe_load(file)
client = httpx.AsyncClient(base_url=os.environ["PETS_URL"], auth=("pets", os.environ["PETS_PASSWORD"]))
mcp = FastMCP.from_openapi(spec, client, timeout=5)
