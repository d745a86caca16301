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
from mcpgen.base.jsonvalue import JsonObject, JsonValue, compact, without_empty
from mcpgen.base.names import environment_suffix
from mcpgen.lower.tool import accounts
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
    server |= without_empty(instructions=identity.instructions)
    members = {
        "mcpgen": FORMAT,
        "digest": _digest(tools),
        "bytes": size,
        "server": server,
        "environment": identity.prefix,
        **destinations(catalog),
        "origins": list[JsonValue](catalog.origins),
        **without_empty(
            accounts=accounts.entries(catalog),
            roles={tool.name: list[JsonValue](tool.roles) for tool in catalog.tools if tool.roles},
            aliases={alias: tool.name for tool in catalog.tools for alias in tool.aliases},
            features={name: _digest(content) for name, content in features.items()},
            completes=completes(catalog),
            asks=asks(catalog),
            logging=identity.logging,
            polls=any("poll" in each.resource.extra for each in catalog.offered),
            tasks=any(tool.binding.task is not None for tool in catalog.all_tools),
            workflows=any(tool.binding.workflow for tool in catalog.tools),
            search=_search(catalog, catalog.search) if catalog.search else None,
            **catalog.extra,
        ),
    }
    return {name: members[name] for name in runtime.table.Header.__annotations__ if name in members}


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
    named = without_empty(
        name=bound.wire_name,
        word=bound.word,
        base64=bound.base64,
        signing=bound.signing,
        tokens=bound.tokens,
    )
    fetched = without_empty(
        tokenUrl=bound.token_url,
        openIdConnectUrl=bound.discovery_url,
        login=login(bound.login) if bound.login else None,
        user=_user_flow(bound.user) if bound.user else None,
    )
    return {
        "in": bound.location,
        **named,
        "ways": {way: list[JsonValue](roles) for way, roles in bound.ways.items()},
        **fetched,
        "secret": list[JsonValue](bound.secret),
        "variables": dict[str, JsonValue](bound.variables),
        "purposes": dict[str, JsonValue](bound.purposes),
    }


def _binding(tool: ToolSpec) -> JsonObject:
    return {"name": tool.name, "operation": operation(tool.operation), **request(tool.binding), **_rules(tool)}


def request(binding: HttpBinding) -> JsonObject:
    """Return the members of a tool's entry in `bindings.json` that describe the HTTP request, or the workflow."""
    sent: JsonObject = (
        {"workflow": binding.workflow}
        if binding.workflow
        else {
            "method": binding.method,
            "server": binding.server,
            "path": [part if isinstance(part, str) else parameter(part) for part in binding.path],
        }
    )
    has_scopes = binding.scopes or binding.caller_scopes
    return {
        **sent,
        **without_empty(
            query=[parameter(each) for each in binding.query],
            querystring=[parameter(each) for each in binding.querystring],
            headers=[parameter(each) for each in binding.headers],
            cookies=[parameter(each) for each in binding.cookies],
            body=body(binding.body) if binding.body else None,
            accept=None if binding.workflow else binding.accept,
            security=[list[JsonValue](alternative) for alternative in binding.security],
            settings=binding.settings,
            scopes={name: list[JsonValue](scopes) for name, scopes in binding.scopes.items()},
        ),
        **({"callerScopes": [list[JsonValue](each) for each in binding.caller_scopes]} if has_scopes else {}),
        **without_empty(
            withheld={place: list[JsonValue](names) for place, names in binding.withheld.items()},
            variables=binding.variables,
            defaults=binding.defaults,
        ),
    }


def _rules(tool: ToolSpec) -> JsonObject:
    """Return the members of a tool's entry in `bindings.json` about calls and results, such as `timeout` and `confirm`.

    The members that describe the HTTP request are left out.
    """
    binding = tool.binding
    selected = without_empty(
        fields=binding.fields,
        account=binding.account,
        open=binding.open,
        also=binding.also,
        nullable=binding.nullable,
        unchecked=binding.unchecked,
        redirects=binding.redirects,
        shows=binding.shows,
        requires=binding.requires,
        follow=binding.follows,
    )
    shown = without_empty(
        saves=binding.saves,
        timeout=binding.timeout,
        result=result_rules(binding),
        task=task(binding.task) if binding.task else None,
        output=tool.output_form,
        **tool.extra,
        confirm=None if tool.confirm == "never" else tool.confirm,
        ask=[question(each) for each in tool.questions],
    )
    return {**selected, **of_lists(binding), **shown}


def result_rules(binding: HttpBinding) -> JsonObject:
    """Return the rules for a tool's results, {} if there are none."""
    return {} if binding.result is None else binding.result.with_texts(list)


def operation(operation: Operation) -> JsonObject:
    """Return the operationId and path of an operation. The runtime does not use them; they help people who read
    `bindings.json`.
    """
    return {**without_empty(id=operation.id), "path": operation.path}


