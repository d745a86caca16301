"""Find the tools that the steps of workflows call, check the steps, and derive what models see of a workflow.

A workflow was lowered like a tool whose request has a JSON body, so its arguments and its name exist already. Here, its
binding gets the steps in place of that request.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, nearest
from mcpgen.lower.tool.annotations import as_written
from mcpgen.lower.tool.guards import CONFIRMATIONS
from mcpgen.lower.workflows.normal_form import Steps, inputs_of
from mcpgen.model import (
    Annotations,
    CallerScopes,
    Confirm,
    HttpBinding,
    Passage,
    Target,
    ToolSpec,
    Workflow,
)

METHOD = "WORKFLOW"
"""What reports show in place of the method of a request."""

MOST_STEPS = 100
_MOST_SCOPES = 16
_MOST_NAMED = 8


def resolve(tools: Sequence[ToolSpec], diagnostics: Diagnostics) -> list[ToolSpec]:
    """Return the tools, each workflow with its steps. A workflow that cannot run is reported, and left out."""
    if not any(tool.operation.decided.workflow for tool in tools):
        return list(tools)
    return _Resolver(tools, diagnostics).all()


@dataclass(slots=True)
class _Resolver:
    """Resolver of the workflows of one server. `found`: name of a workflow → its tool, None if it cannot run."""

    tools: Sequence[ToolSpec]
    diagnostics: Diagnostics
    found: dict[str, ToolSpec | None] = field(default_factory=dict)
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

    def target(self, target: Target, workflow: Workflow) -> ToolSpec | None:
        """Return the tool that a step calls. Report a target that does not exist, or that calls the step itself."""
        found = self._named(target, workflow)
        if found is not None and found.name in self._open:
            calls = " → ".join([*self._open[self._open.index(found.name) :], found.name])
            message = f"Workflows call each other in a circle: {calls}."
            self.diagnostics.add("workflow-cycle", message, target.where, "Leave one of these calls out.")
            return None
        made = None if found is None else self.made(found)
        if found is not None and made is None:
            message = f"The workflow '{clipped(target.name)}' that this step calls is left out."
            self.diagnostics.add("unknown-call", message, target.where, "Correct that workflow.")
        return made

    def _named(self, target: Target, workflow: Workflow) -> ToolSpec | None:
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
            self.diagnostics.add("unknown-call", message, target.where, nearest(target.name, names))
        return found[0] if found else None

    def _resolved(self, tool: ToolSpec, workflow: Workflow) -> ToolSpec | None:
        before = len(self.diagnostics)
        if len(workflow.steps) > MOST_STEPS:
            message = f"{tool.name} has {len(workflow.steps)} steps; the limit is {MOST_STEPS}."
            self.diagnostics.add("invalid-workflow", message, workflow.where, "Let one workflow call another.")
        steps = Steps(workflow, inputs_of(tool), lambda target: self.target(target, workflow), self.diagnostics)
        written = steps.written()
        if len(self.diagnostics) > before:
            return None
        called = list(steps.called.values())
        writes = [each for each in called if not each.annotations.read_only]
        confirm = _confirm(tool, bool(writes))
        if writes and confirm == "never":
            message = f"{tool.name} writes by {writes[0].name}, and nobody confirms it."
            hint = "Write `confirm: when-supported` or `confirm: always`, unless the client asks before each call."
            self.diagnostics.add("unconfirmed-workflow", message, workflow.where, hint)
        if workflow.consent == "each" and writes:
            written["consent"] = "each"
        if workflow.seconds is not None:
            written["seconds"] = workflow.seconds
        hints = as_written(_hints(called), tool.operation.decided.hints)
        return replace(
            tool,
            passages=(*_without(tool.passages, CONFIRMATIONS[tool.confirm]), *_told(called, confirm, workflow)),
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


def _told(called: Sequence[ToolSpec], confirm: Confirm, workflow: Workflow) -> Iterable[Passage]:
    """Yield what the description of a workflow says of its calls, and of its user."""
    names = [each.name for each in called]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    yield Passage(f"Calls {', '.join(names[:_MOST_NAMED])}{more}, and reports what was done if a step fails.")
    said = CONFIRMATIONS[confirm]
    yield Passage(said.replace("each call", "each write") if workflow.consent == "each" else said, is_whole=True)


def _without(passages: Sequence[Passage], text: str) -> list[Passage]:
    return [each for each in passages if not text or each.text != text]
