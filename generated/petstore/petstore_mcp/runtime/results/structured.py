# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make results of tools with an output schema fit that schema, without losing any part of the response.

Clients raise an error if a result does not fit the schema, and some show their model only the structured value. So
every successful result has a structured value that is equal to the content, and that is checked as clients check it:

- A response that is not an object is put under `items` or `value`, as `bindings.json` says.
- Text that is not JSON, and notes, are put under `_text`.
- A value of an unexpected type is moved to `_unexpected`, under its JSON Pointer (RFC 6901).

Values are moved only if mcpgen derived the schema from the API description. If a response violates an output schema
that the owner wrote by hand, the result is an error with the violation and the response.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..core import log
from ..core.limits import Budget, Exhausted
from ..core.wire_formats import ABSENT, Result
from ..request import violations
from ..request.argument_errors import MOST_SHOWN, Problem, Problems
from ..request.arguments import Validators
from ..request.violations import SchemaWalk
from ..result.response import TEXT, read_json, wrapped
from ..text.sanitize import brief

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..request.arguments import SchemaChecker
    from ..request.violations import Violation

UNEXPECTED = "_unexpected"

MOST_MOVED = 200
"""Maximum number of values that are moved one by one.

If more do not fit, the whole response is put under the empty pointer.
"""

MOST_LOGGED = 5

SECONDS = 30.0
"""Time budget in seconds for a result that does not belong to a call."""

Path = tuple[str | int, ...]

_KINDS: dict[type, tuple[str, ...]] = {
    dict: ("object",),
    list: ("array",),
    str: ("string",),
    int: ("integer", "number"),
    float: ("number",),
}


def of_server(services: Services) -> OutputChecker:
    """Return the checker of one version of the tools."""
    return OutputChecker()


