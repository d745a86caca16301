"""Execute the steps of a Containerfile without an image builder.

All paths of an image lie below one folder, which is emptied at each `FROM`. So a stage has only what `COPY --from`
copies from an earlier stage. An unknown instruction fails the test, so that the interpreter covers the whole file.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

_PATH = re.compile(r"(?<![\w.:/'])/[a-z]+(?=[/\s]|$)", re.MULTILINE)
_MADE = re.compile(r"^(?:COPY|RUN|WORKDIR) .*", re.MULTILINE)
_SHELL_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass
class Image:
    """Declarations of the last stage about the process that runs in the image."""

    environment: dict[str, str] = field(default_factory=dict)
    user: tuple[int, int] = (0, 0)
    port: int = 0
    signal: str = ""
    healthcheck: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)


class Build:
    """Interpreter of one Containerfile.

    `python`: interpreter that replaces the one of the base image. `root`: the folder of the image.
    """

    def __init__(self, text: str, project: Path, home: Path, python: str) -> None:
        self._lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        self._context = context(project, home / "context")
        self._home = home
        self._folder = "."
        self._arguments: dict[str, str] = {}
        self.root = home / "image"
        self.bases: list[str] = []
        self.image = Image()
        made = "\n".join(_MADE.findall("\n".join(self._lines)))
        self._places = re.compile(rf"(?<![\w.:/'])/({'|'.join({path[1:] for path in _PATH.findall(made)})})\b")
        self._stage = ""
        (home / "base").mkdir()
        (home / "base" / "python").write_text(f'#!/bin/sh\nexec {shlex.quote(python)} "$@"\n')
        (home / "base" / "python").chmod(0o755)

    def run(self) -> None:
        """Execute every step of the Containerfile in order."""
        for line in self._lines:
            word, _, rest = line.partition(" ")
            getattr(self, f"_{word.lower()}")(rest)

    def placed(self, text: str) -> str:
        """Return `text` with paths of the image replaced by paths below `root`."""
        return self._places.sub(lambda found: f"{self.root}/{found[1]}", text)

    def _arg(self, rest: str) -> None:
        name, _, value = rest.partition("=")
        self._arguments[name] = value

    def _from(self, rest: str) -> None:
        base, _, name = rest.partition(" AS ")
        self.bases.append(_SHELL_VARIABLE.sub(lambda found: self._arguments[found[1]], base))
        if self._stage:
            self.root.rename(self._home / f"stage-{self._stage}")
        self._stage, self._folder, self.image = name, ".", Image()
        self.root.mkdir()

    def _workdir(self, rest: str) -> None:
        self._folder = rest.removeprefix("/")
        (self.root / self._folder).mkdir(parents=True)

    def _copy(self, rest: str) -> None:
        *sources, target = rest.split()
        stage = sources.pop(0).removeprefix("--from=") if sources[0].startswith("--from=") else ""
        home = self._home / f"stage-{stage}" if stage else self._context
        for source in sources:
            place = self.root / (target[1:] if target.startswith("/") else f"{self._folder}/{target}")
            if (found := home / source.removeprefix("/")).is_dir():
                shutil.copytree(found, place, symlinks=True)
            else:
                shutil.copy(found, place)

    def _run(self, rest: str) -> None:
        done = subprocess.run(
            ["/bin/sh", "-c", self.placed(rest)],
            cwd=self.root / self._folder,
            env={**_settings_of_pip(), "PATH": f"{self._home}/base:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"RUN {rest}\n{done.stdout}{done.stderr}"

    def _env(self, rest: str) -> None:
        self.image.environment |= dict(each.split("=", 1) for each in rest.split())

    def _user(self, rest: str) -> None:
        user, _, group = rest.partition(":")
        self.image.user = int(user), int(group)

    def _expose(self, rest: str) -> None:
        self.image.port = int(rest)

    def _stopsignal(self, rest: str) -> None:
        self.image.signal = rest

    def _healthcheck(self, rest: str) -> None:
        self.image.healthcheck = self._words(rest.partition(" CMD ")[2])

    def _entrypoint(self, rest: str) -> None:
        self.image.entrypoint = self._words(rest)

    def _cmd(self, rest: str) -> None:
        self.image.command = self._words(rest)

    def _words(self, rest: str) -> list[str]:
        """Return a command as a list of words.

        Raise ValueError for a command that is not JSON, because it would need a shell.
        """
        words: list[str] = json.loads(rest)
        return [self.placed(word) for word in words]


def context(project: Path, target: Path) -> Path:
    """Copy the files that `.dockerignore` allows: those that `!` includes again after `*`, without names that `**/`
    excludes in all folders.
    """
    first, *rules = [line for line in (project / ".dockerignore").read_text().splitlines() if line[:1] not in ("", "#")]
    assert first == "*", "all that is not named is left out"
    named = [rule[1:] for rule in rules if rule.startswith("!")]
    left_out = [rule.removeprefix("**/") for rule in rules if rule.startswith("**/")]
    assert len(named) + len(left_out) == len(rules), "a rule that is not known here"
    target.mkdir()
    for name in named:
        if (project / name).is_dir():
            shutil.copytree(project / name, target / name, ignore=shutil.ignore_patterns(*left_out))
        else:
            shutil.copy(project / name, target / name)
    return target


def _settings_of_pip() -> dict[str, str]:
    """Return pip's settings on this machine, so that packages come from the same index as usual."""
    kept = ("HOME", "http_proxy", "https_proxy", "no_proxy", "TMPDIR")
    return {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_")) or name in kept}
