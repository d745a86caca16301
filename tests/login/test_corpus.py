"""Log in for every document of the corpus that has an OAuth flow for users, at a mock authorization server.

The document's endpoints are replaced by those of the mock. After the login with a security scheme, a call must carry
the token.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.login.station import Api, Authority, Command, generate, listening, visit
from tests.runtime.process import Server

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dev"
_URLS = (
    "authorizationUrl",
    "tokenUrl",
    "refreshUrl",
    "deviceAuthorizationUrl",
    "openIdConnectUrl",
    "oauth2MetadataUrl",
)


def documents() -> list[Path]:
    """Return the documents whose text mentions an OAuth flow for users."""
    found = [path for path in sorted(CORPUS.rglob("*")) if path.suffix in (".json", ".yaml", ".yml")]
    return [path for path in found if b"authorizationUrl" in (text := path.read_bytes()) or b"openIdConnectUrl" in text]


def schemes_of(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (
        document.get("securityDefinitions") or (document.get("components") or {}).get("securitySchemes") or {}
    )
    return found


def at_the_mock(value: Any, origin: str) -> Any:
    """Return a copy of a security scheme whose URLs are those of the mock authorization server at `origin`.

    All flows of the scheme get the same URLs.
    """
    if not isinstance(value, dict):
        return value
    places = dict(zip(_URLS, ("authorize", "token", "token", "device"), strict=False))
    metadata = f"{origin}/.well-known/openid-configuration"
    return {
        key: (f"{origin}/{places[key]}" if key in places else metadata) if key in _URLS else at_the_mock(each, origin)
        for key, each in value.items()
    }


@pytest.mark.parametrize("path", documents() or [None], ids=lambda path: path.name if path else "absent")
def test_a_login_from_the_document_to_a_call(path: Path | None, tmp_path: Path) -> None:
    if path is None:
        pytest.skip("the corpus is not here")
    loader = json.loads if path.suffix == ".json" else lambda text: yaml.load(text, yaml.CSafeLoader)
    document = loader(path.read_text(encoding="utf-8"))
    users = [name for name, scheme in schemes_of(document).items() if at_the_mock(scheme, "@") != scheme]
    if "paths" not in document or not users or '"$ref": "paths/' in json.dumps(document, default=str):
        pytest.skip("it has no operations or no scheme of its own, or is split over files")
    authority, api = Authority(), Api()
    with listening(authority.answer) as origin, listening(api.answer) as api_origin:
        authority.origin = origin
        for name in users:
            schemes_of(document)[name] = at_the_mock(schemes_of(document)[name], origin)
        document["servers"] = [{"url": api_origin}]
        if "swagger" in document:
            document.update(host=api_origin.partition("//")[2], schemes=["http"])
        project = generate(tmp_path, json.dumps(document, default=str))
        package = next(project.glob("*/tools.json")).parent
        table = json.loads((package / "bindings.json").read_text())
        loggable = [name for name, scheme in table["security"].items() if "user" in scheme]
        assert loggable, "no scheme has a login"
        prefix = table["environment"]
        data = {"XDG_DATA_HOME": str(tmp_path / "data"), f"{prefix}_TOKEN_STORE": "file", "HOME": str(tmp_path)}
        env = {"PATH": os.environ["PATH"], **data}
        for number, name in enumerate(loggable):
            variables = table["security"][name]["variables"]
            env[variables["client_id"]] = "the-client"
            label = variables["value"].removeprefix(f"{prefix}_").lower()
            with Command(project, "login", label, "--no-browser", program=("-m", package.name), env=env) as command:
                assert visit(authority.agree(command.url())).status_code == 200
                code, said = command.end()
            assert code == 0, said
            tool = callable_by(name, table, package)
            if tool is None:
                continue
            with Server(project, package=package.name, env=env) as server:
                api.heard.clear()
                result = server.result(tool)
                assert api.tokens, (number, result)
                assert api.tokens[-1].startswith("Bearer access-"), (tool, result)


def callable_by(scheme: str, table: dict[str, Any], package: Path) -> str | None:
    """Return a tool without required arguments whose first security alternative is this scheme alone, or None."""
    required = {
        tool["name"]: tool["inputSchema"].get("required") for tool in json.loads((package / "tools.json").read_text())
    }
    for binding in table["bindings"]:
        if (binding.get("security") or [[]])[0] == [scheme] and not required[binding["name"]]:
            return str(binding["name"])
    return None
