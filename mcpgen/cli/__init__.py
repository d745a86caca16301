"""The command line of mcpgen: one module per command, built with click.

Only this package prints and sets exit codes. It may import every other package.
"""

import atexit
import contextlib
import gc
import importlib
import sys
from typing import NoReturn

import click

from mcpgen import __version__
from mcpgen.cli import signals, streams

COMMANDS = {
    "generate": "Compile SOURCE into a standalone MCP server package.",
    "regenerate": "Compile the source of the project in DIR again.",
    "check": "Report everything that is wrong with SOURCE.",
    "inspect": "Show the tools of SOURCE, and the request of each.",
    "grade": "Grade the tools of SOURCE: can a model choose them and call them right?",
    "diff": "List the changes from OLD to NEW, each graded breaking, additive or cosmetic.",
    "run": "Compile SOURCE and serve it over stdio, without writing files.",
    "install": "Add the server of DIR or SOURCE to the configuration of an MCP client.",
    "uninstall": "Remove the server of DIR from the configuration of an MCP client.",
    "init": "Write a tools file for DOCUMENT, ready to edit.",
    "adopt": "Write a tools file with the same tools as an MCP server made without mcpgen.",
    "bundle": "Make the release files of the project in DIR: .mcpb, wheel, server.json, SBOM.",
    "schema": "Print the JSON Schema of the tools file, for editors.",
    "demo": "Demonstrate mcpgen with an example API.",
}


class _Commands(click.Group):
    """Click group that imports the module of a command when the command is called, so that `--help` need not import all
    commands.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"mcpgen.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from mcpgen.base.names import did_you_mean, near  # imported late: only a wrong name needs it

            hint = did_you_mean(near(args[0], list(COMMANDS)))
            raise click.UsageError(f"{error.message} {hint}".rstrip(), ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="mcpgen")
def _group() -> None:
    """Compile API descriptions into MCP servers worth shipping.

    SOURCE is an OpenAPI document or a tools file: a path, an http(s) URL, or `-` for standard input.
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line.

    No traceback is shown for anything that a document, a flag, a stream or a signal can cause.
    """
    # Without `disable`, the garbage collector would scan the growing tree of a compile again and again, which takes
    # most of the time of reading a document. Without `freeze`, it would also scan the whole tree at exit.
    gc.disable()
    atexit.register(gc.freeze)
    streams.prepare()
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with signals.obeyed():
            code = _group.main(args=given, prog_name="mcpgen", standalone_mode=False) or 0
    except signals.StoppedBySignal as stopped:
        code = stopped.exit_code
    except click.ClickException as error:
        code = _misused(error, given)
    except OSError as error:
        from mcpgen.cli import report  # imported late: imports `mcpgen.model`, which `--help` does not need

        report.cannot_write(error)
    sys.exit(code)


def _misused(error: click.ClickException, given: list[str]) -> int:
    """Report a wrong command line, in the output format that its arguments ask for. Return the exit code."""
    from mcpgen.cli import report  # imported late: imports `mcpgen.model`, which `--help` does not need

    if report.asks_for_json(given):
        report.misused_json(error)
    else:
        with contextlib.suppress(OSError):
            report.misused(error)
    return report.CANNOT_GO_ON
