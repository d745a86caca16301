"""Build the JSON output of `inspect`: the server, its variables, its tools with their requests, and the diagnostics."""

from collections.abc import Sequence

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, without_empty
from mcpgen.cli import report
from mcpgen.cli.inspect.findings import Concerned
from mcpgen.emit import features, table
from mcpgen.emit.environment import environment
from mcpgen.model import BodyBinding, Catalog, ParameterBinding, ResourceSpec, ToolSpec, arguments_of


def document(catalog: Catalog, tools: Sequence[ToolSpec], diagnostics: Sequence[Diagnostic]) -> JsonObject:
    """Return the JSON output of `inspect`. `tools`: the tools to show, all or some of the catalog's."""
    identity = catalog.identity
    concerned = Concerned(catalog.tools)
    described: list[JsonValue] = [_tool(tool, catalog) for tool in tools]
    resources: list[JsonValue] = [_resource(each) for each in catalog.offered]
    prompts: list[JsonValue] = [features.listed_prompt(each) for each in catalog.prompts]
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
            for row in environment(catalog)
        ],
        "totals": {"tools": len(tools), "tokens": sum(map(table.cost, tools))},
        "tools": described,
        **without_empty(resources=resources, prompts=prompts, webhooks=report.webhooks_json(catalog.webhooks)),
        "skipped": [report.skipped_json(entry) for entry in catalog.skipped],
        "diagnostics": [
            {**report.diagnostic_json(found), "tools": list[JsonValue](concerned.by(found))} for found in diagnostics
        ],
    }


def _resource(spec: ResourceSpec) -> JsonObject:
    operation = spec.resource.operation
    request = {"method": operation.method, "path": operation.path} if operation else None
    return {**features.listed_resource(spec), **without_empty(operation=request)}


def _tool(tool: ToolSpec, catalog: Catalog) -> JsonObject:
    operation, binding = tool.operation, tool.binding
    result = table.tool_object(tool)
    result["tokens"] = table.cost(tool)
    result["effect"] = tool.annotations.effect
    result |= without_empty(
        confirm=None if tool.confirm == "never" else tool.confirm,
        ask=[table.question(each) for each in tool.questions],
        roles=tool.roles,
        aliases=tool.aliases,
        scopes=[list[JsonValue](each) for each in tool.binding.caller_scopes],
    )
    server = catalog.servers[binding.server].url
    result["operation"] = {
        **without_empty(id=operation.id),
        "method": operation.method,
        "path": operation.path,
        "server": server,
        "tags": list[JsonValue](operation.tags),
        "deprecated": operation.deprecated,
    }
    result["arguments"] = arguments_json(tool)
    result |= without_empty(fixed=fixed(tool), result=table.result_rules(binding), timeout=binding.timeout)
    result |= table.of_lists(binding)
    result |= without_empty(task=binding.task and table.task(binding.task), workflow=binding.workflow)
    if tool.accepted is not None:
        found = tool.accepted
        result["accepted"] = {"kind": found.kind, **without_empty(look=found.look, task=found.task)}
    if binding.body is not None:
        body = table.body(binding.body)
        result["body"] = {key: body[key] for key in ("contentType", "encoding", "required") if key in body}
    return result


def arguments_json(tool: ToolSpec) -> JsonObject:
    """Return argument → the place in the request where it is sent. Further places are listed under `also`."""
    places: dict[str, list[JsonObject]] = {}
    for parameter in tool.binding.parameters():
        named = [parameter.argument] if parameter.argument is not None else arguments_of(parameter.template or {})
        for argument in dict.fromkeys(named):
            places.setdefault(argument, []).append(_place(parameter))
    if tool.binding.body is not None:
        for argument, place in _body_places(tool.binding.body):
            places.setdefault(argument, []).append(place)
    if tool.binding.fields is not None:
        places[tool.binding.fields] = [{"in": "result", "name": ""}]
    if tool.binding.account is not None:
        places[tool.binding.account] = [{"in": "account", "name": ""}]
    for variable, argument in tool.binding.variables.items():
        places[argument] = [{"in": "server", "name": variable}]
    for lookup in tool.binding.lookups:
        places[lookup.argument] = [{"in": "lookup", "name": lookup.id, "by": lookup.tool}]
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
    return [*found, *_template_places(body.template or {}, kind, "")]


def _template_places(node: JsonObject, kind: str, name: str) -> list[tuple[str, JsonObject]]:
    """Return (argument, place in the request) for each argument in a request template of the tools file.

    If an argument is only a part of a text, the place contains the whole text under `template`.
    """
    if "argument" in node:
        return [(str(node["argument"]), {"in": kind, "name": name})]
    if "text" in node:
        text: JsonObject = {"in": kind, "name": name, "template": node}
        return [(argument, text) for argument in dict.fromkeys(arguments_of(node))]
    return [found for key, each in _inside(node, name) for found in _template_places(each, kind, key)]


def _inside(node: JsonObject, name: str) -> list[tuple[str, JsonObject]]:
    """Return the items and members of a request template, each with its dotted name in the request."""
    members = as_object(node.get("members"))
    inner = [(name, each) for each in as_list(node.get("items"))]
    inner += [(f"{name}.{key}" if name else key, each) for key, each in members.items()]
    return [(key, as_object(each)) for key, each in inner]


def fixed(tool: ToolSpec) -> list[JsonValue]:
    """Return the constant values that every call sends, as JSON objects with `in` (the place), `name` and `value`."""
    found: list[JsonValue] = [
        {"in": each.location, "name": each.name, "value": each.value}
        for each in tool.binding.parameters()
        if each.argument is None and each.template is None
    ]
    body = tool.binding.body
    if body is not None:
        kind = body.encoding if body.encoding in ("form", "multipart") else "body"
        found += [{"in": kind, "name": field.name, "value": field.value} for field in body.fields if field.constant]
        found += _fixed_in(body.template or {}, kind, "")
    return found


def _fixed_in(node: JsonObject, kind: str, name: str) -> list[JsonValue]:
    if "value" in node:
        return [{"in": kind, "name": name, "value": node["value"]}]
    return [found for key, each in _inside(node, name) for found in _fixed_in(each, kind, key)]
