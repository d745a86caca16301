"""Read the flags of openapi-mcp-generator, as `index.js` of 3.3.0 and 4.0.1 does."""

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
from mcpgen.adopt.programs import flags
from mcpgen.adopt.programs.flags import Arity
from mcpgen.base.diagnostics import Where

_FLAGS: dict[str, Arity] = {
    **dict.fromkeys(
        [
            "input",
            "output",
            "server-name",
            "server-version",
            "base-url",
            "transport",
            "port",
            "default-include",
            "max-tool-name-length",
            "header-passthrough",
        ],
        "value",
    ),
    **dict.fromkeys(
        ["allow-external-refs", "insecure", "generate-lib", "custom-auth", "oauth-creds-in-body", "force"], "switch"
    ),
}
_SHORT = {
    "-i": "input",
    "-o": "output",
    "-n": "server-name",
    "-v": "server-version",
    "-b": "base-url",
    "-t": "transport",
    "-p": "port",
    "-k": "insecure",
}
_REMARKS = {
    "insecure": CHECKS_CERTIFICATES,
    "custom-auth": "src/auth.ts contains your own code. Write its effect as a hook in hooks.py.",
    "header-passthrough": (
        "The new server does not forward its callers' headers to the API; see 'Call the API as the user' in the "
        "documentation."
    ),
    "allow-external-refs": "mcpgen does not follow references to URLs. Keep the files in the document's folder.",
    "oauth-creds-in-body": (
        "To fetch tokens, the new server sends the client id and secret in the Authorization header, not in the body."
    ),
}


def read(words: Sequence[str], environ: Mapping[str, str], where: Where | None) -> ForeignServer:
    """Return the server that a command line of openapi-mcp-generator generates."""
    settings = flags.read(words, _FLAGS, _SHORT, environ, {}, where)
    remarks = [*settings.remarks]
    remarks += [Remark(text, where) for flag, text in _REMARKS.items() if settings.texts(flag)]
    if settings.text("transport") in ("web", "streamable-http"):
        remarks.append(listens_over_http(settings.text("port"), "3000", where))
    longest = settings.text("max-tool-name-length")
    excluded = settings.text("default-include").strip().lower() in ("false", "0", "no", "off")
    return ForeignServer(
        "openapi-mcp-generator",
        (Described(settings.text("input"), settings.text("base-url"), None, where=where),),
        settings.text("server-name"),
        filters=Filters(by_default=not excluded),
        naming=Naming(int(longest) if longest.isdecimal() and int(longest) else 64),
        remarks=tuple(remarks),
    )
