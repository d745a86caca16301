"""`mcpgen bundle`: build the release files of a project."""

import os
from collections.abc import Mapping
from pathlib import Path

import click

from mcpgen.base.jsonvalue import JsonValue, digest
from mcpgen.bundle import Publisher, make_artifacts, open_project
from mcpgen.bundle.artifacts import SUMS, release_epoch
from mcpgen.cli import onefile, options, report, signals
from mcpgen.regenerate.publish import claimed

_NOT_NAMED = "server.json and server-card.json are not written: give --registry-name, such as io.github.YOU/{}."
_LARGEST_SUMS = 1 << 20


@click.command("bundle", short_help="Make the release files of the project in DIR.")
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option("-o", "--output-dir", "target", metavar="OUT", help="Directory to write to (default: DIR/dist).")
@click.option(
    "--registry-name",
    default="",
    metavar="NAMESPACE/NAME",
    help="The server's name in the MCP registry, such as io.github.ann/petstore.",
)
@click.option(
    "--author",
    default="",
    metavar="NAME",
    help="The author of the server (default: the owner in --registry-name, such as ann in io.github.ann/petstore).",
)
@click.option("--url", default="", metavar="URL", help="The URL of the server, if you run it over HTTP.")
@click.option("--repository", default="", metavar="URL", help="The repository of the project.")
@click.option(
    "--mcpb-url", default="", metavar="URL", help="The URL of the folder from which users can download the .mcpb."
)
@click.option("--no-wheel", "wheel", is_flag=True, flag_value=False, default=True, help="Leave out wheel and sdist.")
@options.output_format
def command(directory: Path, target: str | None, wheel: bool, output: str, **given: str) -> None:
    """Build the release files of the generated project in DIR, by default in the current directory.

    They are an .mcpb for desktop clients, a wheel and an sdist for PyPI, a bill of materials, and digests. With
    --registry-name there are also server.json for the MCP registry and a server card. The same project gives the same
    bytes, at any time and in any directory; SOURCE_DATE_EPOCH sets the time of the files in archives.

    Exit codes: 0 done, 2 cannot go on, 3 another run is at work there.
    """
    publisher = Publisher(**given)
    out = Path(target) if target is not None else directory / "dist"
    with report.ending(output):
        publisher.check()
        epoch = release_epoch(os.environ.get("SOURCE_DATE_EPOCH"))
        with claimed(directory):
            project = open_project(directory)
        with report.progress("Building"):
            made = make_artifacts(project, publisher, epoch, wheel=wheel)
        with signals.held():
            _write(out, made)
    if output == "json":
        files = {name: digest(data) for name, data in made.items()}
        others = list[JsonValue](project.others)
        report.result_json({"directory": str(out), "files": dict(files), "others": others})
        return
    for name, data in made.items():
        report.say(f"{out / name}  {len(data):,} bytes", err=False)
    for path in project.others:
        report.say(f"{path} is published too: mcpgen did not write it, and hooks.py does not import it.")
    if not publisher.registry_name:
        report.say(_NOT_NAMED.format(project.identity.name))


def _write(out: Path, made: Mapping[str, bytes]) -> None:
    """Write the files, each atomically. Raises FatalError if a file of the same name exists that no earlier run wrote.

    SHA256SUMS is written first. If a run is killed, the next run learns from this list which files it may replace.
    """
    with onefile.failing(out, "Name another with -o."):
        out.mkdir(parents=True, exist_ok=True)
        known = _recorded(out / SUMS)
    for name in sorted(made, key=lambda name: name != SUMS):
        refused = f", and the {SUMS} beside it does not name it" if name != SUMS else ", and mcpgen did not write it"

        def is_ours(there: bytes, name: str = name) -> bool:
            return there == made[name] or (name in known if name != SUMS else bool(known))

        onefile.write(
            out / name,
            made[name],
            is_ours,
            refused=refused,
            hint="Move the file away, or name another directory with -o.",
        )


def _recorded(path: Path) -> frozenset[str]:
    """Return the names of the files that a SHA256SUMS lists, or an empty set if the file is missing or is no such
    list.
    """
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_SUMS:
        return frozenset()
    rows = [line.split("  ") for line in path.read_text(encoding="ascii", errors="replace").splitlines()]
    is_list = all(len(row) == 2 and len(row[0]) == 64 for row in rows)
    return frozenset(row[1] for row in rows) if is_list else frozenset()
