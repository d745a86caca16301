"""Discriminators (OpenAPI 3.1, 4.8.25): what a schema must say so that its value chooses one of several."""

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.lower.compose import Composer, alternatives


class Discriminator:
    """The discriminator of `node`, if it has one: which values choose which of its alternatives."""

    def __init__(self, node: JsonObject, composer: Composer) -> None:
        declared = as_object(node.get("discriminator"))
        self._key = declared.get("propertyName")
        self._composer = composer
        self._values: dict[str, list[JsonValue]] = {}
        for value, target in as_object(declared.get("mapping")).items():
            self._values.setdefault(str(target), []).append(value)

    def tag(self, member: JsonObject) -> JsonObject:
        """Return `member` of the alternatives with the value of the discriminator that chooses it as its only one.

        What the member itself says of its values weighs more: many mappings are left out, or wrong. A member that is a
        choice again says it in its own members.
        """
        key, name = self._key, member.get("$ref")
        if not isinstance(key, str) or not isinstance(name, str) or alternatives(self._composer.node(member)[0]):
            return member
        values = self._values.get(name, [])
        own = self._own_values(member, key)
        if own and not any(value in own for value in values):
            return member
        tag: JsonObject = {"type": "string", "enum": values or [schema_name(name)]}
        demand: JsonObject = {"type": "object", "properties": {key: tag}, "required": [key]}
        return {**member, "allOf": [*as_list(member.get("allOf")), demand]}

    def _own_values(self, member: JsonObject, key: str) -> list[JsonValue]:
        """Return the values that `member` itself allows for its property `key`; none where it leaves them open."""
        properties = as_object(self._composer.node(member)[0].get("properties"))
        node, _ = self._composer.node(as_object(properties.get(key)))
        return [node["const"]] if "const" in node else as_list(node.get("enum"))


def schema_name(reference: str) -> str:
    """The name that a document gives to the schema which `reference` leads to; of a whole file, the file's."""
    name = reference.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
    return name[:-1].partition(".")[0] if name.endswith("#") else name
