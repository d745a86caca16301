"""Translate Postman collections (format 2.0 and 2.1): folders, variables, authorization and requests.

The format is described by the JSON Schema that `info.schema` of a collection names, and by the documentation of the
Postman Collection SDK. A collection describes requests by examples, so types are guessed from values, cautiously.

The `auth` of a collection, a folder or a request becomes security schemes and requirements. Values of credentials are
never copied into the translation: the generated server reads them from its environment.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, lookup, pointer
from mcpgen.base.names import clipped
from mcpgen.base.secrets import LEFT_OUT
from mcpgen.read.document import Document
from mcpgen.read.translate import Translation
from mcpgen.read.translate.postman.examples import VARIABLE
from mcpgen.read.translate.postman.requests import Request, Translated, translate_request
from mcpgen.read.translate.postman.urls import described, with_server_filled

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
"""Methods that have a key in a path item. Other methods are written under `additionalOperations` (OpenAPI 3.2)."""

_DEEPEST = 50
"""Limit on the nesting of folders. Postman's own limit is far lower."""
_COOKIE = re.compile(r"[A-Za-z0-9._-]+")
_HTTP = {"bearer": "bearer", "basic": "basic", "digest": "digest", "awsv4": "aws4-hmac-sha256"}
"""Kind of authorization → scheme of HTTP authentication."""

_UNSUPPORTED = frozenset({"hawk", "ntlm", "edgegrid", "oauth1", "asap", "jwt"})
"""Kinds of authorization that compute a value for each request. mcpgen does not support them; `hooks.py` can compute
the value.
"""


@dataclass(frozen=True, slots=True)
class _Found:
    """A request with its `auth`, which may be inherited from a folder. `auth_at`: place of that `auth`."""

    request: Request
    auth: JsonValue
    auth_at: str


def translate(document: Document, diagnostics: Diagnostics) -> Translation:
    """Return the collection as OpenAPI 3.2. Notes report the parts that OpenAPI cannot express."""
    root = as_object(document.value)
    root = as_object(root.get("collection")) or root  # Postman's API wraps a collection in this key
    base = "/collection" if root is not document.value else ""
    info = as_object(root.get("info"))
    result = Translation({"openapi": "3.2.0"})
    result.value["info"] = {
        "title": as_text(info.get("name")),
        "version": "",
        "description": described(info.get("description")),
    }
    result.note((), base)
    result.note(("info",), f"{base}/info")
    _Collection(root, base, document, diagnostics, result).add_operations()
    return result


