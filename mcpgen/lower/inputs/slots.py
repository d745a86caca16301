"""Define the slots of a request: pairs (place in the request, parameter name) to which arguments and constants go."""

from dataclasses import dataclass
from typing import Literal

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model import Given, Location, Parameter

Place = Location | Literal["body", "rest", "filename", "part", "send", "result"]
Slot = tuple[Place, str]
"""Where a value goes: the place in the request (such as `query`), and the name in the request."""

WHOLE: Slot = ("body", "")
"""Slot of the whole body. No tool has both this slot and a body member whose name is empty."""

REST: Slot = ("rest", "")
"""Slot of the body members that the schema allows but does not name."""

FIELDS: Slot = ("result", "")
"""Slot of the argument `fields`, by which a call selects parts of the result."""

_PLACES: tuple[Place, ...] = (
    "path", "query", "querystring", "header", "cookie", "body", "rest", "filename", "part", "send", "result",
)  # fmt: skip
LOOKUP = "lookup"
"""Place in the slots of arguments that accept a name instead of an id. These arguments are added when all tools are
known.
"""

SERVER = "server"
"""Place in the slots of arguments that give a variable of the server URL."""

ACCOUNT = ("account", "")
"""Slot of the argument that names the account of a call."""

ORDER = {place: index for index, place in enumerate(_PLACES)}


@dataclass(frozen=True, slots=True)
class Input:
    """One value that a request can carry, before it has an argument name.

    `source`: name of the tool that lists its possible values. `made`: True if the server generates the value.
    `default`: sent if a call leaves the argument out. `patched`: True if the value belongs to a JSON Merge Patch (RFC
    7396), in which null deletes an optional member. `removable`: True if the value is itself such a member, so that it
    may be null. `original`: the name in the request, if the argument's name does not show it.
    """

    slot: Slot
    wanted_name: str
    schema: JsonObject
    required: bool = False
    description: str = ""
    deprecated: bool = False
    file: bool = False
    source: str = ""
    made: bool = False
    default: Given = None
    removable: bool = False
    patched: bool = False
    original: str = ""


def part_slot(key: str, header: Parameter) -> Slot:
    """Return the slot of a header field of the multipart part `key`."""
    return "part", f"{key}\n{header.name}"


def filename_of(key: str, name: str) -> Input:
    """Return the input for the file name that is sent with the part `key` of a multipart body. `name`: the argument of
    the part.
    """
    note: JsonObject = {"type": "string", "description": f"The file name that is sent with {name}."}
    return Input(("filename", key), f"{name[:55]}_filename", note)
