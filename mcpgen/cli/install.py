"""`mcpgen install`: register the server of a generated project with an MCP client, without installing its package."""

from dataclasses import replace

import click

from mcpgen.cli import clients, report, server_venv


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
    default=clients.RUNNERS[0],
    show_default=True,
    help="What starts the server: venv, an environment that is made once in the project's folder; uvx or pipx, which "
    "may need a network at each start; or python, the Python that runs mcpgen.",
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
    runner: str,
    env: tuple[str, ...],
    token_env: str | None,
    write_secrets: bool,
    flags: clients.Flags,
) -> None:
    """Write the server of a generated project into the configuration of an MCP client.

    If SOURCE is a document, its project is generated first, as by `mcpgen generate SOURCE`, unless the project exists.
    The server's libraries are installed once, into an environment in the project's folder. Then the server's own
    `install` edits the configuration in place: other servers and comments stay, and no secret is written without
    --write-secrets.

    Exit codes: 0 done, 1 change refused, or an error in the document, 2 cannot go on.
    """
    own = [*(f"--env={each}" for each in env), *([f"--token-env={token_env}"] if token_env else [])]
    own += ["--write-secrets"] if write_secrets else []
    given = clients.opened_or_generated(source, directory, dry_run=flags.dry_run)
    with report.ending(), given as project:
        started = clients.start(project, runner, flags)
        code = 0
        if started and runner == "venv" and not flags.dry_run:
            # an installation that would be refused makes no environment
            code = clients.run(project, "install", client, replace(flags, dry_run=True), [*own, *started], quiet=True)
            if not code:
                server_venv.prepare(project.directory)
        code = code or clients.run(project, "install", client, flags, [*own, *started])
    report.leave(code)
