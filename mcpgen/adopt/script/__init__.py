"""Read a Python file that serves an API description with FastMCP. The file is parsed and never executed.

What counts are the calls that create a server from an OpenAPI document, later calls that change the server, and the
HTTP client with which the server calls the API. `evaluate` computes the value of an expression, `values` holds the data
types of these values.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.adopt.foreign import (
    CHECKS_CERTIFICATES,
    Component,
    Credential,
    Described,
    Filters,
    ForeignServer,
    Remark,
    Route,
    listens_over_http,
)
from mcpgen.adopt.programs.flags import credentials
from mcpgen.adopt.script import evaluate
from mcpgen.adopt.script.evaluate import Evaluator
from mcpgen.adopt.script.values import (
    Content,
    Items,
    Made,
    Members,
    Path,
    Plain,
    Unknown,
    Value,
    beginning,
    text,
    variables,
)
from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.base.names import clipped

_LONGEST = 1_000_000
"""Limit on the characters of a script."""

_MAKERS = {"from_openapi": 0, "FastMCPOpenAPI": 0, "OpenAPIProvider": 0, "from_fastapi": -1}
"""Function that creates a server → position of the OpenAPI document among its arguments; -1 if it takes an application
instead.
"""

_COMPONENTS: dict[str, Component] = {
    "TOOL": "tool",
    "RESOURCE": "resource",
    "RESOURCE_TEMPLATE": "template",
    "EXCLUDE": "none",
    "IGNORE": "none",
}
_CODE = {
    "route_map_fn": (
        "{call} decides by code what each operation becomes. In the new server, every operation that no route map "
        "excludes is a tool. List unwanted operations under `exclude:`."
    ),
    "mcp_component_fn": "{call} changes tools by code, which was not run. Write the changes under `overrides:`.",
}
_AFTER = {
    "mount": "{call} mounts another server, whose tools are not in this tools file.",
    "import_server": "{call} imports another server, whose tools are not in this tools file.",
    "add_tool": "{call} adds a tool by code, which is not in this tools file.",
    "add_middleware": "{call} adds a middleware. Write its effect as a hook in hooks.py.",
    "add_transform": "{call} transforms tools by code, which was not run.",
    "add_tool_transformation": "{call} transforms a tool by code. Write the changes under `overrides:`.",
    "add_provider": "{call} adds a provider by code, whose tools are not in this tools file.",
    "disable": "{call} switches tools off by code, which was not run: list these tools under `exclude:`.",
    "enable": "{call} switches tools on by code, which was not run: list these tools under `include:`.",
}
_UNREAD = {
    "event_hooks": "The HTTP client has event hooks with your own code. Write their effect as a hook in hooks.py.",
    "transport": "The transport of the HTTP client is your own code. Write its effect as a hook in hooks.py.",
    "cookies": "Cookies of the HTTP client were left out; the new server does not send them.",
    "params": (
        "Query parameters of the HTTP client were left out. Under `overrides`, `'*': {arguments: …}` can send a "
        "fixed value."
    ),
    "cert": (
        "For the client certificate, set the new server's environment variables NAME_CLIENT_CERT and NAME_CLIENT_KEY."
    ),
    **dict.fromkeys(("proxy", "proxies"), "To use the proxy, set the new server's environment variable NAME_PROXY."),
}


def read(file: str, source: str, environ: Mapping[str, str]) -> ForeignServer:
    """Return the server that a script creates. Raises FatalError if the file is not valid Python, or if the script
    creates no server.

    `environ`: environment variables with known values.
    """
    if len(source) > _LONGEST:
        message = f"The script has more than {_LONGEST:,} characters."
        raise FatalError("too-large", message, Where(file), "Name the script that makes the server.")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        where = Where(file, "", line, getattr(error, "offset", None) or 1)
        raise FatalError("syntax", "This file is not valid Python.", where, "Name the script.") from None
    evaluator = Evaluator(file, evaluate.enclosing(tree))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node) in _MAKERS]
    if not calls:
        hint = "Name the file that calls FastMCP.from_openapi."
        raise FatalError("not-an-api", f"{file} does not create a server from an OpenAPI document.", hint=hint)
    remarks = evaluator.remarks
    made = [_Call(call, evaluator, environ) for call in calls]
    documents = tuple(each.described() for each in made)
    first = made[0]
    remarks += _after(tree, evaluator)
    included, excluded = (first.tags(name) for name in ("include_tags", "exclude_tags"))
    removed = frozenset(_removed(tree, evaluator, environ))
    return ForeignServer(
        "fastmcp",
        documents,
        first.text("name"),
        first.text("name"),
        first.text("instructions"),
        first.timeout(),
        Filters(included, excluded or frozenset(), removed=removed),
        remarks=tuple(dict.fromkeys(remarks)),
    )


class _Call:
    """One call that creates a server, with its arguments by name."""

    def __init__(self, node: ast.Call, evaluator: Evaluator, environ: Mapping[str, str]) -> None:
        self._evaluator, self._environ = evaluator, environ
        self._position = _MAKERS[_name(node)]
        self.where = evaluator.where(node)
        self._remarks = evaluator.remarks
        self._given = {each.arg: each.value for each in node.keywords if each.arg}
        names = ("openapi_spec", "client", "name") if self._position == 0 else ("app", "name")
        self._given |= dict(zip(names, node.args, strict=False))
        for each in node.keywords:
            spread = evaluator.value(each.value) if each.arg is None else Members()
            if not (isinstance(spread, Members) and spread.whole):
                self._remarks.append(
                    Remark(
                        "The call that creates the server has further arguments (**), which adopt cannot read.",
                        evaluator.where(each.value),
                    )
                )
        self._client = _HttpClient()
        if "client" in self._given:
            place = evaluator.where(self._given["client"])
            self._client = _client(self._value("client"), evaluator, environ, place)
        for name, said in _CODE.items():
            if name in self._given and self._value(name) != Plain(None):
                self._remarks.append(Remark(said.format(call=name), evaluator.where(self._given[name])))

    def _value(self, name: str) -> Value:
        return self._evaluator.value(self._given.get(name))

    def text(self, name: str) -> str:
        """Return an argument of the call that creates the server, as text. Return "" if the argument is missing, or no
        text that is known without running the script.
        """
        return text(self._value(name), self._environ) or ""

    def timeout(self) -> float | None:
        """Return the timeout of the server in seconds, or else that of its HTTP client."""
        return _timeout(self._value("timeout"), self._environ) or self._client.timeout

    def tags(self, name: str) -> frozenset[str] | None:
        """Return the value of an argument as a set of strings, or None if it is empty."""
        return frozenset(self._texts(self._value(name), name)) or None

    def described(self) -> Described:
        """Return a description of the server's OpenAPI document: where the document is, and the base URL, credentials,
        tool names, route maps and tags that the script sets for it.
        """
        return Described(
            self._place(),
            self._client.base_url,
            self._client.credentials,
            self._renames(),
            tuple(self._routes()),
            self.tags("tags") or frozenset(),
            self.where,
        )

    def _place(self) -> str:
        spec = self._value("openapi_spec")
        where = self._evaluator.where(self._given["openapi_spec"]) if "openapi_spec" in self._given else self.where
        if self._position < 0:
            self._remarks.append(
                Remark(
                    "The OpenAPI document comes from a FastAPI application. Name the URL or a copy of its "
                    "/openapi.json with --document.",
                    self.where,
                )
            )
            return ""
        if isinstance(spec, Content):
            if spec.changed:
                place = Where(where.file, "", spec.changed, 1)
                self._remarks.append(
                    Remark(
                        "The script changes the OpenAPI document; the tools file uses the document without these "
                        "changes.",
                        place,
                    )
                )
            return text(spec.place, self._environ) or ""
        return ""

    def _renames(self) -> dict[str, str]:
        names = self._value("mcp_names")
        if names == Plain(None):
            return {}
        place = self._evaluator.where(self._given["mcp_names"])
        members = names.members if isinstance(names, Members) else {}
        if not isinstance(names, Members) or not names.whole:
            self._remarks.append(Remark("Some names in mcp_names are computed by code, so adopt left them out.", place))
        found = {key: text(value, self._environ) for key, value in members.items()}
        return {key: name for key, name in found.items() if name}

    def _routes(self) -> Iterator[Route]:
        maps = self._value("route_maps")
        if maps == Plain(None):
            return
        items = maps.items if isinstance(maps, Items) else (maps,)
        for each in items:
            route = self._route(each) if isinstance(each, Made) and each.name == "RouteMap" else None
            if route is None:
                line = each.call.lineno if isinstance(each, Made) else getattr(each, "line", 0)
                where = Where(self.where.file, "", line or self.where.line, 1)
                said = "A route map is computed by code, which adopt cannot evaluate, so it was left out."
                self._remarks.append(Remark(said, where))
                continue
            yield route

    def _route(self, made: Made) -> Route | None:
        given = dict(zip(("methods", "pattern", "mcp_type"), made.positional, strict=False)) | dict(made.arguments)
        keywords = {each.arg: each.value for each in made.call.keywords}
        kind = keywords.get("mcp_type") or keywords.get("route_type")
        component = _COMPONENTS.get(kind.attr if isinstance(kind, ast.Attribute) else "")
        pattern = text(given.get("pattern", Plain("")), self._environ)
        if component is None or pattern is None or isinstance(given.get("methods"), Unknown):
            return None
        methods = given.get("methods", Plain("*"))
        return Route(
            component,
            frozenset()
            if methods == Plain("*")
            else frozenset(each.upper() for each in self._texts(methods, "methods")),
            pattern,
            frozenset(self._texts(given.get("tags", Plain(None)), "tags")),
            frozenset(self._texts(given.get("mcp_tags", Plain(None)), "mcp_tags")),
        )

    def _texts(self, value: Value, name: str) -> list[str]:
        """Return the strings of a list in the script. Add a remark if code computes some of them; omit these."""
        if value == Plain(None):
            return []
        found = [text(each, self._environ) for each in value.items] if isinstance(value, Items) else [None]
        if None in found:
            self._remarks.append(
                Remark(f"Some values of `{name}` are computed by code, so adopt left them out.", self.where)
            )
        return [each for each in found if each is not None]


# -- changes of a server after it is created ---------------------------------------------------------------------------


def _after(tree: ast.Module, evaluator: Evaluator) -> Iterator[Remark]:
    """Yield a remark for each statement that changes a server in a way that a tools file cannot express."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _AFTER:
            owner = node.func.value.id if isinstance(node.func.value, ast.Name) else "The script"
            said = _AFTER[node.func.attr].format(call=f"{clipped(owner)}.{node.func.attr}")
            yield Remark(said, evaluator.where(node))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for kind in filter(None, map(_decorator, node.decorator_list)):
                said = f"The {kind} {clipped(node.name)} is written in Python, and is not in this tools file."
                yield Remark(said, evaluator.where(node))
        elif isinstance(node, ast.Call) and _name(node) in ("run", "run_async", "http_app"):
            yield from _transport(node, evaluator)


