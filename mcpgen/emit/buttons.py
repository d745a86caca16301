"""Make the links by which clients install a published server, for the documentation of its owner.

Each link starts the server by `uvx NAME-mcp`. No link contains a secret: it contains names of environment variables, or
the client asks the user for values.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from mcpgen.model import Identity

MOST = 8
"""Limit on the environment variables in one link. Some systems cut links at 2,000 characters."""


@dataclass(frozen=True, slots=True)
class Button:
    """A link and the name of the client that it opens."""

    client: str
    url: str


# Links are shown as text: until the owner publishes the package, its name on PyPI may belong to somebody else, and a
# click would run that package with the user's credentials.
def buttons(identity: Identity, variables: Sequence[str], secrets: Sequence[str]) -> list[Button]:
    """Return the install links of a server.

    `variables`: environment variables that most users set, at most MOST. `secrets`: those of `variables` whose values
    are secrets.
    """
    name, start = identity.name, {"command": "uvx", "args": [identity.command]}
    env = _given("env", {each: f"${{env:{each}}}" for each in variables})
    plain = _given("env", {each: f"${{{each}}}" for each in variables})
    prompts = {each: f"{name}-{each.lower().replace('_', '-')}" for each in variables}
    asked = _given("env", {each: f"${{input:{prompts[each]}}}" for each in variables})
    inputs = [
        {
            "type": "promptString",
            "id": prompts[each],
            "description": each,
            **({"password": True} if each in secrets else {}),
        }
        for each in variables
    ]
    code = quote(_json({"name": name, **_given("inputs", inputs), **start, **asked}), safe="")
    return [
        Button("Cursor", _url("https://cursor.com/install-mcp", name=name, config=_base64({**start, **env}))),
        Button("VS Code", _url("https://insiders.vscode.dev/redirect", url=f"vscode:mcp/install?{code}")),
        # LM Studio fills in no variables, so its users add them in its mcp.json.
        Button("LM Studio", _url("https://lmstudio.ai/install-mcp", name=name, config=_base64(start))),
        Button("Kiro", _url("https://kiro.dev/launch/mcp/add", name=name, config=_json({**start, **plain}))),
        # Links for Goose contain no environment variables. Goose passes on the variables of its own environment.
        Button("Goose", _url("goose://extension", cmd="uvx", arg=identity.command, id=name, name=name)),
    ]


def _given(key: str, value: object) -> dict[str, object]:
    return {key: value} if value else {}


def _url(base: str, **query: str) -> str:
    return f"{base}?{urlencode(query, quote_via=quote, safe='')}"


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _base64(value: Mapping[str, object]) -> str:
    return base64.b64encode(_json(value).encode()).decode()
