"""Read discriminators (OpenAPI 3.1, 4.8.25): which value of a property selects which schema.

A discriminator without `oneOf` or `anyOf` is inherited: its alternatives (children) are the schemas that include its
own schema by `allOf`. If there are many children, the first ones are shown. All other children share one alternative,
with the parent's members and the values that select these children.
"""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, unique
from mcpgen.lower.schema.compose import Composer, alternatives
from mcpgen.lower.schema.merge_unions import OTHERS

MOST_CHILDREN = 24
_OF_CHOICE = frozenset({"oneOf", "anyOf", "discriminator"})


# Many mappings are missing or wrong, so a value that a branch states itself has precedence.
class Discriminator:
    """Discriminator of the schema `node`: a property, and which of its values select which alternatives.

    `key`: name of the property, None if `node` has no discriminator.
    """

    def __init__(self, node: JsonObject, composer: Composer) -> None:
        declared = as_object(node.get("discriminator"))
        self.key = declared.get("propertyName")
        self.is_inherited = declared.get("isInherited") is True and isinstance(self.key, str)
        self._node = node
        self._composer = composer
        self._values: dict[str, list[JsonValue]] = {}
        for value, target in as_object(declared.get("mapping")).items():
            self._values.setdefault(str(target), []).append(value)

    def tag(self, member: JsonObject) -> JsonObject:
        """Return an alternative in which the discriminator property has only the values that select this alternative.

        Values that the alternative itself allows take precedence, since many mappings are incomplete or wrong. An
        alternative that is a union itself stays unchanged; the alternatives inside it are treated by themselves.
        """
        name = member.get("$ref")
        if not isinstance(self.key, str) or not isinstance(name, str) or alternatives(self._composer.node(member)[0]):
            return member
        demand = self._demand(name, self._composer.node(member)[0])
        return {**member, "allOf": [*as_list(member.get("allOf")), demand]} if demand else member

    def children(self) -> list[JsonObject]:
        """Return a schema for each of the first MOST_CHILDREN children of an inherited discriminator. Each schema
        allows the discriminator property only the values that select its child.

        If `other_values` returns any values, a last schema allows the discriminator property only these values.
        """
        found = [self._child(member) for member in self.shown()]
        others = self.other_values()
        if others:
            words: JsonObject = {"description": OTHERS} if self.has_more else {}
            chosen: JsonObject = {str(self.key): {"type": "string", "enum": others}}
            found.append({"type": "object", "properties": chosen, **words})
        return found

    @property
    def has_more(self) -> bool:
        """Return True if the discriminator has more children (subtypes) than `shown` returns."""
        return len(alternatives(self._node)) > MOST_CHILDREN

    def shown(self) -> list[JsonObject]:
        """Return references to the first MOST_CHILDREN subtypes. The tool's schema omits other subtypes' properties."""
        return alternatives(self._node)[:MOST_CHILDREN]

    def known_values(self, member: JsonObject) -> list[JsonValue]:
        """Return the discriminator values of a child that both its own schema and the `mapping` list; else those of the
        schema, else those of the `mapping`. Return [] if neither lists any.
        """
        name, node = str(member.get("$ref")), self._composer.node(member)[0]
        own, mapped = self._own_values(node), self._values.get(name, [])
        return [value for value in mapped if value in own] or own or mapped

    def values(self, member: JsonObject) -> list[JsonValue]:
        """Return the values that select a child: those that the document states, else the child's name."""
        return self.known_values(member) or [schema_name(str(member.get("$ref")))]

    def other_values(self) -> list[JsonValue]:
        """Return the discriminator values that select none of the first MOST_CHILDREN children.

        The values are those of the other children, and those that the parent's own schema lists.
        """
        shown = [value for member in self.shown() for value in self.values(member)]
        others = [value for member in alternatives(self._node)[MOST_CHILDREN:] for value in self.values(member)]
        return [value for value in unique([*others, *self._own_values(self._node)]) if value not in shown]

    def _child(self, member: JsonObject) -> JsonObject:
        """Return the node of a child (a subtype) without `oneOf`, `anyOf` and `discriminator`.

        The node also demands the child's discriminator value, unless the child's schema itself lists other values.
        """
        node = self._composer.node(member)[0]
        plain: JsonObject = {keyword: value for keyword, value in node.items() if keyword not in _OF_CHOICE}
        demand = self._demand(str(member.get("$ref")), node)
        return self._composer.merged(plain, demand) if demand else plain

    def _demand(self, name: str, node: JsonObject) -> JsonObject | None:
        """Return a schema that requires the discriminator value that selects the schema `name`. Return None if `node`,
        the schema itself, lists only other values for the discriminator property.
        """
        values, own = self._values.get(name, []), self._own_values(node)
        if own and not any(value in own for value in values):
            return None
        tag: JsonObject = {"type": "string", "enum": values or [schema_name(name)]}
        return {"type": "object", "properties": {str(self.key): tag}, "required": [self.key]}

    def _own_values(self, node: JsonObject) -> list[JsonValue]:
        """Return the values that `node` itself lists for the discriminator property, or [] if it allows any value."""
        properties = as_object(node.get("properties"))
        member, _ = self._composer.node(as_object(properties.get(str(self.key))))
        return [member["const"]] if "const" in member else as_list(member.get("enum"))


def schema_name(reference: str) -> str:
    """Return the name that a document gives to the target of `reference`. If the target is a whole file, return the
    file's name without its extension.
    """
    name = reference.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
    return name[:-1].partition(".")[0] if name.endswith("#") else name