def parameter(binding: ParameterBinding) -> JsonObject:
    """Return one parameter of a tool's request in the form of `bindings.json`."""
    further = without_empty(
        reserved=binding.reserved,
        content=binding.content,
        required=binding.required,
        made=binding.made,
        mayBeEmpty=binding.may_be_empty,
    )
    written: JsonObject = {"name": binding.name, "style": binding.style, "explode": binding.explode}
    return {**_source(binding), **written, **further}


def _source(binding: ParameterBinding) -> JsonObject:
    """Return where a parameter's value comes from, as one member: `template`, `value` (a constant) or `argument`."""
    if binding.template is not None:
        return {"template": binding.template}
    return {"value": binding.value} if binding.argument is None else {"argument": binding.argument}


def body(binding: BodyBinding) -> JsonObject:
    """Return the body of a tool's request in the form of `bindings.json`."""
    result: JsonObject = {"contentType": binding.content_type, "encoding": binding.encoding}
    result |= without_empty(required=binding.required)
    if binding.value is not None:
        result["value"] = binding.value[0]
    elif binding.argument is not None:
        result["argument"] = binding.argument
    if binding.template is not None:
        result["template"] = binding.template
    elif (binding.argument is None and binding.value is None) or binding.fields:
        result["fields"] = [_field(entry) for entry in binding.fields]
    further = without_empty(
        rest=binding.rest,
        xml=binding.xml,
        needs=binding.needs,
        withheld=binding.withheld,
        setByApi=binding.set_by_api,
    )
    return {**result, **further}


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
        result |= {"style": binding.style, "explode": binding.explode, **without_empty(reserved=binding.reserved)}
    return result


def _part(binding: FieldBinding, kind: PartKind) -> JsonObject:
    """Return the members of `bindings.json` for one part of a multipart body."""
    result: JsonObject = {"part": kind}
    if binding.style is not None:
        result.update(style=binding.style, explode=binding.explode)
    further = without_empty(
        contentType=binding.content_type,
        xml=binding.xml,
        filename=binding.filename,
        repeat=binding.repeat,
        headers=[parameter(entry) for entry in binding.headers],
    )
    return {**result, **further}


def of_lists(binding: HttpBinding) -> JsonObject:
    """Return the members of a tool's entry in `bindings.json` about pagination and id lookups."""
    pages: JsonObject = {}
    if binding.pages is not None:
        pages = {"pages": {} if binding.pages.items is None else {"items": binding.pages.items}}
    return {**pages, **without_empty(lookups=[_lookup(each) for each in binding.lookups])}


def _lookup(lookup: Lookup) -> JsonObject:
    return {
        "argument": lookup.argument,
        "id": lookup.id,
        "tool": lookup.tool,
        **without_empty(query=lookup.query, given=lookup.given),
        "items": lookup.items,
        "value": lookup.value,
        "names": list[JsonValue](lookup.names),
        **without_empty(about=lookup.about, required=lookup.required, ranked=lookup.ranked),
    }


def login(login: Login) -> JsonObject:
    """Return the request by which a token is fetched from the API itself."""
    fields: JsonObject = {name: {"role": role} if role else {"value": value} for name, role, value in login.fields}
    place, header = login.csrf or ("", "")
    further = without_empty(
        headers=dict(login.headers),
        csrf={"place": place, "header": header} if login.csrf else None,
        expires=login.expires,
    )
    return {"contentType": login.content_type, "fields": fields, "token": login.token, **further}


def _user_flow(user: UserFlow) -> JsonObject:
    """Return how a user logs in: endpoints and scopes."""
    return without_empty(
        authorizationUrl=user.authorization_url,
        tokenUrl=user.token_url,
        deviceAuthorizationUrl=user.device_url,
        refreshUrl=user.refresh_url,
        metadataUrl=user.metadata_url,
        scopes=user.scopes,
    )


def question(asked: AskedQuestion) -> JsonObject:
    """Return a question to the user as an entry of `ask`, the list of questions of a tool or prompt."""
    further = without_empty(
        arguments=asked.arguments,
        required=asked.required,
        when=asked.when,
        without="arguments" if asked.without == "arguments" else None,
        missing=asked.missing,
    )
    return {
        "name": asked.name,
        "message": list[JsonValue](asked.message),
        "form": dict[str, JsonValue](asked.form),
        **further,
    }


def asks(catalog: Catalog) -> bool:
    """Return True if some tool has additional arguments for clients that cannot ask their user."""
    questions = (question for tool in catalog.tools for question in tool.questions)
    return any(question.missing or question.without == "arguments" for question in questions)


def task(rule: TaskRule) -> JsonObject:
    """Return the member `task` of a tool's entry in `bindings.json`, which says how the server follows a job."""
    return without_empty(
        poll=_task_target(rule.poll),
        done=rule.done,
        failed=rule.failed,
        result=_task_target(rule.result) if rule.result else None,
        cancel=_task_request(rule.cancel) if rule.cancel else None,
        values=rule.values,
        message=rule.message,
        interval=rule.interval,
        ttl=rule.ttl,
    )


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
