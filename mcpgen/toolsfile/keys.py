"""The keys of the tools file, and what to say of one that is not among them."""

from difflib import get_close_matches

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.jsonvalue import JsonObject
from mcpgen.names import clipped

Kinds = dict[str, tuple[type, ...]]
"""Key → the kinds of value that it takes."""

FILE: Kinds = {
    "mcpgen": (int,),
    "server": (dict,),
    "base_url": (str,),
    "security": (dict,),
    "tools": (list,),
    "components": (dict,),
}
SERVER: Kinds = {
    "name": (str,),
    "title": (str,),
    "version": (str,),
    "instructions": (str,),
    "output": (str,),
    "confirm": (dict,),
    "roles": (dict,),
    "fields": (bool,),
}
TOOL: Kinds = {
    "name": (str,),
    "title": (str,),
    "description": (str,),
    "request": (str,),
    "parameters": (list,),
    "body": (dict, bool),
    "responses": (dict,),
    "output": (str,),
    "outputSchema": (dict,),
    "confirm": (str,),
    "roles": (list,),
    "fields": (bool,),
}
_WORDS = {dict: "a mapping", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}


def check(value: JsonObject, kinds: Kinds, where: Where, diagnostics: Diagnostics) -> None:
    """Report every key of `value` that `kinds` does not hold, and every value of another kind. `x-` keys are the
    writer's.
    """
    for key, member in value.items():
        if key.startswith("x-"):
            continue
        place = where.inside(key)
        if key not in kinds:
            near = get_close_matches(key, kinds, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Use one of {', '.join(kinds)}."
            diagnostics.add("unknown-key", f"Nothing reads the key '{clipped(key)}'.", place, hint)
        elif not isinstance(member, kinds[key]):
            wanted = " or ".join(_WORDS[kind] for kind in kinds[key])
            diagnostics.add("invalid-value", f"The value of {key!r} is not {wanted}.", place, f"Write {wanted}.")