def _decorator(node: ast.expr) -> str:
    """Return the kind of component that a decorator such as `@mcp.tool()` creates, or "" for another decorator."""
    target = node.func if isinstance(node, ast.Call) else node
    known = ("tool", "resource", "prompt", "custom_route")
    is_known = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.attr in known
    return target.attr.replace("custom_route", "route") if is_known and isinstance(target, ast.Attribute) else ""


def _transport(node: ast.Call, evaluator: Evaluator) -> Iterator[Remark]:
    given = {each.arg: each.value for each in node.keywords}
    kind = evaluator.value(given["transport"]) if "transport" in given else Plain("stdio")
    over_http = isinstance(kind, Plain) and kind.value in ("http", "streamable-http", "sse")
    if over_http or _name(node) == "http_app":
        yield listens_over_http(text(evaluator.value(given.get("port")), {}), "8000", evaluator.where(node))


def _removed(tree: ast.Module, evaluator: Evaluator, environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of tools that the FastMCP script removes. Add a remark for each removed tool of unknown name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) == "remove_tool" and node.args:
            name = text(evaluator.value(node.args[0]), environ)
            if name is None:
                named = " and ".join(variables(evaluator.value(node.args[0])))
                said = (
                    f"The script removes a tool whose name comes from {named or 'code'}; the new server keeps "
                    "this tool."
                )
                evaluator.remarks.append(Remark(said, evaluator.where(node)))
            else:
                yield name


