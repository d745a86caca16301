"""Test the entry that `install` writes for the server into the configuration file of each MCP client.

The client reaches the server over stdio or over HTTP. A secret is written into the file only on request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from package.runtime.install.clients import CLIENTS

from tests.install.client_files import PLACES, ROOT, Home, parsed, servers
from tests.leaks import SECRET, forms

MakeHome = Callable[[str], Home]

KEY, BEARER = "PETSTORE_API_KEY", "PETSTORE_BEARER"
URL = "https://mcp.example.com/mcp"


def plain(reference: str = "", **more: Any) -> dict[str, Any]:
    named = {name: reference.replace("NAME", name) for name in (KEY, BEARER)} if reference else {}
    return {**more, "command": "uvx", "args": ["petstore-mcp"], "env": {"PETSTORE_TIMEOUT": "9", **named}}


GOOSE = {"enabled": True, "name": "petstore", "description": "MCP server petstore", "timeout": 300}

STDIO: dict[str, dict[str, Any]] = {
    "claude-desktop": plain(),
    "claude-code": plain("${NAME}", type="stdio"),
    "cursor": plain("${env:NAME}"),
    "vscode": {
        "type": "stdio",
        "command": "uvx",
        "args": ["petstore-mcp"],
        "env": {
            "PETSTORE_TIMEOUT": "9",
            KEY: "${input:petstore-petstore-api-key}",
            BEARER: "${input:petstore-petstore-bearer}",
        },
    },
    "windsurf": plain("${env:NAME}"),
    "zed": plain(),
    "codex": {
        "command": "uvx",
        "args": ["petstore-mcp"],
        "env": {"PETSTORE_TIMEOUT": "9"},
        "env_vars": [KEY, BEARER],
    },
    "gemini-cli": plain("${NAME}"),
    "copilot-cli": plain("${NAME}", type="local", tools=["*"]),
    "goose": {
        **GOOSE,
        "type": "stdio",
        "cmd": "uvx",
        "args": ["petstore-mcp"],
        "envs": {"PETSTORE_TIMEOUT": "9"},
        "env_keys": [KEY, BEARER],
    },
    "opencode": {
        "type": "local",
        "enabled": True,
        "command": ["uvx", "petstore-mcp"],
        "environment": {"PETSTORE_TIMEOUT": "9", KEY: f"{{env:{KEY}}}", BEARER: f"{{env:{BEARER}}}"},
    },
    "lm-studio": plain(),
    "kiro": plain("${NAME}"),
}


def remote(reference: str = "", key: str = "url", **more: Any) -> dict[str, Any]:
    headers = {"headers": {"Authorization": f"Bearer {reference}"}} if reference else {}
    return {**more, key: URL, **headers}


HTTP: dict[str, dict[str, Any]] = {
    "claude-code": remote("${PETS_TOKEN}", type="http"),
    "cursor": remote("${env:PETS_TOKEN}"),
    "vscode": remote("${input:petstore-pets-token}", type="http"),
    "windsurf": remote("${env:PETS_TOKEN}", key="serverUrl"),
    "zed": remote(),
    "codex": {"url": URL, "bearer_token_env_var": "PETS_TOKEN"},
    "gemini-cli": remote("${PETS_TOKEN}", key="httpUrl"),
    "copilot-cli": remote("${PETS_TOKEN}", type="http", tools=["*"]),
    "goose": {
        **GOOSE,
        **remote("${PETS_TOKEN}", key="uri", type="streamable_http"),
        "envs": {},
        "env_keys": ["PETS_TOKEN"],
    },
    "opencode": remote("{env:PETS_TOKEN}", type="remote", enabled=True),
    "lm-studio": remote(),
    "kiro": remote("${PETS_TOKEN}"),
}

SECRETS = {KEY: SECRET, BEARER: SECRET, "PETS_TOKEN": SECRET, "PETSTORE_PROXY": f"http://u:{SECRET}@proxy:1"}


def unharmed(here: Home) -> None:
    """Fail if a file in the home folder holds the secret, in any encoding."""
    for path, data in here.files().items():
        found = [name for name, form in forms(SECRET).items() if form and form.encode() in data]
        assert not found, f"{path} holds the secret ({found})"


@pytest.mark.parametrize("client", STDIO)
def test_a_server_that_the_client_starts(client: str, home: MakeHome) -> None:
    here = home(client)
    here.fill(None)
    flags = ("--command", "uvx petstore-mcp", "--env", "PETSTORE_TIMEOUT=9")
    code, _, err = here.run("install", *flags, KEY=SECRET, **{KEY: SECRET, BEARER: SECRET})
    assert code == 0
    assert servers(client, here.file.read_bytes()) == {"petstore": STDIO[client]}
    assert KEY in err
    assert BEARER in err
    unharmed(here)


@pytest.mark.parametrize("client", HTTP)
def test_a_server_at_a_url(client: str, home: MakeHome) -> None:
    here = home(client)
    here.fill(None)
    code, _, err = here.run("install", "--http", URL, "--token-env", "PETS_TOKEN", **SECRETS)
    assert code == 0
    assert servers(client, here.file.read_bytes()) == {"petstore": HTTP[client]}
    assert "PETS_TOKEN" in err
    unharmed(here)


@pytest.mark.parametrize("client", PLACES)
def test_no_secret_is_written_unasked(client: str, home: MakeHome) -> None:
    here = home(client)
    here.fill(None)
    for flags in ((), ("--dry-run",), ("--env", KEY), ("--env", f"{KEY}_FILE=/run/secrets/key")):
        assert here.install(*flags, **SECRETS)[0] == 0
        unharmed(here)
        here.run("uninstall")
        unharmed(here)
    code, _, err = here.install("--env", f"{KEY}=abc")
    assert (code, f"{KEY} is a secret." in err) == (1, True)


@pytest.mark.parametrize("client", PLACES)
def test_a_secret_is_written_where_told_and_leaves_with_the_server(client: str, home: MakeHome) -> None:
    here = home(client)
    here.fill(b"{}" if here.file.suffix == ".json" else b"A = 1\n" if client == "codex" else b"A: 1\n")
    assert here.install("--write-secrets", **SECRETS)[0] == 0
    entry = servers(client, here.file.read_bytes())["petstore"]
    environment = entry.get("env") or entry.get("envs") or entry["environment"]
    assert (environment[KEY], environment[BEARER]) == (SECRET, SECRET)
    assert SECRET not in here.install("--write-secrets", "--dry-run", "--name", "b", **SECRETS)[1]
    here.file.write_bytes(here.file.read_bytes() + b"\n")  # the changed file no longer matches the backup
    assert here.run("uninstall")[0] == 0
    unharmed(here)


@pytest.mark.parametrize("client", HTTP)
def test_a_token_is_written_where_told(client: str, home: MakeHome) -> None:
    here = home(client)
    here.fill(None)
    flags = ("--http", URL, "--token-env", "PETS_TOKEN", "--write-secrets")
    assert here.run("install", *flags, **SECRETS)[0] == 0
    entry = servers(client, here.file.read_bytes())["petstore"]
    assert (entry.get("headers") or entry["http_headers"]) == {"Authorization": f"Bearer {SECRET}"}
    code, _, err = here.run("install", *flags)
    assert (code, "PETS_TOKEN holds no token" in err) == (1, True)


def test_a_file_of_a_secret_takes_the_place_of_its_name(home: MakeHome) -> None:
    here = home("claude-desktop")
    here.fill(None)
    here.install(PETSTORE_API_KEY_FILE="/run/secrets/key", PETSTORE_BEARER=SECRET)
    [entry] = servers("claude-desktop", here.file.read_bytes()).values()
    assert entry["env"] == {"PETSTORE_API_KEY_FILE": "/run/secrets/key"}


def test_settings_of_the_environment_go_along(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(None)
    here.install(PETSTORE_VAR_REGION="us", PETSTORE_READ_ONLY="1", PETSTORE_HTTP_OPEN="1", OTHER="x", **SECRETS)
    [entry] = servers("cursor", here.file.read_bytes()).values()
    assert entry["env"] == {
        "PETSTORE_READ_ONLY": "1",
        "PETSTORE_VAR_REGION": "us",
        **{name: f"${{env:{name}}}" for name in (KEY, BEARER, "PETSTORE_PROXY")},
    }


def test_a_setting_that_the_server_would_refuse_is_not_written(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(b"{}")
    word = quote(SECRET, safe="")
    for value in (f"https://ann:{word}@pets.example", f"https://pets.example/?key={word}"):
        code, _, err = here.install(PETSTORE_BASE_URL=value)
        assert (code, err.partition(" must not")[0]) == (1, "PETSTORE_BASE_URL")
    assert here.files() == {".cursor/mcp.json": b"{}"}


def test_prompts_of_others_stay(home: MakeHome) -> None:
    """Check that `uninstall` keeps an input that another server's entry uses, too, although `install` added the input.

    An input is a value that VS Code asks the user for.
    """
    here = home("vscode")
    here.fill(b'{"servers": {"a": {"env": {"K": "${input:petstore-petstore-bearer}"}}}, "inputs": [{"id": "k"}]}')
    here.install()
    ids = ["k", "petstore-petstore-api-key", "petstore-petstore-bearer"]
    assert [each["id"] for each in parsed("vscode", here.file.read_bytes())["inputs"]] == ids
    (here.folder / PLACES["vscode"]).with_name("mcp.json.petstore.bak").unlink()
    here.run("uninstall")
    assert [each["id"] for each in parsed("vscode", here.file.read_bytes())["inputs"]] == [ids[0], ids[2]]


PROJECTS = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "zed": ".zed/settings.json",
    "codex": ".codex/config.toml",
    "gemini-cli": ".gemini/settings.json",
    "copilot-cli": ".github/mcp.json",
    "opencode": "opencode.json",
    "kiro": ".kiro/settings/mcp.json",
}


@pytest.mark.parametrize("client", PLACES)
def test_a_project_has_a_file_of_its_own(client: str, home: MakeHome) -> None:
    here = home(client)
    code, _, err = here.install("--project")
    if client not in PROJECTS:
        assert (code, "has no configuration of a project" in err) == (1, True)
        return
    assert code == 0
    assert ("Trust this folder in" in err) == (client in ("claude-code", "codex", "gemini-cli", "copilot-cli"))
    assert list(here.files()) == [PROJECTS[client]]
    assert "petstore" in servers(client, here.files()[PROJECTS[client]])
    assert here.run("uninstall", "--project")[0] == 0
    assert here.files() == {}


def test_open_code_may_keep_its_file_with_comments(home: MakeHome) -> None:
    here = home("opencode")
    here.fill(None)
    other = here.file.with_suffix(".jsonc")
    other.write_bytes(b"// mine\n{}\n")
    here.install()
    assert list(here.files()) == [f"{PLACES['opencode']}c", f"{PLACES['opencode']}c.petstore.bak"]
    assert "petstore" in servers("opencode", other.read_bytes())


def test_the_documentation_names_every_client() -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    assert CLIENTS.keys() == PLACES.keys() == STDIO.keys()
    for client in CLIENTS.values():
        assert f"| `{client.key}` |" in page
        assert f"`{client.project}`" in page or not client.project
