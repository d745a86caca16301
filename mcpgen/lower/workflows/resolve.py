"""Find the tools that the steps of workflows call, check the steps, and write them in the normal form of the tables.

A workflow was lowered like a tool whose request has a JSON body, so its arguments and its name exist already. Here, its
binding gets the steps in place of that request, and its hints, guards and description follow from the tools it calls.

The check finds tools, outputs and inputs that do not exist, arguments that a tool does not have or that are missing,
and constants whose type does not fit. What the schema of an answer lacks is only a doubt, which costs no workflow. What
only a run can show, such as a value that an answer lacks, the server reports.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from mcpgen.base import runtime
from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, compact, tokens, without_empty
from mcpgen.base.names import clipped, nearest
from mcpgen.base.work import Exhausted
from mcpgen.lower.inputs.slots import REST, WHOLE
from mcpgen.lower.schema.compose import Composer
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.lower.schema.nodes import items_of, members, types
from mcpgen.lower.tool.annotations import as_written
from mcpgen.lower.tool.guards import CONFIRMATIONS
from mcpgen.model import (
    Action,
    Annotations,
    CallerScopes,
    Confirm,
    Consent,
    Criterion,
    HttpBinding,
    Invocation,
    Passage,
    Skipped,
    Target,
    ToolSpec,
    Value,
    Workflow,
    WorkflowStep,
)
from mcpgen.read.openapi.parameters import is_of_http

METHOD = "WORKFLOW"
"""What reports show in place of the method of a request."""

MOST_STEPS = 100
_MOST_SCOPES = 16
_MOST_NAMED = 8


def resolve(
    tools: Sequence[ToolSpec], composer: Composer, diagnostics: Diagnostics
) -> tuple[list[ToolSpec], list[Skipped]]:
    """Return the tools, each workflow with its steps, and the workflows that cannot run, with their first fault.

    `composer`: resolves the schemas of answers. `diagnostics` gets the other faults.
    """
    if not any(tool.operation.decided.workflow for tool in tools):
        return list(tools), []
    resolver = _Resolver(tools, composer, diagnostics)
    return resolver.all(), resolver.skipped


@dataclass(slots=True)
class _Resolver:
    """Resolver of the workflows of one server. `found`: name of a workflow → its tool, None if it cannot run."""

    tools: Sequence[ToolSpec]
    composer: Composer
    diagnostics: Diagnostics
    found: dict[str, ToolSpec | None] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)

    def all(self) -> list[ToolSpec]:
        made = (self.made(tool) for tool in self.tools)
        return [tool for tool in made if tool is not None]

    def made(self, tool: ToolSpec) -> ToolSpec | None:
        """Return a tool; if it is a workflow, with its steps. Return None if it cannot run."""
        workflow = tool.operation.decided.workflow
        if workflow is None:
            return tool
        if tool.name not in self.found:
            self._open.append(tool.name)
            self.found[tool.name] = self._resolved(tool, workflow)
            self._open.pop()
        return self.found[tool.name]

    def target(self, target: Target, workflow: Workflow, faults: Diagnostics) -> ToolSpec | None:
        """Return the tool that a step calls. Report a target that does not exist, or that calls the step itself."""
        found = self._named(target, workflow, faults)
        if found is not None and found.name in self._open:
            calls = " → ".join([*self._open[self._open.index(found.name) :], found.name])
            message = f"Workflows call each other in a circle: {calls}."
            faults.add("workflow-cycle", message, target.where, "Leave one of these calls out.")
            return None
        made = None if found is None else self.made(found)
        if found is not None and made is None:
            message = f"The workflow '{clipped(target.name)}' that this step calls is left out."
            faults.add("unknown-call", message, target.where, "Correct that workflow.")
        return made

    def _named(self, target: Target, workflow: Workflow, faults: Diagnostics) -> ToolSpec | None:
        match target.kind:
            case "tool":
                found = [tool for tool in self.tools if target.name in (tool.name, *tool.aliases)]
                names = [tool.name for tool in self.tools]
            case "workflow":
                written = [(tool, tool.operation.decided.workflow) for tool in self.tools]
                document = target.document or workflow.document
                found = [tool for tool, other in written if other and other.id == target.name]
                found = [
                    tool for tool in found if _is_of(tool.operation.decided.workflow, document) or not workflow.document
                ]
                names = [other.id for _, other in written if other]
            case "operation":
                here = [tool for tool in self.tools if tool.operation.decided.workflow is None]
                own = [tool for tool in here if target.document in ("", tool.operation.where.file)]
                found = [tool for tool in own if target.name in _keys(tool)]
                names = [tool.operation.id or f"{tool.operation.method} {tool.operation.path}" for tool in own]
        if not found:
            message = f"There is no {target.kind} '{clipped(target.name)}' that this step could call."
            no_tool = " A step cannot call an operation that does not become a tool."
            hint = nearest(target.name, names) + (no_tool if target.kind == "operation" else "")
            faults.add("unknown-call", message, target.where, hint.strip())
        return found[0] if found else None

    def _resolved(self, tool: ToolSpec, workflow: Workflow) -> ToolSpec | None:
        faults = Diagnostics()
        if len(workflow.steps) > MOST_STEPS:
            message = f"{tool.name} has {len(workflow.steps)} steps; the limit is {MOST_STEPS}."
            faults.add("invalid-workflow", message, workflow.where, "Let one workflow call another.")
        find = partial(self.target, workflow=workflow, faults=faults)
        steps = Steps(workflow, inputs_of(tool), find, self.composer, faults)
        written = steps.written()
        if faults:
            first, *others = faults
            self.skipped.append(Skipped(f"workflow {clipped(workflow.id)}", first))
            self.diagnostics.extend(others)
            return None
        for (code, message, hint), where in steps.doubts.items():
            self.diagnostics.add(code, message, where, hint)
        called = list(steps.called.values())
        writes = [each for each in called if not each.annotations.read_only]
        confirm, consent = _confirm(tool, bool(writes)), tool.operation.decided.consent
        if writes and confirm == "never":
            message = f"{tool.name} writes by {writes[0].name}, and nobody confirms it."
            hint = "Write `confirm: when-supported` or `confirm: always`, unless the client asks before each call."
            self.diagnostics.add("unconfirmed-workflow", message, workflow.where, hint)
        if consent == "each" and writes:
            written["consent"] = "each"
        if tool.operation.decided.timeout is not None:
            written["seconds"] = tool.operation.decided.timeout
        hints = as_written(_hints(called), tool.operation.decided.hints)
        return replace(
            tool,
            passages=(*_without(tool.passages, CONFIRMATIONS[tool.confirm]), *_told(called, confirm, consent)),
            annotations=hints,
            confirm=confirm,
            roles=tool.roles or _roles(called),
            accepted=None,
            operation=replace(tool.operation, method=METHOD, path=workflow.id),
            binding=HttpBinding(
                METHOD,
                (),
                0,
                "",
                caller_scopes=tool.binding.caller_scopes or _scopes(called),
                defaults=tool.binding.defaults,
                requires=tool.binding.requires,
                also=tool.binding.also,
                workflow=written,
            ),
        )


def _is_of(workflow: Workflow | None, document: str) -> bool:
    return workflow is not None and workflow.document == document


def _keys(tool: ToolSpec) -> tuple[str, ...]:
    operation = tool.operation
    return (operation.id or "", f"{operation.method} {operation.path}", operation.key)


def _confirm(tool: ToolSpec, is_writing: bool) -> Confirm:
    """Return when the user must confirm the workflow: always if it writes, unless its owner says otherwise."""
    if tool.operation.decided.confirm is not None:
        return tool.operation.decided.confirm
    return "always" if is_writing else "never"


def _hints(called: Sequence[ToolSpec]) -> Annotations:
    """Return the hints of a workflow: as cautious as the tools that it calls are together."""
    hints = [each.annotations for each in called]
    return Annotations(
        all(each.read_only for each in hints),
        any(each.destructive for each in hints),
        all(each.idempotent for each in hints),
        any(each.open_world for each in hints),
    )


def _roles(called: Sequence[ToolSpec]) -> tuple[str, ...]:
    """Return the roles with which a caller may use all tools that a workflow calls; () if no role suffices alone."""
    lists = [set(each.roles) for each in called if each.roles]
    return tuple(sorted(set.intersection(*lists))) if lists else ()


def _scopes(called: Sequence[ToolSpec]) -> CallerScopes:
    """Return the alternative sets of scopes with which a caller may use all tools that a workflow calls."""
    found: set[frozenset[str]] = {frozenset()}
    for required in {each.binding.caller_scopes for each in called if each.binding.caller_scopes}:
        found = {have | frozenset(more) for have in found for more in required}
        found = set(sorted(found, key=lambda each: (len(each), sorted(each)))[:_MOST_SCOPES])
    return tuple(sorted(tuple(sorted(each)) for each in found if each)) if frozenset() not in found else ()


def _told(called: Sequence[ToolSpec], confirm: Confirm, consent: Consent | None) -> Iterable[Passage]:
    """Yield what the description of a workflow says of its calls, and of its user."""
    names = [each.name for each in called if each.operation.decided.listed is not False]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    calls = f"Calls {', '.join(names[:_MOST_NAMED])}{more}, and reports" if names else "Reports"
    yield Passage(f"{calls} what was done if a step fails.")
    said = CONFIRMATIONS[confirm]
    yield Passage(said.replace("each call", "each write") if consent == "each" else said, is_whole=True)


def _without(passages: Sequence[Passage], text: str) -> list[Passage]:
    return [each for each in passages if not text or each.text != text]


# -- the normal form of one workflow ---------------------------------------------------------------------------------

Find = Callable[[Target], ToolSpec | None]
_REFERENCE = re.compile(r"\$[A-Za-z]+\b[A-Za-z0-9_.\-]*(?:#(?:/[^\s/()&|=!<>{}\"']*)*)?")
_WORKFLOW = re.compile(r"\$workflows\.([A-Za-z0-9_-]+)\.")
_AFTER_CALLS = "after the call of a step, such as in its outputs"
_IN_LOOPS = "in a step with `each`"
_ONLY = {
    **dict.fromkeys(("request", "response", "url", "method", "statusCode"), _AFTER_CALLS),
    **dict.fromkeys(("item", "index"), _IN_LOOPS),
    "outputs": "after the call of a step that calls a workflow",
}
"""First word of an expression → where the expression has a value. The others have one everywhere."""

_CREDENTIALS = frozenset({"authorization", "cookie"})
_NO_CREDENTIAL = "Leave it out: the server sends the credentials that its operator has set."
_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of a workflow. `names`: argument → input, "" if the argument is an object of inputs.

    `schemas`: input → its schema; None if a call can have inputs that no schema names.
    """

    names: Mapping[str, str]
    schemas: Mapping[str, JsonObject] | None


