# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Evaluate runtime expressions, such as `$steps.find.outputs.id#/0`, and build values from them (Arazzo 1.1, 4.9).

Beside the standard's, there are `$item` and `$index` for the steps of a loop. The compiler reads expressions by `parse`
and `parts`, too: so what it accepts can be evaluated. Pure functions.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.wire_formats import ABSENT
from ..pointers.drop_fields import tokens
from . import jsonpath

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LONGEST = 2000
"""Maximum characters of an expression."""

LARGEST = 10_000_000
"""Maximum size of a built value: its texts in characters, and 16 for each value. Without the limit, each step could
double what the step before it gave."""

_EXPRESSION = re.compile(
    r"""\$(?:
      (?P<plain> url | method | statusCode | index )
    | (?P<message> request | response ) \. (?:
          (?P<place> header | query | path ) \. (?P<name> .+ )
        | (?P<body> body ) (?P<of_body> [.\[][A-Za-z0-9._\[\]-]* )? (?: \# (?P<body_pointer> .* ) )?
      )
    | (?P<map> inputs | outputs | item
        | steps \. (?P<step> [A-Za-z0-9_-]+ ) \. outputs
        | workflows \. (?P<workflow> [A-Za-z0-9_-]+ ) \. (?P<field> inputs | outputs )
      ) (?P<member> [.\[][A-Za-z0-9._\[\]-]* )? (?: \# (?P<pointer> .* ) )?
    )""",
    re.VERBOSE | re.DOTALL,
)
_POINTER = re.compile(r"(?:/(?:[^~/{}]|~[01])*)*", re.DOTALL)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_STEP = re.compile(r"\[([0-9]{1,9})\]")
_EMBEDDED = re.compile(r"\{(\$[^{}]*)\}")


class Unresolved(Exception):
    """An expression finds no value. The message is a sentence for a model."""


class TooLarge(Unresolved):
    """A value is larger than a workflow may hold."""


class Malformed(Exception):
    """The text is no runtime expression."""


class Response:
    """The answer to a step's request. `fields`: the header fields as pairs of name and value."""

    __slots__ = ("body", "fields", "status")

    def __init__(self, status: int, fields: Iterable[tuple[str, str]] = (), body: Any = ABSENT) -> None:
        self.status = status
        self.fields = fields
        self.body = body


class Request:
    """The request of a step: its method and URL, the parameters of path and query by name, header fields, and body."""

    __slots__ = ("body", "fields", "method", "path", "query", "url")

    def __init__(
        self,
        method: str,
        url: str,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        fields: Iterable[tuple[str, str]] = (),
        body: Any = ABSENT,
    ) -> None:
        self.method = method
        self.url = url
        self.path = path or {}
        self.query = query or {}
        self.fields = fields
        self.body = body


class Scope:
    """All that expressions can refer to at one point of a workflow.

    - `steps`: id of a step that has run -> its outputs.
    - `outputs`: outputs of the workflow itself, or of the workflow that the step at hand has called.
    - `workflows`: id of a workflow that has run -> its `inputs` and `outputs`.
    - `item`, `index`: the item of a loop and its number, or ABSENT.
    """

    __slots__ = ("index", "inputs", "item", "outputs", "request", "response", "steps", "workflows")

    def __init__(self, inputs: dict[str, Any]) -> None:
        self.inputs = inputs
        self.steps: dict[str, dict[str, Any]] = {}
        self.response: Response | None = None
        self.request: Request | None = None
        self.item: Any = ABSENT
        self.index: Any = ABSENT
        self.outputs: dict[str, Any] = {}
        self.workflows: dict[str, dict[str, dict[str, Any]]] = {}


class Reference(NamedTuple):
    """A parsed expression.

    `source`: first word, such as `steps`. `names`: the words after it: of a message the place and the name, of a step
    its id, of a workflow its id and `inputs` or `outputs`. `members`: text of names and indexes, as in `.a[0].b`.
    """

    source: str
    names: tuple[str, ...] = ()
    members: str = ""
    pointer: str = ""


@lru_cache(maxsize=1024)
def parse(expression: str) -> Reference:
    """Return the parsed expression. Raises Malformed."""
    found = _EXPRESSION.fullmatch(expression) if len(expression) <= LONGEST else None
    if found is None:
        raise Malformed
    if found["plain"]:
        return Reference(found["plain"])
    pointer = found["body_pointer" if found["body"] else "pointer"] or ""
    if not _POINTER.fullmatch(pointer):
        raise Malformed
    if found["body"]:
        return Reference(found["message"], ("body",), found["of_body"] or "", pointer)
    if found["place"]:
        if found["place"] == "header" and not _TOKEN.fullmatch(found["name"]):
            raise Malformed
        return Reference(found["message"], (found["place"], found["name"]))
    source = found["map"].partition(".")[0]
    names = tuple(each for each in (found["step"], found["workflow"], found["field"]) if each)
    return Reference(source, names, found["member"] or "", pointer)


