"""`mcpgen uninstall`: remove the server of a project from the configuration of an MCP client."""

from pathlib import Path

import click

from mcpgen.cli import clients, report, server_venv


@click.command("uninstall", short_help="Remove the server of DIR from the configuration of an MCP client.")
@clients.of_both
def command(source: str, client: str | None, flags: clients.Flags) -> None:
    """Remove the server of the generated project in DIR from the configuration of an MCP client.

    The file becomes what it was before the installation. If it was changed since then, only the server's entry is
    removed.

    Exit codes: 0 done, 1 refused, 2 cannot go on.
    """
    with report.ending():
        project = clients.opened(Path(source))
        code = clients.run(project, "uninstall", client, flags)
        environment = project.directory / server_venv.FOLDER
        if not (code or flags.dry_run or flags.listed) and server_venv.is_made(environment):
            report.say(f"{environment} stays for other clients. If no client uses the server, delete this folder.")
    report.leave(code)
