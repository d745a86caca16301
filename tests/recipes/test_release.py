"""Run the workflow of `specs/examples/release` on a tag, and check what each job publishes, and with which
permissions.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.interop import environments
from tests.recipes import workflow
from tests.recipes.test_scheduled import commit, document, mcpgen_
from tests.recipes.workflow import OTHER, PATIENCE, RELEASE, ROOT, Call, Host, Job, git

OWN = ROOT / ".github" / "workflows"
TAG = {"GITHUB_REF_NAME": "v0.1.0", "GITHUB_REPOSITORY": "Ann/pets", "GITHUB_REPOSITORY_OWNER": "Ann"}
FILLED = {**TAG, "GITHUB_SHA": "0" * 40, "GITHUB_ACTOR": "ann", "REGISTRY_NAME": "io.github.Ann/my-server"}
DIST = [
    "SHA256SUMS",
    "my-server-mcp-0.1.0.cdx.json",
    "my-server-mcp-0.1.0.mcpb",
    "my_server_mcp-0.1.0-py3-none-any.whl",
    "my_server_mcp-0.1.0.tar.gz",
    "server-card.json",
    "server.json",
]
PINNED = r"[a-z-]+/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+"
GH = """#!{python}
import json, pathlib, sys
home = pathlib.Path({home!r})
with (home / "calls").open("a") as record:
    record.write(json.dumps({{"given": ["gh", *sys.argv[1:]], "bodies": []}}) + "\\n")
sys.exit(sys.argv[1:3] == ["release", "view"])
"""


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Return a code host with a repository of a server that has deployment files."""
    host = Host(tmp_path)
    host.prepare()
    host.add_program("gh", GH)
    for name in ("docker", "curl", "sleep"):
        host.add_program(name)
    (tmp_path / "says").mkdir()
    (tmp_path / "says" / "docker").write_text("ghcr.io/ann/my-server@sha256:abc\n")
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(host.origin))
    work = tmp_path / "person"
    git(tmp_path, "clone", "--quiet", str(host.origin), str(work))
    git(work, "switch", "--quiet", "--create", "main")
    (work / "api.json").write_text(document(pets={"get": {"operationId": "listPets"}}), encoding="utf-8")
    done = mcpgen_("generate", "api.json", "-o", "my-server", "--name", "my-server", "--deploy", cwd=work)
    assert done.returncode == 0, done.stderr
    commit(work)
    return host


def publisher(home: Path, text: str = OTHER) -> str:
    """Write the archive that curl downloads, which contains a fake `mcp-publisher`. Return the archive's digest."""
    program = text.format(python="/usr/bin/env python3", home=str(home)).encode()
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        entry = tarfile.TarInfo("mcp-publisher")
        entry.size, entry.mode = len(program), 0o755
        archive.addfile(entry, io.BytesIO(program))
    (home / "downloaded").write_bytes(written.getvalue())
    return hashlib.sha256(written.getvalue()).hexdigest()


def run(host: Host, **filled: str) -> Job:
    told = {**FILLED, "PUBLISHER_SHA256": publisher(host.home), **filled}
    return host.run(RELEASE, handed=None, **told)


def of(job: Job, program: str) -> list[Call]:
    return [call for call in job.calls if call.given[0] == program]


@pytest.mark.slow
def test_a_tag_is_published_everywhere(host: Host) -> None:
    job = run(host)
    assert (job.failed, job.ran) == ("", ["build", "attest", "pypi", "release", "image", "registry"]), job.log
    files, image = of(job, "actions/attest-build-provenance")
    assert files.bodies == DIST
    assert image.given[1:] == [
        "subject-name=ghcr.io/ann/my-server",
        "subject-digest=sha256:abc",
        "push-to-registry=True",
    ]
    [pypi] = of(job, "pypa/gh-action-pypi-publish")
    assert pypi.bodies == [name for name in DIST if name.endswith((".whl", ".tar.gz"))]
    upload = of(job, "gh")[-1].given
    assert upload[:4] == ["gh", "release", "upload", "v0.1.0"]
    assert [Path(each).name for each in upload[5:]] == DIST
    build, login, push, _ = (call.given for call in of(job, "docker"))
    assert "io.modelcontextprotocol.server.name=io.github.Ann/my-server" in build
    assert build[build.index("--tag") + 1] == push[-1] == "ghcr.io/ann/my-server:0.1.0"
    assert "token" not in login
    assert [call.given[1:] for call in of(job, "mcp-publisher")] == [["login", "github-oidc"], ["publish"]]
    entry = json.loads((host.home / "artifact" / "server.json").read_text())
    assert (entry["name"], entry["version"]) == ("io.github.Ann/my-server", "0.1.0")
    bundle = next(each for each in entry["packages"] if each["registryType"] == "mcpb")
    assert bundle["identifier"] == "https://github.com/Ann/pets/releases/download/v0.1.0/my-server-mcp-0.1.0.mcpb"


