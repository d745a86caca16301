"""Read the flags and variables of awslabs.openapi-mcp-server, as `api/config.py` and `server.py` of 1.1.6 do.

The server calls FastMCP, so names and components are those of FastMCP. Flags of older releases are understood too.
"""

import json
from collections.abc import Mapping, Sequence

from mcpgen.adopt.foreign import Credential, Described, Filters, ForeignServer, Remark
from mcpgen.adopt.programs import flags
from mcpgen.adopt.programs.flags import Arity, Settings, is_placeholder
from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_text
from mcpgen.base.names import clipped

_VARIABLES = {
    "api-name": "API_NAME",
    "api-url": "API_BASE_URL",
    "spec-url": "API_SPEC_URL",
    "spec-path": "API_SPEC_PATH",
    "auth-type": "AUTH_TYPE",
    "auth-username": "AUTH_USERNAME",
    "auth-password": "AUTH_PASSWORD",
    "auth-token": "AUTH_TOKEN",
    "auth-api-key": "AUTH_API_KEY",
    "auth-api-key-name": "AUTH_API_KEY_NAME",
    "auth-api-key-in": "AUTH_API_KEY_IN",
    "auth-cognito-client-id": "AUTH_COGNITO_CLIENT_ID",
    "auth-cognito-username": "AUTH_COGNITO_USERNAME",
    "auth-cognito-password": "AUTH_COGNITO_PASSWORD",
    "auth-cognito-client-secret": "AUTH_COGNITO_CLIENT_SECRET",
    "auth-cognito-domain": "AUTH_COGNITO_DOMAIN",
    "auth-cognito-scopes": "AUTH_COGNITO_SCOPES",
    "auth-cognito-user-pool-id": "AUTH_COGNITO_USER_POOL_ID",
    "auth-cognito-region": "AUTH_COGNITO_REGION",
    "include-tags": "INCLUDE_TAGS",
    "exclude-tags": "EXCLUDE_TAGS",
    "additional-specs": "ADDITIONAL_SPECS",
    "port": "SERVER_PORT",
    "host": "SERVER_HOST",
}
_FLAGS: dict[str, Arity] = {
    **dict.fromkeys(_VARIABLES, "value"),
    **dict.fromkeys(("log-level", "allowed-spec-dirs", "transport"), "value"),
    **dict.fromkeys(("debug", "no-validate-output", "allow-insecure-http", "allow-private-networks", "sse"), "switch"),
    # wrong flag names, accepted because other programs write them into configurations
    **dict.fromkeys(("api-base-url", "api-spec-path", "api-spec-url"), "value"),
}
_SYNONYMS = {"api-base-url": "api-url", "api-spec-path": "spec-path", "api-spec-url": "spec-url"}


def read(words: Sequence[str], environ: Mapping[str, str], where: Where | None) -> ForeignServer:
    """Return the server that the command line starts."""
    found = flags.read(words, _FLAGS, {}, environ, _VARIABLES, where)
    merged = dict(found.flags)
    remarks = list(found.remarks)
    for wrong, right in _SYNONYMS.items():
        if wrong in merged:
            merged.setdefault(right, merged.pop(wrong))
            remarks.append(Remark(f"--{wrong} is not a flag of this server; it was read as --{right}.", where))
    settings = Settings(merged, environ, _VARIABLES)
    place = settings.text("spec-url") or settings.text("spec-path")
    credentials = _credentials(settings, remarks, where)
    first = Described(place, settings.text("api-url"), credentials, where=where)
    if found.text("log-level") or "LOG_LEVEL" in environ:
        said = "To set the log level of the new server, set its environment variable NAME_LOG_LEVEL."
        remarks.append(Remark(said, where))
    if environ.get("ENABLE_OPERATION_PROMPTS", "true").lower() == "true":
        remarks.append(
            Remark(
                "The old server also offers a prompt for each operation. Write the prompts that you want to "
                "keep under `prompts:`.",
                where,
            )
        )
    return ForeignServer(
        "awslabs",
        (first, *_additional(settings, remarks, where)),
        settings.text("api-name"),
        filters=Filters(settings.as_list("include-tags"), settings.as_list("exclude-tags") or frozenset()),
        remarks=tuple(remarks),
    )


