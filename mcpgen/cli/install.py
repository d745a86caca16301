"""`mcpgen install`: register the server of a generated project with an MCP client, without installing its package."""

import click

from mcpgen.cli import clients, report


@click.command("install", short_help="Add the server of DIR or SOURCE to the configuration of an MCP client.")
@clients.of_both
@click.option(
    "-o",
    "--output-dir",
    "directory",
    metavar="DIR",
    help="Directory for the project generated from SOURCE (default: generated/ followed by the server's name).",
)
@click.option(
    "--with",
    "runner",
    type=click.Choice(clients.RUNNERS),
    help="Program that starts the server: uvx, pipx, or python, the Python that runs mcpgen (default: the first that "
    "is installed).",
)
@click.option(
    "--env",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="Give the server an environment variable: NAME=VALUE, or NAME to pass on the client's value; repeatable.",
)
@click.option("--token-env", metavar="NAME", help="The environment variable with the bearer token for --http.")
@click.option("--write-secrets", is_flag=True, help="Write the values of secrets into the file, in plain text.")
def command(
    source: str,
    client: str | None,
    directory: str | None,
    runner: str | None,
    env: tuple[str, ...],
    token_env: str | None,
    write_secrets: bool,
    flags: clients.Flags,
) -> None:
    """Write the server of a generated project into the configuration of an MCP client.

    If SOURCE is a document, its project is generated first, as by `mcpgen generate SOURCE`, unless the project exists.
    Then the server's own `install` edits the configuration in place: other servers and comments stay, and no secret is
    written without --write-secrets.

    Exit codes: 0 done, 1 change refused, or an error in the document, 2 cannot go on.
    """
    own = [*(f"--env={each}" for each in env), *([f"--token-env={token_env}"] if token_env else [])]
    own += ["--write-secrets"] if write_secrets else []
    given = clients.opened_or_generated(source, directory, dry_run=flags.dry_run)
    with report.ending(), given as project:
        code = clients.run(project, "install", client, flags, [*own, *clients.start(project, runner, flags)])
    report.leave(code)
