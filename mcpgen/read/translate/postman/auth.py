"""Translate the `auth` of a collection, a folder or a request to security schemes and requirements.

Values of credentials are never copied into the translation: the generated server reads them from its environment.
"""

import re

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.read.translate.postman.examples import VARIABLE
from mcpgen.read.translate.postman.urls import with_server_filled

_COOKIE = re.compile(r"[A-Za-z0-9._-]+")

UNSUPPORTED = frozenset({"digest", "hawk", "awsv4", "ntlm", "edgegrid", "oauth1", "asap", "jwt"})
"""Kinds of authorization that compute a value for each request. mcpgen does not support them; `hooks.py` can compute
the value.
"""


def read_auth(value: JsonValue, variables: dict[str, str]) -> tuple[str, JsonObject] | None:
    """Return name and security scheme of an `auth` object. Return ("", {}) for no authorization, and None if the object
    names no type of authorization.
    """
    raw = as_object(value)
    kind = as_text(raw.get("type"))
    if not kind:
        return None
    if kind == "noauth":
        return "", {}
    said = _attributes(raw.get(kind))
    if kind == "bearer":
        return "bearer", {"type": "http", "scheme": "bearer"}
    if kind == "basic":
        return "basic", {"type": "http", "scheme": "basic"}
    if kind == "apikey":
        name = VARIABLE.sub("", said.get("key", "")).strip() or "X-API-Key"
        return "api_key", {"type": "apiKey", "name": name, "in": "query" if said.get("in") == "query" else "header"}
    if kind == "oauth2":
        return "oauth2", _oauth2(said, variables)
    return kind, {"type": kind}


def is_key_named_by_variable(value: JsonValue) -> bool:
    """Return True if a variable holds the name of the header or parameter that carries the API key."""
    return VARIABLE.search(_attributes(as_object(value).get("apikey")).get("key", "")) is not None


def read_written_auth(request: JsonObject) -> list[tuple[str, JsonObject, int]]:
    """Return a list of the credentials in a request's header fields: (name of the security scheme, the scheme as an
    object, index of the header field).

    Many collections write `Authorization` or `Cookie` as a header field instead of an `auth` object.
    """
    # As arguments, these credentials would reach a model. If they were left out, calls would have no credential.
    found: list[tuple[str, JsonObject, int]] = []
    for index, each in enumerate(map(as_object, as_list(request.get("header")))):
        field, value = as_text(each.get("key")).strip().lower(), as_text(each.get("value")).strip()
        if each.get("disabled") is True or not value:
            continue
        if field == "authorization":
            found.append((*_of_authorization(value), index))
        elif field == "cookie":
            names = [pair.partition("=")[0].strip() for pair in value.split(";") if "=" in pair]
            found += [
                (name, {"type": "apiKey", "name": name, "in": "cookie"}, index)
                for name in dict.fromkeys(names)
                if _COOKIE.fullmatch(name)
            ]
    return found


def _of_authorization(value: str) -> tuple[str, JsonObject]:
    word, _, rest = value.partition(" ")
    if rest and word.lower() in ("bearer", "basic"):
        return word.lower(), {"type": "http", "scheme": word.lower()}
    return "authorization", {"type": "apiKey", "name": "Authorization", "in": "header"}


def _attributes(value: JsonValue) -> dict[str, str]:
    """Return the attributes of an `auth` object, which are a list of keys and values in format 2.1, and an object in
    format 2.0.
    """
    if isinstance(value, dict):
        return {key: as_text(each) for key, each in value.items()}
    pairs = map(as_object, as_list(value))
    return {as_text(each.get("key")): as_text(each.get("value")) for each in pairs}


def _oauth2(said: dict[str, str], variables: dict[str, str]) -> JsonObject:
    authorization = with_server_filled(said.get("authUrl", ""), variables)
    token = with_server_filled(said.get("accessTokenUrl", ""), variables)
    scopes: JsonObject = {scope: "" for scope in said.get("scope", "").split() if "{{" not in scope}
    urls = {"authorizationUrl": authorization, "tokenUrl": token}
    known: JsonObject = {key: url for key, url in urls.items() if url and "{{" not in url}
    if "tokenUrl" not in known:
        return {"type": "http", "scheme": "bearer"}
    if said.get("grant_type") == "client_credentials":
        return {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": known["tokenUrl"], "scopes": scopes}}}
    if "authorizationUrl" not in known:
        return {"type": "http", "scheme": "bearer"}
    return {"type": "oauth2", "flows": {"authorizationCode": {**known, "scopes": scopes}}}
