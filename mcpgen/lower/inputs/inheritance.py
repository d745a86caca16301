"""Combine the properties of a schema and its subtypes, for a body whose discriminator selects the subtype.

Each property of a subtype becomes an optional argument. Its description says which subtypes have the property.
"""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text, unique
from mcpgen.base.names import clipped
from mcpgen.lower.schema.compose import Composer, members, types
from mcpgen.lower.schema.discriminators import Discriminator
from mcpgen.lower.schema.merge_unions import OTHERS
from mcpgen.lower.text.prose import ended, plain

_MOST_LABELS = 4
_MOST_NAMES = 40


def side_by_side(node: JsonObject, composer: Composer, most: int) -> tuple[dict[str, JsonObject], bool]:
    """Return the properties of `node` and of the subtypes that its discriminator selects, at most `most` in all. Also
    return True if properties were left out.
    """
    discriminator = Discriminator(node, composer)
    own = dict(members(node))
    told: dict[str, list[tuple[str, JsonObject]]] = {}
    for member in discriminator.shown():
        label = " or ".join(str(value) for value in discriminator.values(member))
        for key, schema in members(composer.node(member)[0]):
            if schema != own.get(key) and key != discriminator.key:
                told.setdefault(key, []).append((label, schema))
    more = discriminator.has_more
    name = str(discriminator.key)
    added = {key: _joined(own.get(key), places, name, more, composer) for key, places in sorted(told.items())}
    room = max(0, most - len(own))
    new = [key for key in added if key not in own]
    found = {**own, **{key: schema for key, schema in added.items() if key in own or key in new[:room]}}
    found[name] = _chooser(discriminator, as_object(own.get(name)), composer)
    return found, more or len(new) > room


def _joined(
    inherited: JsonObject | None, places: list[tuple[str, JsonObject]], name: str, has_others: bool, composer: Composer
) -> JsonObject:
    """Return a schema for one property that allows every value that one of the schemas in `places` allows.

    `places`: pairs of a subtype's discriminator value and the property's schema in that subtype. `name`: the name of
    the discriminator property.
    """
    schemas: list[JsonValue] = [schema for _, schema in places]
    distinct = unique([*schemas, *([inherited] if inherited is not None else [])])
    if has_others and len(distinct) > 1 and inherited is None:
        kinds = {tuple(types(composer.node(as_object(each))[0])) for each in distinct}
        distinct.append({"type": "object", "description": OTHERS} if kinds == {("object",)} else {})
    schema: JsonObject = as_object(distinct[0]) if len(distinct) == 1 else {"anyOf": distinct}
    if inherited is not None or len(places) > _MOST_LABELS:
        return schema
    words = as_text(composer.node(schema)[0].get("description"))
    labels = " or ".join(clipped(plain(label), 40) for label, _ in places)
    note = f"Applies if {clipped(plain(name))} is {labels}."
    return {**schema, "description": f"{ended(words)} {note}".strip()}


def _chooser(discriminator: Discriminator, declared: JsonObject, composer: Composer) -> JsonObject:
    """Return the schema of the discriminator property. It lists the values, or gives examples in its description if
    the document does not list all values.
    """
    shown = discriminator.shown()
    node, _ = composer.node(declared)
    if "enum" in node or "const" in node:
        return declared
    values = unique(
        [*(value for member in shown for value in discriminator.values(member)), *discriminator.other_values()]
    )
    if all(discriminator.known_values(member) for member in shown):
        return {"allOf": [declared or {"type": "string"}, {"enum": values}]}
    names = ", ".join(clipped(plain(str(value)), 40) for value in values[:_MOST_NAMES])
    note = f"Such as {names}{', …' if len(values) > _MOST_NAMES else ''}."
    return {"type": "string", **declared, "description": f"{ended(as_text(node.get('description')))} {note}".strip()}
