"""Recognise the long-running operations of Google's APIs: responses with `name`, `done`, and `response` or `error`."""

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.lower.jobs.proposals import Arguments
from mcpgen.lower.jobs.requests import Requests
from mcpgen.lower.schema.compose import Composer, members, types
from mcpgen.model import Accepted, Operation

ENDS: JsonObject = {"done": "/done", "failed": "/error", "result": "/response"}


def is_operation(schema: JsonObject | None, composer: Composer) -> bool:
    """Return True if a response is a long-running operation (google.longrunning.Operation)."""
    if schema is None:
        return False
    node, _ = composer.node(schema)
    found = dict(members(node))
    if not {"name", "done"} <= found.keys() or found.keys().isdisjoint({"response", "error", "metadata"}):
        return False
    return "boolean" in types(composer.node(found["done"])[0])


def proposed(operation: Operation, requests: Requests, arguments: Arguments) -> Accepted:
    """Return the job that `operation` starts. The job has a `task` (rule for following the job) only if the path for
    reading the job has exactly one variable. The response contains only the job's whole name, not the values of several
    variables.
    """
    reads = [each for each in requests.of_answer(operation, is_operation) if each.path.endswith("}")]
    if not reads:
        return Accepted("job", "/name")
    read = min(reads, key=lambda each: (len(each.path), each.path))
    poll = f"GET {read.path}"
    variables = read.template.declared
    if len(variables) != 1 or variables[0] in arguments.taken:
        return Accepted("job", poll)
    values: JsonObject = {} if variables[0] == "name" else {"values": {variables[0]: "/name"}}
    return Accepted("job", poll, {"poll": poll, **values, **ENDS})
