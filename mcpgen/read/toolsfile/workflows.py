"""Read `steps:` of a tool: a workflow, whose steps call other tools of the server, or send requests of their own.

In the values of a step, `{name}` is an argument of the tool, `{step}` the answer to an earlier step, and
`{step/items/0}` a value in it, by a JSON Pointer. In a step with `each`, `{item}` and `{index}` are the item and its
number. A placeholder that begins with `$` is a runtime expression of Arazzo. All of them become such expressions.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Action, Criterion, Invocation, Part, StepParameter, Target, Value, Workflow, WorkflowStep
from mcpgen.read.toolsfile import templates

RESULT = "result"
"""Name of the output that each step has: the whole answer. It is also the output of a workflow that names none."""

MOST_ITEMS = 50
MOST_TRIES, SECONDS = 10, 2.0
"""Defaults of `each` and of `retry`: items, tries of a step with `until`, and seconds between two tries."""

_OF_REQUESTS = ("request", "base_url", "security", "parameters", "body", "send", "responses", "output", "outputSchema")
_OF_RESULTS = ("result", "task", "fields", "redirects", "lookups", "pages")
_ANSWER = "$response.body"
_IN_PATH = re.compile(r"\{([^{}]*)\}")
_OK = "$statusCode < 400"


def read(entry: JsonObject, where: Where, inputs: Iterable[str], diagnostics: Diagnostics) -> Workflow | None:
    """Return the workflow of a tool, or None if it has no `steps`. `inputs`: names of the tool's arguments."""
    steps = entry.get("steps")
    if not isinstance(steps, list) or not all(isinstance(each, dict) and _is_whole(each) for each in steps):
        return None  # schema_check has reported a step without a call
    for key in (*_OF_REQUESTS, *_OF_RESULTS):
        if key in entry:
            message = f"A tool with `steps` cannot have {key!r} as well."
            hint = "Write this key in the tool that a step calls."
            if key == "result":
                hint = "Say in `outputs` what the workflow gives. Rules for an answer belong to the called tool."
            diagnostics.add("invalid-value", message, where.inside(key), hint)
    ids = frozenset(as_text(as_object(each).get("id")) or as_text(as_object(each).get("call")) for each in steps)
    names = _Names({name: f"$inputs.{name}" for name in inputs}, ids, diagnostics)
    found: list[WorkflowStep] = []
    for index, each in enumerate(steps):
        step = {**as_object(each), "call": _tool_of(entry, as_object(each), index)}
        found.append(_step(step, where.inside("steps", index), names))
        names = names.with_step(found[-1])
    outputs = {
        name: names.value(value, where.inside("outputs", name))
        for name, value in as_object(entry.get("outputs")).items()
    }
    if not outputs and found:
        outputs = {RESULT: {"expression": f"$steps.{found[-1].id}.outputs.{RESULT}"}}
    return Workflow(
        id=as_text(entry.get("name")),
        where=where,
        steps=tuple(found),
        outputs=outputs,
    )


def requests(entry: JsonObject, where: Where) -> Iterator[tuple[JsonObject, Where]]:
    """Yield a tool, as an entry of `tools`, for each step that has a request of its own. Only the workflow calls it."""
    for index, step in enumerate(as_list(entry.get("steps"))):
        found = as_object(step)
        if "request" in found:
            given = as_object(found.get("with"))
            in_path = _IN_PATH.findall(as_text(found["request"]).partition("?")[0])
            schema: JsonObject = {"type": "object", "properties": {name: {} for name in given}}
            yield (
                {
                    "name": _tool_of(entry, found, index),
                    "description": f"A step of {as_text(entry.get('name'))}.",
                    "inputSchema": {**schema, **({"required": list[JsonValue](in_path)} if in_path else {})},
                    "listed": False,
                    "portable": False,
                    **{key: found[key] for key in ("request", "send", "base_url") if key in found},
                },
                where.inside("steps", index),
            )


def _tool_of(entry: JsonObject, step: JsonObject, index: int) -> str:
    """Return the name of the tool that a step calls. A step with a request has a tool of its own."""
    return as_text(step.get("call")) or f"{as_text(entry.get('name'))}_{as_text(step.get('id')) or index + 1}"


def _is_whole(step: JsonObject) -> bool:
    is_called = as_text(step.get("call")) or as_text(step.get("request"))
    return bool(is_called) and all("call" in as_object(step[key]) for key in ("undo",) if key in step)


