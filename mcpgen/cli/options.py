"""Options that several commands share."""

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, cast

import click

from mcpgen.base.names import nearest
from mcpgen.lower.schema.budget import MOST_TOKENS
from mcpgen.model.options import ALL_PARTS, NO_PARTS, PARTS, PROGRAMS, SURFACES, Options
from mcpgen.read.fetch import ALLOW_REDIRECT, is_redirect_value
from mcpgen.regenerate.diff import Grade

Command = TypeVar("Command", bound=Callable[..., Any])

_flag = functools.partial(click.option, is_flag=True)


workflow_files = click.argument("workflow_files", metavar="[WORKFLOWS]...", nargs=-1)
"""Arazzo documents, which follow SOURCE."""


def source(command: Command) -> Command:
    """Add the argument SOURCE to a click command, and the Arazzo documents that may follow SOURCE."""
    return click.argument("source", metavar="SOURCE")(workflow_files(command))


output_format = click.option(
    "--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What to print."
)

findings_format = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    show_default=True,
    help="Output format; code hosts and editors read sarif.",
)


max_tokens = click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help=(
        f"Token limit for the definition of one tool; {MOST_TOKENS:,} if not given. Parts of longer definitions are "
        "left out, and a note says so."
    ),
)


moves = click.option(
    "--no-moves",
    "moves",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Treat an operation with a new path as removed and added.",
)

accept_origin = click.option(
    "--accept-origin",
    multiple=True,
    metavar="URL",
    help="Allow calls and credentials to go to this origin from now on; repeatable.",
)


def _redirect_values(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if not is_redirect_value(value):
            raise click.BadParameter(f"{value} is neither HOST nor HOST:PORT.")
    return values


allow_redirect = click.option(
    ALLOW_REDIRECT,
    multiple=True,
    metavar="HOST[:PORT]",
    callback=_redirect_values,
    help="Another server that the document's URL may redirect to, as HOST or HOST:PORT; repeatable.",
)

FAILING: dict[str, Grade] = {"breaking": "breaking", "additive": "additive", "any": "cosmetic"}
"""Value of --fail-on → the lowest grade of a change that fails."""

fail_on = click.option(
    "--fail-on", type=click.Choice([*FAILING]), help="Exit with 1 if a change has this grade or a more serious one."
)

difference_format = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="Output format; markdown is for pull requests.",
)


deploy = _flag(
    "--deploy", help="Also write files for deployment: a Containerfile, a compose file, Kubernetes manifests."
)


def _part_names(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    known = [*PARTS, ALL_PARTS, NO_PARTS]
    for value in values:
        if value not in known:
            raise click.BadParameter(f"{value} is no part of a server. {nearest(value, known)}")
    return values


def of_parts(command: Command) -> Command:
    """Add the flags that choose parts of the server to a click command. The command gets them as one value `parts`."""

    @functools.wraps(command)
    def with_parts(parts: tuple[str, ...], http: bool, **given: Any) -> Any:
        return command(parts=(*parts, "http") if http else parts, **given)

    decorated: Any = with_parts
    for decorate in (
        _flag("--http", help="Let the server serve HTTP too, as --parts http."),
        click.option(
            "--parts",
            multiple=True,
            metavar="NAME",
            callback=_part_names,
            help=(
                "Add a part to the server that its document does not need: "
                f"{', '.join(PARTS)}; all adds every part, none forgets those of earlier runs; repeatable."
            ),
        ),
    ):
        decorated = decorate(decorated)
    return cast(Command, decorated)


_OWN = ("max_tokens", "deploy", "parts", "workflow_files")
"""Fields of Options for which `compiling` adds no flag: commands that need one define it themselves.

`max_tokens` is a limit in one command and a check that fails in another. `deploy` and `parts` make sense only for
projects on disk. `workflow_files` are arguments after SOURCE.
"""


def _of_tools() -> tuple[Any, ...]:
    """Return the options that decide which tools a server lists, and which arguments mcpgen adds to them."""
    return (
        _flag(
            "--fields",
            help="Add an argument to tools that selects fields of the result, unless the API has such a parameter.",
        ),
        _flag(
            "--lookups",
            help="Let tools accept a name instead of an id, if exactly one other tool finds the id by the name.",
        ),
        _flag("--views", help="Let clients that support MCP Apps show results as tables, cards and forms."),
        click.option(
            "--tools",
            type=click.Choice(SURFACES),
            help="List all tools (all, the default), or only tools that find and call the others (search).",
        ),
        click.option(
            "--programs",
            type=click.Choice(PROGRAMS),
            help=(
                "With --tools search, let models write programs that call tools: only read-only tools (reads), or "
                "all tools (all)."
            ),
        ),
    )


def compiling(command: Command) -> Command:
    """Add all options of a compile to a click command. The command gets them as one value `flags: Options`."""

    @functools.wraps(command)
    def with_flags(**given: Any) -> Any:
        own = [field.name for field in fields(Options) if field.name not in _OWN]
        flags = Options(workflow_files=given.pop("workflow_files", ()), **{name: given.pop(name) for name in own})
        return command(flags=flags, **given)

    decorated: Any = with_flags
    for decorate in (
        accept_origin,
        *_of_tools(),
        _flag("--structured", help="Give tools an output schema, and return structured results that match it."),
        click.option(
            "--schema-profile",
            type=click.Choice(["portable", "full"]),
            help="portable, if not given: input schemas that every client accepts. full: the document's own schemas, "
            "as JSON Schema 2020-12.",
        ),
        click.option(
            "--server-var",
            multiple=True,
            metavar="NAME=VALUE",
            help="Set a variable of the document's server URL, as NAME=VALUE; repeatable.",
        ),
        click.option(
            "--body-type",
            multiple=True,
            metavar="GLOB",
            help="Send request bodies as this media type if an operation offers it, such as application/xml.",
        ),
        _flag(
            "--optional-bodies",
            help="Keep a body with required members optional if the document does not say that it is required.",
        ),
        click.option(
            "--fetch-header",
            multiple=True,
            metavar="NAME=VARIABLE",
            help="Send a header when fetching SOURCE by URL; the value comes from the environment variable VARIABLE.",
        ),
        click.option(
            "--fetch-cert",
            metavar="VARIABLE",
            help="Show a client certificate when fetching SOURCE by URL; the environment variable names its PEM file.",
        ),
        click.option(
            "--fetch-key",
            metavar="VARIABLE",
            help="The variable that names the key of --fetch-cert; VARIABLE_PASSWORD holds the passphrase, if any.",
        ),
        click.option(
            "--ref-dir",
            multiple=True,
            metavar="DIR",
            help="Another folder to which references may point, besides SOURCE's own.",
        ),
        allow_redirect,
        click.option(
            "--exclude",
            multiple=True,
            metavar="SELECTOR",
            help="Leave these operations out, even if --include selects them.",
        ),
        click.option(
            "--include",
            multiple=True,
            metavar="SELECTOR",
            help=(
                "Keep only these operations: tag:X, path:GLOB, method:M, id:GLOB, deprecated. Selectors joined "
                "by commas must all match."
            ),
        ),
        click.option(
            "--overlay", multiple=True, metavar="FILE", help="An OpenAPI Overlay to apply to the document; repeatable."
        ),
        click.option(
            "--security", type=click.Choice(["none"]), help="Send no credentials, whatever the document says."
        ),
        click.option("--base-url", metavar="URL", help="The API's base URL, instead of the document's."),
        click.option("--name", metavar="NAME", help="Name of the server (default: the document's title)."),
    ):
        decorated = decorate(decorated)
    return cast(Command, decorated)
