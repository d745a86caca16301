"""`mcpgen schema`: print the JSON Schema of the tools file, for editors."""

from pathlib import Path

import click

from mcpgen.cli import onefile, report, signals
from mcpgen.read.toolsfile import editors


@click.command("schema", short_help="Print the JSON Schema of the tools file, for editors.")
@click.option("-o", "--output", "file", metavar="FILE", help="File to write (default: print to stdout).")
def command(file: str | None) -> None:
    """Print the JSON Schema of the tools file.

    Editors use the schema to complete and check a tools file that begins with `# yaml-language-server: $schema=FILE`.
    """
    if file is None or file == "-":
        report.say_file(editors.schema_file())
        return
    with report.ending(), signals.held():
        write_beside(Path(file))
    report.say(f"{file} is written. Begin a tools file beside it with `{editors.line(Path(file).name)}`.")


def write_beside(path: Path) -> None:
    """Write the schema to `path`, replacing an earlier version of the schema. Raises FatalError if another file exists
    there.
    """
    hint = "Name another file, or remove this file."
    onefile.write(
        path, editors.schema_file(), editors.is_schema_file, refused=" and is not a schema that mcpgen wrote", hint=hint
    )
