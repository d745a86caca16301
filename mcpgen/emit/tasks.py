"""Write the member `task` of a tool's entry in `bindings.json`: how the server follows the job that a call starts."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.model import HttpBinding, TaskRequest, TaskRule, TaskTarget


def of_jobs(binding: HttpBinding) -> JsonObject:
    """Return a tool's member `task` for `bindings.json`, or {} if the tool starts no job."""
    return {} if binding.task is None else {"task": task(binding.task)}


def task(rule: TaskRule) -> JsonObject:
    """Return the member `task` of a tool's entry in `bindings.json`, which says how the server follows a job."""
    result: JsonObject = {"poll": _target(rule.poll)}
    for key, listed in (("done", rule.done), ("failed", rule.failed)):
        if listed:
            result[key] = list(listed)
    if rule.result is not None:
        result["result"] = _target(rule.result)
    if rule.cancel is not None:
        result["cancel"] = _request(rule.cancel)
    if rule.values:
        result["values"] = dict[str, JsonValue](rule.values)
    if rule.message:
        result["message"] = rule.message
    if rule.interval is not None:
        result["interval"] = rule.interval
    if rule.ttl is not None:
        result["ttl"] = rule.ttl
    return result


def _target(target: TaskTarget) -> JsonObject:
    if isinstance(target, TaskRequest):
        return _request(target)
    return {"header": target.header} if target.header else {"pointer": target.pointer}


def _request(request: TaskRequest) -> JsonObject:
    path: list[JsonValue] = [request.literals[0]]
    for name, literal in zip(request.variables, request.literals[1:], strict=True):
        path += [{"argument": name, "name": name, "style": "simple", "explode": False, "required": True}, literal]
    result: JsonObject = {"method": request.method, "path": [part for part in path if part != ""]}
    if request.query:
        result["query"] = [
            {"template": node, "name": name, "style": "form", "explode": True} for name, node in request.query.items()
        ]
    return result
