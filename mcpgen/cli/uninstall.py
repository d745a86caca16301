"""`mcpgen uninstall`: take the server of a project out of an MCP client."""

from pathlib import Path

import click

from mcpgen.cli import clients, report


@click.command("uninstall", short_help="Remove the server of DIR from the configuration of an MCP client.")
@clients.of_both
def command(source: str, client: str | None, flags: clients.Flags) -> None:
    """Take the server of the generated project in DIR out of the configuration of an MCP client.

    The file is as before it was installed, unless it was changed since: then the server alone is taken out.

    Exit codes: 0 done, 1 refused, 2 cannot go on.
    """
    with report.ending():
        code = clients.run(clients.opened(Path(source)), "uninstall", client, flags, [])
    report.leave(code)
