"""What the keywords of a schema say, whatever the document wrote."""

from mcpgen.jsonvalue import JsonObject, as_list, as_object


def types(node: JsonObject) -> list[str]:
    """The types that `node` declares, empty where it declares none."""
    declared = node.get("type")
    if isinstance(declared, str):
        return [declared]
    return [kind for kind in as_list(declared) if isinstance(kind, str)]


def alternatives(node: JsonObject) -> list[JsonObject]:
    """The members of `oneOf` and `anyOf`. For arguments they mean the same: one of them must fit."""
    if "oneOf" not in node and "anyOf" not in node:  # nearly always
        return []
    return [as_object(member) for keyword in ("oneOf", "anyOf") for member in as_list(node.get(keyword))]


def members(node: JsonObject) -> list[tuple[str, JsonObject]]:
    """The properties of `node`: the required ones in the order of `required`, then the others by name.

    An order of their own, because the keys of a mapping have none: a document whose keys were sorted anew is the same.
    """
    properties = as_object(node.get("properties"))
    required = [key for key in as_list(node.get("required")) if isinstance(key, str) and key in properties]
    ordered = dict.fromkeys([*required, *sorted(properties)])
    return [(key, as_object(properties[key])) for key in ordered]