class _Collection:
    def __init__(
        self, root: JsonObject, base: str, document: Document, diagnostics: Diagnostics, result: Translation
    ) -> None:
        self._root, self._base, self._document, self._diagnostics = root, base, document, diagnostics
        self._result = result
        self._variables = {
            as_text(each.get("key")) or as_text(each.get("id")): as_text(each.get("value"))
            for each in map(as_object, as_list(root.get("variable")))
            if each.get("disabled") is not True
        }
        self._schemes: JsonObject = {}
        self._scripts = 0

    def add_operations(self) -> None:
        """Add all requests of the collection to the translation."""
        found = list(self._requests(self._root, self._base, (), None, "", 0))
        counts = Counter(each.request.name.casefold() for each in found)
        made = [(each, self._translated(each.request)) for each in found]
        servers = Counter(each.url.server for _, each in made if each is not None and each.url.is_http)
        usual = servers.most_common(1)[0][0] if servers else ""
        if usual:
            self._result.value["servers"] = [{"url": usual}]
            self._result.note(("servers",), f"{self._base}/variable")
        paths: JsonObject = {}
        self._result.value["paths"] = paths
        for each, operation in made:
            if operation is not None:
                is_twin = counts[each.request.name.casefold()] > 1
                self._add(each, operation, usual, paths, is_twin=is_twin)
        self._result.value["components"] = {"securitySchemes": self._schemes}
        self._report_scripts()

    def _requests(
        self, holder: JsonObject, place: str, folders: tuple[str, ...], auth: JsonValue, auth_at: str, depth: int
    ) -> Iterator[_Found]:
        self._scripts += sum(bool(_script(each)) for each in as_list(holder.get("event")))
        if as_object(holder.get("auth")):
            auth, auth_at = holder["auth"], f"{place}/auth"
        for index, item in enumerate(map(as_object, as_list(holder.get("item")))):
            at = pointer(place, "item", index)
            name = as_text(item.get("name")).strip()
            if "item" in item and depth < _DEEPEST:
                yield from self._requests(item, at, (*folders, name), auth, auth_at, depth + 1)
                continue
            self._scripts += sum(bool(_script(each)) for each in as_list(item.get("event")))
            raw = item.get("request")
            value: JsonObject = {"url": raw} if isinstance(raw, str) else as_object(raw)
            if not value:
                continue
            answers = tuple(map(as_object, as_list(item.get("response"))))
            request = Request(name or as_text(value.get("name")), value, pointer(at, "request"), folders, answers)
            own = as_object(value.get("auth"))
            yield _Found(request, own or auth, pointer(at, "request", "auth") if own else auth_at)

    def _translated(self, request: Request) -> Translated | None:
        operation = translate_request(request, self._variables)
        query = as_text(as_object(as_object(request.value.get("body")).get("graphql")).get("query"))
        if LEFT_OUT in query:
            message = f"The GraphQL query of {clipped(request.name)} contains a secret, so the request was left out."
            place = self._document.where(pointer(request.pointer, "body", "graphql", "query"))
            hint = "Write a GraphQL variable in place of the value."
            self._diagnostics.add("secret-constant", message, place, hint)
            return None
        if not as_object(request.value.get("url")) and not as_text(request.value.get("url")):
            message = f"The request {clipped(request.name)} has no URL; it was left out."
            self._diagnostics.add(
                "invalid-document", message, self._document.where(request.pointer), "Give the request a URL."
            )
            return None
        return operation

    def _add(self, found: _Found, operation: Translated, usual: str, paths: JsonObject, *, is_twin: bool) -> None:
        request = found.request
        keys = (
            [operation.method] if operation.method in _METHODS else ["additionalOperations", operation.method.upper()]
        )
        path = operation.url.path
        if _has(paths, [path, *keys]):
            path = self._another(path, request, keys, paths)
        value = operation.value
        value["operationId"] = " ".join([*(request.folders if is_twin else ()), request.name])
        if operation.url.server not in ("", usual):
            value["servers"] = [{"url": operation.url.server}]
        security = self._security(found)
        if security is not None:
            value["security"] = security
        holder = as_object(paths.setdefault(path, {}))
        for key in keys[:-1]:
            holder = as_object(holder.setdefault(key, {}))
        holder[keys[-1]] = value
        place = ("paths", path, *keys)
        self._result.note(place, request.pointer)
        for (key, index), source in operation.sources.items():
            self._result.note((*place, key, index), request.pointer + source)

    def _another(self, path: str, request: Request, keys: list[str], paths: JsonObject) -> str:
        """Return a new path key for a request with the same method and path as another one: OpenAPI allows only one
        operation for both.

        The name of the request is added after `#`, which is never sent.
        """
        words = "-".join("".join(letter if letter.isalnum() else " " for letter in request.name).split())
        number, key = 1, f"{path}#{words}"
        while _has(paths, [key, *keys]):
            number += 1
            key = f"{path}#{words}-{number}"
        return key

    def _security(self, found: _Found) -> list[JsonValue] | None:
        """Return the security requirement of a request, and store its scheme. Return None if the collection sets no
        authorization.
        """
        read = _read_auth(found.auth, self._variables)
        if read is None or not read[0]:
            at = found.request.pointer
            written = _read_written_auth(found.request.value)
            keys = [self._kept(name, scheme, pointer(at, "header", index)) for name, scheme, index in written]
            return [{key: list[JsonValue]() for key in keys}] if keys else None if read is None else []
        name, scheme = read
        if scheme["type"] in _UNSUPPORTED:
            message = f"Requests with the authorization {clipped(name)} are sent without it."
            hint = "Add the authorization to requests in hooks.py."
            self._diagnostics.add("invalid-security", message, self._document.where(found.auth_at), hint)
            return []
        if scheme["type"] == "apiKey" and _is_key_named_by_variable(found.auth):
            message = f"A variable names the API key, and its value is not copied; {scheme['name']} is used."
            hint = "Describe the API key under `security` of a tools file, with its name."
            self._diagnostics.add("secret-constant", message, self._document.where(found.auth_at), hint)
        key = self._kept(name, scheme, found.auth_at)
        scopes = as_object(as_object(scheme.get("flows")).get("clientCredentials")).get("scopes")
        return [{key: list[JsonValue](as_object(scopes))}]

    def _kept(self, name: str, scheme: JsonObject, source: str) -> str:
        """Store a security scheme, and return its key: its name, with a number if a different scheme has this name."""
        key, number = name, 1
        while key in self._schemes and self._schemes[key] != scheme:
            number += 1
            key = f"{name}_{number}"
        self._schemes[key] = scheme
        self._result.note(("components", "securitySchemes", key), source)
        return key

    def _report_scripts(self) -> None:
        if self._scripts:
            some = "1 script" if self._scripts == 1 else f"{self._scripts} scripts"
            message = f"The collection has {some}, which mcpgen does not run."
            place = self._document.where(f"{self._base}/event" if "event" in self._root else self._base)
            self._diagnostics.add(
                "unused-scripts",
                message,
                place,
                "If calls need these scripts, write their effect as hooks in hooks.py.",
            )


def _has(paths: JsonObject, keys: list[str]) -> bool:
    try:
        lookup(paths, keys)
    except KeyError:
        return False
    return True


def _script(event: JsonValue) -> str:
    """Return the code of an event's script, or "" if it is empty. Postman also writes events without code."""
    code = as_object(as_object(event).get("script")).get("exec")
    lines = [code] if isinstance(code, str) else [as_text(line) for line in as_list(code)]
    return "\n".join(lines).strip()


def _read_auth(value: JsonValue, variables: dict[str, str]) -> tuple[str, JsonObject] | None:
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
    if kind in _HTTP:
        return kind, {"type": "http", "scheme": _HTTP[kind]}
    if kind == "apikey":
        name = VARIABLE.sub("", said.get("key", "")).strip() or "X-API-Key"
        return "api_key", {"type": "apiKey", "name": name, "in": "query" if said.get("in") == "query" else "header"}
    if kind == "oauth2":
        return "oauth2", _oauth2(said, variables)
    return kind, {"type": kind}


def _is_key_named_by_variable(value: JsonValue) -> bool:
    """Return True if a variable holds the name of the header or parameter that carries the API key."""
    return VARIABLE.search(_attributes(as_object(value).get("apikey")).get("key", "")) is not None


def _read_written_auth(request: JsonObject) -> list[tuple[str, JsonObject, int]]:
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
