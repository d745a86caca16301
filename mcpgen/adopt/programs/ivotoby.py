"""Read the flags and variables of @ivotoby/openapi-mcp-server, as `config.ts` of 1.16.1 does."""

from collections.abc import Mapping, Sequence

from mcpgen.adopt.foreign import (
    CHECKS_CERTIFICATES,
    Described,
    Filters,
    ForeignServer,
    Naming,
    Remark,
    listens_over_http,
)
from mcpgen.adopt.programs import flags, headers
from mcpgen.adopt.programs.flags import Arity, Settings
from mcpgen.base.diagnostics import Where

_VARIABLES = {
    "api-base-url": "API_BASE_URL",
    "openapi-spec": "OPENAPI_SPEC_PATH",
    "spec-from-stdin": "OPENAPI_SPEC_FROM_STDIN",
    "spec-inline": "OPENAPI_SPEC_INLINE",
    "headers": "API_HEADERS",
    "client-cert": "CLIENT_CERT_PATH",
    "client-key": "CLIENT_KEY_PATH",
    "ca-cert": "CA_CERT_PATH",
    "client-key-passphrase": "CLIENT_KEY_PASSPHRASE",
    "reject-unauthorized": "REJECT_UNAUTHORIZED",
    "name": "SERVER_NAME",
    "server-version": "SERVER_VERSION",
    "transport": "TRANSPORT_TYPE",
    "port": "HTTP_PORT",
    "host": "HTTP_HOST",
    "path": "ENDPOINT_PATH",
    "tools": "TOOLS_MODE",
    "disable-abbreviation": "DISABLE_ABBREVIATION",
    "prompts": "PROMPTS_PATH",
    "prompts-inline": "PROMPTS_INLINE",
    "resources": "RESOURCES_PATH",
    "resources-inline": "RESOURCES_INLINE",
    "verbose": "VERBOSE",
}
_FLAGS: dict[str, Arity] = {
    **dict.fromkeys(_VARIABLES, "value"),
    **dict.fromkeys(("tool", "tag", "exclude-tag", "resource", "operation"), "values"),
    **dict.fromkeys(("spec-from-stdin", "disable-abbreviation"), "switch"),
}
_SHORT = {
    "-t": "transport",
    "-p": "port",
    "-u": "api-base-url",
    "-s": "openapi-spec",
    "-H": "headers",
    "-n": "name",
    "-v": "server-version",
}
_TLS = {"client-cert": "NAME_CLIENT_CERT", "client-key": "NAME_CLIENT_KEY", "ca-cert": "NAME_CA_FILE"}


def read(words: Sequence[str], environ: Mapping[str, str], where: Where | None) -> ForeignServer:
    """Return the server that the command line starts."""
    settings = flags.read(words, _FLAGS, _SHORT, environ, _VARIABLES, where)
    remarks = [*settings.remarks, *_remarks(settings, where)]
    mode = settings.text("tools").lower() or "all"
    held = settings.source("headers")
    fields = (part.partition(":") for part in settings.text("headers").split(","))
    sent = [(name.strip(), value.strip(), held) for name, colon, value in fields if colon and name.strip()]
    document = Described(
        "" if settings.has("spec-from-stdin") or settings.text("spec-inline") else settings.text("openapi-spec"),
        settings.text("api-base-url"),
        headers.credentials(sent, remarks, where),
        where=where,
    )
    selected = Filters(
        _folded(settings.texts("tag")),
        _folded(settings.texts("exclude-tag")) or frozenset(),
        tools=_folded(settings.texts("tool")) if mode != "explicit" else _folded(settings.texts("tool")) or frozenset(),
        resources=_folded(settings.texts("resource")),
        methods=_folded(settings.texts("operation")),
    )
    return ForeignServer(
        "ivotoby",
        (document,),
        settings.text("name"),
        filters=selected,
        naming=Naming(abbreviates=not settings.has("disable-abbreviation")),
        searches=mode == "dynamic",
        remarks=tuple(remarks),
    )


def _folded(texts: list[str]) -> frozenset[str] | None:
    """Return the texts in lower case, since ivotoby's server ignores case; None if there are no texts."""
    return frozenset(text.lower() for text in texts) or None


def _remarks(settings: Settings, where: Where | None) -> list[Remark]:
    """Return remarks on settings of @ivotoby/openapi-mcp-server that a tools file cannot express."""
    found = [
        Remark(
            f"{settings.source(flag)} of the old server corresponds to the environment variable {variable} of the new "
            "server.",
            where,
        )
        for flag, variable in _TLS.items()
        if settings.text(flag)
    ]
    if settings.text("client-key-passphrase"):
        said = "The new server cannot read a client key with a passphrase. Save the key without one."
        found.append(Remark(said, where))
    rejects = settings.text("reject-unauthorized").lower() not in ("false", "0", "no", "off")
    if not rejects or settings.environ.get("NODE_TLS_REJECT_UNAUTHORIZED") == "0":
        found.append(Remark(CHECKS_CERTIFICATES, where))
    if settings.text("transport") == "http":
        found.append(listens_over_http(settings.text("port"), "3000", where))
    for flag in ("prompts", "prompts-inline", "resources", "resources-inline"):
        if settings.text(flag):
            kind = flag.partition("-")[0]
            found.append(
                Remark(
                    f"adopt did not read the file of {settings.source(flag)}. Write its contents under `{kind}:` "
                    "in the tools file.",
                    where,
                )
            )
    if settings.text("spec-inline"):
        found.append(Remark("The OpenAPI document is inside the configuration. Save the document as a file.", where))
    return found
