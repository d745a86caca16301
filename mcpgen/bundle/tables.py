"""Read the header of `bindings.json` back into model objects: security schemes and servers."""

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.model import WAYS, BoundScheme, Server, ServerVariable


def servers(header: JsonObject) -> tuple[Server, ...]:
    """Return the servers in the header of `bindings.json`, with the variables of their URLs."""
    return tuple(_server(as_object(entry)) for entry in as_list(header.get("servers")))


def _server(entry: JsonObject) -> Server:
    variables = as_object(entry.get("variables"))
    return Server(
        as_text(entry.get("url")),
        tuple(
            ServerVariable(name, as_text(as_object(each).get("default")), _texts(as_object(each).get("enum")))
            for name, each in variables.items()
        ),
    )


def schemes(header: JsonObject) -> tuple[BoundScheme, ...]:
    """Return the security schemes in the header of `bindings.json`, without what only requests need."""
    return tuple(_scheme(name, as_object(entry)) for name, entry in as_object(header.get("security")).items())


def _scheme(name: str, entry: JsonObject) -> BoundScheme:
    variables, purposes, ways = (as_object(entry.get(key)) for key in ("variables", "purposes", "ways"))
    return BoundScheme(
        name,
        {role: as_text(variable) for role, variable in variables.items()},
        {role: as_text(purpose) for role, purpose in purposes.items()},
        _texts(entry.get("secret")),
        {way: _texts(ways[way]) for way in WAYS if way in ways},
        as_text(entry.get("in")),
        as_text(entry.get("name")),
    )


def security(binding: JsonObject) -> list[tuple[str, ...]]:
    """Return the security alternatives of a tool's entry in `bindings.json`. Each alternative is a tuple of schemes
    that are needed together.
    """
    return [_texts(each) for each in as_list(binding.get("security"))]


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