def parts(text: str) -> list[str | dict[str, str]]:
    """Return the literal parts of a text, and the expressions embedded in it as `{$...}`, in their order."""
    found: list[str | dict[str, str]] = []
    for number, piece in enumerate(_EMBEDDED.split(text)):
        if number % 2 and is_expression(piece):
            found.append({"expression": piece})
        elif number % 2:
            found.append(f"{{{piece}}}")
        elif piece:
            found.append(piece)
    return found


def is_expression(text: str) -> bool:
    """Return True if the whole text is one runtime expression."""
    try:
        parse(text)
    except Malformed:
        return False
    return True


def evaluate(expression: str, scope: Scope) -> Any:
    """Return the value that an expression refers to, with its type. Raises Unresolved."""
    try:
        reference = parse(expression)
        return _followed(_member(_start(reference, scope), reference.members), reference.pointer)
    except (Malformed, LookupError):
        raise Unresolved(f"The workflow has no value for {expression}.") from None


def build(value: Mapping[str, Any], scope: Scope) -> Any:
    """Return the JSON value that a `WorkflowValue` of `bindings.json` describes, with a value for each expression.

    An expression can refer to an input that the caller left out, or to a step or workflow that did not run. The member
    or item that has such an expression is left out. Later, the call checks whether a required argument is missing.

    Raise Unresolved if any other expression refers to nothing. Raise TooLarge if the result is larger than a workflow
    may hold.
    """
    built = _built(value, scope)
    _check_size(built)
    return built


def build_outputs(values: Mapping[str, Mapping[str, Any]], scope: Scope) -> dict[str, Any]:
    """Return the outputs of a step or a workflow. An output that an answer lacks is left out. Raises TooLarge.

    In the standard's own example, a step ends its workflow if a list is empty, and has an output of the first item.
    """
    found = {}
    for name, value in values.items():
        try:
            found[name] = build(value, scope)
        except TooLarge:
            raise
        except Unresolved:
            continue
    return found


def as_text(value: Any) -> str:
    """Return a value as it is embedded in a text: a text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# -- expressions ------------------------------------------------------------------------------------------------------


def _start(reference: Reference, scope: Scope) -> Any:
    """Return the value that the first words of an expression name. Raises LookupError."""
    source, names = reference.source, reference.names
    if source == "inputs":
        return scope.inputs
    if source == "outputs":
        return scope.outputs
    if source == "steps":
        return scope.steps[names[0]]
    if source == "workflows":
        return scope.workflows[names[0]][names[1]]
    if source in ("item", "index"):
        return _present(getattr(scope, source))
    message = scope.response if source in ("response", "statusCode") else scope.request
    if message is None:
        raise LookupError
    if source in ("request", "response"):
        return _of_message(message, *names)
    return message.status if isinstance(message, Response) else getattr(message, source)


def _of_message(message: Response | Request, place: str, name: str = "") -> Any:
    if place == "body":
        return _present(message.body)
    if place == "header":
        wanted = name.lower()
        return _present(next((value for field, value in message.fields if field.lower() == wanted), ABSENT))
    if isinstance(message, Response):
        raise LookupError
    return (message.query if place == "query" else message.path)[name]


def _present(value: Any) -> Any:
    if value is ABSENT:
        raise LookupError
    return value


def _member(value: Any, members: str) -> Any:
    """Follow names and indexes, such as `.a.b[0]`. A name can contain dots: the longest name that exists is taken."""
    while members:
        if step := _STEP.match(members):
            if not isinstance(value, list):
                raise LookupError
            value, members = value[int(step[1])], members[step.end() :]
            continue
        if members[0] != "." or not isinstance(value, dict):
            raise LookupError
        end = len(members)
        while members[1:end] not in value:
            end = max(members.rfind(".", 1, end), members.rfind("[", 1, end))
            if end < 0:
                raise LookupError
        value, members = value[members[1:end]], members[end:]
    return value


def _followed(value: Any, pointer: str) -> Any:
    """Follow a JSON Pointer (RFC 6901). Raises LookupError."""
    for token in tokens(pointer):
        value = value[_key(value, token)]
    return value


def _key(value: Any, token: str) -> Any:
    """Return the key that a token of a JSON Pointer means in this object or array. Raises LookupError."""
    if isinstance(value, dict):
        return token
    if not isinstance(value, list) or not _INDEX.fullmatch(token):
        raise LookupError
    return int(token)


# -- values -----------------------------------------------------------------------------------------------------------


def _built(value: Mapping[str, Any], scope: Scope) -> Any:
    if "literal" in value:
        return value["literal"]
    if "expression" in value:
        found = evaluate(value["expression"], scope)
        return as_text(found) if "asText" in value and isinstance(found, (int, float)) else found
    if "text" in value:
        return _text(value["text"], scope)
    if "members" in value:
        members = value["members"].items()
        built = {name: _built(each, scope) for name, each in members if not _is_left_out(each, scope)}
        return {**_renamed(_built(value["spread"], scope), value), **built} if "spread" in value else built
    if "items" in value:
        return [_built(each, scope) for each in value["items"] if not _is_left_out(each, scope)]
    if "selected" in value:
        return _selected(value["selected"], value["of"], scope)
    return _patched(_built(value["patched"], scope), value["at"], scope)


def _renamed(body: Any, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a request's body as arguments: by `names`, and the others in the argument `rest`."""
    if not isinstance(body, dict):
        raise Unresolved("The body of the request must be an object.")
    names = value["names"]
    found = {names[name]: each for name, each in body.items() if name in names}
    others = {name: each for name, each in body.items() if name not in names}
    if others and "rest" not in value:
        raise Unresolved(f"The body of the request takes no member {next(iter(others))}.")
    return {**found, value["rest"]: others} if others else found


