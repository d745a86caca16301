"""`mcpgen inspect`: what the tools are, and what each sends."""

import difflib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from mcpgen import fetch, tokens
from mcpgen import lock as locks
from mcpgen.cli import options, report
from mcpgen.emit import table
from mcpgen.emit.environment import environment
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import JsonObject, JsonValue, as_list
from mcpgen.model import BodyBinding, Catalog, ParameterBinding, ToolSpec
from mcpgen.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source

MOST = 8
"""Tools that are named where none is near to what was asked for."""


@click.command("inspect", short_help="Show the tools of SOURCE, and what each sends.")
@click.argument("source", metavar="SOURCE|DIR")
@click.argument("tool", required=False)
@options.compiling
@options.output_format
def command(
    source: str,
    tool: str | None,
    flags: Options,
    output: str,
) -> None:
    """Show the tools of SOURCE, or of a generated project in DIR, and what each sends.

    TOOL is a tool's name, its operationId, or its request ("GET /pets/{id}").
    """
    with report.ending(output):
        compiled = _compiled(source, flags)
        tools = list(compiled.catalog.tools) if tool is None else _called(compiled.catalog.tools, tool)
    if output == "json":
        report.result_json(_json(compiled, tools))
    elif tool is not None:
        for entry in tools:
            _show_one(entry)
    else:
        _show_all(compiled.catalog)


def _called(tools: Sequence[ToolSpec], wanted: str) -> list[ToolSpec]:
    """The tools that `wanted` names in one of the ways to name one. CannotGoOn, with the nearest, for no tool."""
    method, _, path = wanted.partition(" ")
    found = (
        [tool for tool in tools if tool.name == wanted]
        or [tool for tool in tools if tool.operation.id == wanted]
        or [tool for tool in tools if _request(tool) == f"{method.upper()} {path.strip()}"]
    )
    if found:
        return found
    known = {tool.name: None for tool in tools}
    known |= {word: None for tool in tools for word in (tool.operation.id, _request(tool)) if word}
    near = difflib.get_close_matches(wanted, known, n=3)
    names = [tool.name for tool in tools]
    some = ", ".join(names[:MOST]) + (", …" if len(names) > MOST else ".")
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {some}"
    raise CannotGoOn("invalid-flag", f"There is no tool {wanted}.", hint=hint)


def _request(tool: ToolSpec) -> str:
    return f"{tool.operation.method} {tool.operation.path}"


def _compiled(source: str, flags: Options) -> Compiled:
    directory = Path(source)
    if not directory.is_dir():
        return compile_source(fetch.read(source, flags.ref_dir), flags)
    lock_file = directory / locks.NAME
    if not lock_file.is_file():
        raise CannotGoOn("unreadable", f"{source} is a directory without a generated project.", hint="Name a document.")
    lock = locks.load(lock_file.read_bytes(), str(lock_file))
    recorded = lock.source if "://" in lock.source else str(directory / lock.source)
    project = Project(lock, options.settings(directory), lock.source)
    own = replace(lock.options, ref_dir=tuple(str(directory / path) for path in lock.options.ref_dir))
    remembered = flags.over(own)
    return compile_source(fetch.read(recorded, remembered.ref_dir), remembered, project)


# -- JSON, by the contract --------------------------------------------------------------------------------------------


def _json(compiled: Compiled, tools: list[ToolSpec]) -> JsonObject:
    identity = compiled.catalog.identity
    return {
        "server": {
            "name": identity.name,
            "title": identity.title,
            "version": identity.version,
            "package": identity.package,
            "command": identity.command,
        },
        "environment": [
            {"name": row.variable, "required": row.required, "secret": row.secret, "purpose": row.purpose}
            for row in environment(compiled.catalog)
        ],
        "tools": [_tool_json(tool, compiled.catalog) for tool in tools],
        "skipped": [report.skipped_json(entry) for entry in compiled.catalog.skipped],
        "diagnostics": [report.diagnostic_json(diagnostic) for diagnostic in compiled.diagnostics],
    }


