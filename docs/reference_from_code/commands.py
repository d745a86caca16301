"""The commands of `mcpgen` with their arguments and flags, from click."""

from __future__ import annotations

import click

from mcpgen.cli import COMMANDS, _group

from .markdown import code, definition, prose


def markdown() -> str:
    """Return a section for each command."""
    return "\n".join(_section(name) for name in COMMANDS)


def _section(name: str) -> str:
    context = click.Context(_group, info_name="mcpgen")
    command = _group.get_command(context, name)
    assert command is not None
    own = click.Context(command, info_name=name, parent=context)
    usage = " ".join([own.command_path, *command.collect_usage_pieces(own)])
    paragraphs = [prose(paragraph) for paragraph in (command.help or "").split("\n\n")]
    flags = [_flag(each, own) for each in command.params if isinstance(each, click.Option) and not each.hidden]
    return "\n\n".join([f"## `mcpgen {name}`", f"```text\n{usage}\n```", *paragraphs, *flags]) + "\n"


def _flag(option: click.Option, context: click.Context) -> str:
    names, text = option.get_help_record(context) or ("", "")
    return definition(code(names), prose(text))
