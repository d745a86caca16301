"""Test the output of `mcpgen bundle`: it has the same bytes each time, asks only for environment variables that the
server reads, and contains no private file.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.tree import FileTree
from mcpgen.bundle import Publisher, make_artifacts, open_project
from mcpgen.bundle.manifest import python_range
from tests.bundle.checkers import CARD, MANIFEST, registry_findings, schema_findings
from tests.bundle.releases import PUBLISHER, archived, bundle, is_archive, manifest, release, write_project
from tests.command import mcpgen
from tests.leaks import SECRET, searched

HIDDEN = "\u202e\u200b"


@pytest.fixture(scope="module")
def petstore(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a generated petstore project that tests must not change."""
    return write_project(tmp_path_factory.mktemp("petstore") / "petstore", name="petstore")


@pytest.fixture(scope="module")
def made(petstore: Path) -> FileTree:
    return release(petstore, wheel=True)


def test_two_directories_and_two_times_give_the_same_bytes(petstore: Path, made: FileTree, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "other-name"
    for path in petstore.rglob("*"):
        if path.is_file():
            copy = other / path.relative_to(petstore)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
            copy.chmod(0o640)
            os.utime(copy, (1_000_000_000, 1_000_000_000))
    again = release(other, wheel=True)
    assert dict(again) == dict(made)
    assert sorted(made) == [
        "SHA256SUMS",
        "petstore-mcp-0.1.0.cdx.json",
        "petstore-mcp-0.1.0.mcpb",
        "petstore_mcp-0.1.0-py3-none-any.whl",
        "petstore_mcp-0.1.0.tar.gz",
        "server-card.json",
        "server.json",
    ]


def test_nothing_leaves_that_is_not_the_project(petstore: Path, made: FileTree, tmp_path: Path) -> None:
    secret = "sk-live-of-somebody"
    folder = tmp_path / "petstore"
    subprocess.run(["cp", "-r", str(petstore), str(folder)], check=True)
    for name in (".env", "deploy/secrets/KEY", "petstore_mcp/.env", "notes.txt", "petstore_mcp/__pycache__/a.pyc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(secret)
    assert dict(release(folder, wheel=True)) == dict(made)


@pytest.mark.slow
def test_a_plain_build_packs_no_secret(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "petstore", name="petstore", deploy=True)
    for name in ("deploy/secrets/PETSTORE_API_KEY", ".env.local", "LICENSE"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("sk-live-of-somebody")
    command = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path / "dist")]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    [sdist] = (tmp_path / "dist").iterdir()
    inside = {path.partition("/")[2].partition("/")[0] for path, _ in archived(sdist.name, sdist.read_bytes())}
    own = {"petstore_mcp", "tests", "README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "PKG-INFO", ".gitignore"}
    assert inside == own


@pytest.mark.slow
def test_owners_files_of_the_package_and_the_licence_are_released(petstore: Path, tmp_path: Path) -> None:
    folder = tmp_path / "petstore"
    subprocess.run(["cp", "-r", str(petstore), str(folder)], check=True)
    (folder / "petstore_mcp" / "prices.py").write_text("EUR = 1\n")
    (folder / "LICENSE").write_text("Do as you like.\n")
    made = release(folder, wheel=True)
    for name, data in made.items():
        if is_archive(name):
            inside = [path for path, _ in archived(name, data)]
            assert any(path.endswith("petstore_mcp/prices.py") for path in inside), name
            assert any(path.endswith("LICENSE") and "runtime" not in path for path in inside), name


def test_each_owner_accepts_what_it_reads(made: FileTree) -> None:
    assert list(registry_findings(json.loads(made["server.json"]))) == []
    assert schema_findings(MANIFEST, manifest(made)) == []
    assert schema_findings(CARD, json.loads(made["server-card.json"])) == []


def test_the_registry_sees_whose_package_it_is(made: FileTree) -> None:
    line = b"<!-- mcp-name: io.github.ann/petstore -->"
    for name, data in made.items():
        if name.endswith((".whl", ".tar.gz")):
            told = [text for path, text in archived(name, data) if path.endswith(("/METADATA", "/PKG-INFO"))]
            assert [text.count(line) for text in told] == [1], name


def test_digests_are_those_of_the_files(made: FileTree, tmp_path: Path) -> None:
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)
    listed = {line.split()[1]: line.split()[0] for line in made["SHA256SUMS"].decode().splitlines()}
    assert set(listed) == set(made) - {"SHA256SUMS"}
    [package] = [each for each in json.loads(made["server.json"])["packages"] if each["registryType"] == "mcpb"]
    assert package["fileSha256"] == listed["petstore-mcp-0.1.0.mcpb"]
    bill = json.loads(made["petstore-mcp-0.1.0.cdx.json"])
    files = {each["name"]: each["hashes"][0]["content"] for each in bill["metadata"]["component"]["components"]}
    assert files == {name: listed[name] for name in listed if is_archive(name)}


def test_the_server_reads_every_variable_that_is_asked_for(made: FileTree, petstore: Path) -> None:
    """Set each variable that the release asks for to an invalid or a harmless value.

    The server must read each of these variables.
    """
    asked = manifest(made)["user_config"]
    config = manifest(made)["server"]["mcp_config"]["env"]
    packages = json.loads(made["server.json"])["packages"]
    assert {name: f"${{user_config.{name}}}" for name in asked} == config
    assert [[each["name"] for each in package["environmentVariables"]] for package in packages] == [list(asked)] * 2
    values = dict.fromkeys(asked, "/nonexistent") | {"PETSTORE_API_KEY": SECRET, "PETSTORE_BEARER": "t"}
    done = doctor(petstore, {**values, "PETSTORE_NO_SUCH_SETTING": "1"})
    told = done.stdout + done.stderr
    searched(told.encode())
    [unread] = [line for line in told.splitlines() if "PETSTORE_NO_SUCH_SETTING" in line]
    assert [name for name in asked if name in unread] == []
    assert [name for name in asked if name not in told] == []


def doctor(project: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run `--doctor` of a project, and return the finished process."""
    command = [sys.executable, "-m", "petstore_mcp", "--doctor"]
    return subprocess.run(
        command, cwd=project, env={**os.environ, **environ}, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_user_is_asked_for_what_the_server_needs(made: FileTree) -> None:
    asked = manifest(made)["user_config"]
    kinds = {name: (each["type"], each.get("sensitive", False), each.get("default")) for name, each in asked.items()}
    assert kinds == {
        "PETSTORE_API_KEY": ("string", True, ""),
        "PETSTORE_BEARER": ("string", True, ""),
        "PETSTORE_VAR_REGION": ("string", False, ""),
        "PETSTORE_BASE_URL": ("string", False, ""),
        "PETSTORE_FILES_DIR": ("directory", False, ""),
        "PETSTORE_DOWNLOADS_DIR": ("directory", False, ""),
        "PETSTORE_READ_ONLY": ("boolean", False, False),
    }
    [region] = [
        each
        for each in json.loads(made["server.json"])["packages"][0]["environmentVariables"]
        if each["name"] == "PETSTORE_VAR_REGION"
    ]
    assert region["choices"] == ["eu", "us", "ap"]


def test_a_form_says_that_calls_give_a_variable_of_the_server_url(tmp_path: Path) -> None:
    variables = {"shop": {"default": "demo"}, "zone": {"default": "eu"}}
    document = api(servers=[{"url": "https://{shop}.{zone}.example.com", "variables": variables}])
    (tmp_path / "api.json").write_text(json.dumps(document))
    tools = tmp_path / "pets.tools.yaml"
    given = "{argument: true, pattern: '[a-z]{1,9}'"
    tools.write_text(
        "mcpgen: 1\nopenapi: [{document: api.json}]\n"
        f"variables:\n  shop: {given}}}\n  zone: {given}, required: false}}\n"
    )
    asked = manifest(release(write_project(tmp_path / "pets", tools)))["user_config"]
    shop, zone = asked["PETS_VAR_SHOP"], asked["PETS_VAR_ZONE"]
    assert shop["description"] == "Shop in the server URL; only for logins and resources, since calls give it"
    assert zone["description"] == "Zone in the server URL; eu if unset"


def api(**members: Any) -> dict[str, Any]:
    """Return an OpenAPI document with two operations."""
    paths = {"/pets": {"get": {"operationId": "listPets"}, "post": {"operationId": "addPet"}}}
    info = {"title": "Pets", "version": "1"}
    return {
        "openapi": "3.1.0",
        "info": info,
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": paths,
    } | members


KEY = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}


@pytest.mark.parametrize(
    ("document", "setting", "expected"),
    [
        (api(), "PETS_BASE_URL", {"default": "https://api.example.com/v1"}),
        (api(servers=[{"url": "https://api.example.com/$&"}]), "PETS_BASE_URL", {"default": ""}),
        (api(servers=[{"url": "https://a.example/${user_config.PETS_KEY}"}]), "PETS_BASE_URL", {"required": True}),
        (api(servers=[]), "PETS_BASE_URL", {"required": True}),
        (
            api(paths={"/x": {"get": {"operationId": "x"}, "post": {"servers": [{"url": "https://b.example"}]}}}),
            "PETS_BASE_URL",
            {"default": ""},
        ),
        (api(components={"securitySchemes": KEY}, security=[{"key": []}]), "PETS_KEY", {"required": True}),
        (api(components={"securitySchemes": KEY}, security=[{"key": []}, {}]), "PETS_KEY", {"default": ""}),
    ],
    ids=["one server", "dollar", "variable of the host", "no server", "two origins", "needed", "not needed"],
)
def test_settings_are_required_or_have_a_default(
    document: dict[str, Any], setting: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    asked = manifest(release(write_project(tmp_path / "pets", document, name="pets")))["user_config"]
    assert {key: asked[setting][key] for key in ("required", "default") if key in asked[setting]} == expected


def test_text_of_a_document_stays_data(tmp_path: Path) -> None:
    title = f"{HIDDEN}<!-- mcp-name: io.github.eve/evil -->\n${{__dirname}} {'long ' * 60}"
    schemes = {f"k{HIDDEN}\n${{HOME}}": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    server = {"url": "https://{where}.example", "variables": {"where": {"default": "a", "enum": ["a", "${HOME}"]}}}
    told = api(
        info={"title": title, "version": "1"},
        servers=[server],
        components={"securitySchemes": schemes},
        security=[{name: []} for name in schemes],
    )
    made = release(write_project(tmp_path / "pets", told, name="pets"))
    value, entry = manifest(made), json.loads(made["server.json"])
    assert list(registry_findings(entry)) == []
    texts = [*strings([value, entry, json.loads(made["server-card.json"])])]
    assert any("X-Key" in text for text in texts)
    assert [text for text in texts if re.search("[\u202e\u200b\n]", text)] == []
    assert "$" not in "".join(str(each.get("default", "")) for each in value["user_config"].values())
    assert b"<!--" not in made["server.json"] + bundle(made)["manifest.json"]
    assert "choices" not in json.dumps(entry["packages"])
    assert schema_findings(MANIFEST, value) == []


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from (key, *strings(member))
    elif isinstance(value, list):
        for member in value:
            yield from strings(member)


def test_a_search_lists_no_tools_that_are_not_listed(tmp_path: Path) -> None:
    value = manifest(release(write_project(tmp_path / "pets", api(), name="pets", tools="search")))
    assert (value.get("tools"), value["tools_generated"]) == (None, True)


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        (">=3.11", ">=3.11"),
        (">=3.11,<3.15", ">=3.11 <3.15"),
        ("==3.12.*", "3.12.x"),
        ("~=3.11.4", ">=3.11.4 <3.12"),
        ("", "*"),
    ],
)
def test_a_range_of_python_is_written_as_npm_reads_it(specifier: str, expected: str) -> None:
    assert python_range(specifier) == expected


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda folder: (folder / "mcpgen.lock.json").unlink(), "mcpgen.lock.json of the project in"),
        (lambda folder: (folder / "petstore_mcp" / "tools.json").unlink(), "petstore_mcp/tools.json is missing"),
        (lambda folder: (folder / "README.md").write_text("mine"), "README.md in"),
        (lambda folder: (folder / "petstore_mcp" / "a.py").symlink_to("/etc/passwd"), "is a link"),
        (lambda folder: (folder / "petstore_mcp" / "more").symlink_to("/etc"), "is a link"),
        (lambda folder: (folder / "LICENSE").symlink_to("/etc/passwd"), "is a link"),
    ],
    ids=["no lock", "no table", "edited", "link in the package", "link to a folder", "link beside it"],
)
def test_a_project_that_is_not_whole_is_refused(petstore: Path, tmp_path: Path, change: Any, told: str) -> None:
    folder = tmp_path / "petstore"
    subprocess.run(["cp", "-r", str(petstore), str(folder)], check=True)
    change(folder)
    done = mcpgen("bundle", str(folder), "--no-wheel")
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert not (folder / "dist").exists()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--registry-name", "petstore"], "petstore is not a valid name for the MCP registry"),
        (["--registry-name", "a/b/c"], "is not a valid name for the MCP registry"),
        (["--url", "http://mcp.example.com/mcp"], "--url is not a public https URL"),
        (["--url", "https://localhost/mcp"], "--url is not a public https URL"),
        (["--url", "https://{host}.example.com/mcp"], "--url is not a public https URL"),
        (["--repository", "https://git.example.com/a/b"], "The MCP registry does not accept repositories at"),
    ],
)
def test_a_value_that_the_registry_refuses_is_told(petstore: Path, flags: list[str], told: str) -> None:
    done = mcpgen("bundle", str(petstore), "--no-wheel", *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


REFUSED = {
    "hooks.py~": b"",
    "hooks.py.bak": b"",
    "#hooks.py#": b"",
    "credentials.json": b"{}",
    "data/id_rsa": b"",
    "data/server.pem": b"",
    "prod.env": b"",
    "api_token.txt": b"",
    "note.txt": b"-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n",
    "data/settings.yaml": b"db_password: hunter42\n",
    "own.py": b'KEY = "ghp_' + b"a1B2c3D4e5F6g7H8i9J0" + b'"\n',
}
"""Path in the package → contents of a file that must not be published."""


@pytest.mark.parametrize("path", REFUSED)
def test_a_file_that_may_be_a_secret_is_not_published(petstore: Path, tmp_path: Path, path: str) -> None:
    shutil.copytree(petstore, tmp_path / "project")
    file = tmp_path / "project" / "petstore_mcp" / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(REFUSED[path])
    done = mcpgen("bundle", str(tmp_path / "project"), "--no-wheel")
    assert done.returncode == 2
    assert f"petstore_mcp/{path} would be published" in done.stderr
    assert "[secret-file]" in done.stderr


def test_files_that_nothing_imports_are_listed(petstore: Path, tmp_path: Path) -> None:
    shutil.copytree(petstore, tmp_path / "project")
    package = tmp_path / "project" / "petstore_mcp"
    (package / "hooks.py").write_text("from .rules import limit\n")
    (package / "rules.py").write_text("from petstore_mcp import tokens\nlimit = 3\n")
    (package / "tokens.py").write_text("count = 3\n")
    (package / "forgotten.py").write_text("")
    (package / "words.txt").write_text("page_token=abc\n")
    done = mcpgen("bundle", str(tmp_path / "project"), "--no-wheel")
    assert done.returncode == 0
    told = [line for line in done.stderr.splitlines() if "is published too" in line]
    assert [line.split()[0] for line in told] == ["petstore_mcp/forgotten.py", "petstore_mcp/words.txt"]


def test_files_of_others_are_not_written_over(petstore: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = ("bundle", str(petstore), "-o", str(out), "--no-wheel")
    first = mcpgen(*run)
    assert first.returncode == 0, first.stderr
    assert "give --registry-name" in first.stderr
    assert mcpgen(*run, "--registry-name", "io.github.ann/petstore").returncode == 0
    (out / "petstore-mcp-0.1.0.mcpb").write_bytes(b"of an earlier run")
    assert mcpgen(*run).returncode == 0, "SHA256SUMS names it"
    (out / "SHA256SUMS").unlink()
    (out / "petstore-mcp-0.1.0.mcpb").write_bytes(b"somebody's")
    refused = mcpgen(*run)
    assert (refused.returncode, (out / "petstore-mcp-0.1.0.mcpb").read_bytes()) == (2, b"somebody's")
    assert "does not name it" in refused.stderr


def test_source_date_epoch_sets_the_times(petstore: Path, tmp_path: Path) -> None:
    run = ("bundle", str(petstore), "--no-wheel", "--format", "json", "-o")
    one, other = (
        mcpgen(*run, str(tmp_path / epoch), SOURCE_DATE_EPOCH=epoch) for epoch in ("1700000000", "1800000000")
    )
    assert json.loads(one.stdout)["files"] != json.loads(other.stdout)["files"]
    made = make_artifacts(open_project(petstore), PUBLISHER, 1_700_000_000)
    for name in made:
        if name.endswith((".whl", ".mcpb")):
            with zipfile.ZipFile(io.BytesIO(made[name])) as archive:
                assert {each.date_time for each in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}
    wrong = mcpgen(*run, str(tmp_path / "wrong"), SOURCE_DATE_EPOCH="yesterday")
    assert (wrong.returncode, json.loads(wrong.stdout)["diagnostics"][0]["code"]) == (2, "invalid-flag")


def test_the_author_is_whom_the_namespace_names(petstore: Path) -> None:
    assert manifest(release(petstore))["author"] == {"name": "ann"}
    assert manifest(release(petstore, Publisher(author="Ann Ay")))["author"] == {"name": "Ann Ay"}
    assert manifest(release(petstore, Publisher()))["author"] == {"name": "Petstore"}
    assert PUBLISHER.name == "ann"
