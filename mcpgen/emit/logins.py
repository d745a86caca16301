"""Write the members of `bindings.json` that say how tokens are fetched and how users log in."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.model import Login, UserFlow


def login(login: Login) -> JsonObject:
    """Return the request by which a token is fetched from the API itself."""
    fields: JsonObject = {name: {"role": role} if role else {"value": value} for name, role, value in login.fields}
    result: JsonObject = {"contentType": login.content_type, "fields": fields, "token": login.token}
    return {**result, **({"expires": login.expires} if login.expires else {})}


def user_flow(user: UserFlow) -> JsonObject:
    """Return how a user logs in: endpoints and scopes."""
    urls = {
        "authorizationUrl": user.authorization_url,
        "tokenUrl": user.token_url,
        "deviceAuthorizationUrl": user.device_url,
        "refreshUrl": user.refresh_url,
        "metadataUrl": user.metadata_url,
    }
    result: JsonObject = {name: url for name, url in urls.items() if url}
    return {**result, **({"scopes": list[JsonValue](user.scopes)} if user.scopes else {})}