def inputs_of(tool: ToolSpec) -> Inputs:
    """Return the inputs of a workflow: the members of the body that its tool was made with."""
    names = {
        argument: "" if slot in (WHOLE, REST) else wire
        for slot, argument in tool.arguments.items()
        for _, wire in [slot]
    }
    properties = as_object(tool.whole_schema.get("properties"))
    names |= {name: name for name in properties if name not in names}
    schemas = {wire: as_object(properties.get(argument)) for argument, wire in names.items()}
    return Inputs(names, None if "" in schemas else schemas)


@dataclass(slots=True)
class Steps:
    """Writer of the steps of one workflow.

    `called`: name → tool, for each tool that a step or an undo calls. `doubts`: code, message and hint of a finding
    that costs no workflow → its place.
    """

    workflow: Workflow
    inputs: Inputs
    find: Find
    composer: Composer
    diagnostics: Diagnostics
    called: dict[str, ToolSpec] = field(default_factory=dict)
    doubts: dict[tuple[str, str, str], Where] = field(default_factory=dict)
    _tools: dict[str, ToolSpec] = field(default_factory=dict)
    _workflows: dict[str, ToolSpec] = field(default_factory=dict)
    _here: tuple[str, ...] = ()
    _inner: Workflow | None = None
    _later: frozenset[str] = frozenset()

    def written(self) -> JsonObject:
        """Return the steps, outputs and inputs of the workflow in the form of `bindings.json`."""
        for each in self.workflow.steps:
            for target in (each.call.target, *(action.target for action in (*each.on_success, *each.on_failure))):
                if target is not None and target.kind == "workflow" and (tool := self.find(target)) is not None:
                    self._workflows[target.name] = tool
        steps: list[JsonValue] = [self._step(number, each) for number, each in enumerate(self.workflow.steps)]
        where = self.workflow.where.inside("outputs")
        outputs = {name: self._value(each, where.inside(name)) for name, each in self.workflow.outputs.items()}
        renamed = {name: wire for name, wire in self.inputs.names.items() if name != wire}
        return {"steps": steps, **without_empty(outputs=outputs, inputs=renamed)}

    def _step(self, number: int, step: WorkflowStep) -> JsonObject:
        self._later = frozenset(each.id for each in self.workflow.steps[number:])
        before: JsonObject = {"when": self._criteria(step.when)} if step.when else {}
        if step.items is not None:
            before["each"] = {"in": self._value(step.items, step.where), "most": step.most}
            self._here = (_IN_LOOPS,)
        found: JsonObject = {"id": step.id, **self._call(step.call, step.where), **before}
        if str(found["tool"]) in self.called:
            self._tools[step.id] = self.called[str(found["tool"])]
            self._inner = self._tools[step.id].operation.decided.workflow
        is_of_workflow = self._inner is not None or step.call.target.kind == "workflow"
        self._here += (_AFTER_CALLS, _ONLY["outputs"]) if is_of_workflow else (_AFTER_CALLS,)
        if step.success is not None:
            found["success"] = self._criteria(step.success)
        for key, actions in (("onSuccess", step.on_success), ("onFailure", step.on_failure)):
            if actions:
                found[key] = [self._action(each) for each in actions]
        if step.outputs:
            found["outputs"] = {name: self._value(each, step.where) for name, each in step.outputs.items()}
            for name in step.outputs:
                self._check_answer(step, name, "", step.where)
        if step.undo is not None:
            found["undo"] = self._call(step.undo, step.where)
        if step.seconds is not None:
            found["seconds"] = step.seconds
        for other in step.after:
            self._check_step(other, step.where)
        self._here, self._inner, self._later = (), None, frozenset()
        return {**found, **({"after": list[JsonValue](step.after)} if step.after else {})}

    def _call(self, call: Invocation, where: Where) -> JsonObject:
        """Return `tool` and `arguments` of a call."""
        tool = self._target(call.target)
        if tool is None:
            return {"tool": call.target.name, "arguments": {"members": {}}}
        members: dict[str, Value] = {}
        places: dict[str, Where] = {}
        before = len(self.diagnostics)
        for each in call.parameters:
            name = self._argument(tool, call.target, each.location, each.name, each.where)
            if name:
                members[name] = self._fitted(self._value(each.value, each.where), tool, name)
                places[name] = each.where
        arguments: Value = {"members": dict[str, JsonValue](members)}
        if call.body is not None:
            arguments = self._with_body(tool, call.body, members, where)
        if len(self.diagnostics) == before:  # an argument of a wrong name may be the one that is missing
            self._check_arguments(tool, arguments, where, places)
        return {"tool": tool.name, "arguments": arguments}

    def _target(self, target: Target) -> ToolSpec | None:
        tool = self.find(target)
        if tool is not None:
            self.called[tool.name] = tool
        return tool

    def _argument(self, tool: ToolSpec, target: Target, location: str | None, name: str, where: Where) -> str:
        """Return the argument of a tool for a parameter. Report a parameter that no argument fills."""
        if target.kind == "operation":
            slots = {
                wire if place != "header" else wire.lower(): argument
                for (place, wire), argument in tool.arguments.items()
                if place == location
            }
            known, found = list(slots), slots.get(name.lower() if location == "header" else name, "")
        else:
            inner = tool.operation.decided.workflow
            wires = {wire: argument for argument, wire in inputs_of(tool).names.items()} if inner else {}
            properties = as_object(tool.whole_schema.get("properties"))
            wires |= {argument: argument for argument in (*properties, *tool.binding.also)}
            is_open = tool.binding.open or "" in wires
            known, found = list(wires), wires.get(name, name if is_open else "")
        if not found and location == "header" and is_of_http(name) and name.lower() not in _CREDENTIALS:
            message = f"The header parameter {clipped(name)} of the step is left out: it belongs to HTTP."
            hint = "The server sends the header fields that the operation needs."
            self.doubts.setdefault(("credential-parameter", message, hint), where)
        elif not found:
            message = f"{tool.name} has no argument '{clipped(name)}'{f' in the {location}' if location else ''}."
            hint = _NO_CREDENTIAL if name.lower() in _CREDENTIALS and location == "header" else nearest(name, known)
            self.diagnostics.add("unknown-step-argument", message, where, hint)
        return found

    def _with_body(self, tool: ToolSpec, body: Value, members: dict[str, Value], where: Where) -> Value:
        """Return the arguments of a call whose body is written as one value."""
        slots = {wire: argument for (place, wire), argument in tool.arguments.items() if place == "body"}
        value = self._value(body, where)
        if WHOLE in tool.arguments:
            return {"members": {**members, tool.arguments[WHOLE]: value}}
        literal = value.get("literal")
        parts: Mapping[str, JsonValue] = as_object(value.get("members"))
        if isinstance(literal, dict):
            parts = {name: {"literal": member} for name, member in literal.items()}
        elif "members" not in value:
            names = dict[str, JsonValue](slots)
            spread: JsonObject = {"members": dict[str, JsonValue](members), "spread": value, "names": names}
            return {**spread, **({"rest": tool.arguments[REST]} if REST in tool.arguments else {})}
        rest = tool.arguments.get(REST)
        others = {name: part for name, part in parts.items() if name not in slots}
        if others and rest is None:
            message = f"{tool.name} has no argument for the member '{clipped(next(iter(others)))}' of its body."
            self.diagnostics.add("unknown-step-argument", message, where, nearest(next(iter(others)), list(slots)))
        found = {
            slots[name]: self._fitted(as_object(part), tool, slots[name])
            for name, part in parts.items()
            if name in slots
        }
        if others and rest is not None:
            found[rest] = {"members": others}
        return {"members": {**members, **found}}

    # An id is often a number in an answer, and a text in the next request, where both look the same.
    def _fitted(self, value: Value, tool: ToolSpec, argument: str) -> Value:
        """Return a value such that a number becomes a text if the argument of the tool is a text."""
        if _kinds(as_object(as_object(tool.input_schema.get("properties")).get(argument))) != {"string"}:
            return value
        if isinstance(number := value.get("literal"), (int, float)):
            return {"literal": compact(number)}
        return {**value, "asText": True} if "expression" in value and self._kinds_of(value) != {"string"} else value

    def _check_arguments(self, tool: ToolSpec, arguments: Value, where: Where, places: Mapping[str, Where]) -> None:
        """Report arguments that are missing, and constants of a type that their schema does not allow.

        `places`: argument → where its value stands, if it has a place of its own.
        """
        if "members" not in arguments or "spread" in arguments:
            return
        given = as_object(arguments["members"])
        properties = as_object(tool.input_schema.get("properties"))
        for name in as_list(tool.input_schema.get("required")):
            if name not in given and name not in tool.binding.defaults:
                message = f"{tool.name} needs the argument '{clipped(str(name))}', which this step does not give."
                self.diagnostics.add("missing-argument", message, where, f"Give {name} a value.")
        for name, value in given.items():
            wanted = _kinds(as_object(properties.get(name)))
            told = self._kinds_of(as_object(value))
            if wanted and told and not (wanted & told or (told == {"integer"} and "number" in wanted)):
                message = (
                    f"{tool.name} takes {' or '.join(sorted(wanted))} as '{clipped(name)}', and this step gives "
                    f"{' or '.join(sorted(told))}."
                )
                hint = "Give the argument a value of its type."
                self.diagnostics.add("unfit-argument", message, places.get(name, where), hint)

    def _kinds_of(self, value: Value) -> set[str]:
        """Return the JSON types that a value can have, {} if that is unknown."""
        if "literal" in value:
            literal = value["literal"]
            if literal is None:
                return set()
            if isinstance(literal, bool):
                return {"boolean"}
            if isinstance(literal, str) and _is_json(literal):
                return set()
            kinds = {kind for kind, types in _KINDS.items() if isinstance(literal, types)}
            return kinds - ({"number"} if isinstance(literal, int) else set())
        if "text" in value:
            return set()  # as in every call, a text is read as JSON where the schema wants another type
        if "members" in value:
            return {"object"}
        if "items" in value:
            return {"array"}
        name = str(value.get("expression", "")).removeprefix("$inputs.")
        return _kinds(self.inputs.schemas[name]) if self.inputs.schemas and name in self.inputs.schemas else set()

    def _action(self, action: Action) -> JsonObject:
        found: JsonObject = {"kind": action.kind}
        if action.step:
            self._check_step(action.step, action.where)
            found["step"] = action.step
        if action.target is not None and action.parameters:
            found |= self._call(Invocation(action.target, action.parameters), action.where)
        elif action.target is not None and (tool := self._target(action.target)) is not None:
            found["tool"] = tool.name  # the workflow goes on with the inputs of this one
        if action.kind == "retry":
            found |= {"seconds": action.seconds, "most": action.most}
        return {**found, **({"criteria": self._criteria(action.criteria)} if action.criteria else {})}

    def _criteria(self, criteria: Sequence[Criterion]) -> list[JsonValue]:
        return [self._criterion(each) for each in criteria]

    def _criterion(self, criterion: Criterion) -> JsonObject:
        if problem := runtime.criteria.problem(criterion.kind, criterion.condition):
            message = f"The condition '{clipped(criterion.condition)}' cannot be read: {problem}."
            self.diagnostics.add("invalid-workflow", message, criterion.where, "Correct the condition.")
        for text in (criterion.condition, criterion.context):
            for reference in _REFERENCE.findall(text):
                self._check(reference, criterion.where)
        found: JsonObject = {"kind": criterion.kind, "condition": self._renamed(criterion.condition)}
        return {**found, **({"context": self._renamed(criterion.context)} if criterion.context else {})}

    # -- values --------------------------------------------------------------------------------------------------------

    def _value(self, value: Value, where: Where) -> Value:
        """Return a value, with workflows by the names of their tools. Report what its expressions name wrongly."""
        for expression in _expressions(value):
            if runtime.expressions.is_expression(expression):
                self._check(expression, where)
            else:
                message = f"'{clipped(expression)}' is no runtime expression."
                self.diagnostics.add("invalid-workflow", message, where, "Write one such as $steps.find.outputs.id.")
        return as_object(_mapped(value, self._renamed))

    def _renamed(self, text: str) -> str:
        names = {id_: tool.name for id_, tool in self._workflows.items()}
        return _WORKFLOW.sub(lambda found: f"$workflows.{names.get(found[1], found[1])}.", text)

    def _check(self, expression: str, where: Where) -> None:
        """Report an expression that has no value at its place, or names an unknown input, step, workflow or output."""
        path = re.split(r"[#\[{]", expression.removeprefix("$"), maxsplit=1)[0]
        source, _, rest = path.partition(".")
        name, _, member = rest.partition(".")
        output = member.removeprefix("outputs").removeprefix(".")
        if source in _ONLY and _ONLY[source] not in self._here:
            message = f"'{clipped(expression)}' has no value at this place."
            self.diagnostics.add("unknown-output", message, where, f"There is such a value only {_ONLY[source]}.")
        elif source == "outputs" and rest and self._inner is not None:
            self._check_name(rest, list(self._inner.outputs), f"The workflow {self._inner.id} has no output", where)
        if source == "inputs" and self.inputs.schemas is not None and rest:
            self._check_name(rest, list(self.inputs.schemas), "The workflow has no input", where)
        if source == "workflows":
            inner = self._workflows.get(name)
            made = None if inner is None else inner.operation.decided.workflow
            if made is None:
                message = f"No step calls the workflow '{clipped(name)}'."
                hint = "Call the workflow in a step, or write `dependsOn`."
                self.diagnostics.add("unknown-output", message, where, hint)
            elif output and output != member:
                self._check_name(output, list(made.outputs), f"The workflow {name} has no output", where)
        if source == "steps":
            self._check_step(name, where)
            step = next((each for each in self.workflow.steps if each.id == name), None)
            if name in self._later and not self._goes_back:
                message = f"The step '{clipped(name)}' has no outputs yet when this value is needed."
                self.diagnostics.add("unknown-output", message, where, "Write that step before this one.")
            if step is not None and output:
                self._check_name(output, list(step.outputs), f"The step {name} has no output", where)
            if step is not None and output in step.outputs:
                self._check_answer(step, output, expression.partition("#")[2], where)

    @property
    def _goes_back(self) -> bool:
        """Return True if the steps may be made in another order than they are written in."""
        return any(action.step for each in self.workflow.steps for action in (*each.on_success, *each.on_failure))

    def _check_name(self, name: str, known: list[str], told: str, where: Where) -> None:
        """Report a name, with the names of members behind it, that begins with none of the known names."""
        if not any(f"{name}.".startswith(f"{each}.") for each in known):
            hint = nearest(name, known) or "There are none."
            self.diagnostics.add("unknown-output", f"{told} '{clipped(name)}'.", where, hint)

    def _check_answer(self, step: WorkflowStep, output: str, pointer: str, where: Where) -> None:
        tool = self._tools.get(step.id)
        found = None if tool is None else _doubt(step, tool, output, pointer, self.composer)
        if found is not None:
            self.doubts.setdefault(("undescribed-output", *found), where)

    def _check_step(self, name: str, where: Where) -> None:
        known = [each.id for each in self.workflow.steps]
        if name not in known:
            message = f"The workflow has no step '{clipped(name)}'."
            self.diagnostics.add("unknown-output", message, where, nearest(name, known))


