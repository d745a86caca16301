"""Run the workflow of `specs/examples/scheduled` on a changing API.

Check what it pushes, and which pull requests it opens.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.interop import environments
from tests.recipes import workflow
from tests.recipes.workflow import AUDIT, PATIENCE, ROOT, WORKFLOW, Host, Job, git

BRANCH = "mcpgen/regenerate"
PET = {"get": {"operationId": "getPet", "summary": "Gets a pet."}}
PETS = {"get": {"operationId": "listPets", "summary": "Lists all pets."}}
TOYS = {"get": {"operationId": "listToys", "summary": "Lists toys. $(touch ran) `touch ran` ::error::no\n::error::no"}}


def document(token_host: str = "", **paths: Any) -> str:
    """Return the document of an API with these paths, whose token URL is at `token_host`."""
    described = {f"/{name}": operations for name, operations in paths.items()}
    servers = [{"url": "https://api.example.com"}]
    info = {"title": "Pets", "version": "1"}
    flow = {"tokenUrl": f"https://{token_host}/token", "scopes": {}}
    schemes = {"machine": {"type": "oauth2", "flows": {"clientCredentials": flow}}}
    secured = {"security": [{"machine": []}], "components": {"securitySchemes": schemes}} if token_host else {}
    return json.dumps({"openapi": "3.1.0", "info": info, "servers": servers, "paths": described, **secured}, indent=1)


def commit(work: Path, **files: str) -> None:
    """Commit and push files. In their names, `__` stands for `/` and `_` for `.`."""
    for name, text in files.items():
        (work / name.replace("__", "/").replace("_json", ".json")).write_text(text, encoding="utf-8")
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message", "Changed")
    git(work, "push", "--quiet", "origin", "HEAD")


def mcpgen_(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mcpgen", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Return a code host with a repository, cloned to `tmp_path/person`. The repository holds an API's document and the
    server generated from it.
    """
    if shutil.which("jq") is None:
        pytest.skip("jq cannot be found here, which stands for the one inside of gh")
    host = Host(tmp_path)
    host.prepare()
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(host.origin))
    work = tmp_path / "person"
    git(tmp_path, "clone", "--quiet", str(host.origin), str(work))
    git(work, "switch", "--quiet", "--create", "main")
    (work / "api.json").write_text(document(pets=PETS, pet=PET), encoding="utf-8")
    done = mcpgen_("generate", "api.json", "-o", "my-server", cwd=work)
    assert done.returncode == 0, done.stderr
    commit(work)
    return host


@pytest.fixture
def work(host: Host) -> Path:
    """Return the folder of the owner's clone of the repository."""
    return host.home / "person"


def body(job: Job) -> str:
    """Return the text of the pull request. Exactly one call of `gh` must open or update a pull request."""
    [found] = [text for call in job.calls for text in call.bodies]
    return found


def looked(job: Job) -> bool:
    """Return True if the job only listed the branch's pull requests, and called `gh` for nothing else."""
    return [call.given[:4] for call in job.calls] == [["api", "--method", "GET", "repos/{owner}/{repo}/pulls"]]


def test_nothing_changed_and_nothing_is_asked(host: Host) -> None:
    job = host.run()
    assert job.failed == "", job.log
    assert (job.ran, job.calls, host.tip(BRANCH)) == (["regenerate"], [], "")


def test_the_lock_alone_is_nothing_to_look_at(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS, pet=PET) + "\n")
    assert mcpgen_("regenerate", "my-server", "--check", cwd=work).returncode == 1
    job = host.run()
    assert job.failed == "", job.log
    assert (job.ran, job.calls, host.tip(BRANCH)) == (["regenerate"], [], "")


