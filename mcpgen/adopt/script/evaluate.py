"""Evaluate the expressions of a Python script that serves an API, as far as possible without running the script.

The assignments to names are found for each function and the module. If a name is assigned several times, the first
known value is taken, and a remark says so.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from mcpgen.adopt.foreign import Remark
from mcpgen.adopt.script.values import (
    Content,
    Items,
    Joined,
    Made,
    Members,
    Path,
    Plain,
    Unknown,
    Value,
    Variable,
    size,
)
from mcpgen.base.diagnostics import Where
from mcpgen.base.secrets import is_secret_name


@dataclass(frozen=True, slots=True)
class _Scope:
    """The names of a module or function: name → the expressions assigned to it, in order.

    `entries`: name → assignments to its items, such as `headers["X"] = value`. `changes`: name → line of the first
    statement that changes the object in place. `returned`: the expressions that a function returns. `bound`: values of
    the parameters in a call.
    """

    outer: "_Scope | None"
    names: Mapping[str, list[ast.expr]]
    functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef]
    entries: Mapping[str, list[tuple[ast.expr, ast.expr]]]
    changes: Mapping[str, int]
    returned: tuple[ast.expr, ...]
    bound: dict[str, Value] = field(default_factory=dict)


def _scopes_of(node: ast.AST, outer: _Scope | None) -> _Scope:
    """Return the scope of a module or function. Methods of classes count as functions of this scope."""
    names: dict[str, list[ast.expr]] = {}
    functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    entries: dict[str, list[tuple[ast.expr, ast.expr]]] = {}
    changes: dict[str, int] = {}
    returned: list[ast.expr] = []
    for each in _own(node):
        for inside in _changed(each):
            changes.setdefault(inside, getattr(each, "lineno", 1))
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions[each.name] = each
        elif isinstance(each, ast.Return) and each.value:
            returned.append(each.value)
        for target, value in _bindings(each):
            if isinstance(target, ast.Subscript) and _name(target.value):
                entries.setdefault(_name(target.value), []).append((target.slice, value))
            elif name := _name(target):
                names.setdefault(name, []).append(value)
    return _Scope(outer, names, functions, entries, changes, tuple(returned))


def enclosing(tree: ast.Module) -> dict[ast.AST, _Scope]:
    """Return node → the scope that contains it, for all nodes of a module."""
    found: dict[ast.AST, _Scope] = {}
    waiting: list[tuple[ast.AST, _Scope]] = [(tree, _scopes_of(tree, None))]
    while waiting:
        node, scope = waiting.pop()
        found[node] = scope
        for child in ast.iter_child_nodes(node):
            inner = _scopes_of(child, scope) if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else scope
            waiting.append((child, inner))
    return found


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the syntax nodes of a scope in source order, without the contents of nested functions."""
    waiting = [*ast.iter_child_nodes(node)][::-1]
    while waiting:
        child = waiting.pop()
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += [*ast.iter_child_nodes(child)][::-1]


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value
        case ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield target, value
        case _:
            return