def _is_json(text: str) -> bool:
    """Return True if a text is JSON, so that the server reads it so where the schema wants another type."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _expressions(value: JsonValue) -> Iterator[str]:
    """Yield the expressions in a Value, not those that stand in its constants."""
    if isinstance(value, list):
        for each in value:
            yield from _expressions(each)
    elif isinstance(value, dict) and "literal" not in value:
        for key, each in value.items():
            if key in ("expression", "of") and isinstance(each, str):
                yield each
            elif key in ("members", "at"):
                yield from _expressions(list(as_object(each).values()))
            else:
                yield from _expressions(each)


def _mapped(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    """Return a Value with `change` applied to its expressions."""
    if isinstance(value, list):
        return [_mapped(each, change) for each in value]
    if not isinstance(value, dict) or "literal" in value:
        return value
    found: JsonObject = {}
    for key, each in value.items():
        if key in ("expression", "of") and isinstance(each, str):
            found[key] = change(each)
        elif key in ("members", "at"):
            found[key] = {name: _mapped(member, change) for name, member in as_object(each).items()}
        else:
            found[key] = _mapped(each, change)
    return found


def _kinds(schema: JsonObject) -> set[str]:
    kinds = schema.get("type")
    return {str(kind) for kind in kinds} if isinstance(kinds, list) else {kinds} if isinstance(kinds, str) else set()


# -- answers -----------------------------------------------------------------------------------------------------------

_BODY = "$response.body"
_OF_SCALARS = {"string": "a text", "integer": "a number", "number": "a number", "boolean": "true or false"}
_OF_FAILURES = re.compile(r"\$statusCode\s*(?:==|>=?|!=)\s*[3-5]")
"""A success criterion by which an answer that is no 2xx may be a success: no schema of such an answer is read."""


# An answer may have more members than its schema describes. So a member that no schema describes is only a doubt.
def _doubt(step: WorkflowStep, tool: ToolSpec, output: str, pointer: str, composer: Composer) -> tuple[str, str] | None:
    """Return a message and a hint if no schema describes what a workflow reads of a step; None if one may.

    `output`: name of an output of the step. `pointer`: JSON Pointer into the output, "" for the whole output.
    """
    written = str(step.outputs[output].get("expression", ""))
    expression, _, inner = written.partition("#")
    decided = tool.operation.decided
    if expression != _BODY or decided.result is not None or tool.binding.task:
        return None  # the output is no part of the answer that the document describes
    if any(_OF_FAILURES.search(each.condition) for each in step.success or ()):
        return None
    path = tokens(pointer)
    if step.items is not None:
        path = path[1:]  # the outputs of a loop are lists, with one item for each call
    composer.budget.begin()
    try:
        found = [_missing(each, [*tokens(inner), *path], composer) for each in _schemas(tool)]
    except (SkipOperation, Exhausted, RecursionError):
        return None
    if not found or None in found:
        return None
    name, hint = found[0] or ("", "")
    message = f"The answer to the step {step.id} ({tool.name}) has no '{clipped(name)}', as far as its schema says."
    return message, hint


def _schemas(tool: ToolSpec) -> list[JsonObject]:
    """Return the schemas of all successful answers of a tool. A schema that allows everything is {}."""
    if tool.operation.decided.workflow is not None:
        return [{"type": "object", "properties": {name: {} for name in tool.operation.decided.workflow.outputs}}]
    good = [each for each in tool.operation.responses if each.status[:1] == "2"]
    content = [media for each in good for media in each.content]
    return [as_object(each.schema) if encoding_of(each.name) == "json" else {} for each in content]


def _missing(schema: JsonObject, path: list[str], composer: Composer) -> tuple[str, str] | None:
    """Return the first token of a path that a schema describes nothing for, and a hint."""
    for token in path:
        node = composer.whole(schema)
        kinds, described = set(types(node)) - {"null"}, dict(members(node))
        if not kinds or any(key in node for key in ("oneOf", "anyOf", "if", "patternProperties", "prefixItems")):
            return None
        if "object" in kinds:
            more = node.get("additionalProperties", False)
            if token not in described and (not described or more is not False):
                return None
            if token not in described:
                return token, nearest(token, [*described])
            schema = described[token]
        elif "array" in kinds:
            if not token.isdigit():
                return token, "There is a list at this place: name an item by its number, such as 0."
            schema = items_of(node)
        else:
            return token, f"There is {_OF_SCALARS.get(min(kinds), 'a value')} at this place, which has no parts."
    return None