def test_a_change_of_the_api_becomes_a_pull_request(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS, toys=TOYS))
    told = mcpgen_("diff", "my-server", "api.json", "--format", "markdown", cwd=work).stdout
    job = host.run()
    assert job.failed == "", job.log
    assert git(host.origin, "rev-parse", f"{BRANCH}^").strip() == host.tip("main")
    changed = git(host.origin, "diff", "--name-only", "main", BRANCH).split()
    assert "my-server/pets_mcp/tools.json" in changed
    assert all(name.startswith("my-server/") for name in changed)
    assert git(host.origin, "log", "-1", "--format=%an", BRANCH).strip() == "github-actions[bot]"
    mcpgen_("regenerate", "my-server", cwd=work)
    git(work, "add", "--all")
    assert git(work, "write-tree").strip() == git(host.origin, "rev-parse", f"{BRANCH}^{{tree}}").strip()
    looked, created = job.calls
    assert {"state=all", f"head=ann:{BRANCH}", "base=main"} <= set(looked.given)
    assert created.given[:2] == ["pr", "create"]
    assert created.given[created.given.index("--title") + 1] == "Regenerate my-server (breaking)"
    graded = json.loads(mcpgen_("grade", "my-server", "--format", "json", cwd=work).stdout)
    line = f"Grade of the tools: {graded['letter']} ({graded['score']} of 100 points).\n\n"
    assert line in body(job)
    assert body(job).replace(line, "").strip() == told.strip()
    assert "was removed." in told
    assert (host.home / "runner-0" / "summary.md").read_text(encoding="utf-8") == body(job)


def test_hard_05_a_token_url_that_moved_stands_first_and_gets_nothing_when_it_is_merged(host: Host, work: Path) -> None:
    (work / "api.json").write_text(document("login.example.com", pets=PETS, pet=PET), encoding="utf-8")
    assert mcpgen_("regenerate", "my-server", cwd=work).returncode == 0
    accepted = "https://login.example.com"
    assert mcpgen_("regenerate", "my-server", "--accept-origin", accepted, cwd=work).returncode == 0
    commit(work)
    commit(work, api_json=document("evil.example.com", pets=PETS, toys=TOYS))
    job = host.run()
    assert job.failed == "", job.log
    assert "Regenerate my-server (breaking, security)" in job.calls[-1].given
    lines = body(job).partition("### Breaking\n\n")[2].splitlines()
    assert lines[0].startswith("- **Security:** The server now fetches tokens for machine from another origin")
    assert lines[1].startswith(
        "- **Security:** The server sends nothing to https\\://evil.example.com until you accept it"
    )
    assert not lines[2].startswith("- **Security:**")
    table = json.loads(git(host.origin, "show", f"{BRANCH}:my-server/pets_mcp/bindings.json"))
    assert table["origins"] == ["https://api.example.com", accepted]
    lock = json.loads(git(host.origin, "show", f"{BRANCH}:my-server/mcpgen.lock.json"))
    assert lock["origins"]["https://evil.example.com"] == "not accepted"


def test_no_text_of_the_document_runs_or_speaks_to_the_runner(host: Host, work: Path) -> None:
    pets = {"get": {**PETS["get"], "requestBody": {"content": {"::error::no": {"schema": {"$ref": "#/::error::no"}}}}}}
    commit(work, api_json=document(pets=pets, toys=TOYS))
    job = host.run()
    assert job.failed == "", job.log
    assert [*host.home.rglob("ran")] == [], "a hook of git, or a text of the document"
    word = re.findall(r"^::stop-commands::([0-9a-f]{32})$", job.log, re.MULTILINE)
    assert len(word) == 1
    before, quoted, after = re.split(rf"^::(?:stop-commands::)?{word[0]}(?:::)?$", job.log, flags=re.MULTILINE)
    assert "Pets" in quoted
    assert "::" not in before + after


def test_the_same_change_is_pushed_once(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS, pet=PET, toys=TOYS))
    first = host.run()
    tip = host.tip(BRANCH)
    again = host.run()
    assert (first.failed, again.failed) == ("", ""), again.log
    assert host.tip(BRANCH) == tip
    assert again.calls[-1].given[:5] == ["api", "--silent", "--method", "PATCH", "repos/{owner}/{repo}/pulls/7"]
    assert body(again) == body(first)


def test_a_further_change_replaces_the_first_in_the_open_pull_request(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS))
    host.run()
    commit(work, api_json=document(pets=PETS, pet=PET, toys=TOYS))
    job = host.run()
    assert job.failed == "", job.log
    assert git(host.origin, "rev-parse", f"{BRANCH}^").strip() == host.tip("main")
    assert "title=Regenerate my-server (additive)" in job.calls[-1].given
    assert "### Additive" in body(job)
    assert "### Breaking" not in body(job)


