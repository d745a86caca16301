"""Read the header of `bindings.json` back into model objects: security schemes and servers."""

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.model import BoundScheme, Login, Server, ServerVariable, UserFlow


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
    """Return the security schemes in the header of `bindings.json`. Schemes of unknown kinds are left out."""
    return tuple(
        found
        for name, entry in as_object(header.get("security")).items()
        if (found := _scheme(name, as_object(entry))) is not None
    )


def _scheme(name: str, entry: JsonObject) -> BoundScheme | None:
    kind = entry.get("type")
    match kind:
        case "apiKey" | "bearer" | "basic" | "oauth2" | "header" | "setting" | "login":
            return BoundScheme(
                name,
                kind,
                {role: as_text(variable) for role, variable in as_object(entry.get("variables")).items()},
                as_text(entry.get("in")) or None,
                as_text(entry.get("name")) or None,
                token_url=as_text(entry.get("tokenUrl")),
                discovery_url=as_text(entry.get("openIdConnectUrl")),
                login=_login(as_object(entry["login"])) if "login" in entry else None,
                user=_user_flow(as_object(entry["user"])) if "user" in entry else None,
            )
        case _:
            return None


def _login(entry: JsonObject) -> Login:
    fields = ((name, as_object(each)) for name, each in as_object(entry.get("fields")).items())
    return Login(
        as_text(entry.get("contentType")),
        tuple((name, as_text(each.get("role")), as_text(each.get("value"))) for name, each in fields),
        as_text(entry.get("token")),
        as_text(entry.get("expires")),
    )


def _user_flow(entry: JsonObject) -> UserFlow:
    return UserFlow(
        as_text(entry.get("authorizationUrl")),
        as_text(entry.get("tokenUrl")),
        as_text(entry.get("deviceAuthorizationUrl")),
        as_text(entry.get("refreshUrl")),
        as_text(entry.get("metadataUrl")),
        _texts(entry.get("scopes")),
    )


def security(binding: JsonObject) -> list[tuple[str, ...]]:
    """Return the security alternatives of a tool's entry in `bindings.json`. Each alternative is a tuple of schemes
    that are needed together.
    """
    return [_texts(each) for each in as_list(binding.get("security"))]


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