def _tool_json(tool: ToolSpec, catalog: Catalog) -> JsonObject:
    operation, binding = tool.operation, tool.binding
    result = table.tool_object(tool)
    result["tokens"] = tokens.estimate(table.tool_object(tool))
    server = catalog.servers[binding.server].url if catalog.servers else ""
    identifier: JsonObject = {"id": operation.id} if operation.id else {}
    result["operation"] = {**identifier, "method": operation.method, "path": operation.path, "server": server}
    result["arguments"] = arguments_json(tool)
    if binding.body is not None:
        body = table.body(binding.body)
        result["body"] = {key: body[key] for key in ("contentType", "encoding", "required") if key in body}
    return result


def arguments_json(tool: ToolSpec) -> JsonObject:
    """Argument → where it goes. An argument that feeds two places has the second one under `also`."""
    places: dict[str, list[JsonObject]] = {}
    for parameter in tool.binding.parameters():
        if parameter.argument is not None:
            places.setdefault(parameter.argument, []).append(_place(parameter))
    if tool.binding.body is not None:
        for argument, place in _body_places(tool.binding.body):
            places.setdefault(argument, []).append(place)
    return {
        argument: {**found[0], **({"also": list[JsonValue](found[1:])} if len(found) > 1 else {})}
        for argument, found in places.items()
    }


def _place(parameter: ParameterBinding) -> JsonObject:
    drawn = table.parameter(parameter)
    drawn.pop("argument", None)
    return {"in": parameter.location, **drawn}


def _body_places(body: BodyBinding) -> list[tuple[str, JsonObject]]:
    kind = body.encoding if body.encoding in ("form", "multipart") else "body"
    found: list[tuple[str, JsonObject]] = [(body.argument, {"in": kind, "name": ""})] if body.argument else []
    for field in body.fields:
        if field.argument is not None:
            found.append((field.argument, {"in": kind, "name": field.name}))
        if field.filename is not None:
            found.append((field.filename, {"in": kind, "name": field.name, "part": "filename"}))
        found += [
            (header.argument, {"in": kind, "name": field.name, "part": f"header {header.name}"})
            for header in field.headers
            if header.argument is not None
        ]
    if body.rest is not None:
        found.append((body.rest, {"in": kind, "name": "*"}))
    return found


# -- text -------------------------------------------------------------------------------------------------------------


def _show_all(catalog: Catalog) -> None:
    report.diagnostics((), catalog.skipped)
    rows = [
        (
            tool.name,
            _request(tool),
            str(len(arguments_json(tool))),
            str(tokens.estimate(table.tool_object(tool))),
            "reads" if tool.annotations.read_only else ("destructive" if tool.annotations.destructive else "adds"),
        )
        for tool in catalog.tools
    ]
    head = ("tool", "request", "arguments", "tokens", "effect")
    widths = [min(60, max(len(row[column]) for row in [head, *rows])) for column in range(len(head))]
    for row in [head, *rows]:
        right = (2, 3)
        cells = [c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        report.say("  ".join(cells).rstrip(), err=False, bold=row is head)
    total = sum(int(row[3]) for row in rows)
    counts = ((len(rows), "tool"), (total, "token"), (len(catalog.skipped), "skipped operation"))
    report.say(", ".join(report.counted(*count) for count in counts) + ".", err=False)


def _show_one(tool: ToolSpec) -> None:
    report.say(f"{tool.name}: {tool.title}", err=False, bold=True)
    report.say(tool.description, err=False)
    report.say(f"\n{_request(tool)}", err=False)
    for argument, place in arguments_json(tool).items():
        required = " (required)" if argument in as_list(tool.input_schema.get("required")) else ""
        report.say(f"  {argument}{required} → {json.dumps(place)}", err=False)
    report.say("\n" + json.dumps(tool.input_schema, indent=2), err=False)
