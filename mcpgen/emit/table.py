"""Write `tools.json` and `bindings.json`.

Each member is written explicitly, so that the files do not change with the classes of `mcpgen.model`. `tools.json` is
exactly the array in the response to `tools/list`, one tool a line. `bindings.json` has a header line, and then one line
per tool in the same order: how a call becomes an HTTP request. The whole file is valid JSON. The header contains the
digest of `tools.json`, by which a server notices that the two files do not belong together. The types of
`bindings.json` are those of the runtime (`tables/table.py`).
"""

import re
from binascii import crc32
from collections.abc import Mapping
from io import BytesIO

from mcpgen.base import runtime, tokens
from mcpgen.base.jsonvalue import JsonObject, JsonValue, compact
from mcpgen.base.names import environment_suffix
from mcpgen.model import (
    AskedQuestion,
    BodyBinding,
    BoundScheme,
    Catalog,
    FieldBinding,
    HttpBinding,
    Login,
    Lookup,
    Operation,
    ParameterBinding,
    PartKind,
    SearchTable,
    Server,
    ServerVariable,
    TaskRequest,
    TaskRule,
    TaskTarget,
    ToolSpec,
    UserFlow,
)

FORMAT = 2
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|.)")


def tools_path(catalog: Catalog) -> str:
    """Return the path of `tools.json` in the project."""
    return f"{catalog.identity.package}/tools.json"


def tools_json(catalog: Catalog) -> bytes:
    """Return the array of tools as JSON in ASCII, one tool a line."""
    written = BytesIO()  # as a whole once, since the file is the largest value of most runs
    written.write(b"[\n")
    for number, tool in enumerate(catalog.tools):
        written.write(b",\n" if number else b"")
        written.write(compact(tool_object(tool)).encode("ascii"))
    written.write(b"\n]\n")
    return written.getvalue()


# A server reads only this header at start, so the header holds all that a start needs (docs/decisions/compiling.md).
def bindings_json(catalog: Catalog, tools: bytes, features: Mapping[str, bytes]) -> bytes:
    """Return the bytes of `bindings.json`: a header with digests of the other JSON files, then one entry per tool that
    describes its HTTP request.

    `tools`: the bytes of `tools.json`. `features`: name → bytes of `resources.json` and `prompts.json`, if they have
    entries.
    """
    inner = ({**_binding(tool), "tool": tool_object(tool)} for tool in catalog.inner)
    lines = ",\n".join(map(compact, (*map(_binding, catalog.tools), *inner)))
    bindings = f"{lines}\n]}}\n".encode("ascii")
    header = compact(_header(catalog, tools, features, len(bindings))).removesuffix("}")
    return f'{header},"bindings":[\n'.encode("ascii") + bindings


# If servers built the list of tools, this would take 2 of the 86 million instructions of each start
# (docs/decisions/compiling.md).
def search_json(catalog: Catalog, search: SearchTable) -> bytes:
    """Return the bytes of `search.json`: a line with the list of tools, then the search index."""
    listed = _listed(catalog, search)
    return b'{"listed":%b,\n' % listed + search.index.removeprefix(b"{") if listed else search.index


def _listed(catalog: Catalog, search: SearchTable) -> bytes:
    """Return the tool list of a server with `--tools search` as JSON text: tools that find and call other tools, and
    tools that the project's owner wants always listed.

    Return b"" if the server must make the list when it starts, because the list depends on its settings.
    """
    if not {*search.finders.values()}.isdisjoint(runtime.search_listing.PROGRAMS):
        return b""
    pinned = {tool.name: tool_object(tool) for tool in catalog.tools if tool.name in search.pinned}
    found = runtime.search_listing.described(search.finders, search.groups, search.others, search.starts)
    return compact([*found, *(pinned[name] for name in search.pinned)]).encode("ascii")


def tool_object(tool: ToolSpec) -> JsonObject:
    """Return the MCP `Tool` of 2025-11-25 and later. Clients of older revisions ignore unknown members."""
    hints = tool.annotations
    result: JsonObject = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }
    if tool.output_schema is not None:
        result["outputSchema"] = tool.output_schema
    if tool.binding.task is not None:
        result["execution"] = {"taskSupport": "required" if "tasks" in tool.binding.requires else "optional"}
    result["annotations"] = {
        "title": tool.title,
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    }
    return result


