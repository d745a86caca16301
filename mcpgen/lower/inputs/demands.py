"""Decide whether a call must have a body if its document leaves `required` out.

In OpenAPI a body is optional by default (3.1, 4.8.13), but hardly any author means that. Most APIs answer 400 to a POST
without its required members. So a body with required members is required, unless the operation's description says that
it may be empty.
"""

import re
from collections.abc import Sequence

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, as_list
from mcpgen.lower.schema.compose import Composer, alternatives, types
from mcpgen.lower.schema.kinds import is_null
from mcpgen.model import Operation, RequestBody

_CHANGING = ("POST", "PUT", "PATCH")
_MAY_BE_EMPTY = re.compile(
    r"\b(?:empty|no|without an?|optional) (?:request |json )?body\b"
    r"|\bbody (?:\w+ ){0,2}(?:optional|empty|omitted|left out|not (?:needed|required))\b",
    re.IGNORECASE,
)


# By OpenAPI's default, a body with required members may be left out. In documents that were new to mcpgen, a sixth of
# the tools sent no body for this reason. `--optional-bodies` restores the default.
def is_required(operation: Operation, body: RequestBody, node: JsonObject, composer: Composer) -> bool:
    """Return True if a call of the operation must have the body. `node`: the schema of the body.

    If the document does not set `required`, the method, the schema and the descriptions decide.
    """
    if body.required is not None:
        return body.required
    told = "\n".join((operation.summary, operation.description, body.description))
    return operation.method in _CHANGING and _needs_members(node, composer) and not _MAY_BE_EMPTY.search(told)


def _needs_members(node: JsonObject, composer: Composer) -> bool:
    """Return True if neither null nor an empty object is valid for `node`."""
    branches = [composer.node(each)[0] for each in alternatives(node)]
    if "null" in types(node) or any(map(is_null, branches)):
        return False
    if as_list(node.get("required")):
        return True
    return bool(branches) and all(as_list(each.get("required")) for each in branches)


def report(taken: Sequence[Operation], diagnostics: Diagnostics) -> None:
    """Report in one diagnostic which bodies mcpgen makes required although their document does not say so."""
    if not taken:
        return
    some = ", ".join(f"{each.method} {each.path}" for each in taken[:3])
    more = f" and {len(taken) - 3} more" if len(taken) > 3 else ""
    message = (
        "These request bodies have required members, so mcpgen makes the bodies required, although the "
        f"document does not say so: {some}{more}."
    )
    hint = (
        "Write `required: true` or `required: false` at the body in the document. To keep a body optional, use "
        "`body: {required: false}` in an override, or --optional-bodies."
    )
    body = taken[0].body
    diagnostics.add("body-required", message, body.where if body else taken[0].where, hint)
