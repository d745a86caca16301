"""Write configurations of other MCP servers with secrets at many places, for `test_planted_secrets.py`."""

from __future__ import annotations

from typing import Any

from tests.hostile.planted_documents import Plants


def script(plants: Plants, document: str) -> str:
    """Return a FastMCP script."""
    named, form = plants.named, plants.form
    return f'''
import httpx, json
from fastmcp import FastMCP
API_TOKEN = "{named("variable")}"
DB_PASSWORD: str = "{named("annotated")}"
KEYS = {{"client_secret": "{named("member")}"}}
client = httpx.AsyncClient(
    base_url="https://a.example/v1?api_key={named("base_url")}",
    headers={{"Authorization": f"Bearer {{API_TOKEN}}", "X-Api-Key": "{named("header")}",
             "X-Note": "{form("header")}"}},
    params={{"token": "{named("params")}"}},
    cookies={{"sid": "{named("cookies")}"}},
    auth=("ann", "{named("auth")}"),
)
mcp = FastMCP.from_openapi(
    openapi_spec=json.load(open("{document}")),
    client=client,
    name=f"Shop {form("name")}",
    instructions=f"Ask with {{API_TOKEN}}, {{DB_PASSWORD}}, {{KEYS['client_secret']}} or {form("instructions")}",
    tags={{"{form("tag")}"}},
    mcp_names={{"a": "{form("mcp_name")}"}},
)
mcp.remove_tool("{form("removed")}")
'''


def configuration(plants: Plants, document: str) -> dict[str, Any]:
    """Return a configuration of an MCP client."""
    named, form = plants.named, plants.form
    return {
        "mcpServers": {
            f"shop {form('server name')}": {
                "command": "uvx",
                "args": [
                    "awslabs.openapi-mcp-server",
                    "--auth-type",
                    "api_key",
                    "--auth-api-key",
                    named("flag"),
                    "--api-url",
                    f"https://a.example/v1?token={named('url')}",
                    f"--unknown-{form('unknown flag')}",
                    named("stray"),
                ],
                "env": {
                    "API_SPEC_PATH": document,
                    "AUTH_TOKEN": named("variable"),
                    "AUTH_PASSWORD": named("password"),
                    "AUTH_COGNITO_CLIENT_SECRET": named("client secret"),
                    "API_NAME": f"Shop {form('name')}",
                    "AUTH_API_KEY_NAME": f"X-{form('key name')}",
                    "INCLUDE_TAGS": f"all,{form('tag')}",
                    "OPENAI_API_KEY": form("other"),
                    "UNUSED": form("unused"),
                },
            }
        }
    }