def _name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


@dataclass(frozen=True, slots=True)
class _HttpClient:
    """The properties of an HTTP client in a script.

    `base_url`: "" if unknown. `credentials`: None if code computes them. `timeout`: seconds, None if the script sets
    none.
    """

    base_url: str = ""
    credentials: tuple[Credential, ...] | None = None
    timeout: float | None = None


def _client(value: Value, evaluator: Evaluator, environ: Mapping[str, str], where: Where) -> _HttpClient:
    """Return base URL, credentials and timeout of `value`, the HTTP client with which a FastMCP script calls the API.
    Add a remark for each property of the client that cannot be read.
    """
    remarks = evaluator.remarks
    if not isinstance(value, Made) or value.name not in ("AsyncClient", "Client"):
        if value != Plain(None):
            said = (
                "adopt cannot find where the script creates the HTTP client, so base URL and credentials are unknown."
            )
            remarks.append(Remark(said, where))
        return _HttpClient()
    where = evaluator.where(value.call)
    given = value.arguments
    if any(keyword.arg is None for keyword in value.call.keywords):
        remarks.append(Remark("The HTTP client gets further arguments (**), which adopt cannot read.", where))
    remarks += [Remark(said, where) for name, said in _UNREAD.items() if name in given]
    if given.get("verify") == Plain(False):
        remarks.append(Remark(CHECKS_CERTIFICATES, where))
    base_url = text(given.get("base_url"), environ) or ""
    if "base_url" in given and not base_url:
        named = " and ".join(variables(given["base_url"]))
        said = f"The base URL comes from {named or 'code'}, which adopt cannot evaluate."
        remarks.append(Remark(said, where))
    by_headers = _in_headers(given.get("headers"), remarks, where)
    by_auth = _auth(given.get("auth"), remarks, where)
    found = (*(by_headers or ()), *(by_auth or ()))
    by_code = by_headers is None or by_auth is None or "event_hooks" in given or "transport" in given
    return _HttpClient(base_url, None if by_code and not found else found, _timeout(given.get("timeout"), environ))