@pytest.mark.parametrize("deleted", [False, True], ids=["the branch is there", "the branch was deleted"])
def test_what_a_person_closed_is_not_proposed_again(host: Host, work: Path, deleted: bool) -> None:
    commit(work, api_json=document(pets=PETS))
    host.run()
    host.close()
    if deleted:
        git(host.origin, "update-ref", "-d", f"refs/heads/{BRANCH}")
    tip = host.tip(BRANCH)
    commit(work, notes="The project is as it was, though the rest has moved on.")
    again = host.run()
    assert again.failed == "", again.log
    assert looked(again)
    assert "::notice::Somebody closed pull request 7, which proposed the same." in again.log
    assert host.tip(BRANCH) == tip
    commit(work, api_json=document(pets=PETS, toys=TOYS))
    other = host.run()
    assert other.failed == "", other.log
    assert other.calls[-1].given[:2] == ["pr", "create"]
    assert host.tip(BRANCH) != tip


def test_what_was_merged_and_taken_back_is_proposed_again(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS))
    host.run()
    host.close(merged=True)
    job = host.run()
    assert job.failed == "", job.log
    assert job.calls[-1].given[:2] == ["pr", "create"]


PATCH = """\
diff --git a/{name} b/{name}
new file mode {mode}
index 0000000000000000000000000000000000000000..257cc5642cb1a054f08cc83f2d943e56fd3ebe99
--- /dev/null
+++ b/{name}
@@ -0,0 +1 @@
+foo
"""


@pytest.mark.parametrize(
    ("name", "mode", "told"),
    [
        ("README.md", "100644", "outside of PROJECT"),
        (".github/workflows/x.yml", "100644", "outside of PROJECT"),
        ("my-server2/x", "100644", "outside of PROJECT"),
        ("../x", "100644", "invalid path"),
        ("my-server/../../x", "100644", "invalid path"),
        (".git/hooks/pre-commit", "100755", "invalid path"),
        ("my-server/.git/config", "100644", "invalid path"),
        ("my-server/x", "120000", "a link or a submodule"),
    ],
)
def test_a_patch_that_goes_elsewhere_is_refused(host: Host, work: Path, name: str, mode: str, told: str) -> None:
    commit(work, api_json=document(pets=PETS))
    job = host.run(handed={"regenerate.patch": PATCH.format(name=name, mode=mode)})
    assert (job.ran, job.failed) == (["regenerate", "propose"], "Apply")
    assert told in job.log
    assert (job.calls, host.tip(BRANCH)) == ([], "")


def test_a_patch_within_the_project_is_taken_as_it_is(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS))
    job = host.run(handed={"regenerate.patch": PATCH.format(name="my-server/x", mode="100644")})
    assert job.failed == "", job.log
    assert git(host.origin, "diff", "--name-only", "main", BRANCH).split() == ["my-server/x"]
    assert not (host.home / "runner-1" / "work" / "my-server" / "x").exists(), "it goes to the index alone"


def test_what_a_person_committed_to_the_branch_stays(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS))
    host.run()
    git(work, "fetch", "--quiet", "origin", BRANCH)
    git(work, "switch", "--quiet", "--create", BRANCH, "FETCH_HEAD")
    commit(work, notes="mine")
    tip = host.tip(BRANCH)
    git(work, "switch", "--quiet", "main")
    commit(work, api_json=document(pets=PETS, toys=TOYS))
    job = host.run()
    assert job.failed == "Propose"
    assert f"::error::Somebody has committed to {BRANCH}, so it stays as it is." in job.log
    assert (job.calls, host.tip(BRANCH)) == ([], tip)


def test_an_edited_file_is_refused_with_the_sentence(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS, toys=TOYS), **{"my-server__pets_mcp__tools_json": "[]\n"})
    job = host.run()
    assert job.failed == "Regenerate"
    assert "was edited by hand" in job.log
    assert (job.ran, job.calls, host.tip(BRANCH)) == (["regenerate"], [], "")


def test_a_body_fits_into_a_pull_request(host: Host, work: Path) -> None:
    commit(work, api_json=document(pets=PETS))
    lines = [f"- `tool_{number}`: Größe — {'x' * 60}" for number in range(2000)]
    job = host.run(handed={"difference.md": "\n".join(["### Additive", "", *lines, ""])})
    assert job.failed == "", job.log
    told = body(job)
    assert 50_000 < len(told.encode()) < 65_536
    assert told.endswith("\n… and more: see the summary of the run.\n")
    assert told.splitlines()[2:500] == lines[:498]


