"""`mcpgen init`: write an editable tools file for a document."""

import os
import shlex
from pathlib import Path

import click

from mcpgen.base.errors import FatalError
from mcpgen.base.plurals import counted
from mcpgen.cli import onefile, options, report, signals
from mcpgen.cli.schema import write_beside
from mcpgen.emit.starter import starter
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read import fetch
from mcpgen.read.fetch import Fetched, Network
from mcpgen.read.toolsfile import editors


@click.command("init", short_help="Write a tools file for DOCUMENT, ready to edit.")
@click.argument("document", metavar="DOCUMENT")
@click.option(
    "-o", "--output", "file", metavar="FILE", help="File to write, or `-` for stdout (default: NAME.tools.yaml)."
)
@options.allow_redirect
@click.option("--workflows", is_flag=True, help="Propose workflows, from jobs, links and ids of the document.")
@click.option("--overwrite", is_flag=True, help="Overwrite FILE if it exists.")
def command(document: str, file: str | None, allow_redirect: tuple[str, ...], workflows: bool, overwrite: bool) -> None:
    """Write a tools file for DOCUMENT, an OpenAPI document, ready to edit.

    The file lists the operations with the tokens that each tool costs. The settings that you can change are written
    there as comments: remove a `#` to use that line.

    Exit codes: 0 done, 2 cannot go on.
    """
    with report.ending():
        if document == "-":
            hint = "Name the document by its path or its URL."
            raise FatalError(
                "unreadable", "The file that init writes must name its document, so `-` cannot be used here.", hint=hint
            )
        with report.progress("Reading the document"):
            fetched = fetch.read(document, network=Network(allow_redirect))
            compiled = _compiled(fetched)
        target = Path(file or f"{compiled.catalog.identity.name}.tools.yaml")
        printed = file == "-"
        if not printed and target.exists() and os.path.exists(document) and target.samefile(document):
            raise FatalError(
                "output-refused",
                f"init would overwrite {target}, which is the document itself.",
                hint="Name another file with -o.",
            )
        place = Path() if printed else target.parent
        with report.progress("Counting"):
            named = _named(document, place, "NAME.tools.yaml" if printed else str(target))
            written = starter(compiled.catalog, *named, definitions=compiled.definitions if workflows else None)
        if printed:
            report.say_file(written.text.encode())
            return
        with signals.held():
            _write(target, written.text.encode(), overwrite=overwrite)
    what = f"{counted(written.found, 'tool')}"
    if written.selected < written.found:
        what = f"{written.selected} of {what}"
    report.say(f"{target} is written: {what}. Edit it, then: mcpgen generate {shlex.quote(str(target))}", err=False)


def _compiled(fetched: Fetched) -> Compiled:
    """Compile the whole document, to list its tools and their costs. Raises FatalError for a tools file."""
    compiled = compile_source(fetched, Options())
    if all(tool.operation.key.startswith("tool ") for tool in compiled.catalog.tools):
        hint = "Edit this tools file, or name an OpenAPI document."
        raise FatalError(
            "not-an-api", f"{fetched.name} is already a tools file, but init needs an OpenAPI document.", hint=hint
        )
    return compiled


def _named(document: str, place: Path, target: str) -> tuple[str, str, str, str]:
    """Return four texts for the tools file: the document's path or URL, the tools file's path, the document's name for
    comments, and the folder to write under `ref_dir`.

    The document's path is relative to `place`, the folder of the tools file. The folder is that of the document, or ""
    if the document lies inside `place` or has a URL.
    """
    if document.startswith(("http://", "https://")):
        return document, target, document, ""
    try:
        relative = Path(os.path.relpath(document, place)).as_posix()
    except ValueError:  # Windows: no relative path leads to a file on another drive, so the path is absolute
        relative = Path(document).absolute().as_posix()
    outside = relative.startswith("../") or os.path.isabs(relative)
    return relative, target, Path(document).name, os.path.dirname(relative) if outside else ""


def _write(target: Path, data: bytes, *, overwrite: bool) -> None:
    """Write the tools file, and beside it the JSON Schema that its first line refers to.

    If another file has the name of the schema, it is not replaced, and a message says so.
    """
    onefile.write(target, data, lambda _: overwrite, refused="", hint="Name another file with -o, or give --overwrite.")
    write_schema_beside(target)


def write_schema_beside(target: Path) -> None:
    """Write the JSON Schema of tools files beside the tools file `target`. A file of the same name that mcpgen did not
    write is kept.
    """
    beside = target.parent / editors.NAME
    if beside.exists() and not editors.is_schema_file(beside.read_bytes()):
        report.say(
            f"{beside} is not a schema that mcpgen wrote, so it was not replaced. `mcpgen schema` prints the "
            "schema of tools files."
        )
        return
    write_beside(beside)