def promise(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that makes a successful result fit the tool's output schema."""
    checker = services.once(of_server)

    def step(call: CallUnderWay) -> None:
        if call.result is not None and not call.result.is_error:
            with call.budget:
                call.result = checker.keep(tool, call.result, call.budget)

    return step


# Clients raise an error if a promised `structuredContent` is missing (docs/decisions/results.md).
class OutputChecker:
    """Checker of results against the output schemas of one server's tools."""

    __slots__ = ("_validators",)

    def __init__(self) -> None:
        self._validators = Validators(exact=True)

    def keep(self, tool: Tool, result: Result, budget: Budget | None = None) -> Result:
        """Return the result with a structured value that fits the tool's output schema. If mcpgen derived the schema,
        move values that do not fit to `_unexpected`.

        Return an error result if the value violates a handwritten schema, or if JSON cannot represent it. `result` must
        be a successful result of a tool that has an output schema.
        """
        assert tool.output_schema is not None
        judge = self._validators.of(tool, tool.output_schema)
        try:
            return _kept(tool, result, judge, budget or Budget(SECONDS, time.monotonic))
        except (ValueError, TypeError):  # only a hook can return a value that JSON cannot represent
            log.event("error", "structured_not_json", tool=tool.name)
            return Result.error(f"{tool.name} was carried out, but its result holds what JSON cannot.")


def _kept(tool: Tool, result: Result, judge: SchemaChecker, budget: Budget) -> Result:
    if result.written and judge.is_valid(result.structured):
        return result  # fast path: the result fits its schema
    form: str = tool.binding.get("output", "written")
    candidates = _candidates(result, form)
    for made in candidates:
        if judge.is_valid(made):
            return Result(result.content, made)
    if form == "written":
        return _broken_promise(tool, _violations(judge, candidates[-1], budget), result)
    return _mended(tool, result, candidates[-1], judge)


def _mended(tool: Tool, result: Result, made: dict[str, Any], judge: SchemaChecker) -> Result:
    """Return the result with values of a wrong type moved to `_unexpected`. The output schema, derived from the API
    description, determines the types.

    A note lists the JSON Pointers of these values.
    """
    paths = list(islice(_misfits(judge.schema, made, ()), MOST_MOVED + 1))
    places = [brief(_pointer(path), 100) for path in paths[:MOST_SHOWN]]
    log.event("warning", "output_misfit", tool=tool.name, at=places[:MOST_LOGGED])
    note = f"Of another type than the output schema says: {', '.join(places)}"
    more = f" and {len(paths) - MOST_SHOWN} more." if len(paths) > MOST_SHOWN else "."
    if len(paths) > MOST_MOVED:
        more = " and many more."
    moved = _moved(deepcopy(made), paths) if len(paths) <= MOST_MOVED else {UNEXPECTED: {"": made}}
    assert judge.is_valid(moved)
    return Result([*result.content, {"type": "text", "text": note + more}], moved)


def _misfits(schema: dict[str, Any], value: Any, path: Path) -> Iterator[Path]:
    """Yield the path of each value whose type differs from the type in the schema (derived from the API description).

    The general validator would find all violations before it reports the first, which takes seconds if there are many.
    """
    kinds = schema.get("type", ())
    if kinds and not _is_any_of(value, [kinds] if isinstance(kinds, str) else kinds):
        yield path
    elif isinstance(value, list):
        items = schema.get("items")
        for index, item in enumerate(value if items else ()):
            yield from _misfits(items or {}, item, (*path, index))
    elif isinstance(value, dict):
        named, rest = schema.get("properties", {}), schema.get("additionalProperties")
        for name, member in value.items():
            if inner := named.get(name, rest):
                yield from _misfits(inner, member, (*path, name))


def _is_any_of(value: Any, kinds: list[str]) -> bool:
    if isinstance(value, bool) or value is None:
        return ("null" if value is None else "boolean") in kinds
    if isinstance(value, float) and value.is_integer() and "integer" in kinds:
        return True
    return any(kind in kinds for kind in _KINDS.get(type(value), ()))


def _candidates(result: Result, form: str) -> list[dict[str, Any]]:
    """Return possible structured values for a result, the best first. `keep` takes the first that fits the schema."""
    value = result.structured
    if value is ABSENT:
        texts = [str(block["text"]) for block in result.content if block["type"] == "text"]
        value, _ = read_json(texts[0]) if len(texts) == len(result.content) == 1 else (ABSENT, False)
        if value is ABSENT:
            others = [str(block["type"]) for block in result.content if block["type"] != "text"]
            texts += [f"The content has a block of type {kind}." for kind in others]
            return [{TEXT: "\n".join(texts)}, {}]
        return [wrapped(value, form)]
    made: dict[str, Any] = value if isinstance(value, dict) else wrapped(value, form)
    if form != "written" or TEXT not in made:
        return [made]  # usual case: only one possible structured value
    return [made, {name: member for name, member in made.items() if name != TEXT}]


def _moved(made: dict[str, Any], paths: list[Path]) -> dict[str, Any]:
    """Move the values at `paths` to `_unexpected`, and return the changed structured value.

    In lists, null replaces a moved value, so that indexes stay the same.
    """
    unexpected: dict[str, Any] = {}
    for path in paths:
        parent: Any = made
        for step in path[:-1]:
            parent = parent[step]
        last: Any = path[-1]
        unexpected[_pointer(path)] = parent[last]
        if isinstance(parent, list):
            parent[last] = None
        else:
            del parent[last]
    return {**made, UNEXPECTED: unexpected} if UNEXPECTED not in made else made


def _pointer(path: Path) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _violations(judge: SchemaChecker, made: dict[str, Any], budget: Budget) -> Problems:
    """Return violations of the schema: at most as many as a message shows, and only those found within the time
    budget.
    """
    found = Problems()
    try:
        for violation in SchemaWalk(judge, budget).violations_of(made):
            found.add(_problems(violation))
            if not found.complete:
                break
    except Exhausted:
        found.complete = False
    return found


def _broken_promise(tool: Tool, found: Problems, result: Result) -> Result:
    """Return an error result that lists the violations of a handwritten output schema and contains the response."""
    log.event("warning", "output_broken", tool=tool.name, count=len(found))
    count = "1 problem" if len(found) == 1 else f"{len(found)} problems"
    count = count if found.complete else f"at least {count}" if found else "somewhere"
    lines = [f"{tool.name} was carried out, but its answer is not what its output schema promises: {count}."]
    lines += [f"- {each}" for each in found]
    if found and not found.complete:
        lines.append("- and perhaps more, which were not looked for")
    texts = [str(block["text"]) for block in result.content if block["type"] == "text"]
    others = [block for block in result.content if block["type"] != "text"]
    text = "\n".join([*lines, "The answer:", *texts])
    return Result([{"type": "text", "text": text}, *others], is_error=True)


def _problems(violation: Violation) -> Iterator[Problem]:
    if violation.keyword in ("additionalProperties", "unevaluatedProperties"):
        for name in violation.detail:
            yield Problem(
                ".".join(map(violations.shown_name, map(str, [*violation.path, name]))), "is not allowed there"
            )
    else:
        yield from violations.problems(violation)