@dataclass(frozen=True, slots=True)
class _Names:
    """Names that placeholders may have at one point of a workflow → the expressions that they stand for.

    `ids`: the names of all steps of the workflow, also of later ones.
    """

    known: Mapping[str, str]
    ids: frozenset[str]
    diagnostics: Diagnostics

    def with_step(self, step: WorkflowStep) -> "_Names":
        """Return the names after a step. Report an id that an argument or another step has."""
        if step.id in self.known:
            message = f"The step '{clipped(step.id)}' has the name of an argument or of another step."
            self.diagnostics.add("duplicate-name", message, step.where.inside("id"), "Give the step another `id`.")
        outputs = f"$steps.{step.id}.outputs.{RESULT}"
        return _Names({**self.known, step.id: outputs}, self.ids, self.diagnostics)

    def beside(self, **more: str) -> "_Names":
        """Return these names and `more`."""
        return _Names({**self.known, **more}, self.ids, self.diagnostics)

    def value(self, written: JsonValue, where: Where) -> Value:
        """Return a JSON value as a Value. Texts in it may contain placeholders."""
        if isinstance(written, str):
            return self.text(templates.text(written, where, self.diagnostics), where)
        if isinstance(written, list):
            items = [self.value(item, where.inside(index)) for index, item in enumerate(written)]
            return _constant(items, [each.get("literal") for each in items]) or {"items": list[JsonValue](items)}
        if isinstance(written, dict):
            if list(written.values()) == [None]:
                name = next(iter(written))
                message = f"Without quotes, YAML reads {{{clipped(name)}}} as a mapping."
                self.diagnostics.add("invalid-value", message, where, f"Write '{{{clipped(name)}}}'.")
            members = {name: self.value(member, where.inside(name)) for name, member in written.items()}
            constant = {name: each.get("literal") for name, each in members.items()}
            return _constant(members.values(), constant) or {"members": dict[str, JsonValue](members)}
        return {"literal": written}

    def text(self, parts: tuple[Part, ...], where: Where) -> Value:
        """Return a text with placeholders as a Value."""
        if all(isinstance(part, str) for part in parts):
            return {"literal": "".join(map(str, parts))}
        built = [part if isinstance(part, str) else self.expression(str(part["argument"]), where) for part in parts]
        if len(built) == 1:
            return as_object(built[0])
        return {"text": list[JsonValue](built)}

    def expression(self, name: str, where: Where) -> Value:
        """Return what a placeholder stands for. Report a name that is unknown."""
        if name.startswith("$"):
            return {"expression": name}
        head, slash, pointer = name.partition("/")
        if head not in self.known:
            message = f"There is no argument and no earlier step '{clipped(head)}'."
            hint = "Write that step before this one." if head in self.ids else nearest(head, list(self.known))
            self.diagnostics.add("invalid-value", message, where, hint)
        return {"expression": self.known.get(head, "$inputs") + (f"#/{pointer}" if slash else "")}

    def condition(self, written: JsonValue, where: Where) -> Criterion:
        """Return a condition. Its placeholders become expressions, and the rest is Arazzo's."""
        parts = templates.text(as_text(written), where, self.diagnostics)
        told = "".join(
            part if isinstance(part, str) else as_text(self.expression(str(part["argument"]), where)["expression"])
            for part in parts
        )
        return Criterion("simple", told, where)


def _constant(values: Iterable[Value], constant: JsonValue) -> Value | None:
    return {"literal": constant} if all("literal" in each for each in values) else None


def _step(entry: JsonObject, where: Where, names: _Names) -> WorkflowStep:
    loop = entry.get("each")
    listed = as_object(loop) if isinstance(loop, dict) else {"in": loop}
    own = names.beside(item="$item", index="$index") if loop is not None else names
    name = as_text(entry.get("call"))
    step_id = as_text(entry.get("id")) or name
    answered = own.beside(**{step_id: _ANSWER})
    until = [answered.condition(each, where.inside("until")) for each in _texts(entry.get("until"))]
    return WorkflowStep(
        id=step_id,
        where=where,
        call=_invocation(entry, where, own),
        when=tuple(names.condition(each, where.inside("when")) for each in _texts(entry.get("when"))),
        items=names.value(listed["in"], where.inside("each")) if "in" in listed and loop is not None else None,
        most=_count(listed.get("most"), MOST_ITEMS),
        success=(Criterion("simple", _OK, where), *until) if until else None,
        on_failure=_retries(entry, where, bool(until)),
        outputs={RESULT: {"expression": _ANSWER}},
        undo=_invocation(as_object(entry["undo"]), where.inside("undo"), answered) if "undo" in entry else None,
    )


def _invocation(entry: JsonObject, where: Where, names: _Names) -> Invocation:
    target = Target("tool", as_text(entry.get("call")), where.inside("call"))
    given = as_object(entry.get("with"))
    return Invocation(
        target,
        tuple(
            StepParameter(name, names.value(value, where.inside("with", name)), where.inside("with", name))
            for name, value in given.items()
        ),
    )


def _retries(entry: JsonObject, where: Where, is_until: bool) -> tuple[Action, ...]:
    written = entry.get("retry")
    if written is None and not is_until:
        return ()
    found = as_object(written) if isinstance(written, dict) else {"times": written}
    seconds = found.get("seconds")
    return (
        Action(
            "retry",
            where.inside("retry"),
            seconds=float(seconds) if isinstance(seconds, (int, float)) else SECONDS,
            most=_count(found.get("times"), MOST_TRIES),
        ),
    )


def _texts(value: JsonValue) -> list[JsonValue]:
    return as_list(value) if isinstance(value, list) else [] if value is None else [value]


def _count(value: JsonValue, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default
