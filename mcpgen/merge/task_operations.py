"""Resolve operationIds in a `task` of the tools file: replace each by the request of the operation."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Api, Operation, TaskRequest, TaskRule, TaskTarget


def with_task_operations(api: Api, left_out: Iterable[Operation], diagnostics: Diagnostics) -> Api:
    """Return `api` with each operationId in a `task` rule of the tools file replaced by the request of its operation.
    Report and drop a rule that contains an operationId which no operation has.

    `left_out`: operations that selectors excluded. They become no tools, but a rule may poll by their requests, so the
    result has them in its field `left_out`.
    """
    api = replace(api, left_out=tuple(left_out))
    if not any(operation.decided.task for operation in api.operations):
        return api
    known = {each.id: each for each in (*api.operations, *api.left_out) if each.id}
    return replace(api, operations=tuple(_resolved(each, known, diagnostics) for each in api.operations))


def _resolved(operation: Operation, known: Mapping[str, Operation], diagnostics: Diagnostics) -> Operation:
    rule = operation.decided.task
    if rule is None:
        return operation
    missing = [each for each in rule.requests() if each.operation and each.operation not in known]
    for each in missing:
        message = f"No operation has the id '{clipped(each.operation)}'."
        diagnostics.add("unknown-name", message, each.where, nearest(each.operation, sorted(known)))
    found = None if missing else _with_requests(rule, known)
    return replace(operation, decided=replace(operation.decided, task=found))


def _with_requests(rule: TaskRule, known: Mapping[str, Operation]) -> TaskRule:
    result = None if rule.result is None else _target(rule.result, known)
    cancel = None if rule.cancel is None else _request(rule.cancel, known)
    return replace(rule, poll=_target(rule.poll, known), result=result, cancel=cancel)


def _target(target: TaskTarget, known: Mapping[str, Operation]) -> TaskTarget:
    return _request(target, known) if isinstance(target, TaskRequest) else target


def _request(request: TaskRequest, known: Mapping[str, Operation]) -> TaskRequest:
    if not request.operation:
        return request
    meant = known[request.operation]
    return TaskRequest(request.where, meant.method, meant.template.literals, meant.template.declared)
