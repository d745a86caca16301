"""Find operations that log in.

To call a login, a model would have to know a password, and it would see a token. So logins are hidden unless the
project's owner offers them, but they can supply the credential of other calls.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.base.names import clipped, fold, words
from mcpgen.merge.overrides import is_written, named
from mcpgen.model import API_KEY, BEARER, Api, Operation, Security, SecurityScheme
from mcpgen.naming.effect_words import ENDS
from mcpgen.read.openapi import servers
from mcpgen.read.toolsfile import LoginChoice

_LOGS_IN = frozenset(
    re.findall(
        r"\w+",
        "login logins logon signin sign auth authenticate authentication authorize oauth oauth2 openid jwt sso saml",
    )
)
_ABOUT = _LOGS_IN | {"token", "tokens", "session", "sessions"}
"""Words in the path or operationId of a login. Operations without any of these words are not examined further."""

_ENDS = ENDS | {"forgot", "forget"}
"""Words of operations that end a session or replace a password; what they take or return logs nobody in."""

_OAUTH = frozenset(["oauth", "oauth2"])
"""Words before the last one of the path of an endpoint of an authorization server (RFC 6749, RFC 7009)."""

_PASSWORDS = frozenset(["password", "passwd", "pwd", "passcode", "userpassword"])
_SECRETS = frozenset(["clientsecret", "refreshtoken"])
"""Secrets that also belong to settings, such as those of an OAuth client that the API itself uses."""

_TOKENS = frozenset(["accesstoken", "refreshtoken", "idtoken", "jwt", "jwttoken", "bearertoken", "sessiontoken"])
_FEWEST_TAKERS = 3
"""Number of other operations that take a token as an argument, from which on the token is data of the API."""

_OFFER = "To make it a tool, write `hide: false` in an override."
_LOG_IN = "To let the server log in with it, write `login:` in the tools file."

_FORM = "application/x-www-form-urlencoded"
_DEEPEST = 5
"""Limit on nested references that are followed to find the members of a schema."""


# A password alone does not make a login: an operation that creates a user takes a password too
# (docs/decisions/compiling.md).
def hide_logins(api: Api, choice: LoginChoice | None, diagnostics: Diagnostics) -> Api:
    """Hide and report each operation that takes a password or returns an access token: it does not become a tool.

    The operation by which the server logs in (`choice`) is hidden too. Operations that the tools file offers (`hide:
    false`) stay, and so do other ones that it defines. Return the changed `api`.
    """
    own = [each.key for each in named(choice.operation, api.operations)] if choice else []
    found = []
    for operation in api.operations:
        why, hint = "", _OFFER
        if operation.decided.hidden is not None or operation.decided.workflow is not None:
            pass
        elif operation.key in own:
            why = "logs the server in"
        elif not is_written(operation):
            why, hint = _reason(operation, api), f"{_OFFER} {_LOG_IN}"
        if why:
            message = f"{operation.method} {clipped(operation.path)} {why}, so it does not become a tool."
            diagnostics.add("login-operation", message, operation.where, hint)
            operation = replace(operation, decided=replace(operation.decided, hidden=True))
        found.append(operation)
    return replace(api, operations=tuple(found))


def _reason(operation: Operation, api: Api) -> str:
    """Return why an operation is a login, such as "returns an access token", or "" if it is none."""
    path = re.sub(r"\{[^{}]*\}", "", operation.path)
    own = words(path.rstrip("/").rpartition("/")[2])
    said = {*words(f"{path} {operation.id or ''}")}
    needed = _LOGS_IN if "{" in operation.path else _ABOUT  # a token or session of an item logs nobody in
    ends = _ENDS.intersection([*own, *words(operation.id or "")])
    if operation.method not in ("GET", "POST") or not needed & said:
        return ""
    taken, given = _taken(operation, api), _given(operation, api)
    if "clientsecret" in taken and _OAUTH & {*words(path)[:-1]}:  # `/oauth2/revoke`, and not the setting `/oauth`
        return "takes a password or another secret"
    if ends:
        return ""
    is_sent = operation.method == "POST"
    if _PASSWORDS & taken and (is_sent or _LOGS_IN & said):
        return "takes a password or another secret"
    if _SECRETS & taken and (given or "granttype" in taken or own[-1:] in (["token"], ["tokens"], ["login"])):
        return "takes a password or another secret"
    if (given if is_sent else given - {"jwt", "sessiontoken"}) and not _is_argument(given, operation, api):
        return "returns an access token"
    return ""


def _taken(operation: Operation, api: Api) -> set[str]:
    """Return the folded names of the parameters and members of the body of an operation."""
    found = {fold(each.name) for each in (*operation.parameters, *operation.withheld)}
    for media_type in operation.body.content if operation.body else ():
        found |= set(map(fold, _members(media_type.schema or {}, api)))
    return found


def _given(operation: Operation, api: Api) -> set[str]:
    """Return the folded names of tokens that a successful response has as members."""
    schemas = (each.schema or {} for one in operation.responses if one.status[:1] == "2" for each in one.content)
    return {fold(name) for schema in schemas for name in _members(schema, api)} & _TOKENS


def _is_argument(given: set[str], operation: Operation, api: Api) -> bool:
    """Return True if other operations take one of the tokens as an argument, so that a model needs it."""
    others = (each for each in api.operations if each is not operation and each.body is not None)
    takers = (each for each in others if (given - {"refreshtoken"}) & _taken(each, api))
    return len(list(islice(takers, _FEWEST_TAKERS))) == _FEWEST_TAKERS


def _members(schema: JsonObject, api: Api, depth: int = 0) -> Iterator[str]:
    """Yield the names of members that an object of the schema may have, including those in `allOf`, `anyOf` and
    `oneOf`.
    """
    if "$ref" in schema and depth < _DEEPEST:
        yield from _members(as_object(api.definitions.get(as_text(schema["$ref"]), {})), api, depth + 1)
    yield from as_object(schema.get("properties"))
    for key in ("allOf", "anyOf", "oneOf"):
        for part in as_list(schema.get(key)) if depth < _DEEPEST else ():
            yield from _members(as_object(part), api, depth + 1)


# A login is a scheme, so its password goes only to accepted origins, and its token is cached and renewed like others.
def with_login(api: Api, choice: LoginChoice, diagnostics: Diagnostics) -> Api:
    """Return `api` with a security scheme whose token comes from the operation that `choice` names.

    Mistakes in `choice` are reported as diagnostics.
    """
    found = named(choice.operation, api.operations)
    if len(found) != 1:
        message = f"There is no operation '{clipped(choice.operation)}'."
        if found:
            message = f"Several operations are called '{clipped(choice.operation)}'."
        diagnostics.add(
            "unknown-operation",
            message,
            choice.where.inside("operation"),
            "Name the operation by method and path, such as `POST /login`.",
        )
        return api
    operation = found[0]
    if operation.method != "POST" or operation.template.variables:
        message = (
            f"'{clipped(choice.operation)}' cannot be used as `login`: it is not a POST, or its path has parameters."
        )
        diagnostics.add(
            "invalid-value", message, choice.where.inside("operation"), "Fetch the token in a hook in hooks.py."
        )
        return api
    scheme = _filled_scheme(api, choice, diagnostics)
    if scheme is None:
        return api
    path = "".join(operation.template.literals)
    url = path.lstrip("/") or "./"
    if operation.servers[0] != api.servers[0]:
        url = servers.with_defaults(operation.servers[0]).rstrip("/") + path
    login = replace(choice.request, content_type=choice.request.content_type or _content_type(operation))
    new = replace(scheme, token_url=url, discovery_url="", login=login, user=None)
    if not scheme.text.word and (scheme.location, scheme.wire_name) == ("header", "Authorization"):
        new = replace(new, text=BEARER)  # an API key in this header field is nearly always a bearer token
    others = tuple(each for each in api.schemes if each.name != new.name)
    if not api.schemes:  # then the document says nothing about credentials, and the login is for all operations
        required = Security(((new.name,),))
        api = api.changed(lambda each: replace(each, security=each.security.otherwise(required)))
    return replace(api, schemes=(*others, new))


def _filled_scheme(api: Api, choice: LoginChoice, diagnostics: Diagnostics) -> SecurityScheme | None:
    """Return the security scheme whose credential the login supplies.

    This is the scheme that `choice` names. If `choice` names none, it is the API's only scheme, or a new bearer scheme
    if the API has none. Schemes to which a login cannot supply a credential (such as HTTP Basic) do not count.

    If `choice` names an unknown scheme, or names none and there are several, report this and return None.
    """
    usable = {each.name: each for each in api.schemes if not each.unsent and len(each.text.parts) == 1}
    if choice.scheme in usable or (not choice.scheme and len(usable) == 1):
        return usable[choice.scheme or next(iter(usable))]
    kind, _, name = choice.request.token.partition(":")
    if not usable and not choice.scheme and kind == "cookie":
        return SecurityScheme(
            "session", API_KEY, "cookie", name, "The cookie of a session to which the server logs in."
        )
    if not usable and not choice.scheme:
        return SecurityScheme(
            "login", BEARER, description="A token, or the credentials with which the server logs in to the API."
        )
    message = (
        f"There is no security scheme '{clipped(choice.scheme)}'."
        if choice.scheme
        else "`login` fits several security schemes."
    )
    hint = f"Write `scheme:` with one of {', '.join(map(clipped, usable)) or 'those of the document'}."
    diagnostics.add("invalid-value", message, choice.where, hint)
    return None


def _content_type(operation: Operation) -> str:
    """Return the media type of the login request: JSON, or a form if the operation offers no JSON."""
    offered = [each.name.partition(";")[0].strip().lower() for each in operation.body.content] if operation.body else []
    return _FORM if _FORM in offered and not any("json" in name for name in offered) else "application/json"