def _is_left_out(value: Mapping[str, Any], scope: Scope) -> bool:
    """Return True for an expression that refers to an input left out by the caller, or to what did not run.

    A text that consists of one such expression is left out, too.
    """
    pieces = value.get("text", ())
    if len(pieces) == 1:
        value = pieces[0]
    expression = value.get("expression", "")
    if expression.startswith(("$steps.", "$workflows.")) and is_expression(expression):
        found = parse(expression)
        return found.names[0] not in (scope.steps if found.source == "steps" else scope.workflows)
    if not expression.startswith("$inputs"):
        return False
    try:
        evaluate(expression, scope)
    except Unresolved:
        return True
    return False


def _text(pieces: list[str | dict[str, str]], scope: Scope) -> str:
    found, left = [], LARGEST
    for piece in pieces:
        found.append(piece if isinstance(piece, str) else as_text(evaluate(piece["expression"], scope)))
        left -= len(found[-1])
        if left < 0:
            raise _too_large()
    return "".join(found)


def _selected(path: str, context: str, scope: Scope) -> Any:
    """Return what a JSONPath selects: one value if its form allows no more, else a list of values."""
    compiled = jsonpath.compiled(path)
    try:
        nodes = compiled.nodes(evaluate(context, scope))
    except jsonpath.TooManySteps:
        raise Unresolved(f"The path {path} takes too many steps in {context}.") from None
    if not compiled.singular:
        return [node[0] for node in nodes]
    if not nodes:
        raise Unresolved(f"The workflow has no value at {path} in {context}.")
    return nodes[0][0]


def _patched(base: Any, changes: dict[str, dict[str, Any]], scope: Scope) -> Any:
    """Return a copy of `base` with each change made: a JSON Pointer or JSONPath -> the Value to set there."""
    _check_size(base)
    base = json.loads(json.dumps(base))  # a copy: the base may be an output of a step
    for target, value in changes.items():
        new = _built(value, scope)
        if target == "":
            base = new
        elif target.startswith("$"):
            base = _set_selected(base, target, new)
        else:
            _set(base, target, new)
    return base


def _set_selected(base: Any, path: str, new: Any) -> Any:
    try:
        nodes = jsonpath.compiled(path).nodes(base)
    except jsonpath.TooManySteps:
        raise Unresolved(f"The path {path} takes too many steps in the payload.") from None
    for _, container, key in nodes:
        if container is None:
            return new
        container[key] = new
    return base


def _set(base: Any, pointer: str, new: Any) -> None:
    around, _, last = pointer.rpartition("/")
    try:
        container = _followed(base, around)
        if isinstance(container, list) and (last == "-" or last == str(len(container))):
            container.append(new)
        else:
            container[_key(container, tokens("/" + last)[0])] = new
    except LookupError:
        raise Unresolved(f"The payload has no place {pointer}.") from None


def _check_size(value: Any) -> None:
    """Raise Unresolved if a value is too large."""
    left, waiting = LARGEST, [value]
    while waiting:
        value = waiting.pop()
        left -= 16 + (len(value) if isinstance(value, str) else 0)
        if left < 0:
            raise _too_large()
        if isinstance(value, dict):
            left -= sum(map(len, value))
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _too_large() -> TooLarge:
    return TooLarge(f"A value of the workflow is larger than {LARGEST:,} characters.")
