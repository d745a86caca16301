"""Recognise requests of GraphQL. Their responses have status 200 also if the call has failed."""

import re
from dataclasses import replace

from mcpgen.base.jsonvalue import JsonValue, as_list, as_object
from mcpgen.model import BodyBinding, Operation, ResultView

_DOCUMENT = re.compile(r"(\s|#[^\n]*\n)*(\{|(query|mutation|subscription|fragment)\b[^{]*\{)")
_BESIDE = ("variables", "operationName")


def rules(operation: Operation, body: BodyBinding | None) -> ResultView | None:
    """Return the `result` rules of the operation. If its body is a request of GraphQL, the rules say so."""
    view = operation.decided.result
    if body is None or not _is_graphql(operation, body):
        return view
    view = view or ResultView(operation.where)
    return replace(view, rules={"graphql": True, **view.rules})


def _is_graphql(operation: Operation, body: BodyBinding) -> bool:
    """Return True for a body of the type `application/graphql`, and for JSON whose member `query` is one of GraphQL.

    If a caller gives the query, another member of GraphQL's requests or the path must show that it is one.
    """
    if body.encoding != "json":
        return body.content_type.partition(";")[0].strip() == "application/graphql"
    members: dict[str, JsonValue] = {each.name: each.value if each.constant else None for each in body.fields}
    for name, node in as_object((body.template or {}).get("members")).items():
        text = as_list(as_object(node).get("text"))
        members[name] = text[0] if text else as_object(node).get("value")
    query = members.get("query")
    if isinstance(query, str):
        return _DOCUMENT.match(query) is not None
    at_graphql = operation.path.lower().rstrip("/").endswith("graphql")
    return "query" in members and (at_graphql or any(name in members for name in _BESIDE))
