"""`mcpgen adopt`: write a tools file with the same tools as an MCP server made by another program, such as FastMCP."""

import shlex
from pathlib import Path

import click

from mcpgen.adopt import sources
from mcpgen.adopt.adopt import Adopted, Wanted, adopt
from mcpgen.adopt.foreign import TITLES, Remark
from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.plurals import counted
from mcpgen.cli import onefile, options, report, signals
from mcpgen.cli.init import write_schema_beside
from mcpgen.read.fetch import Network


class _Adopt(click.Command):
    """Click command whose options may also stand after file arguments. After the first word of a server's command line,
    options belong to that command line.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = self.make_parser(ctx).parse_args([*args])[0].get("given")
        # If no word was given, click 8.5 returns a placeholder of its own instead of a tuple.
        if isinstance(words, tuple) and words and Path(words[0]).is_file():
            ctx.allow_interspersed_args, ctx.ignore_unknown_options = True, False
        return super().parse_args(ctx, args)


@click.command(
    "adopt",
    cls=_Adopt,
    short_help="Write a tools file with the same tools as an MCP server made without mcpgen.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "-o",
    "--output",
    "file",
    metavar="FILE",
    default="mcpgen.yaml",
    show_default=True,
    help="File to write; `-` prints it to stdout.",
)
@click.option("--server", "wanted", metavar="NAME", help="The server to read, if a client's configuration has several.")
@click.option("--name", metavar="NAME", help="Name of the new server (default: the name of the old server).")
@click.option(
    "--document",
    "documents",
    multiple=True,
    metavar="DOCUMENT",
    help="The OpenAPI document, if the configuration does not name it or it has moved; repeatable.",
)
@options.allow_redirect
@click.option("--overwrite", is_flag=True, help="Overwrite FILE if it exists.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", help="What to print.")
@click.argument("given", metavar="SOURCE...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    file: str,
    wanted: str | None,
    name: str | None,
    documents: tuple[str, ...],
    allow_redirect: tuple[str, ...],
    overwrite: bool,
    output: str,
    given: tuple[str, ...],
) -> None:
    """Write a tools file for an MCP server that another program runs, with the same tools under the same names.

    SOURCE is a FastMCP script, the configuration of an MCP client, a shell script or .env file, or the command line of
    the server itself, with mcpgen's options before it. mcpgen knows awslabs.openapi-mcp-server, FastMCP's from_openapi,
    openapi-mcp-generator and @ivotoby/openapi-mcp-server. SOURCE is read and never executed, and no secret is copied.

    Exit codes: 0 done, 1 findings (a name that leads to no tool), 2 cannot go on.
    """
    with report.ending(output):
        with report.progress("Reading"):
            server, called, folder = sources.find(given, wanted)
            target = "mcpgen.yaml" if file == "-" else file
            adopted = adopt(server, called, folder, Wanted(target, name or "", documents, Network(allow_redirect)))
        failed = [found for found in adopted.compiled.diagnostics if found.severity == "error"]
        if file == "-" and output == "text":
            report.say_file(adopted.text.encode())
        elif file != "-":
            with signals.held():
                hint = "Name another file with -o, or give --overwrite."
                path = Path(target)
                onefile.write(path, adopted.text.encode(), lambda _: overwrite, refused="", hint=hint)
                write_schema_beside(path)
    if output == "json":
        report.say_json(_as_json(adopted, failed, "" if file == "-" else target))
    else:
        _tell(adopted, failed, target, printed=file == "-")
    report.leave(report.FINDINGS if failed or any(not each.tool for each in adopted.kept) else report.DONE)


def _tell(adopted: Adopted, failed: list[Diagnostic], target: str, *, printed: bool) -> None:
    report.diagnostics(failed)
    title = next(title for program, title in TITLES.items() if program == adopted.program)
    reached = [each for each in adopted.kept if each.tool]
    aliases = sum(each.is_alias for each in reached)
    beside = f", {aliases} as an alias" if aliases else ""
    count = (
        f"{len(reached)} of {counted(len(adopted.kept), 'tool name')} of {title} can be called in the new "
        f"server{beside}."
    )
    report.say(count if printed else f"{target} is written: {count}", err=printed)
    if adopted.remarks:
        report.say("Differences:", err=printed)
    report.say_lines(map(_line, adopted.remarks), err=printed)
    if not printed:
        report.say(f"Next: mcpgen generate {shlex.quote(target)}", err=False)


def _line(remark: Remark) -> str:
    return f"- {remark.where}: {remark.text}" if remark.where is not None else f"- {remark.text}"


def _as_json(adopted: Adopted, failed: list[Diagnostic], target: str) -> JsonObject:
    names: list[JsonValue] = [{"name": each.name, "tool": each.tool, "alias": each.is_alias} for each in adopted.kept]
    differences: list[JsonValue] = [
        {
            "message": each.text,
            "file": each.where.file if each.where else None,
            "line": each.where.line if each.where else None,
            "column": each.where.column if each.where else None,
        }
        for each in adopted.remarks
    ]
    return {
        "schema": 1,
        "program": adopted.program,
        "written": target,
        "names": names,
        "differences": differences,
        "diagnostics": [report.diagnostic_json(each) for each in failed],
    }