def _changed(node: ast.AST) -> Iterator[str]:
    """Yield the names of objects that a statement or call changes in place, such as by `x["a"]["b"] = 1` or
    `x.pop()`.
    """
    targets: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = [each for each in node.targets if isinstance(each, ast.Subscript)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        targets = [node.func.value] if node.func.attr in ("pop", "update", "setdefault", "clear") else []
    for target in targets:
        while isinstance(target, ast.Subscript):
            target = target.value
        if name := _name(target):
            yield name


def _name(node: ast.expr) -> str:
    """Return the name of a variable, or `self.x` for an attribute; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


DEEPEST = 30
"""Limit on how deep expressions, names and function calls are followed."""

MOST_BUILT = 200_000
"""Limit on the sizes of all values that the expressions of one script have, together.

Functions that call each other can multiply the number of evaluated expressions, and also the size of each value.
"""

_READS = frozenset({"read_text", "read_bytes", "read", "open", "decode", "copy", "deepcopy", "json", "strip"})
_PARSES = frozenset({"load", "loads", "safe_load", "parse"})
_GETS = frozenset({"get", "request", "urlopen", "urlretrieve"})
_SAME = frozenset(
    {
        "str", "list", "dict", "set", "tuple", "frozenset", "Path", "PurePath", "fspath", "abspath", "realpath",
        "resolve", "absolute", "expanduser",
    }
)  # fmt: skip
_MADE = frozenset({"AsyncClient", "Client", "RouteMap", "BasicAuth", "Timeout", "Headers", "Limits"})


@dataclass(slots=True)
class Evaluator:
    """Evaluates the expressions of one script. `remarks`: notes on names with several values, of which the evaluator
    chose one.
    """

    file: str
    scopes: Mapping[ast.AST, _Scope]
    remarks: list[Remark] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)
    _left: int = MOST_BUILT

    def where(self, node: ast.AST) -> Where:
        """Return the place (file, line and column) of a syntax node."""
        return Where(self.file, "", getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)

    def value(self, node: ast.expr | None, scope: _Scope | None = None, depth: int = 0) -> Value:
        """Return the value of an expression, as far as it is known without running the script.

        `scope`: the scope in which its names are looked up; by default the scope that contains the expression.
        """
        if node is None:
            return Plain(None)
        scope = scope or self.scopes.get(node)
        self._left -= 1
        if depth > DEEPEST or self._left < 0 or scope is None:
            return Unknown(getattr(node, "lineno", 0))
        found = self._of(node, scope, depth + 1)
        self._left -= size(found)
        return found if self._left >= 0 else Unknown(getattr(node, "lineno", 0))

    def _of(self, node: ast.expr, scope: _Scope, depth: int) -> Value:
        match node:
            case ast.Constant(value=value):
                return Plain(value)
            case ast.Name(id=name):
                if name == "__file__":
                    return Path((None, Plain(".")))
                return _unless_secret(name, self._named(name, node, scope, depth), node)
            case ast.JoinedStr(values=values):
                return Joined(tuple(self.value(each, scope, depth) for each in values))
            case ast.FormattedValue(value=value) | ast.Await(value=value) | ast.Starred(value=value):
                return self.value(value, scope, depth)
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return Items(tuple(self.value(each, scope, depth) for each in elements))
            case ast.Dict():
                return self._dictionary(node, scope, depth)
            case _:
                return self._of_operator(node, scope, depth)

    def _of_operator(self, node: ast.expr, scope: _Scope, depth: int) -> Value:
        match node:
            case ast.BinOp():
                return self._combined(node, scope, depth)
            case ast.BoolOp(op=ast.Or(), values=values):
                return self._first_of([self.value(each, scope, depth) for each in values], node)
            case ast.IfExp(body=body, orelse=other):
                return self._known([self.value(body, scope, depth), self.value(other, scope, depth)], node)
            case ast.Subscript():
                return self._item(node, scope, depth)
            case ast.Attribute():
                return self._attribute(node, scope, depth)
            case ast.Call():
                return self._call(node, scope, depth)
            case _:
                return Unknown(node.lineno)

    # -- names ---------------------------------------------------------------------------------------------------------

    def _named(self, name: str, node: ast.expr, scope: _Scope, depth: int) -> Value:
        at: _Scope | None = scope
        while at is not None:
            if name in at.bound:
                return at.bound[name]
            if bindings := at.names.get(name):
                known = self._known([self.value(each, at, depth) for each in bindings], node, name)
                return self._with_entries(known, name, at, depth)
            at = at.outer
        return Unknown(node.lineno)

    def _with_entries(self, value: Value, name: str, scope: _Scope, depth: int) -> Value:
        """Return the value of a variable with later changes to it.

        Items that the script assigns later are added to a dictionary. A parsed file that the script changes is marked
        with the line of the change.
        """
        entries = scope.entries.get(name, [])
        if isinstance(value, Content) and name in scope.changes:
            return replace(value, changed=scope.changes[name])
        if not isinstance(value, Members):
            return value
        members = dict(value.members)
        for key, each in entries:
            if isinstance(plain := self.value(key, scope, depth), Plain) and isinstance(plain.value, str):
                members[plain.value] = self.value(each, scope, depth)
        return replace(value, members=members)

    def _known(self, values: list[Value], node: ast.expr, name: str = "") -> Value:
        """Return the first of the values that is known. Add a remark if other known values differ from it."""
        known = [value for value in values if not isinstance(value, Unknown) and value != Plain(None)]
        if not known:
            return values[0]
        if any(each != known[0] for each in known) and not any(isinstance(each, Members) for each in known):
            said = (
                f"'{name}' has several values; mcpgen uses the first one."
                if name
                else "An expression has several possible values; mcpgen uses the first one."
            )
            if f"{name}" not in self._told or not name:
                self._told.add(name)
                self.remarks.append(Remark(said, self.where(node)))
        return known[0]

    def _first_of(self, values: list[Value], node: ast.expr) -> Value:
        """Return the value of `a or b`. An environment variable `a` gets `b` as its default."""
        first, *rest = values
        if isinstance(first, Variable) and rest:
            return replace(first, default=first.default or self._first_of(rest, node))
        empty = isinstance(first, Plain) and not first.value
        return self._first_of(rest, node) if rest and (empty or isinstance(first, Unknown)) else first

    # -- lists, dictionaries and joined texts --------------------------------------------------------------------------

    def _dictionary(self, node: ast.Dict, scope: _Scope, depth: int) -> Value:
        members: dict[str, Value] = {}
        whole = True
        for key, each in zip(node.keys, node.values, strict=True):
            value = self.value(each, scope, depth)
            if key is None:
                whole = whole and isinstance(value, Members) and value.whole
                members |= value.members if isinstance(value, Members) else {}
                continue
            plain = self.value(key, scope, depth)
            if isinstance(plain, Plain) and isinstance(plain.value, str):
                members[plain.value] = value
            else:
                whole = False
        return Members(members, whole)

    def _combined(self, node: ast.BinOp, scope: _Scope, depth: int) -> Value:
        left, right = self.value(node.left, scope, depth), self.value(node.right, scope, depth)
        if isinstance(node.op, ast.Div) and isinstance(left, (Path, Variable)):
            return Path((*(left.parts if isinstance(left, Path) else (left,)), right))
        if isinstance(node.op, ast.Add) and isinstance(left, Items) and isinstance(right, Items):
            return Items(left.items + right.items)
        if isinstance(node.op, ast.BitOr) and isinstance(left, Members) and isinstance(right, Members):
            return Members({**left.members, **right.members}, left.whole and right.whole)
        if isinstance(node.op, ast.Add):
            return Joined((left, right))
        return Unknown(node.lineno)

    def _item(self, node: ast.Subscript, scope: _Scope, depth: int) -> Value:
        key = self.value(node.slice, scope, depth)
        name = key.value if isinstance(key, Plain) else None
        if _dotted(node.value).endswith("environ") and isinstance(name, str):
            return Variable(name)
        owner = self.value(node.value, scope, depth)
        if isinstance(owner, Members) and isinstance(name, str) and name in owner.members:
            return _unless_secret(name, owner.members[name], node)
        return Unknown(node.lineno)

    def _attribute(self, node: ast.Attribute, scope: _Scope, depth: int) -> Value:
        if isinstance(node.value, ast.Name):
            found = self._named(f"{node.value.id}.{node.attr}", node, scope, depth)
            if not isinstance(found, Unknown):
                return _unless_secret(node.attr, found, node)
        owner = self.value(node.value, scope, depth)
        if isinstance(owner, Path) and node.attr in ("parent", "parents"):
            return _parent(owner)
        if isinstance(owner, Content) and node.attr in ("text", "content"):
            return owner
        return Unknown(node.lineno)

    # -- calls --------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: _Scope, depth: int) -> Value:
        dotted = _dotted(node.func)
        name = dotted.rpartition(".")[2]
        given = [self.value(each, scope, depth) for each in node.args]
        if name == "getenv" or dotted.endswith("environ.get"):
            return self._variable(given, node)
        if name in _MADE:
            named = {each.arg: self.value(each.value, scope, depth) for each in node.keywords if each.arg}
            return Made(name, node, named, tuple(given))
        if function := self._function(dotted, scope):
            return self._returned(function, node, scope, depth)
        owner = self.value(node.func.value, scope, depth) if isinstance(node.func, ast.Attribute) else Plain(None)
        if name in _READS and isinstance(owner, (Content, Path)):
            return owner if isinstance(owner, Content) else Content(owner)
        if name == "open" and given:
            return Content(given[0])
        if name in _PARSES and given and isinstance(given[0], (Content, Path)):
            return given[0] if isinstance(given[0], Content) else Content(given[0])
        if name in _GETS and not isinstance(owner, Members) and (got := self._fetched(name, owner, given)):
            return got
        if name in ("join", "joinpath") and (isinstance(owner, Path) or dotted.endswith("path.join")):
            parts = given if dotted.endswith("path.join") else [owner, *given]
            return Path(tuple(part for each in parts for part in (each.parts if isinstance(each, Path) else (each,))))
        if name == "dirname" and given and isinstance(given[0], Path):
            return _parent(given[0])
        if name in ("rstrip", "strip", "lstrip") and not isinstance(owner, Unknown):
            return owner
        if name in ("compile", *_SAME):
            return given[0] if given else owner if isinstance(owner, Path) else Items(())
        return Unknown(node.lineno)

    def _variable(self, given: list[Value], node: ast.Call) -> Value:
        if given and isinstance(given[0], Plain) and isinstance(given[0].value, str):
            return Variable(given[0].value, given[1] if len(given) > 1 else None)
        return Unknown(node.lineno)

    def _fetched(self, name: str, owner: Value, given: list[Value]) -> Value | None:
        """Return a `Content` with the URL that a call such as `httpx.get(URL)` or `client.get("/openapi.json")` would
        fetch; None if the URL is unknown. Nothing is fetched here.
        """
        wanted = given[1:] if name == "request" else given
        if not wanted or isinstance(wanted[0], Unknown):
            return None
        base = owner.arguments.get("base_url") if isinstance(owner, Made) else None
        return Content(Path((base, wanted[0])) if base is not None and _is_relative(wanted[0]) else wanted[0])

    def _function(self, name: str, scope: _Scope) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        at: _Scope | None = scope
        while at is not None:
            if name.removeprefix("self.") in at.functions:
                return at.functions[name.removeprefix("self.")]
            at = at.outer
        return None

    def _returned(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.Call, scope: _Scope, depth: int
    ) -> Value:
        """Return the value that a function of the script returns for the arguments of the call `node`."""
        own = self.scopes.get(function)
        if depth > DEEPEST or own is None or not own.returned:
            return Unknown(node.lineno)
        inner = replace(own, bound={})
        spec = function.args
        names = [each.arg for each in (*spec.posonlyargs, *spec.args) if each.arg not in ("self", "cls")]
        defaults = dict(zip(reversed(names), reversed(spec.defaults), strict=False))
        defaults |= {each.arg: value for each, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value}
        inner.bound.update({name: self.value(each, own, depth) for name, each in defaults.items()})
        inner.bound.update(zip(names, (self.value(each, scope, depth) for each in node.args), strict=False))
        inner.bound.update({each.arg: self.value(each.value, scope, depth) for each in node.keywords if each.arg})
        return self._known([self.value(each, inner, depth) for each in inner.returned], node, function.name)


def _dotted(node: ast.expr) -> str:
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    names.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(names))


def _unless_secret(name: str, value: Value, node: ast.expr) -> Value:
    """Return `value`, or no value if its name says that it is a secret: adopt copies no text that is made of it."""
    return Unknown(node.lineno) if isinstance(value, Plain | Joined) and is_secret_name(name) else value


def _parent(path: Path) -> Path:
    *above, last = path.parts
    return Path((*path.parts, Plain(".."))) if last in (None, Plain("..")) or not above else Path(tuple(above))


def _is_relative(value: Value) -> bool:
    return isinstance(value, Plain) and isinstance(value.value, str) and "://" not in value.value
