"""Run the jobs of a workflow as a code host does: each step by bash, each job in a new clone of a real repository.

The command-line program `gh` is replaced by one that records its calls.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

import mcpgen

ROOT = Path(__file__).parents[2]
SCHEDULED = ROOT / "specs" / "examples" / "scheduled"
WORKFLOW = SCHEDULED / "regenerate.yml"
AUDIT = SCHEDULED / "audit.yml"
RELEASE = ROOT / "specs" / "examples" / "release" / "release.yml"
#: Timeout in seconds of a step. It is long, and no test measures time with it.
PATIENCE = 120

MCPGEN = """#!/bin/sh
PYTHONPATH='{root}' exec '{python}' -m mcpgen "$@"
"""
PYTHON = """#!/bin/sh
case "$*" in *pip-audit*) echo "$@" >> '{home}/installed'; exit 0 ;; esac
exec '{python}' "$@"
"""
PIP_AUDIT = """#!/bin/sh
# Finds what the file `faults` says.
echo "$@" >> '{home}/audited'
env >> '{home}/audited'
if [ -e '{home}/faults' ]; then cat '{home}/faults'; exit 1; fi
echo 'No known vulnerabilities found'
"""
GH = """#!{python}
import json, pathlib, subprocess, sys
given, home = sys.argv[1:], pathlib.Path({home!r})
files = [value.rpartition("@")[2] for flag, value in zip(given, given[1:]) if flag == "--body-file" or "=@" in value]
call = {{"given": given, "bodies": [pathlib.Path(name).read_text(encoding="utf-8") for name in files]}}
with (home / "calls").open("a") as record:
    record.write(json.dumps(call) + "\\n")
pulls = home / "pulls.json"
known = json.loads(pulls.read_text()) if pulls.exists() else []
if given[:3] == ["api", "--method", "GET"]:
    subprocess.run(["jq", "-r", given[given.index("--jq") + 1]], input=json.dumps(known), text=True, check=True)
elif given[:2] == ["pr", "create"]:
    pulls.write_text(json.dumps([{{"number": 7 + len(known), "state": "open", "merged_at": None}}, *known]))
elif given[:2] != ["auth", "setup-git"] and given[:1] != ["api"]:
    sys.exit("not a command that is known here: " + " ".join(given))
"""
OTHER = """#!{python}
# Records its call with its input, and says what the file of its name in `says` says.
import json, pathlib, sys
home, name = pathlib.Path({home!r}), pathlib.Path(sys.argv[0]).name
given = [name, *sys.argv[1:]]
told = sys.stdin.read() if "--password-stdin" in given else ""
with (home / "calls").open("a") as record:
    record.write(json.dumps({{"given": given, "bodies": [told] if told else []}}) + "\\n")
if "--output" in given:
    pathlib.Path(given[given.index("--output") + 1]).write_bytes((home / "downloaded").read_bytes())
if (says := home / "says" / name).exists():
    print(says.read_text(), end="")
"""
#: Variables of a workflow that a person fills in.
FILLED = {"PROJECT": "my-server", "MCPGEN": f"mcpgen=={mcpgen.__version__}"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of `gh`: its arguments, and the contents of the files that they name."""

    given: list[str]
    bodies: list[str]


@dataclass(slots=True)
class Job:
    """One run of the workflow: the step that failed, the jobs that ran, their output, and the calls of `gh` after the
    set-up.
    """

    failed: str = ""
    ran: list[str] = field(default_factory=list)
    log: str = ""
    calls: list[Call] = field(default_factory=list)