def cost(tool: ToolSpec) -> int:
    """Estimate how many tokens a tool costs a model: those of its entry in `tools/list`."""
    return tokens.estimate(tool_object(tool))


def cost_of_list(tools: bytes) -> int:
    """Estimate how many tokens the tools of a `tools.json` cost a model: the sum of `cost` over them."""
    lines = (line.decode("ascii").rstrip(",\n") for line in BytesIO(tools))
    return sum(tokens.estimate_text(_unescaped(line)) for line in lines if line not in ("[", "]"))


def _unescaped(line: str) -> str:
    """Return JSON in ASCII with the characters outside of ASCII as they are."""
    if "\\u" not in line:
        return line
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if (found[1] or "") >= "007f" else found[0], line)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # joins pairs of surrogates


def _header(catalog: Catalog, tools: bytes, features: Mapping[str, bytes], size: int) -> JsonObject:
    identity = catalog.identity
    server: JsonObject = {"name": identity.name, "title": identity.title, "version": identity.version}
    if identity.instructions:
        server["instructions"] = identity.instructions
    roles: JsonObject = {tool.name: list[JsonValue](tool.roles) for tool in catalog.tools if tool.roles}
    aliases: JsonObject = {alias: tool.name for tool in catalog.tools for alias in tool.aliases}
    return {
        "mcpgen": FORMAT,
        "digest": _digest(tools),
        "bytes": size,
        "server": server,
        "environment": identity.prefix,
        **destinations(catalog),
        "origins": list[JsonValue](catalog.origins),
        **({"accounts": _accounts(catalog)} if catalog.accounts else {}),
        **({"roles": roles} if roles else {}),
        **({"aliases": aliases} if aliases else {}),
        **({"features": {name: _digest(content) for name, content in features.items()}} if features else {}),
        **({"completes": True} if completes(catalog) else {}),
        **({"asks": True} if asks(catalog) else {}),
        **({"logging": True} if identity.logging else {}),
        **({"polls": True} if any(each.resource.poll is not None for each in catalog.offered) else {}),
        **({"tasks": True} if any(tool.binding.task is not None for tool in catalog.all_tools) else {}),
        **({"skills": True} if any(each.resource.skill for each in catalog.offered) else {}),
        **({"workflows": True} if any(tool.binding.workflow for tool in catalog.tools) else {}),
        **({"search": _search(catalog, catalog.search)} if catalog.search else {}),
        **({"views": True} if any(tool.view is not None for tool in catalog.tools) else {}),
        **({"pictures": list[JsonValue](catalog.pictures)} if catalog.pictures else {}),
    }


def _accounts(catalog: Catalog) -> JsonObject:
    """Return the accounts of the server, by name."""
    return {
        each.name: {
            "environment": each.environment(catalog.identity.prefix),
            **({"headers": dict[str, JsonValue](each.headers)} if each.headers else {}),
        }
        for each in catalog.accounts
    }


def _search(catalog: Catalog, search: SearchTable) -> JsonObject:
    """Return the member `search` of the header of `bindings.json`: digests of the search index and of the tool list,
    and the data from which the list is made.
    """
    listed = _listed(catalog, search)
    return {
        "digest": _digest(search_json(catalog, search)),
        "finders": dict[str, JsonValue](search.finders),
        "groups": dict[str, JsonValue](search.groups),
        "others": search.others,
        "starts": list[JsonValue](search.starts),
        "pinned": list[JsonValue](search.pinned),
        **({"listed": {"bytes": len(listed), "digest": _digest(listed)}} if listed else {}),
    }


def destinations(catalog: Catalog) -> JsonObject:
    """Return the servers and security schemes for the header of `bindings.json`: where calls and credentials go."""
    return {
        "servers": [_server(entry, catalog.identity.prefix) for entry in catalog.servers],
        "security": {each.name: scheme(each) for each in catalog.schemes},
    }


def completes(catalog: Catalog) -> bool:
    """Return True if the server can complete values: of an argument of a prompt, or of a variable of a URI."""
    prompts = (each.prompt.values for each in catalog.prompts)
    return any(prompts) or any(each.resource.values or each.resource.completes for each in catalog.resources)


def _digest(content: bytes) -> str:
    return f"{crc32(content):08x}"


