"""Show the resources and prompts of a server, one line each."""

from mcpgen.cli import report
from mcpgen.cli.inspect import layout
from mcpgen.model import Catalog


def show(catalog: Catalog) -> None:
    """Print each resource and each prompt on a line. Print nothing if there are none."""
    resources = [
        (each.uri, f"GET {each.resource.operation.path}" if each.resource.operation else each.resource.media_type)
        for each in catalog.offered
    ]
    prompts = [
        (each.prompt.name, ", ".join(argument.name for argument in each.prompt.arguments)) for each in catalog.prompts
    ]
    _table(("resource", "holds"), resources)
    _table(("prompt", "arguments"), prompts)


def _table(head: tuple[str, str], rows: list[tuple[str, str]]) -> None:
    if not rows:
        return
    first, *lines = layout.columns([head, *rows], (), (0, 1))
    report.say(err=False)
    report.say(first, err=False, bold=True)
    for line in lines:
        report.say(line, err=False)
