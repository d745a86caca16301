"""Test the compose file: parsed by another YAML parser, valid by the specification, and hardened.

Also start the store (Valkey or Redis) as the file says.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import compose_spec
import pytest
import redis
import yaml
from package.runtime.http_server.over_http import LINGER
from package.runtime.http_server.service import GRACE
from package.runtime.replicas.sharing import LAST_SECONDS
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.deployment.projects import SPECS, deployed, deployment, write

TEXT = deployed()["deploy/compose.yaml"].decode()
FOUND = yaml.safe_load(TEXT)
SERVICES = FOUND["services"]
SERVER = SERVICES["server"]
STORE = shutil.which("valkey-server") or shutil.which("redis-server")


@pytest.mark.parametrize("source", SPECS, ids=lambda path: path.name.split(".")[0])
def test_it_is_valid_and_all_that_it_names_is_there(source: Path) -> None:
    read = compose_spec.PyCompose.from_yaml(deployed(source)["deploy/compose.yaml"].decode())
    read.validate()
    assert read.service_names() == ["balancer", "server", "store"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("read_only", "reed_only", "reed_only"),
        ("[store.conf]", "[nowhere]", "nowhere"),
        ("replicas: 3", "replicas: three", "three"),
    ],
)
def test_a_mistake_in_it_is_noticed(old: str, new: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(ValueError, match=said):
        compose_spec.PyCompose.from_yaml(TEXT.replace(old, new)).validate()


@pytest.mark.parametrize("name", SERVICES)
def test_every_container_has_as_few_rights_as_it_takes(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["tmpfs"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["healthcheck"]["test"][0] == "CMD", "no shell"
    assert "privileged" not in service


def test_three_replicas_share_a_store_that_nobody_else_reaches() -> None:
    assert SERVER["deploy"]["replicas"] == 3
    assert FOUND["networks"]["storage"] == {"internal": True}
    assert [name for name in SERVICES if "storage" in SERVICES[name]["networks"]] == ["server", "store"]
    assert [name for name in SERVICES if "ports" in SERVICES[name]] == ["balancer"]


def test_secrets_are_files() -> None:
    assert {name: value for name, value in SERVER["environment"].items() if name.endswith(("_FILE", "_TOKENS"))} == {
        "PETSTORE_HTTP_TOKENS": "/run/secrets/callers",
        "PETSTORE_STATE_KEY_FILE": "/run/secrets/state_key",
        "PETSTORE_STORE_FILE": "/run/secrets/store",
        "PETSTORE_API_KEY_FILE": "/run/secrets/PETSTORE_API_KEY",
        "PETSTORE_BEARER_FILE": "/run/secrets/PETSTORE_BEARER",
    }
    assert {each["file"] for each in FOUND["secrets"].values()} == {f"./secrets/{name}" for name in FOUND["secrets"]}


def test_calls_have_time_to_end() -> None:
    assert int(SERVER["stop_grace_period"].removesuffix("s")) > LINGER + GRACE + LAST_SECONDS


def test_the_commands_of_the_readme_write_every_secret() -> None:
    readme = deployed()["README.md"].decode()
    [block] = [each for each in re.findall(r"^```sh\n(.*?)^```$", readme, re.M | re.S) if "deploy/secrets" in each]
    written = {*re.findall(r" >>? (\S+?)(?: +#.*)?$", block, re.MULTILINE)}
    assert written == {*FOUND["secrets"]}


def test_git_leaves_secrets_out(tmp_path: Path) -> None:
    project = write(deployed(), tmp_path)
    (project / "deploy/secrets/state_key").write_text("secret")
    subprocess.run(["git", "init", "--quiet", "."], cwd=project, check=True)
    command = ["git", "status", "--porcelain", "--untracked-files=all", "deploy"]
    told = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout
    untracked = {line.removeprefix("?? ") for line in told.splitlines()}
    assert untracked == {path for path in deployment(deployed()) if path.startswith("deploy/")}


@pytest.mark.skipif(STORE is None, reason="not installed: valkey-server or redis-server")
def test_the_store_starts_as_it_says_and_asks_for_the_password(tmp_path: Path) -> None:
    """Start the store (Valkey or Redis) with the command of the compose file, and check that it requires the password.

    Unlike in the compose file, the store listens on a Unix socket.
    """
    place = tmp_path / "socket"
    (tmp_path / "store.conf").write_text(f"requirepass a-password\nport 0\nunixsocket {place}\n")
    store = SERVICES["store"]
    program, *rest = store["entrypoint"] + store["command"]
    assert program == "valkey-server"
    command = [STORE or "", *(word.replace("/run/secrets", str(tmp_path)) for word in rest)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert any("ready to accept connections" in line.lower() for line in process.stdout or ())
            with pytest.raises(redis.AuthenticationError):
                redis.Redis(unix_socket_path=str(place), retry=Retry(NoBackoff(), 0)).ping()
            with redis.Redis(unix_socket_path=str(place), password="a-password") as client:
                assert client.ping()
                assert client.config_get("save") == {"save": ""}
        finally:
            process.kill()