def _timeout(value: Value | None, environ: Mapping[str, str]) -> float | None:
    """Return a timeout in seconds, given as a number or as `httpx.Timeout(seconds, …)`. Return None if it is
    unknown.
    """
    if isinstance(value, Made) and value.name == "Timeout":
        named = value.arguments
        value = value.positional[0] if value.positional else named.get("timeout") or named.get("read")
    try:
        seconds = float(text(value, environ) or "")
    except ValueError:
        return None
    return seconds if 0 < seconds <= 3600 else None


def _in_headers(value: Value | None, remarks: list[Remark], where: Where) -> tuple[Credential, ...] | None:
    """Return the credentials in header fields, or None if the FastMCP script computes the fields."""
    if isinstance(value, Made) and value.positional:
        value = value.positional[0]
    if value is None or value == Plain(None):
        return ()
    if not isinstance(value, Members):
        remarks.append(Remark("The headers are computed by code, so adopt left them out.", where))
        return None
    if not value.whole:
        remarks.append(Remark("Some of the headers are computed by code, so adopt left them out.", where))
    fields = ((name, beginning(each), _held(each)) for name, each in value.members.items())
    return credentials(fields, remarks, where)


def _auth(value: Value | None, remarks: list[Remark], where: Where) -> tuple[Credential, ...] | None:
    """Return the credentials of the argument `auth`, or None if the script computes them."""
    pair: tuple[Value, ...] = ()
    if isinstance(value, Made) and value.name == "BasicAuth":
        pair = (*value.positional, *value.arguments.values())
    elif isinstance(value, Items):
        pair = value.items
    if len(pair) == 2:
        return (Credential("basic", {"username": _held(pair[0]), "password": _held(pair[1])}),)
    if value is not None and value != Plain(None):
        remarks.append(
            Remark("The `auth` of the HTTP client is your own code. Write its effect as a hook in hooks.py.", where)
        )
        return None
    return ()


def _held(value: Value) -> str:
    """Return the names of the environment variables from which a value comes, joined by " and ", or "" if it comes from
    none.
    """
    return " and ".join(variables(value)) if not isinstance(value, (Unknown, Content, Path)) else ""
