"""Discriminators (OpenAPI 3.1, 4.8.25): what a schema must say so that its value chooses one of several."""

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.lower.compose import Composer, alternatives


def tagged(member: JsonObject, node: JsonObject, composer: Composer) -> JsonObject:
    """`member` of the alternatives of `node`, with the value of the discriminator that chooses it as its only one.

    What the member itself says of its values weighs more: many mappings are left out, or wrong. A member that is a
    choice again says it in its own members.
    """
    discriminator = as_object(node.get("discriminator"))
    key, name = discriminator.get("propertyName"), member.get("$ref")
    if not isinstance(key, str) or not isinstance(name, str) or alternatives(composer.node(member)[0]):
        return member
    values = [value for value, target in as_object(discriminator.get("mapping")).items() if target == name]
    own = _own_values(member, key, composer)
    if own and not any(value in own for value in values):
        return member
    tag: JsonObject = {"type": "string", "enum": list[JsonValue](values or [schema_name(name)])}
    demand: JsonObject = {"type": "object", "properties": {key: tag}, "required": [key]}
    return {**member, "allOf": [*as_list(member.get("allOf")), demand]}


def _own_values(member: JsonObject, key: str, composer: Composer) -> list[JsonValue]:
    """The values that `member` itself allows for its property `key`; empty where it leaves them open."""
    properties = as_object(composer.node(member)[0].get("properties"))
    node, _ = composer.node(as_object(properties.get(key)))
    return [node["const"]] if "const" in node else as_list(node.get("enum"))


def schema_name(reference: str) -> str:
    """The name that a document gives to the schema which `reference` leads to; of a whole file, the file's."""
    name = reference.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
    return name[:-1].partition(".")[0] if name.endswith("#") else name
