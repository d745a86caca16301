"""Run the `install` and `uninstall` commands of a generated server, which knows MCP clients and edits their files."""

import contextlib
import functools
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from mcpgen.base import assets
from mcpgen.cli import report, server_venv, servers, writing
from mcpgen.cli.generate import generate
from mcpgen.cli.writing import WriteFlags
from mcpgen.emit import wings
from mcpgen.model import Identity
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.fetch import Network
from mcpgen.regenerate import projects

RUNNERS = ("venv", "uvx", "pipx", "python")

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class InstalledProject:
    """A generated project on disk. `package`: name of its Python package. `command`: name of its console script.

    `runs_from`: folder that contains the package: a temporary folder if --dry-run compiles it, else `directory`.
    """

    directory: Path
    package: str
    command: str
    runs_from: Path


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags that the commands `install` and `uninstall` have in common. The generated server takes them under the same
    names.
    """

    project: bool
    file: str | None
    name: str | None
    http: str | None
    dry_run: bool
    listed: bool

    def arguments(self) -> list[str]:
        """Return the flags that the user gave, as command-line arguments for the generated server."""
        switches = {"--project": self.project, "--dry-run": self.dry_run, "--list": self.listed}
        values = {"--file": self.file, "--name": self.name, "--http": self.http}
        given = [f"{flag}={value}" for flag, value in values.items() if value is not None]
        return [*(flag for flag, on in switches.items() if on), *given]


def of_both(command: Command) -> Command:
    """Decorate a click command with the flags that `install` and `uninstall` share.

    The command gets the flags as one parameter `flags: Flags`.
    """

    @functools.wraps(command)
    def with_flags(**given: Any) -> Any:
        flags = Flags(**{name: given.pop(name) for name in Flags.__slots__})
        return command(flags=flags, **given)

    decorated: Any = with_flags
    for decorate in (
        click.option(
            "--list", "listed", is_flag=True, help="List all clients, and say in which ones the server is installed."
        ),
        click.option("--dry-run", is_flag=True, help="Show the change, and write nothing."),
        click.option("--http", metavar="URL", help="The server's URL, if the client connects over HTTP."),
        click.option("--name", metavar="NAME", help="Name of the server in the client."),
        click.option("--file", metavar="FILE", help="Change this file instead of the client's usual one."),
        click.option(
            "--project",
            is_flag=True,
            help="Change the client's file in the current folder, not the one in your home directory.",
        ),
        click.argument("client", metavar="[CLIENT]", required=False),
        click.argument("source", metavar="DIR|SOURCE"),
    ):
        decorated = decorate(decorated)
    return cast(Command, decorated)


@contextlib.contextmanager
def opened_or_generated(source: str, directory: str | None, *, dry_run: bool) -> Iterator[InstalledProject]:
    """Yield the project in a folder, or generate a project from a document and yield that.

    If the project of the document exists already, it is used unchanged. With `dry_run`, a document is compiled into a
    temporary folder. Raises FatalError if there is no project and the document cannot be compiled.
    """
    if source == "-":
        raise click.UsageError(
            "SOURCE cannot be `-` (standard input) here: name a file, a URL or the folder of a project."
        )
    if Path(source).is_dir():
        yield opened(Path(source))
        return
    compiled = compile_source(fetch.read(source, (), Network((), (), source)), Options())
    target = Path(directory or Path("generated") / compiled.catalog.identity.name)
    if projects.lock_of(target) is not None:
        report.say(f"{target} exists already, so it is not generated again. To update it, run `mcpgen regenerate`.")
        yield opened(target)
    elif dry_run:
        report.diagnostics(compiled.diagnostics, compiled.catalog.skipped, most=1)
        if compiled.failed:
            report.leave(report.FINDINGS)
        with servers.emitted(compiled) as server:
            identity = compiled.catalog.identity
            yield replace(opened_as(identity, target.absolute()), runs_from=server.directory)
    else:
        run = generate(source, str(target), Options(), WriteFlags(target, "text"))
        if run.failed:
            writing.finish(run)
        writing.say_done(run)
        yield opened(target)


def opened(directory: Path) -> InstalledProject:
    """Return the generated project in a folder. Raises FatalError if there is none."""
    lock = projects.remembered(directory).lock
    assert lock is not None
    return opened_as(Identity(lock.options.name or "", "", ""), Path(os.path.abspath(directory)))


def opened_as(identity: Identity, directory: Path) -> InstalledProject:
    """Return the project in `directory`. `identity` gives the names of its package and command; no file is read."""
    return InstalledProject(directory, identity.package, identity.command, directory)


def start(project: InstalledProject, runner: str, flags: Flags) -> list[str]:
    """Return the flags `--command` and, if needed, `--env` for the generated server's `install`. With them, a client
    starts the server from the project's folder. Return [] with `--http` or `--list`.
    """
    if flags.http is not None or flags.listed:
        return []
    if runner in ("venv", "python"):
        own = server_venv.interpreter(project.directory / server_venv.FOLDER)
        # `-P`: the folder in which a client starts the server may hold modules of a stranger
        line = [str(own) if runner == "venv" else sys.executable, "-P", "-m", project.package]
        return [f"--command={shlex.join(line)}", f"--env=PYTHONPATH={project.directory}"]
    found = runner if flags.project else shutil.which(runner) or runner
    source = ["--from"] if runner == "uvx" else ["run", "--spec"]
    return [f"--command={shlex.join([found, *source, str(project.directory), project.command])}"]


def run(
    project: InstalledProject,
    command: str,
    client: str | None,
    flags: Flags,
    more: Sequence[str] = (),
    *,
    quiet: bool = False,
) -> int:
    """Run `install` or `uninstall` of the generated server in the current folder. Return the exit code.

    `quiet`: True if only errors are shown.
    """
    arguments = [command, *([client] if client else []), *flags.arguments(), *more]
    with _installable(project) as folder:
        return servers.run_command(project.package, folder, arguments, quiet=quiet)


@contextlib.contextmanager
def _installable(project: InstalledProject) -> Iterator[Path]:
    """Yield the folder of a package of the project that has the part `install`: the project's own, or a temporary one
    with mcpgen's copy of the runtime and the project's JSON files.
    """
    own, templates = project.runs_from / project.package, assets.package_templates()
    runtime = templates / "runtime"
    paths = wings.modules(path.relative_to(runtime).with_suffix("").as_posix() for path in runtime.rglob("*.py"))
    if all((own / "runtime" / f"{path}.py").is_file() for path in paths["install"]):
        yield project.runs_from
        return
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        made = Path(folder) / project.package
        shutil.copytree(templates, made, ignore=shutil.ignore_patterns("__pycache__"))
        for file in own.glob("*.json"):
            shutil.copy(file, made)
        yield Path(folder)
