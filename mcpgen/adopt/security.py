"""Decide the security settings of the tools file, so that the generated server sends the same credentials as the
existing server whose configuration `mcpgen adopt` has read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen.adopt.foreign import Credential, ForeignServer, Remark
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import clipped, environment_suffix
from mcpgen.model import BoundScheme, Catalog

_NAMES = {"bearer": "token", "basic": "login", "apiKey": "api_key", "client": "client"}


@dataclass(frozen=True, slots=True)
class Security:
    """Security settings of the tools file: `none` (send no credentials), or schemes by name. `used`: name of a scheme
    of the document → the credential for it in the configuration of the server that mcpgen replaces.
    """

    none: bool = False
    schemes: tuple[tuple[str, Credential], ...] = ()
    used: tuple[tuple[str, Credential], ...] = ()


def decide(server: ForeignServer, catalog: Catalog, documents: Sequence[JsonValue], remarks: list[Remark]) -> Security:
    """Return the security settings of the tools file.

    `catalog`: the documents compiled without these settings. Adds remarks about differences between the credentials
    that the old server sends and the credentials that the documents require.
    """
    first, *others = (each.credentials for each in server.documents)
    demanded = any(_demands(document) for document in documents)
    if any(each is not None and each != first for each in others):
        said = (
            "The old server sends different credentials to the APIs of its documents. The new server instead sends "
            "the credentials that each document requires."
        )
        remarks.append(Remark(said))
        return Security()
    if first is None:
        if server.program == "fastmcp":
            said = (
                "adopt cannot tell which credentials the old server sends. The new server sends those that the "
                "OpenAPI document requires."
            )
            remarks.append(Remark(said))
        return Security()
    if not first:
        if demanded:
            said = (
                "The old server sends no credentials, whatever the OpenAPI document says. To let the new server send "
                "credentials, remove `security: none` from the tools file."
            )
            remarks.append(Remark(said))
        return Security(none=demanded)
    used: list[tuple[str, Credential]] = []
    written: list[tuple[str, Credential]] = []
    free = [scheme for scheme in catalog.schemes if _is_required(scheme, catalog)] if demanded else []
    for credential in first:
        fitting = next((scheme for scheme in free if _fits(scheme, credential)), None)
        if fitting is not None:
            free.remove(fitting)
            used.append((fitting.name, credential))
    taken = {scheme.name for scheme in catalog.schemes} if demanded else set()
    for credential in (each for each in first if all(each is not known for _, known in used)):
        if not demanded:
            name = _free_name(credential, {*taken, *(name for name, _ in written)})
        elif free:
            name = free.pop(0).name
            said = (
                f"The old server sends {_in_words(credential)}, which the OpenAPI document does not require. In "
                f"the tools file, this credential replaces the document's scheme '{clipped(name)}'."
            )
            remarks.append(Remark(said))
        else:
            remarks.append(Remark(f"The old server also sends {_in_words(credential)}, which was left out."))
            continue
        written.append((name, credential))
    return Security(schemes=tuple(written), used=tuple(used))


def scheme_object(credential: Credential) -> JsonObject:
    """Return a credential as a Security Scheme Object."""
    match credential.kind:
        case "bearer" | "basic":
            return {"type": "http", "scheme": credential.kind}
        case "client":
            scopes: JsonObject = dict.fromkeys(credential.scopes, "")
            flow: JsonObject = {"tokenUrl": credential.token_url, "scopes": scopes}
            return {"type": "oauth2", "flows": {"clientCredentials": flow}}
        case "apiKey":
            return {"type": "apiKey", "in": credential.location, "name": credential.name}


def remarks_on_variables(server: ForeignServer, security: Security, catalog: Catalog) -> list[Remark]:
    """Return remarks that map each variable or flag of the other server to a variable of the new server."""
    by = {scheme.name: scheme for scheme in catalog.schemes}
    if server.documents[0].credentials is None:
        return [Remark(said) for scheme in catalog.schemes for said in _of_generator(server, scheme)]
    found = []
    for name, credential in (*security.used, *security.schemes):
        scheme = by.get(name)
        if scheme is None:
            found.append(Remark(f"No tool needs {_in_words(credential)}, so the new server does not send it."))
            continue
        for role, variable in scheme.variables.items():
            if role in credential.held or (role == "value" and "value" in credential.held):
                held = f" to what {credential.held[role]} held" if credential.held[role] else ""
                found.append(Remark(f"Set {variable}{held}: {_in_words(credential)}. No secret was copied."))
    return found


def _of_generator(server: ForeignServer, scheme: BoundScheme) -> list[str]:
    if server.program != "openapi-mcp-generator":
        return []
    suffix = environment_suffix(scheme.name)
    if scheme.base64:
        kinds = {"username": "BASIC_USERNAME", "password": "BASIC_PASSWORD"}
    elif scheme.tokens and "fetched" in scheme.ways:
        kinds = {"value": "OAUTH_TOKEN", "client_id": "OAUTH_CLIENT_ID", "client_secret": "OAUTH_CLIENT_SECRET"}
    elif scheme.tokens:
        kinds = {"value": "BEARER_TOKEN"}
    else:
        kinds = {"value": "API_KEY"} if _is_key(scheme) else {}
    named = [(kinds.get(role), variable) for role, variable in scheme.variables.items()]
    return [
        f"Set {variable} to the value of {kind}_{suffix} of the old server. No secret was copied."
        for kind, variable in named
        if kind
    ]


def _is_key(scheme: BoundScheme) -> bool:
    """Return True for a credential that is sent as it is given, in a place of its own."""
    return bool(scheme.wire_name and scheme.secret) and not scheme.word


def _demands(document: JsonValue) -> bool:
    """Return True if a document requires a credential for at least one operation."""
    root = as_object(document)
    items = (as_object(item) for item in as_object(root.get("paths")).values())
    said = [root.get("security"), *(as_object(each).get("security") for item in items for each in item.values())]
    return any(each for requirements in said for each in as_list(requirements))


def _is_required(scheme: BoundScheme, catalog: Catalog) -> bool:
    return any(scheme.name in names for tool in catalog.tools for names in tool.binding.security)


def _fits(scheme: BoundScheme, credential: Credential) -> bool:
    if credential.kind == "bearer":
        return scheme.tokens
    if credential.kind == "client":
        return scheme.tokens and "fetched" in scheme.ways and scheme.token_url == credential.token_url
    if credential.kind == "basic":
        return scheme.base64
    same = scheme.wire_name.casefold() == credential.name.casefold()
    return _is_key(scheme) and scheme.location == credential.location and same


def _free_name(credential: Credential, taken: set[str]) -> str:
    name = _NAMES[credential.kind]
    return next(each for each in (name, *(f"{name}_{number}" for number in range(2, 99))) if each not in taken)


def _in_words(credential: Credential) -> str:
    match credential.kind:
        case "bearer":
            return "a bearer token"
        case "basic":
            return "a username and a password"
        case "client":
            return "a token that the server fetches with a client id and secret"
        case "apiKey":
            place = {"header": "header field", "query": "query parameter", "cookie": "cookie"}
            return f"the {place.get(credential.location, 'header field')} {clipped(credential.name)}"
