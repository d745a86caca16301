"""Separate operationIds from paths: ids that hold their path, and paths that hold the id of their operation."""

import re

from mcpgen.base.names import words
from mcpgen.model import Operation

AMOUNTS = frozenset(["all", "many", "one"])
"""Words after the verb of an id that name no thing: `findAll`."""

_ACT = re.compile(r"[#?&](?:action|operation|[\w-]*target)=(?:[\w-]+\.)*(\w+)", re.IGNORECASE)
"""Pattern of the id in path keys of Amazon's protocols: `/#Action=RunInstances`, `/#X-Amz-Target=Rules.DeleteRule`."""


def act_in_path(operation: Operation) -> list[str]:
    """Return the words of the id in the query or fragment of the path key, or [] if it has none."""
    found = _ACT.search(operation.path)
    return words(found[1]) if found else []


def without_act(path: str) -> str:
    """Return the path key with only the id of its fragment: `/#Action=RunInstances` → `/#RunInstances`."""
    return _ACT.sub(r"#\1", path) if "#" in path else path


def without_path(identifier: str, operation: Operation) -> str:
    """Return the part of an operationId behind its method and its path: `get-/a/{b}_getAll` → `getAll`.

    Return "" if that is another path or says less than the path (`getPage`). Return the whole id if it does not hold
    its path.
    """
    before, path, rest = identifier.partition(operation.path)
    if len(path) < 2 or before.strip("-_ ").lower() not in ("", operation.method.lower()):
        return identifier
    said = words(rest)
    says_less = len(said) == 2 and said[0] != "do" and said[1] not in AMOUNTS
    return "" if "/" in rest or says_less else rest.strip("-_ ")