def _server(server: Server, prefix: str) -> JsonObject:
    if not server.variables:
        return {"url": server.url}
    variables: JsonObject = {}
    for variable in server.variables:
        entry: JsonObject = {"default": variable.default}
        if enum := variable.given.enum if variable.given else variable.enum:
            entry["enum"] = list[JsonValue](enum)
        elif variable.given:
            entry["pattern"] = variable.given.pattern
        variables[variable.name] = {**entry, "variable": server_variable(variable, prefix)}
    return {"url": server.url, "variables": variables}


def server_variable(variable: ServerVariable, prefix: str) -> str:
    """Return the environment variable that sets a variable of a server URL."""
    return f"{prefix}_VAR_{environment_suffix(variable.name)}"


def scheme(bound: BoundScheme) -> JsonObject:
    """Return the entry of a security scheme in the header of `bindings.json`."""
    result: JsonObject = {"in": bound.location}
    if bound.wire_name:
        result["name"] = bound.wire_name
    if bound.word:
        result["word"] = bound.word
    if bound.base64:
        result["base64"] = True
    if bound.signing is not None:
        result["signing"] = bound.signing
    if bound.tokens:
        result["tokens"] = True
    result["ways"] = {way: list[JsonValue](roles) for way, roles in bound.ways.items()}
    if bound.token_url:
        result["tokenUrl"] = bound.token_url
    if bound.discovery_url:
        result["openIdConnectUrl"] = bound.discovery_url
    if bound.login is not None:
        result["login"] = login(bound.login)
    if bound.user is not None:
        result["user"] = _user_flow(bound.user)
    result["secret"] = list[JsonValue](bound.secret)
    result["variables"] = dict[str, JsonValue](bound.variables)
    result["purposes"] = dict[str, JsonValue](bound.purposes)
    return result


def _binding(tool: ToolSpec) -> JsonObject:
    result: JsonObject = {"name": tool.name, "operation": operation(tool.operation)}
    return {**result, **request(tool.binding), **_rules(tool)}


def request(binding: HttpBinding) -> JsonObject:
    """Return the members of a tool's entry in `bindings.json` that describe the HTTP request, or the workflow."""
    result: JsonObject = (
        {"workflow": binding.workflow}
        if binding.workflow
        else {
            "method": binding.method,
            "server": binding.server,
            "path": [part if isinstance(part, str) else parameter(part) for part in binding.path],
        }
    )
    for key, bindings in (
        ("query", binding.query),
        ("querystring", binding.querystring),
        ("headers", binding.headers),
        ("cookies", binding.cookies),
    ):
        if bindings:
            result[key] = [parameter(entry) for entry in bindings]
    if binding.body is not None:
        result["body"] = body(binding.body)
    if binding.workflow is None:
        result["accept"] = binding.accept
    if binding.security:
        result["security"] = [list[JsonValue](alternative) for alternative in binding.security]
    if binding.settings:
        result["settings"] = list[JsonValue](binding.settings)
    if binding.scopes:
        result["scopes"] = {name: list[JsonValue](scopes) for name, scopes in binding.scopes.items()}
    if binding.scopes or binding.caller_scopes:
        result["callerScopes"] = [list[JsonValue](each) for each in binding.caller_scopes]
    if binding.withheld:
        result["withheld"] = {place: list[JsonValue](names) for place, names in binding.withheld.items()}
    if binding.variables:
        result["variables"] = dict[str, JsonValue](binding.variables)
    if binding.defaults:
        result["defaults"] = dict(binding.defaults)
    return result


def _rules(tool: ToolSpec) -> JsonObject:
    """Return the members of a tool's entry in `bindings.json` about calls and results, such as `timeout` and `confirm`.

    The members that describe the HTTP request are left out.
    """
    binding = tool.binding
    result: JsonObject = {}
    if binding.fields is not None:
        result["fields"] = binding.fields
    if binding.account is not None:
        result["account"] = binding.account
    if binding.open:
        result["open"] = True
    named = {"also": binding.also, "nullable": binding.nullable, "unchecked": binding.unchecked}
    named |= {"redirects": binding.redirects, "shows": binding.shows, "requires": binding.requires}
    for key, names in named.items():
        if names:
            result[key] = list[JsonValue](names)
    if binding.follows:
        result["follow"] = True
    result.update(of_lists(binding))
    if binding.saves is not None:
        result["saves"] = binding.saves
    if binding.timeout is not None:
        result["timeout"] = binding.timeout
    if shown := result_rules(binding):
        result["result"] = shown
    result.update(of_jobs(binding))
    if tool.output_form is not None:
        result["output"] = tool.output_form
    if tool.view is not None:
        result["view"] = tool.view
    return {**result, **_asks(tool)}


