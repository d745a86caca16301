"""Options that several commands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from mcpgen.errors import CannotGoOn
from mcpgen.names import SERVER_NAME
from mcpgen.pipeline import Options

Command = TypeVar("Command", bound=Callable[..., Any])

source = click.argument("source", metavar="SOURCE")
output_format = click.option(
    "--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What to print."
)


def compiling(command: Command) -> Command:
    """The options that decide what is compiled."""
    for decorate in (
        click.option(
            "--exclude", multiple=True, metavar="SELECTOR", help="Leave these operations out; wins over --include."
        ),
        click.option(
            "--include",
            multiple=True,
            metavar="SELECTOR",
            help="Only these: tag:X, path:GLOB, method:M, id:GLOB, deprecated; joined by commas all must hold.",
        ),
        click.option("--base-url", metavar="URL", help="The API's base URL, instead of the document's."),
        click.option("--name", metavar="NAME", help="Name of the server; the document's title if not given."),
    ):
        command = decorate(command)
    return command


def compile_options(
    name: str | None, base_url: str | None, include: tuple[str, ...], exclude: tuple[str, ...]
) -> Options:
    """The flags as the pipeline takes them. CannotGoOn for a name that cannot be one."""
    if name is not None and not SERVER_NAME.fullmatch(name):
        raise CannotGoOn(
            "invalid-flag",
            f"--name {name!r} cannot be the name of a server.",
            hint="Use lower-case letters, digits and hyphens, a letter first, at most 40.",
        )
    return Options(name, base_url, include, exclude)