def _credentials(settings: Settings, remarks: list[Remark], where: Where | None) -> tuple[Credential, ...]:
    kind = settings.text("auth-type").lower()
    if is_placeholder(kind):
        remarks.append(
            Remark(
                "The value of --auth-type is a variable that adopt cannot read. The new server sends no credentials.",
                where,
            )
        )
        return ()
    if kind == "bearer":
        return (Credential("bearer", {"value": settings.source("auth-token")}),)
    if kind == "basic":
        held = {"username": settings.source("auth-username"), "password": settings.source("auth-password")}
        return (Credential("basic", held),)
    if kind == "api_key":
        name = settings.text("auth-api-key-name") or "api_key"
        place = settings.text("auth-api-key-in") or "header"
        return (Credential("apiKey", {"value": settings.source("auth-api-key")}, place, name),)
    if kind == "cognito":
        return (_cognito(settings, remarks, where),)
    if kind not in ("", "none"):
        remarks.append(
            Remark(f"The old server does not know the --auth-type '{clipped(kind)}' and sends no credentials.", where)
        )
    return ()


def _cognito(settings: Settings, remarks: list[Remark], where: Where | None) -> Credential:
    domain, region = settings.text("auth-cognito-domain"), settings.text("auth-cognito-region") or "us-east-1"
    if domain and not is_placeholder(domain + region):
        held = {
            "client_id": settings.source("auth-cognito-client-id"),
            "client_secret": settings.source("auth-cognito-client-secret"),
        }
        scopes = tuple(sorted(settings.as_list("auth-cognito-scopes") or ()))
        url = f"https://{domain}.auth.{region}.amazoncognito.com/oauth2/token"
        return Credential("client", held, token_url=url, scopes=scopes)
    remarks.append(
        Remark(
            "The old server logs in to Cognito with a username and a password. The new server needs an access "
            "token. If the Cognito client has a secret, the new server can fetch tokens itself: add "
            "--auth-cognito-domain to the old server's command, and run adopt again.",
            where,
        )
    )
    return Credential("bearer", {"value": settings.source("auth-cognito-password")})


def _additional(settings: Settings, remarks: list[Remark], where: Where | None) -> list[Described]:
    """Return the further documents that ADDITIONAL_SPECS names, each with its own base URL and credentials."""
    text = settings.text("additional-specs")
    if not text:
        return []
    try:
        entries: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        said = f"{settings.source('additional-specs')} is not a JSON list, so its documents were left out."
        remarks.append(Remark(said, where))
        return []
    usable = [each for each in entries if isinstance(each, dict) and as_text(each.get("base_url"))]
    if len(usable) < len(entries):
        remarks.append(
            Remark(
                "An additional document without a base_url was left out, because the old server ignores it too.",
                where,
            )
        )
    source = settings.source("additional-specs")
    return [_entry(each, source, where) for each in usable]


def _entry(entry: JsonObject, source: str, where: Where | None) -> Described:
    kind = as_text(entry.get("auth_type"))
    credentials: tuple[Credential, ...] = ()
    place = as_text(entry.get("spec_url")) or as_text(entry.get("spec_path"))
    if kind == "bearer":
        credentials = (Credential("bearer", {"value": f"auth_token in {source}"}),)
    elif kind == "basic":
        held = {role: f"auth_{role} in {source}" for role in ("username", "password")}
        credentials = (Credential("basic", held),)
    elif kind == "api_key":
        name, location = as_text(entry.get("auth_api_key_name")), as_text(entry.get("auth_api_key_in"))
        held = {"value": f"auth_api_key in {source}"}
        credentials = (Credential("apiKey", held, location or "header", name or "X-API-Key"),)
    return Described(place, as_text(entry.get("base_url")), credentials, where=where)