def result_rules(binding: HttpBinding) -> JsonObject:
    """Return the rules for a tool's results, {} if there are none."""
    return {} if binding.result is None else binding.result.with_texts(list)


def _asks(tool: ToolSpec) -> JsonObject:
    """Return the members of a tool's entry in `bindings.json` about questions to the user."""
    result: JsonObject = {} if tool.confirm == "never" else {"confirm": tool.confirm}
    if tool.questions:
        result["ask"] = [question(each) for each in tool.questions]
    return result


def operation(operation: Operation) -> JsonObject:
    """Return the operationId and path of an operation. The runtime does not use them; they help people who read
    `bindings.json`.
    """
    return {**({"id": operation.id} if operation.id else {}), "path": operation.path}


def parameter(binding: ParameterBinding) -> JsonObject:
    """Return one parameter of a tool's request in the form of `bindings.json`."""
    result: JsonObject = {**_source(binding), "name": binding.name}
    result.update(style=binding.style, explode=binding.explode)
    if binding.reserved:
        result["reserved"] = True
    if binding.content is not None:
        result["content"] = binding.content
    if binding.required:
        result["required"] = True
    if binding.made:
        result["made"] = True
    if binding.may_be_empty:
        result["mayBeEmpty"] = True
    return result


def _source(binding: ParameterBinding) -> JsonObject:
    """Return where a parameter's value comes from, as one member: `template`, `value` (a constant) or `argument`."""
    if binding.template is not None:
        return {"template": binding.template}
    return {"value": binding.value} if binding.argument is None else {"argument": binding.argument}


def body(binding: BodyBinding) -> JsonObject:
    """Return the body of a tool's request in the form of `bindings.json`."""
    result: JsonObject = {"contentType": binding.content_type, "encoding": binding.encoding}
    if binding.required:
        result["required"] = True
    if binding.value is not None:
        result["value"] = binding.value[0]
    elif binding.argument is not None:
        result["argument"] = binding.argument
    if binding.template is not None:
        result["template"] = binding.template
    elif (binding.argument is None and binding.value is None) or binding.fields:
        result["fields"] = [_field(entry) for entry in binding.fields]
    if binding.rest is not None:
        result["rest"] = binding.rest
    if binding.xml is not None:
        result["xml"] = binding.xml
    if binding.needs:
        result["needs"] = list[JsonValue](binding.needs)
    if binding.withheld:
        result["withheld"] = list[JsonValue](binding.withheld)
    if binding.set_by_api:
        result["setByApi"] = list[JsonValue](binding.set_by_api)
    return result


def _field(binding: FieldBinding) -> JsonObject:
    result: JsonObject = {}
    if binding.constant:
        result["value"] = binding.value
    elif binding.argument is not None:
        result["argument"] = binding.argument
    result["name"] = binding.name
    if binding.part is not None:
        result.update(_part(binding, binding.part))
    elif binding.content_type is not None:
        result["content"] = binding.content_type
    elif binding.style is not None:
        result.update(style=binding.style, explode=binding.explode)
        if binding.reserved:
            result["reserved"] = True
    return result


def _part(binding: FieldBinding, kind: PartKind) -> JsonObject:
    """Return the members of `bindings.json` for one part of a multipart body."""
    result: JsonObject = {"part": kind}
    if binding.style is not None:
        result.update(style=binding.style, explode=binding.explode)
    if binding.content_type is not None:
        result["contentType"] = binding.content_type
    if binding.xml is not None:
        result["xml"] = binding.xml
    if binding.filename is not None:
        result["filename"] = binding.filename
    if binding.repeat:
        result["repeat"] = True
    if binding.headers:
        result["headers"] = [parameter(entry) for entry in binding.headers]
    return result


def of_lists(binding: HttpBinding) -> JsonObject:
    """Return the members of a tool's entry in `bindings.json` about pagination and id lookups."""
    result: JsonObject = {}
    if binding.pages is not None:
        result["pages"] = {} if binding.pages.items is None else {"items": binding.pages.items}
    if binding.lookups:
        result["lookups"] = [_lookup(each) for each in binding.lookups]
    return result


