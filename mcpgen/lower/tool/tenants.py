"""Let calls give variables of the server URL: limit their values, and add an argument for each."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import argument_name, clipped, distinct, nearest
from mcpgen.lower.inputs.slots import SERVER
from mcpgen.lower.schema.patterns import admits, is_ecma
from mcpgen.lower.text.prose import shortened
from mcpgen.model import Api, GivenVariable, Server, ServerVariable, ToolSpec
from mcpgen.model.pins import Slot

_LIMIT = "Write `enum` with its values, or a `pattern` such as ^[a-z0-9-]{1,40}$."
_LONGEST = 200


def with_given_variables(api: Api, chosen: Iterable[GivenVariable], diagnostics: Diagnostics) -> Api:
    """Return `api`, in which calls give the variables of server URLs that `chosen` names.

    Report a variable that no URL has, that has no default, or whose values nothing limits, and values that the
    document does not list.
    """
    known = {variable.name: variable for server in api.all_servers for variable in server.variables}
    given: dict[str, GivenVariable] = {}
    for each in chosen:
        if each.name not in known:
            message = f"No server URL has the variable '{clipped(each.name)}'."
            diagnostics.add("unused-variable", message, each.where, nearest(each.name, list(known)))
        elif limited := _limited(each, known[each.name], diagnostics):
            given.setdefault(each.name, limited)

    def marked(variable: ServerVariable) -> ServerVariable:
        found = given.get(variable.name)
        return replace(variable, given=found, default=found.default or variable.default) if found else variable

    return api.with_servers(lambda each: replace(each, variables=tuple(map(marked, each.variables)))) if given else api


def _limited(given: GivenVariable, variable: ServerVariable, diagnostics: Diagnostics) -> GivenVariable | None:
    """Return the decision with the values that the document allows, or None after a report."""
    listed = given.enum or variable.enum
    wanted = (*listed, given.default) if given.default else listed
    strange = [value for value in wanted if variable.enum and value not in variable.enum]
    if strange:
        message = f"The document does not allow the value '{clipped(strange[0])}' of '{clipped(given.name)}'."
        diagnostics.add("invalid-value", message, given.where, nearest(strange[0], list(variable.enum)))
    elif not listed and not given.pattern:
        message = f"Nothing limits the values of '{clipped(given.name)}', which decide where calls are sent."
        diagnostics.add("invalid-value", message, given.where, _LIMIT)
    elif not (given.default or variable.default):
        message = f"The variable '{clipped(given.name)}' has no default, which requests without arguments need."
        hint = "Write `default` with the value for logins and resources, which the operator can replace."
        diagnostics.add("invalid-value", message, given.where, hint)
    else:
        return replace(given, enum=listed, description=given.description or variable.description)
    return None


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
