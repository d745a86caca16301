"""Add the arguments that choose where a call goes: variables of the server URL, and the account."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import argument_name, clipped, distinct
from mcpgen.lower.inputs.slots import ACCOUNT, SERVER
from mcpgen.lower.schema.patterns import admits, is_ecma
from mcpgen.lower.text.prose import plain, shortened
from mcpgen.model import Account, Catalog, GivenVariable, Server, ToolSpec
from mcpgen.model.pins import UNKNOWN, Pins, Slot

_LONGEST = 200


def with_server_arguments(
    tool: ToolSpec, server: Server, pinned: Mapping[Slot, str], diagnostics: Diagnostics
) -> ToolSpec:
    """Return `tool` with an argument for each variable in the URL of `server` that calls give.

    A workflow gets none, since its steps give the variables.

    `pinned`: names that the arguments had in earlier versions of the project. Report a tool that starts a job: later
    requests about the job carry no arguments.
    """
    given = [
        each.given for each in server.variables if each.given is not None and _is_checkable(each.given, diagnostics)
    ]
    if not given or tool.operation.decided.workflow is not None:
        return tool
    if (task := tool.binding.task) is not None:
        message = f"{tool.name} starts a job, so no argument can choose its server: its polls carry no arguments."
        diagnostics.add("invalid-value", message, task.where, "Leave out `task`, or let the operator set the variable.")
    before = as_object(tool.input_schema.get("properties"))
    names: dict[str, str] = {}
    for each in given:
        slot, name, taken = (
            (SERVER, each.name),
            argument_name(each.name),
            {*before, *tool.binding.also, *names.values()},
        )
        ladder = (pinned.get(slot, ""), name, f"{name[:55]}_server")
        names[each.name] = distinct((found for found in ladder if found and found not in taken), name, each.name, taken)
    added = {names[each.name]: _schema(each) for each in given}
    demanded: list[JsonValue] = [names[each.name] for each in given if each.required]
    properties = {name: added[name] for name in added if name in demanded} | before | added
    required = [*demanded, *as_list(tool.input_schema.get("required"))]
    schema = {**tool.input_schema, "properties": dict[str, JsonValue](properties)}
    return replace(
        tool,
        input_schema={**schema, "required": required} if required else schema,
        binding=replace(tool.binding, variables=names),
        arguments={**tool.arguments, **{(SERVER, variable): name for variable, name in names.items()}},
    )


def _schema(given: GivenVariable) -> JsonObject:
    """Return the schema of the argument for a variable. A pattern must match the whole value."""
    text = shortened(given.description or f"{given.name} in the URL of the API.", _LONGEST)
    limit: JsonObject = {"enum": list[JsonValue](given.enum)} if given.enum else {"pattern": whole(given.pattern)}
    return {"type": "string", **limit, "description": text}


def whole(pattern: str) -> str:
    """Return a pattern that matches a whole text or nothing of it."""
    return pattern if pattern[:1] == "^" and pattern[-1:] == "$" and "|" not in pattern else f"^(?:{pattern})$"


def _is_checkable(given: GivenVariable, diagnostics: Diagnostics) -> bool:
    """Return True if servers can check the pattern of a variable. Otherwise report the pattern."""
    if given.enum or (is_ecma(given.pattern) and admits(given.pattern)):
        return True
    message = f"The pattern of '{clipped(given.name)}' is faulty, or cannot be checked in linear time."
    diagnostics.add("invalid-value", message, given.where, "Write a pattern such as ^[a-z0-9-]{1,40}$.")
    return False


def with_accounts(catalog: Catalog, accounts: Sequence[Account], pins: Pins, diagnostics: Diagnostics) -> Catalog:
    """Return `catalog` with `accounts`. Each of its tools gets an argument that names the account of a call.

    Report a tool that starts a job: requests about a job carry no arguments.
    """
    if not accounts:
        return catalog
    for tool in catalog.tools:
        if tool.binding.task is not None:
            message = f"{tool.name} starts a job, which a server with several accounts cannot follow."
            hint = "Leave out `task`, or generate a server for each account."
            diagnostics.add("invalid-value", message, tool.binding.task.where, hint)
    told = [f"{each.name} ({plain(each.description)})" if each.description else each.name for each in accounts]
    schema: JsonObject = {
        "type": "string",
        "enum": list[JsonValue]([each.name for each in accounts]),
        "description": shortened(f"The account that is used: {', '.join(told)}.", _LONGEST),
    }
    tools = tuple(_with_argument(tool, schema, pins) for tool in catalog.tools)
    return replace(catalog, tools=tools, accounts=tuple(accounts))


def _with_argument(tool: ToolSpec, schema: JsonObject, pins: Pins) -> ToolSpec:
    before = as_object(tool.input_schema.get("properties"))
    taken = {*before, *tool.asked, *tool.binding.also}
    pinned = pins.tools.get(tool.operation.key, UNKNOWN).arguments.get(ACCOUNT, "")
    ladder = (each for each in (pinned, "account", "server_account") if each and each not in taken)
    name = distinct(ladder, "account", tool.name, taken)
    required = [name, *as_list(tool.input_schema.get("required"))]
    properties: JsonObject = {name: schema, **before}
    return replace(
        tool,
        input_schema={**tool.input_schema, "properties": properties, "required": required},
        binding=replace(tool.binding, account=name),
        arguments={**tool.arguments, ACCOUNT: name},
    )
