"""Test the skills of a server: a compiled tools file, a real process over stdio, and both doors of HTTP."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.cli import main
from tests.cases.test_cases import HERE as CASES
from tests.command import mcpgen
from tests.runtime import skill_messages
from tests.runtime.process import Server
from tests.runtime.revisions import R3, R4, R5
from tests.streamable import servers
from tests.streamable.messages import encoded, mirrored, stateless
from tests.streamable.upstream import Upstream

OWNERS = CASES / "skills" / "of_the_owner"
REFUNDS = "skill://refunds"
UNKNOWN = (
    ("skills/get", "skill://gone/SKILL.md"),
    ("skills/get", "skill://refunds"),
    ("skills/get", "skill://refunds/"),
    ("skills/get", "skill://refunds/references/RULES.md"),
    ("skills/get", "skill://refunds/references/../SKILL.md"),
    ("skills/get", "skill://refunds/skill.md"),
    ("skills/get", "skill://REFUNDS/SKILL.md"),
    ("skills/get", "skill://refunds/SKILL%2Emd"),
    ("skills/get", "shop://guide"),
    ("skills/get", ""),
    ("resources/directory/read", "skill://gone"),
    ("resources/directory/read", "skill://"),
    ("resources/directory/read", "skill:/"),
    ("resources/directory/read", ""),
    ("resources/directory/read", "skill://refunds/"),
    ("resources/directory/read", "skill://refunds/references/"),
    ("resources/directory/read", "skill://refunds/references/.."),
    ("resources/directory/read", "skill://refunds/../greet"),
    ("resources/directory/read", "skill://refunds/../../etc"),
    ("resources/directory/read", "skill://refunds/%2e%2e/greet"),
    ("resources/directory/read", "skill://refunds/."),
    ("resources/directory/read", "skill://refunds//references"),
    ("resources/directory/read", "skill://refunds\\references"),
    ("resources/directory/read", "skill://refunds/SKILL.md"),
    ("resources/directory/read", "skill://refund"),
    ("resources/directory/read", "file:///etc"),
    ("resources/directory/read", "/etc"),
    ("resources/directory/read", "shop:/"),
    ("resources/directory/read", "s" * 100_000),
    ("resources/read", "skill://refunds/.env"),
    ("resources/read", "skill://refunds/.git/HEAD"),
    ("resources/read", "skill://refunds/references/../SKILL.md"),
    ("resources/read", "skill://refunds/references"),
)
"""Method → a URI for which it must answer that there is nothing."""


def generated(source: Path, folder: Path, *flags: str) -> Path:
    """Return the project of a tools file, with the parts that it needs."""
    with pytest.raises(SystemExit) as ended:
        main(["generate", "--parts=none", *flags, str(source), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("skills")
    shutil.copytree(OWNERS, folder, dirs_exist_ok=True)
    return generated(folder / "t.tools.yaml", folder)


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Server]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with Server(project, package="shop_mcp", env=kept) as running:
        running.checker.offered = ("skills",)
        yield running


def asked(server: Server, method: str, **params: object) -> Any:
    """Return the result or error that the server answers."""
    answer = server.ask(method, **params)
    return answer.get("result") or answer["error"]


def test_each_listed_file_is_read_and_has_its_digest(server: Server) -> None:
    skills = asked(server, "skills/list")["skills"]
    assert [each["uri"] for each in skills] == ["skill://refunds/SKILL.md", "skill://greet/SKILL.md"]
    for skill in skills:
        assert asked(server, "skills/get", uri=skill["uri"])["skill"] == skill
        for file in skill["resources"]:
            [content] = asked(server, "resources/read", uri=file["uri"])["contents"]
            data = content["text"].encode()
            assert file["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert file["size"] == len(data)
    folder = OWNERS / "skills" / "refunds"
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    on_disk = {folder.joinpath(path).read_bytes() for path in paths if not any(part[0] == "." for part in path.parts)}
    assert {hashlib.sha256(each).hexdigest() for each in on_disk} == {
        each["digest"].removeprefix("sha256:") for each in skills[0]["resources"]
    }


def test_a_folder_lists_its_files_and_the_folders_in_it(server: Server) -> None:
    def children(uri: str) -> list[tuple[str, str, str]]:
        found = asked(server, "resources/directory/read", uri=uri)["resources"]
        return [(each["uri"], each["name"], each["mimeType"]) for each in found]

    folder = "inode/directory"
    assert children(REFUNDS) == [
        (f"{REFUNDS}/SKILL.md", "refunds", "text/markdown"),
        (f"{REFUNDS}/references", "references", folder),
    ]
    assert children(f"{REFUNDS}/references") == [
        (f"{REFUNDS}/references/RULES.md", "RULES.md", "text/markdown"),
        (f"{REFUNDS}/references/eu", "eu", folder),
    ]
    assert [name for _, name, _ in children(f"{REFUNDS}/references/eu")] == ["check it.txt"]


@pytest.mark.parametrize(("method", "uri"), UNKNOWN)
def test_what_no_skill_has_is_refused(server: Server, method: str, uri: str) -> None:
    assert asked(server, method, uri=uri)["code"] == -32602


@pytest.mark.parametrize("method", skill_messages.METHODS[1:])
@pytest.mark.parametrize("uri", [None, 3, ["skill://refunds"], {"uri": REFUNDS}])
def test_a_uri_that_is_no_text_is_refused(server: Server, method: str, uri: object) -> None:
    assert asked(server, method, uri=uri)["code"] == -32602
    assert asked(server, method)["code"] == -32602
    assert asked(server, "skills/list", cursor="x")["code"] == -32602


@pytest.mark.parametrize("revision", [R3, R4])
def test_older_revisions_have_only_the_resources(project: Path, revision: str) -> None:
    requests = [
        ("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}),
        ("skills/list", {}),
        ("resources/read", {"uri": f"{REFUNDS}/SKILL.md"}),
    ]
    with Server(project, package="shop_mcp") as running:
        told = {}
        for method, params in requests:
            message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
            running.say(json.dumps(message).encode() + b"\n")
            told[method] = running.message()
    assert "extensions" not in told["initialize"]["result"]["capabilities"]
    assert told["skills/list"]["error"]["code"] == -32601
    assert told["resources/read"]["result"]["contents"][0]["text"].startswith("---\nname: refunds\n")


def test_a_server_without_skills_has_nothing_of_them(tmp_path: Path) -> None:
    text = (OWNERS / "t.tools.yaml").read_text(encoding="utf-8").partition("skills:")[0]
    (tmp_path / "t.tools.yaml").write_text(text, encoding="utf-8")
    made = generated(tmp_path / "t.tools.yaml", tmp_path)
    assert not (made / "shop_mcp" / "runtime" / "skills").exists()
    assert "skill" not in "".join(path.read_text(encoding="utf-8") for path in made.glob("shop_mcp/*.json"))
    with Server(made, package="shop_mcp") as running:
        assert "extensions" not in asked(running, "server/discover")["capabilities"]
        for method in skill_messages.METHODS:
            assert asked(running, method, uri=REFUNDS)["code"] == -32601


def test_a_search_of_tools_finds_a_skill(tmp_path: Path) -> None:
    shutil.copytree(CASES / "skills" / "search", tmp_path, dirs_exist_ok=True)
    made = generated(tmp_path / "t.tools.yaml", tmp_path, "--tools=search")
    with Server(made, package="shop_mcp") as running:
        running.checker.offered = ("skills",)
        found = asked(running, "tools/call", name="search_tools", arguments={"queries": ["delete pets", "weather"]})
        assert found["content"][0]["text"].count("\n\nSkill ") == 1
        assert "\n\nSkill skill://shop-pets/SKILL.md: Work with pets of Shop" in found["content"][0]["text"]


@pytest.mark.parametrize("flags", [(), ("--tools=search",)])
def test_the_skill_of_the_project_is_its_file(tmp_path: Path, flags: tuple[str, ...]) -> None:
    shutil.copytree(CASES / "skills" / "project", tmp_path, dirs_exist_ok=True)
    made = generated(tmp_path / "t.tools.yaml", tmp_path, "--parts=shell", *flags)
    uri, data = "skill://shop-mcp/SKILL.md", (made / "SKILL.md").read_bytes()
    assert (b"`search_tools`" in data) == bool(flags)
    with Server(made, package="shop_mcp") as running:
        running.checker.offered = ("skills",)
        [skill] = [each for each in asked(running, "skills/list")["skills"] if each["uri"] == uri]
        assert skill["frontmatter"] == yaml.safe_load(data.split(b"---\n")[1])
        [file] = skill["resources"]
        assert file["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        [content] = asked(running, "resources/read", uri=uri)["contents"]
        assert content["text"].encode() == data
        [child] = asked(running, "resources/directory/read", uri="skill://shop-mcp")["resources"]
        assert child["uri"] == uri
        if flags:
            found = asked(running, "tools/call", name="search_tools", arguments={"queries": ["shell command"]})
            assert f"\n\nSkill {uri}: Call the API of Shop" in found["content"][0]["text"]


def test_a_project_whose_skill_is_not_served_has_the_same_file(tmp_path: Path) -> None:
    shutil.copytree(CASES / "skills" / "project", tmp_path, dirs_exist_ok=True)
    source = tmp_path / "t.tools.yaml"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace(", {from: project}", ""), encoding="utf-8")
    told = (generated(source, tmp_path) / "SKILL.md").read_text(encoding="utf-8")
    assert told.partition("\n---\n")[0].endswith('from a shell, by the command shop-mcp."')
    assert "connected" not in told


def test_a_project_without_a_skill_cannot_serve_it(tmp_path: Path) -> None:
    shutil.copytree(CASES / "skills" / "project", tmp_path, dirs_exist_ok=True)
    source = tmp_path / "t.tools.yaml"
    source.write_text(source.read_text(encoding="utf-8").replace("parts: [shell]\n", ""), encoding="utf-8")
    done = mcpgen("generate", "--parts=none", str(source), "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "t.tools.yaml:4:24: error: The project has no SKILL.md" in done.stderr
    assert "Add `parts: [shell]`" in done.stderr


def test_the_front_matter_of_a_made_skill_is_that_of_its_text(tmp_path: Path) -> None:
    shutil.copytree(CASES / "skills" / "tags", tmp_path, dirs_exist_ok=True)
    made = generated(tmp_path / "t.tools.yaml", tmp_path)
    entries = json.loads((made / "shop_mcp" / "resources.json").read_bytes())
    assert len(entries) == 5
    for entry in entries:
        assert yaml.safe_load(entry["text"].split("---\n")[1]) == entry["skill"]


@pytest.mark.parametrize(
    ("name", "size", "count"), [("long.txt", 1024 * 1024 + 1, 1), ("a", 0, 512), ("a", 40_000, 500)]
)
def test_a_skill_larger_than_hosts_accept_is_refused(tmp_path: Path, name: str, size: int, count: int) -> None:
    folder = tmp_path / "skills" / "refunds"
    shutil.copytree(OWNERS / "skills" / "refunds", folder)
    for number in range(count):
        (folder / f"{number}{name}").write_text("a" * size, encoding="ascii")
    shutil.copy(OWNERS / "t.tools.yaml", tmp_path)
    shutil.copy(OWNERS / "skills" / "greet.md", tmp_path / "skills")
    done = mcpgen("generate", str(tmp_path / "t.tools.yaml"), "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "t.tools.yaml:10:5: error: " in done.stderr
    assert ("[unusable-file]" if count == 1 else "[invalid-skill]") in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("door", servers.DOORS)
def test_both_doors_of_http_serve_skills(tmp_path: Path, door: str) -> None:
    shutil.copytree(OWNERS, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "t.tools.yaml").read_text(encoding="utf-8").replace("name: shop", "name: caller")
    text = text.replace("security: none", "security: {key: {type: apiKey, in: header, name: X-Key}}").replace("/v1", "")
    (tmp_path / "t.tools.yaml").write_text(text, encoding="utf-8")
    made, upstream = generated(tmp_path / "t.tools.yaml", tmp_path, "--http"), Upstream()
    with servers.Server(made, upstream, door) as running, running.connect() as connection:

        def told(method: str, **params: object) -> Any:
            message = stateless(method, **params)
            answer = connection.ask("POST", "/mcp", mirrored(message), encoded(message)).message
            return answer.get("result") or answer["error"]

        for method, params in (("skills/list", {}), ("skills/get", {"uri": f"{REFUNDS}/SKILL.md"})):
            skill_messages.check(method, R5, told(method, **params))
        skill_messages.check(method := "resources/directory/read", R5, told(method, uri=REFUNDS))
        assert told(method, uri=f"{REFUNDS}/../greet")["code"] == -32602
    upstream.close()
