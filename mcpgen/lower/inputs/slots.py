"""What a request can carry, by the place that it has there: what becomes an argument, or is filled in."""

from dataclasses import dataclass
from typing import Literal

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model import Given, Location

Place = Location | Literal["body", "rest", "filename", "part", "send", "result"]
Slot = tuple[Place, str]
"""Where a value goes: the place and the wire name there."""

WHOLE: Slot = ("body", "")
"""The whole body; no tool has this and a slot for the member whose name is empty."""

REST: Slot = ("rest", "")
"""The further members of the body."""

FIELDS: Slot = ("result", "")
"""The parts of the result that are asked for."""

_PLACES: tuple[Place, ...] = (
    "path",
    "query",
    "querystring",
    "header",
    "cookie",
    "body",
    "rest",
    "filename",
    "part",
    "send",
    "result",
)
ORDER = {place: index for index, place in enumerate(_PLACES)}


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that a request can carry, before it has an argument's name. `source` is the tool that lists it; the
    server fills in itself what is `made`, and sends `default` where a call leaves it out. In a merge patch null removes
    what is `removable`, and optional members of what is `patched`.
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


def filename_of(key: str, name: str) -> Input:
    """The file name that is sent with the part `key` of a body, whose argument is called `name`."""
    note: JsonObject = {"type": "string", "description": f"The file name that is sent with {name}."}
    return Input(("filename", key), f"{name[:55]}_filename", note)