@pytest.mark.slow
def test_a_tag_of_another_version_publishes_nothing(host: Host) -> None:
    job = run(host, GITHUB_REF_NAME="v0.2.0")
    assert (job.failed, job.ran, job.calls) == ("Build", ["build"], [])
    assert "::error::The tag is v0.2.0, and the version of the server is 0.1.0. Tag v0.1.0." in job.log


@pytest.mark.slow
def test_a_server_whose_test_fails_is_not_published(host: Host) -> None:
    commit(host.home / "person", **{"my-server__tests__test_server_py": "raise SystemExit(1)"})
    work = host.home / "person" / "my-server" / "tests"
    (work / "test_server_py").replace(work / "test_server.py")
    commit(host.home / "person")
    job = run(host)
    assert (job.failed, job.calls) == ("Test", [])


@pytest.mark.slow
def test_another_publisher_is_not_run(host: Host) -> None:
    job = run(host, PUBLISHER_SHA256="0" * 64)
    assert (job.failed, of(job, "mcp-publisher")) == ("Get mcp-publisher", [])


@pytest.mark.slow
def test_a_project_without_a_containerfile_has_no_image(host: Host) -> None:
    work = host.home / "person"
    (work / "my-server" / "Containerfile").unlink()
    commit(work)
    job = run(host)
    assert (job.failed, of(job, "docker")) == ("", []), job.log
    assert "image" not in job.ran


@pytest.mark.slow
def test_the_same_commit_gives_the_same_files(host: Host) -> None:
    assert run(host).failed == ""
    first = (host.home / "artifact" / "SHA256SUMS").read_bytes()
    assert run(host).failed == ""
    assert (host.home / "artifact" / "SHA256SUMS").read_bytes() == first


@pytest.mark.parametrize("path", [RELEASE, OWN / "release.yml"], ids=["of a server", "of mcpgen"])
def test_what_runs_code_may_not_publish(path: Path) -> None:
    found = workflow.read(path)
    assert found["permissions"] == {}
    assert set(found[True]) == {"push"}
    jobs = found["jobs"]
    assert jobs["build"]["permissions"] == {"contents": "read"}
    for name, job in jobs.items():
        runs = "\n".join(step.get("run", "") for step in job["steps"])
        if name != "build":
            assert not re.search(r"\b(mcpgen|python|pip|bash|sh|make|npm) [^/]", runs), name
    assert [name for name, job in jobs.items() if job["permissions"].get("contents") == "write"] == ["release"]
    assert jobs["pypi"]["environment"] == "pypi"
    assert_pinned(path)


@pytest.mark.parametrize(("name", "trigger"), [("test.yml", "pull_request"), ("newest.yml", "schedule")])
def test_a_workflow_that_tests_reads_only(name: str, trigger: str) -> None:
    found = workflow.read(OWN / name)
    assert found["permissions"] == {}
    assert trigger in found[True]
    (job,) = found["jobs"].values()
    assert job["permissions"] == {"contents": "read"}
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert_pinned(OWN / name)


def assert_pinned(path: Path) -> None:
    """Assert that a workflow uses no secret, names actions by commit, and keeps no credentials of a checkout."""
    text = path.read_text(encoding="utf-8")
    assert "secrets." not in text
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert [each for each in used if not re.fullmatch(PINNED, each)] == []
    assert all(
        step["with"] == {"persist-credentials": False}
        for job in workflow.read(path)["jobs"].values()
        for step in job["steps"]
        if step.get("uses", "").startswith("actions/checkout")
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", [RELEASE, *sorted(OWN.iterdir())], ids=lambda path: str(path.relative_to(ROOT)))
def test_two_linters_have_nothing_to_say(path: Path) -> None:
    try:
        folder = environments.python("workflows", "check-jsonschema==0.39.0", "zizmor==1.32.0")
    except RuntimeError as problem:
        pytest.skip(f"the linters of workflows cannot be installed: {str(problem).splitlines()[-1]}")
    for program, *flags in (
        ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
        ("zizmor", "--offline", "--no-config", "--persona=pedantic"),
    ):
        command = [str(folder / "bin" / program), *flags, str(path)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