def _lookup(lookup: Lookup) -> JsonObject:
    result: JsonObject = {"argument": lookup.argument, "id": lookup.id, "tool": lookup.tool}
    if lookup.query:
        result["query"] = lookup.query
    if lookup.given:
        result["given"] = dict[str, JsonValue](lookup.given)
    result.update(items=lookup.items, value=lookup.value, names=list[JsonValue](lookup.names))
    if lookup.about:
        result["about"] = lookup.about
    flags = {"required": lookup.required, "ranked": lookup.ranked}
    return {**result, **{name: True for name, flag in flags.items() if flag}}


def login(login: Login) -> JsonObject:
    """Return the request by which a token is fetched from the API itself."""
    fields: JsonObject = {name: {"role": role} if role else {"value": value} for name, role, value in login.fields}
    result: JsonObject = {"contentType": login.content_type, "fields": fields, "token": login.token}
    if login.headers:
        result["headers"] = dict[str, JsonValue](login.headers)
    if login.csrf:
        place, header = login.csrf
        result["csrf"] = {"place": place, "header": header}
    return {**result, **({"expires": login.expires} if login.expires else {})}


def _user_flow(user: UserFlow) -> JsonObject:
    """Return how a user logs in: endpoints and scopes."""
    urls = {
        "authorizationUrl": user.authorization_url,
        "tokenUrl": user.token_url,
        "deviceAuthorizationUrl": user.device_url,
        "refreshUrl": user.refresh_url,
        "metadataUrl": user.metadata_url,
    }
    result: JsonObject = {name: url for name, url in urls.items() if url}
    return {**result, **({"scopes": list[JsonValue](user.scopes)} if user.scopes else {})}


def question(asked: AskedQuestion) -> JsonObject:
    """Return a question to the user as an entry of `ask`, the list of questions of a tool or prompt."""
    result: JsonObject = {
        "name": asked.name,
        "message": list[JsonValue](asked.message),
        "form": dict[str, JsonValue](asked.form),
    }
    if asked.arguments:
        result["arguments"] = dict[str, JsonValue](asked.arguments)
    if asked.required:
        result["required"] = list[JsonValue](asked.required)
    if asked.when:
        result["when"] = dict[str, JsonValue](asked.when)
    if asked.without == "arguments":
        result["without"] = "arguments"
    return {**result, **({"missing": True} if asked.missing else {})}


def asks(catalog: Catalog) -> bool:
    """Return True if some tool has additional arguments for clients that cannot ask their user."""
    questions = (question for tool in catalog.tools for question in tool.questions)
    return any(question.missing or question.without == "arguments" for question in questions)


def of_jobs(binding: HttpBinding) -> JsonObject:
    """Return a tool's member `task` for `bindings.json`, or {} if the tool starts no job."""
    return {} if binding.task is None else {"task": task(binding.task)}


def task(rule: TaskRule) -> JsonObject:
    """Return the member `task` of a tool's entry in `bindings.json`, which says how the server follows a job."""
    result: JsonObject = {"poll": _task_target(rule.poll)}
    for key, listed in (("done", rule.done), ("failed", rule.failed)):
        if listed:
            result[key] = list(listed)
    if rule.result is not None:
        result["result"] = _task_target(rule.result)
    if rule.cancel is not None:
        result["cancel"] = _task_request(rule.cancel)
    if rule.values:
        result["values"] = dict[str, JsonValue](rule.values)
    if rule.message:
        result["message"] = rule.message
    if rule.interval is not None:
        result["interval"] = rule.interval
    if rule.ttl is not None:
        result["ttl"] = rule.ttl
    return result


def _task_target(target: TaskTarget) -> JsonObject:
    if isinstance(target, TaskRequest):
        return _task_request(target)
    return {"header": target.header} if target.header else {"pointer": target.pointer}


def _task_request(request: TaskRequest) -> JsonObject:
    path: list[JsonValue] = [request.literals[0]]
    for name, literal in zip(request.variables, request.literals[1:], strict=True):
        path += [{"argument": name, "name": name, "style": "simple", "explode": False, "required": True}, literal]
    result: JsonObject = {"method": request.method, "path": [part for part in path if part != ""]}
    if request.query:
        result["query"] = [
            {"template": node, "name": name, "style": "form", "explode": True} for name, node in request.query.items()
        ]
    return result
