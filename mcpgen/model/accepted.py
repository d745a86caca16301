"""Data types for operations whose work goes on after the response: where a client can later see its result or state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.base.jsonvalue import JsonObject

AcceptedKind = Literal["job", "again", "resource", "forget"]
"""Ways to follow work that goes on after a response: 202, or another 2xx response of a long-running operation.

`job`: a place tells when the work has ended. `again`: the same request brings the result later. `resource`: the
thing that the request creates, changes or deletes can be read, but nothing tells when the work has ended. `forget`:
nothing can be looked at.
"""


@dataclass(frozen=True, slots=True)
class AnswerLink:
    """A Link Object of a response (OpenAPI 3.1, 4.8.20): an operation that follows, by id or reference.

    `parameters`: name of a parameter → runtime expression.
    """

    operation_id: str = ""
    operation_ref: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Accepted:
    """Where a client can see the result or state of work that goes on after a response, 202 or another 2xx.

    `look`: the request that reads the result or state, or where the response holds the URL for it, in the form of
    `poll` in a tools file; "" if nothing can be read.

    `task`: a value for the tool's key `task` in a tools file; {} if the document does not contain the needed facts.
    """

    kind: AcceptedKind
    look: str = ""
    task: JsonObject = field(default_factory=dict)
