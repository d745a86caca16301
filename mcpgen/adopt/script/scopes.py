"""Find the assignments to the names of a script, for each function and the module."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mcpgen.adopt.script.values import Value


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of a module or function: name → the expressions assigned to it, in order.

    `entries`: name → assignments to its items, such as `headers["X"] = value`. `changes`: name → line of the first
    statement that changes the object in place. `returned`: the expressions that a function returns. `bound`: values of
    the parameters in a call.
    """

    outer: "Scope | None"
    names: Mapping[str, list[ast.expr]]
    functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef]
    entries: Mapping[str, list[tuple[ast.expr, ast.expr]]]
    changes: Mapping[str, int]
    returned: tuple[ast.expr, ...]
    bound: dict[str, Value] = field(default_factory=dict)


def of(node: ast.AST, outer: Scope | None) -> Scope:
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
    return Scope(outer, names, functions, entries, changes, tuple(returned))


def enclosing(tree: ast.Module) -> dict[ast.AST, Scope]:
    """Return node → the scope that contains it, for all nodes of a module."""
    found: dict[ast.AST, Scope] = {}
    waiting: list[tuple[ast.AST, Scope]] = [(tree, of(tree, None))]
    while waiting:
        node, scope = waiting.pop()
        found[node] = scope
        for child in ast.iter_child_nodes(node):
            inner = of(child, scope) if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else scope
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
