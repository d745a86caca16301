"""Give a server several accounts of its API: an argument names the account of a call, and each account has environment
variables of its own.
"""

from collections.abc import Sequence
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, without_empty
from mcpgen.base.names import distinct
from mcpgen.lower.inputs.slots import ACCOUNT
from mcpgen.lower.text.prose import plain, shortened
from mcpgen.model import Account, BoundScheme, Catalog, ToolSpec
from mcpgen.model.pins import UNKNOWN, Pins

_LONGEST = 200


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


def entries(catalog: Catalog) -> JsonObject:
    """Return the accounts as `bindings.json` has them, by name."""
    before = catalog.identity.prefix
    return {
        each.name: {"environment": each.environment(before), **without_empty(headers=each.headers)}
        for each in catalog.accounts
    }


def variables_of(catalog: Catalog) -> list[tuple[str, str, tuple[BoundScheme, ...]]]:
    """Return the name of each account, how its environment variables begin, and the security schemes that read them.

    A server without accounts has one entry, with the name "".
    """
    before = catalog.identity.prefix
    if not catalog.accounts:
        return [("", before, catalog.schemes)]
    accounts = [(each.name, each.environment(before)) for each in catalog.accounts]
    return [(name, own, renamed(catalog.schemes, before, own)) for name, own in accounts]


def renamed(schemes: Sequence[BoundScheme], before: str, prefix: str) -> tuple[BoundScheme, ...]:
    """Return the schemes with environment variables that begin with `prefix` in place of `before`."""
    named = [{role: prefix + name[len(before) :] for role, name in each.variables.items()} for each in schemes]
    return tuple(replace(each, variables=own) for each, own in zip(schemes, named, strict=True))
