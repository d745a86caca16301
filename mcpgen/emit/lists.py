"""Write the members of `bindings.json` for pagination, and for looking up ids by names."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.model import HttpBinding, Lookup


def of_lists(binding: HttpBinding) -> JsonObject:
    """Return the members of a tool's entry in `bindings.json` about pagination and id lookups."""
    result: JsonObject = {}
    if binding.pages is not None:
        result["pages"] = {} if binding.pages.items is None else {"items": binding.pages.items}
    if binding.lookups:
        result["lookups"] = [_lookup(each) for each in binding.lookups]
    return result


def _lookup(lookup: Lookup) -> JsonObject:
    result: JsonObject = {"argument": lookup.argument, "id": lookup.id, "tool": lookup.tool}
    if lookup.query:
        result["query"] = lookup.query
    if lookup.given:
        result["given"] = dict[str, JsonValue](lookup.given)
    result.update(items=lookup.items, value=lookup.value, names=list[JsonValue](lookup.names))
    if lookup.about:
        result["about"] = lookup.about
    flags = {"required": lookup.required, "ranked": lookup.ranked}
    return {**result, **{name: True for name, flag in flags.items() if flag}}
