"""Check a release with the tools of those who distribute releases: mcpb, twine, the schema of CycloneDX, and uv.

Then start the server from the release.
"""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.tree import FileTree
from tests.bundle.releases import manifest, release, write_project
from tests.bundle.tools import CHECK_BILLS, empty_environment, mcpb, python_tools

PATIENCE = 300
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
LINES = [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}

pytestmark = [pytest.mark.slow, pytest.mark.world]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of a release of the generated petstore server."""
    home = tmp_path_factory.mktemp("release")
    write(release(write_project(home / "petstore", name="petstore"), wheel=True), home / "dist")
    return home / "dist"


def write(made: FileTree, folder: Path) -> None:
    folder.mkdir()
    for name, data in made.items():
        (folder / name).write_bytes(data)


def run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program, which must succeed, and return the finished process."""
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=PATIENCE, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_mcpb_unpacks_validates_and_packs_the_bundle(folder: Path, tmp_path: Path) -> None:
    [bundle] = folder.glob("*.mcpb")
    run(*mcpb(), "unpack", bundle, tmp_path / "unpacked")
    assert "Manifest schema validation passes!" in run(*mcpb(), "validate", tmp_path / "unpacked").stdout
    run(*mcpb(), "pack", tmp_path / "unpacked", tmp_path / "packed.mcpb")
    with zipfile.ZipFile(bundle) as ours, zipfile.ZipFile(tmp_path / "packed.mcpb") as theirs:
        assert {name: ours.read(name) for name in ours.namelist()} == {
            name: theirs.read(name) for name in theirs.namelist()
        }


def test_a_host_starts_it_with_what_its_user_typed(folder: Path) -> None:
    """Check the command and environment with which a host starts the server, after a user has typed values of settings.

    `@anthropic-ai/mcpb`, a library for hosts, computes both from the bundle's manifest and these values.
    """
    [bundle] = folder.glob("*.mcpb")
    value = json.loads(zipfile.ZipFile(bundle).read("manifest.json"))
    script = """
        import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
        const [manifest, userConfig] = JSON.parse(process.argv[1]);
        const found = await getMcpConfigForManifest(
            { manifest, userConfig, extensionPath: "/bundle", systemDirs: { HOME: "/home" }, pathSeparator: "/" });
        console.log(JSON.stringify(found));
    """
    given = {"PETSTORE_API_KEY": "k", "PETSTORE_READ_ONLY": True}
    home = Path(mcpb()[1]).parents[4]
    done = run("node", "--input-type=module", "-e", script, json.dumps([value, given]), cwd=home)
    found = json.loads(done.stdout)
    assert [found["command"], *found["args"]] == ["uv", "run", "--directory", "/bundle", "server.py"]
    assert found["env"] == dict.fromkeys(value["user_config"], "") | {
        "PETSTORE_API_KEY": "k",
        "PETSTORE_READ_ONLY": "true",
    }


def test_twine_accepts_wheel_and_sdist(folder: Path) -> None:
    run(python_tools() / "twine", "check", "--strict", *folder.glob("*.whl"), *folder.glob("*.tar.gz"))


def test_the_bill_of_materials_is_valid(folder: Path) -> None:
    [bill] = folder.glob("*.cdx.json")
    assert run(python_tools() / "python", "-c", CHECK_BILLS, bill).stdout == ""
    value = json.loads(bill.read_text())
    assert {each["name"] for each in value["components"]} >= {"mcpgen-runtime", "aiohttp", "jsonschema-rs", "redis"}


@pytest.mark.parametrize("locked", [False, True], ids=["without a lock", "with uv.lock"])
def test_uv_starts_the_bundle_in_an_empty_environment(tmp_path: Path, locked: bool) -> None:
    uv = python_tools() / "uv"
    environ = empty_environment(tmp_path)
    project = write_project(tmp_path / "petstore", name="petstore")
    if locked:
        run(uv, "lock", cwd=project, env=environ)
    made, unpacked = release(project), tmp_path / "unpacked"
    [data] = [data for name, data in made.items() if name.endswith(".mcpb")]
    (tmp_path / "x.zip").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        archive.extractall(unpacked)
    if locked:
        run(uv, "lock", "--check", cwd=unpacked, env=environ)
    config = manifest(made)["server"]["mcp_config"]
    for arguments in (config["args"], ["run", "--directory", "${__dirname}", manifest(made)["server"]["entry_point"]]):
        given = "".join(f"{json.dumps(line)}\n" for line in [*LINES, LIST])
        command = [config["command"], *(each.replace("${__dirname}", str(unpacked)) for each in arguments)]
        answers = [json.loads(line) for line in run(*command, input=given, env=environ, cwd="/").stdout.splitlines()]
        assert answers[0]["result"]["serverInfo"]["name"] == "petstore"
        assert len(answers[1]["result"]["tools"]) > 20
    assert not (unpacked / "petstore_mcp" / "petstore_mcp").exists()
    if locked:
        assert (unpacked / "uv.lock").read_bytes() == zipfile.ZipFile(tmp_path / "x.zip").read("uv.lock")


def test_uvx_starts_the_wheel(folder: Path, tmp_path: Path) -> None:
    [wheel] = folder.glob("*.whl")
    command = [str(python_tools() / "uv"), "tool", "run", "--from", str(wheel), "petstore-mcp", "--list"]
    assert "list_pets" in run(*command, env=empty_environment(tmp_path), cwd="/").stdout
