# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Results of tools with an output schema: whatever was promised of them holds, and nothing is lost by it.

Clients raise where a result lacks what the schema promises, and some show their model the structured value alone. So
every success carries one, checked against the schema as they do it, and it says what the content says:

- an answer that is no object stands under `items` or `value`, as the binding says;
- what is no JSON, and what is told beside an answer, stands under `_text`;
- a value of another type than a derived schema says is moved to `_unexpected`, under its JSON Pointer (RFC 6901).

A schema written by hand may forbid all that. What does not fit it is an error that says where and holds the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, Any

from jsonschema_rs import ValidationError

from . import log, wording
from .readable import brief
from .refusal import MOST_SHOWN, Problem
from .shapes import ABSENT, Result
from .shortening import written
from .validators import Validators
from .wrapping import TEXT, read, wrapped

if TYPE_CHECKING:
    from jsonschema_rs import Validator

    from .catalog import Tool

UNEXPECTED = "_unexpected"

MOST_MOVED = 200
"""Values that are moved one by one; where more do not fit, all of the answer stands under the empty pointer."""

MOST_LOGGED = 5

LONGEST_EXPLAINED = 20_000
"""Characters of a value of which everything is told that does not fit a schema written by hand."""

Path = tuple[str | int, ...]

_KINDS: dict[type, tuple[str, ...]] = {
    dict: ("object",),
    list: ("array",),
    str: ("string",),
    int: ("integer", "number"),
    float: ("number",),
}


class Promises:
    """Keeps what the tools of one server promise."""

    __slots__ = ("_validators",)

    def __init__(self) -> None:
        self._validators = Validators(exact=True)

    def keep(self, tool: Tool, result: Result) -> Result:
        """The result, a success of a tool with an output schema, with a structured value that fits it; or an error."""
        assert tool.output_schema is not None
        validator = self._validators.of(tool.name, tool.output_schema)
        try:
            return _kept(tool, tool.output_schema, result, validator)
        except (ValueError, TypeError):  # a hook made it
            log.event("error", "structured_not_json", tool=tool.name)
            return Result.error(f"{tool.name} was carried out, but its result holds what JSON cannot.")


def _kept(tool: Tool, schema: dict[str, Any], result: Result, validator: Validator) -> Result:
    if result.written and validator.is_valid(result.structured):
        return result  # as most
    form: str = tool.binding.get("output", "written")
    candidates = _candidates(result, form)
    for made in candidates:
        if validator.is_valid(made):
            return Result(result.content, made)
    if form == "written":
        return _broken_promise(tool, schema, _errors(validator, candidates[-1]), result)
    return _mended(tool, schema, result, candidates[-1], validator)


def _mended(tool: Tool, schema: dict[str, Any], result: Result, made: dict[str, Any], validator: Validator) -> Result:
    """The result with what does not fit a derived schema moved aside, and said."""
    paths = list(islice(_misfits(schema, made, ()), MOST_MOVED + 1))
    places = [brief(_pointer(path), 100) for path in paths[:MOST_SHOWN]]
    log.event("warning", "output_misfit", tool=tool.name, at=places[:MOST_LOGGED])
    note = f"Of another type than the output schema says: {', '.join(places)}"
    more = f" and {len(paths) - MOST_SHOWN} more." if len(paths) > MOST_SHOWN else "."
    if len(paths) > MOST_MOVED:
        more = " and many more."
    moved = _moved(deepcopy(made), paths) if len(paths) <= MOST_MOVED else {UNEXPECTED: {"": made}}
    assert validator.is_valid(moved)
    return Result([*result.content, {"type": "text", "text": note + more}], moved)


def _misfits(schema: dict[str, Any], value: Any, path: Path) -> Iterator[Path]:
    """Where a value is of another type than a derived schema says. The validator finds all such places before it tells
    the first, which takes seconds where there are many."""
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
    """What the structured value may be, best first."""
    value = result.structured
    if value is ABSENT:
        texts = [str(block["text"]) for block in result.content if block["type"] == "text"]
        value, _ = read(texts[0]) if len(texts) == len(result.content) == 1 else (ABSENT, False)
        if value is ABSENT:
            others = [str(block["type"]) for block in result.content if block["type"] != "text"]
            texts += [f"The content has a block of type {kind}." for kind in others]
            return [{TEXT: "\n".join(texts)}, {}]
        return [wrapped(value, form)]
    made: dict[str, Any] = value if isinstance(value, dict) else wrapped(value, form)
    if form != "written" or TEXT not in made:
        return [made]  # as with most
    return [made, {name: member for name, member in made.items() if name != TEXT}]


def _moved(made: dict[str, Any], paths: list[Path]) -> dict[str, Any]:
    """The value with what stands at those places under UNEXPECTED; in a list null stands for it, so that the others
    keep their places."""
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


def _errors(validator: Validator, made: dict[str, Any]) -> list[ValidationError]:
    """All that does not fit; of a long value the first, since finding all may take seconds."""
    if len(written(made)) <= LONGEST_EXPLAINED:
        return list(validator.iter_errors(made))
    try:
        validator.validate(made)
    except ValidationError as error:
        return [error]
    return []


def _broken_promise(tool: Tool, schema: dict[str, Any], errors: list[ValidationError], result: Result) -> Result:
    """An error that says what does not fit a schema written by hand, and holds the answer all the same."""
    log.event("warning", "output_broken", tool=tool.name, count=len(errors))
    found = list({str(problem): None for error in errors for problem in _problems(error, schema)})
    count = "1 problem" if len(found) == 1 else f"{len(found)} problems"
    lines = [f"{tool.name} was carried out, but its answer is not what its output schema promises: {count}."]
    lines += [f"- {each}" for each in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        lines.append(f"- and {len(found) - MOST_SHOWN} more")
    texts = [str(block["text"]) for block in result.content if block["type"] == "text"]
    others = [block for block in result.content if block["type"] != "text"]
    text = "\n".join([*lines, "The answer:", *texts])
    return Result([{"type": "text", "text": text}, *others], is_error=True)


def _problems(error: ValidationError, schema: dict[str, Any]) -> list[Problem]:
    kind: Any = error.kind
    if kind.name in ("additionalProperties", "unevaluatedProperties"):
        steps = [str(step) for step in error.instance_path]
        names = [".".join(map(wording.shown_name, [*steps, name])) for name in kind.unexpected]
        return [Problem(name, "is not allowed there") for name in names]
    return list(wording.problems(error, schema))