def test_every_action_is_pinned_and_every_permission_is_needed() -> None:
    found = workflow.read()
    jobs = found["jobs"]
    assert found["permissions"] == {}
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "regenerate": {"contents": "read"},
        "propose": {"contents": "write", "pull-requests": "write"},
    }
    used = re.findall(r"uses: (.*)", WORKFLOW.read_text(encoding="utf-8"))
    assert len(used) == 5
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in used)
    assert [job["steps"][0]["with"] for job in jobs.values()] == [{"persist-credentials": False}] * 2
    steps = [(name, step) for name, job in jobs.items() for step in job["steps"]]
    told = [
        (name, step["name"])
        for name, step in steps
        if "github.token" in str(step) or "secrets." in str(step.get("env"))
    ]
    assert told == [("propose", "Propose")]
    runs = "\n".join(step.get("run", "") for step in jobs["propose"]["steps"])
    assert not re.search(r"\b(mcpgen|python|pip|bash|sh|make|npm) ", runs), (
        "what may write runs git, gh and filters alone"
    )
    assert set(found[True]) == {"schedule", "workflow_dispatch"}
    assert found["concurrency"]["cancel-in-progress"] is False


def test_mcpgen_is_pinned_to_a_commit_that_a_person_names() -> None:
    """Check that the workflow installs mcpgen from a commit that a person names.

    If the workflow named only the package, the package index would decide which code runs.
    """
    assert re.fullmatch(r"mcpgen @ git\+\S+@COMMIT", workflow.read()["env"]["MCPGEN"])


def test_two_linters_have_nothing_to_say() -> None:
    """Check the workflow by two linters: its JSON Schema, and a program that finds known mistakes."""
    try:
        folder = environments.python("workflows", "check-jsonschema==0.39.0", "zizmor==1.32.0")
    except RuntimeError as problem:
        pytest.skip(f"the linters of workflows cannot be installed: {str(problem).splitlines()[-1]}")
    for program, *flags in (
        ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
        ("zizmor", "--offline", "--no-config", "--persona=pedantic"),
    ):
        command = [str(folder / "bin" / program), *flags, str(WORKFLOW), str(AUDIT)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_hard_17_an_audit_looks_at_the_dependencies_of_the_server(host: Host) -> None:
    job = host.run(AUDIT)
    assert (job.failed, job.ran, job.calls) == ("", ["audit"], []), job.log
    arguments, *environ = (host.home / "audited").read_text(encoding="utf-8").splitlines()
    assert arguments.split()[-1] == "my-server"
    assert not [entry for entry in environ if "TOKEN" in entry]
    assert "No known vulnerabilities found" in job.log
    assert re.search(r"pip-audit==[\d.]+$", (host.home / "installed").read_text(encoding="utf-8"), re.MULTILINE)


def test_hard_17_an_audit_that_finds_a_fault_fails_and_writes_nothing(host: Host) -> None:
    (host.home / "faults").write_text("aiohttp 3.14.2 CVE-2026-69244 3.14.3\n", encoding="utf-8")
    tip = host.tip("main")
    job = host.run(AUDIT)
    assert (job.failed, job.calls) == ("Audit", [])
    assert "CVE-2026-69244" in job.log
    assert (host.tip("main"), host.tip(BRANCH)) == (tip, "")


def test_hard_17_an_audit_needs_no_secret_and_may_write_nothing() -> None:
    found = workflow.read(AUDIT)
    assert found["permissions"] == {}
    assert [job["permissions"] for job in found["jobs"].values()] == [{"contents": "read"}]
    text = AUDIT.read_text(encoding="utf-8")
    assert "secrets." not in text
    assert "github.token" not in text
    assert all(
        re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in re.findall("uses: (.*)", text)
    )
    assert set(found[True]) == {"schedule", "workflow_dispatch"}


def test_hard_17_the_program_that_audits_understands_what_it_is_told(tmp_path: Path) -> None:
    """Run the real pip-audit with the workflow's arguments, up to where it would query the vulnerability database."""
    [step] = [step for step in workflow.read(AUDIT)["jobs"]["audit"]["steps"] if step["name"] == "Audit"]
    install = re.search(r"pip-audit==[\d.]+", AUDIT.read_text(encoding="utf-8"))
    assert install is not None
    try:
        folder = environments.python("audit", install[0])
    except RuntimeError as problem:
        pytest.skip(f"pip-audit cannot be installed: {str(problem).splitlines()[-1]}")
    project = tmp_path / "my-server"
    project.mkdir()
    (project / "pyproject.toml").write_text('[project]\nname = "my-server-mcp"\nversion = "1"\ndependencies = []\n')
    program = f"{folder / 'bin' / 'pip-audit'} --dry-run"
    script = step["run"].replace("pip-audit", program, 1).replace("$PROJECT", str(project))
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