def read(workflow: Path = WORKFLOW) -> dict[Any, Any]:
    """Return the parsed workflow."""
    found: dict[Any, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    return found


def git(folder: Path, *arguments: str) -> str:
    """Run git, and return its output."""
    person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    command = ["git", "-C", str(folder), *person, *arguments]
    return subprocess.run(
        command, env=_environment(), capture_output=True, text=True, timeout=PATIENCE, check=True
    ).stdout


@dataclass(frozen=True, slots=True)
class Host:
    """A code host in the folder `home`: a bare repository, and a new runner for each job."""

    home: Path

    @property
    def origin(self) -> Path:
        return self.home / "origin.git"

    def prepare(self) -> None:
        """Install a runner's additional programs, and git hooks that must never run."""
        programs = {"mcpgen": MCPGEN, "python": PYTHON, "gh": GH, "pip-audit": PIP_AUDIT}
        (self.home / "bin").mkdir()
        for name, text in programs.items():
            self.add_program(name, text)
        hooks = self.home / "template" / "hooks"
        hooks.mkdir(parents=True)
        for name in ("pre-commit", "commit-msg", "post-commit", "pre-push"):
            (hooks / name).write_text(f"#!/bin/sh\ntouch '{self.home / 'ran'}'\nexit 1\n", encoding="utf-8")
            (hooks / name).chmod(0o755)

    def add_program(self, name: str, text: str = OTHER) -> None:
        """Install a program on each runner. By default, it is a program that records its calls."""
        program = self.home / "bin" / name
        program.write_text(text.format(root=ROOT, python=sys.executable, home=str(self.home)), encoding="utf-8")
        program.chmod(0o755)

    def tip(self, branch: str) -> str:
        """Return the commit at the tip of a branch, or "" if there is no such branch."""
        return git(self.origin, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}").strip()

    def close(self, *, merged: bool = False) -> None:
        """Close the open pull request. Its commit is kept even if the branch is deleted."""
        pulls = json.loads((self.home / "pulls.json").read_text())
        git(self.origin, "update-ref", f"refs/pull/{pulls[0]['number']}/head", self.tip("mcpgen/regenerate"))
        pulls[0] |= {"state": "closed", "merged_at": "2026-08-01T12:00:00Z" if merged else None}
        (self.home / "pulls.json").write_text(json.dumps(pulls))

    def run(self, workflow: Path = WORKFLOW, *, handed: Mapping[str, str] | None = None, **filled: str) -> Job:
        """Run the jobs of a workflow. `filled`: values of the workflow's variables.

        `handed`: name → file that the second job gets instead of the first job's file with that name.
        """
        (self.home / "calls").unlink(missing_ok=True)
        described_by, job, needs = read(workflow), Job(), dict[str, str]()
        for name, described in described_by["jobs"].items():
            if job.failed or not _holds(described.get("if"), needs):
                continue
            job.ran.append(name)
            variables = {**described_by["env"], **described.get("env", {}), **FILLED, **filled}
            outputs = self._steps(described, variables, job, handed or {})
            for output, expression in described.get("outputs", {}).items():
                [found] = re.findall(r"^\$\{\{ (steps\.\w+\.outputs\.\w+) \}\}$", expression)
                needs[f"needs.{name}.outputs.{output}"] = outputs.get(found, "")
        record = self.home / "calls"
        asked = [Call(**json.loads(line)) for line in record.read_text().splitlines()] if record.exists() else []
        job.calls = [call for call in asked if call.given[0] != "auth"]
        return job

    def _steps(
        self, described: Mapping[str, Any], variables: Mapping[str, str], job: Job, handed: Mapping[str, str]
    ) -> dict[str, str]:
        """Run one job on a new runner. Return the outputs of its steps, by the names that workflow expressions use."""
        runner = self.home / f"runner-{len([*self.home.glob('runner-*')])}"
        (runner / "work").mkdir(parents=True)
        outputs: dict[str, str] = {}
        for step in described["steps"]:
            if not _holds(step.get("if"), outputs):
                continue
            if "uses" in step:
                self._use(runner, step, handed, outputs)
                continue
            own = {name: _filled(_with(outputs, str(text))) for name, text in step.get("env", {}).items()}
            done = self._run(runner, step["run"], {**variables, **own})
            job.log += done.stdout
            if done.returncode:
                job.failed = step["name"]
                break
            written = (line.partition("=") for line in (runner / "output").read_text().splitlines())
            outputs |= {f"steps.{step.get('id')}.outputs.{name}": text for name, _, text in written}
        return outputs

    def _use(
        self, runner: Path, step: Mapping[str, Any], handed: Mapping[str, str], outputs: Mapping[str, str]
    ) -> None:
        """Do what an action does, for the actions that the workflow uses."""
        action = step["uses"].partition("@")[0]
        artifact = self.home / "artifact"
        if action == "actions/checkout":
            clone = ["git", "clone", "--quiet", "--depth=1", f"--template={self.home / 'template'}"]
            clone += [f"file://{self.origin}", str(runner / "work")]
            subprocess.run(clone, env=_environment(), timeout=PATIENCE, check=True)
        elif action == "actions/upload-artifact":
            shutil.rmtree(artifact, ignore_errors=True)
            shutil.copytree(_place(step, runner), artifact)
        elif action == "actions/download-artifact":
            shutil.copytree(artifact, _place(step, runner))
            for name, text in handed.items():
                (_place(step, runner) / name).write_text(text, encoding="utf-8")
        elif action in RECORDED:
            self._record(action, [f"{name}={_with(outputs, str(text))}" for name, text in step["with"].items()], runner)
        else:
            assert action == "actions/setup-python", f"an action that is not known here: {action}"

    def _record(self, action: str, given: list[str], runner: Path) -> None:
        """Record the inputs of an action, and the names of the files that the inputs select."""
        placed = [text.replace("${{ runner.temp }}", str(runner)) for text in given]
        patterns = [text.partition("=")[2].removesuffix("*") for text in placed if str(runner) in text]
        files = sorted(path.name for pattern in patterns for path in Path(pattern).iterdir())
        with (self.home / "calls").open("a") as record:
            record.write(json.dumps({"given": [action, *given], "bodies": files}) + "\n")

    def _run(self, runner: Path, script: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
        assert "${{" not in script, "an expression is pasted into a shell"
        (runner / "step.sh").write_text(script, encoding="utf-8")
        (runner / "output").write_text("")
        own = {
            "PATH": f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(runner),
            "GITHUB_OUTPUT": str(runner / "output"),
            "GITHUB_STEP_SUMMARY": str(runner / "summary.md"),
            "PIP_NO_INDEX": "1",  # pip must download nothing: the packages are installed already
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(runner / "step.sh")],
            cwd=runner / "work",
            env={**_environment(), **own, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


RECORDED = ("actions/attest-build-provenance", "pypa/gh-action-pypi-publish")
"""Actions that publish. They do nothing here, and a test checks their recorded inputs."""


def _with(outputs: Mapping[str, str], text: str) -> str:
    """Return the text with the outputs of earlier steps filled in."""
    return re.sub(r"\$\{\{ (steps\.\w+\.outputs\.\w+) \}\}", lambda found: outputs[found[1]], text)


def _place(step: Mapping[str, Any], runner: Path) -> Path:
    return Path(step["with"]["path"].replace("${{ runner.temp }}", str(runner)))


def _holds(condition: str | None, outputs: Mapping[str, str]) -> bool:
    if condition is None:
        return True
    found = re.fullmatch(r"((?:steps|needs)\.\w+\.outputs\.\w+) == '(\w+)'", condition)
    assert found is not None, f"a condition that is not understood here: {condition}"
    return outputs.get(found[1]) == found[2]


def _filled(text: str) -> str:
    """Return a value of `env:` with its workflow expressions evaluated."""
    known = {"github.token": "token", "github.ref_name": "main", "github.repository_owner": "ann"}
    known |= {"github.repository": "ann/pets"}
    for expression, value in known.items():
        text = text.replace(f"${{{{ {expression} }}}}", value)
    assert "${{" not in text, f"an expression that is not known here: {text}"
    return text


def _environment() -> dict[str, str]:
    """Return PATH, TMPDIR and LANG of this machine, a HOME that does not exist, and variables with which git reads no
    configuration of the user or the system.
    """
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG") if name in os.environ}
    return {**kept, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
