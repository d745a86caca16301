# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""List the environment variables that every generated server reads, besides those for credentials and addresses.

`--doctor`, the README of a project and the reference of settings show this list. mcpgen reads `PURPOSES` as data, so it
must be a literal. In a purpose, a name that begins with `_` stands for the same name with the server's prefix.
"""

from __future__ import annotations

PURPOSES: dict[str, tuple[str, str]] = {
    "BASE_URL": (
        "",
        "the API's base URL; a value without a path keeps the original path; to have no path, end the value with a"
        " slash",
    ),
    "TIMEOUT": ("", "the time limit of a call in seconds; 30 by default"),
    "CONCURRENCY": (
        "",
        "how many requests the server sends to the API at the same time; one tool may use seven eighths of them; 64 by"
        " default",
    ),
    "RATE_LIMIT": (
        "",
        "how many requests the server sends to the API in any second, minute or hour, such as `10/s`, `100/min` or"
        " `5000/h`; no limit by default",
    ),
    "MAX_RESULT": (
        "",
        "two limits: how much of a result a client gets at once, and how much the server stores so that clients can"
        " read the rest; `8k tokens, 64 MiB` by default. The limit for images, sounds and files is 32 times the one for"
        " text, at least 64 KiB and at most 5 MiB of base64",
    ),
    "RESULT_TOOL": (
        "",
        "`1` to list one more tool, `read_result`, which returns the rest of a result that was cut; for hosts whose"
        " models cannot read resources",
    ),
    "FILES_DIR": (
        "files",
        "the only directory from which arguments of the form `file:NAME` may read files; no files by default. The"
        " server does not follow symbolic links there, but cannot recognise hard links",
    ),
    "DOWNLOADS_DIR": (
        "downloads",
        "the only directory into which tools may save files that the API returns; none by default. If it is set, tools"
        " that return files get an argument for the file name. The server does not follow links there",
    ),
    "DOWNLOADS_OVERWRITE": ("downloads", "`1` to allow saved files to replace existing files"),
    "READ_ONLY": ("", "`1` to offer only tools that change nothing, like `--read-only`"),
    "ROLES": (
        "roles",
        "your roles, separated by commas; the server offers a tool that lists roles only if you have one of them",
    ),
    "PROXY": (
        "",
        "the proxy for requests to the API, `http://USER:PASSWORD@HOST:PORT`; variables such as `HTTP_PROXY` are"
        " ignored; `_PROXY_FILE` names a file that holds it",
    ),
    "CA_FILE": ("", "a file of certificates to trust instead of the system's (PEM)"),
    "CLIENT_CERT": ("", "the client certificate for TLS (PEM)"),
    "CLIENT_KEY": ("", "the key of `_CLIENT_CERT`, if the key is in another file (PEM, without a passphrase)"),
    "ALLOW_HTTP": ("", "`1` to allow requests to other machines without TLS"),
    "ALLOW_HOSTS": (
        "",
        "further hosts to which calls and credentials may go, separated by commas. You need it for hosts that are new"
        " since this server was first generated, and for further hosts of the API if `_BASE_URL` is set. Tools that"
        " follow redirects may also follow them to these hosts, without credentials",
    ),
    "IGNORE_ARGUMENTS": (
        "",
        "further members that your client adds to the arguments of calls, separated by commas; the server leaves them"
        " out of calls to tools that have no such argument. `toolCallId` of n8n, with `sessionId`, `action` and"
        " `chatInput` beside it, and `task_progress` of Cline need not be listed",
    ),
    "AUDIT": (
        "",
        "the path of a file, or `stderr`; the server writes one JSON line there for each call, and refuses calls if it"
        " cannot write",
    ),
    "AUDIT_ARGUMENTS": ("", "`1` to add the arguments of a call to its audit line, shortened and without secrets"),
    "TRACE": (
        "",
        "`1` to start a trace (`traceparent`) if the client sends none, `0` to send no trace to the API; by default the"
        " server passes on the client's trace",
    ),
    "METRICS": (
        "",
        "`1` to collect metrics: over HTTP they are at `/metrics` for Prometheus, over stdio in the log when the server"
        " ends. Or the path of a file for the metrics, in which `{pid}` stands for the process id",
    ),
    "METRICS_TOKEN": (
        "http",
        "the bearer token for `/metrics`; required if other machines may connect; `_METRICS_TOKEN_FILE` names a file"
        " that holds it",
    ),
    "HTTP_TOKENS": ("http", "the file of callers: on each line a name and the SHA-256 of a token"),
    "HTTP_URL": (
        "http",
        "this server's URL as clients use it, such as `https://mcp.example.com/mcp`; access tokens are issued for it,"
        " and the server also answers at its path",
    ),
    "HTTP_CARD": (
        "http",
        "this server's name in the MCP registry, such as `io.github.ann/petstore`. The server then publishes its name"
        " and URL at `/mcp/server-card` and `/.well-known/ai-catalog.json`",
    ),
    "AUTH_ISSUER": (
        "http",
        "the authorization servers whose access tokens are accepted, separated by commas, each exactly as the `issuer`"
        " in its metadata",
    ),
    "AUTH_AUDIENCE": ("http", "the audience (`aud`) that access tokens must have; the server's URL by default"),
    "AUTH_SCOPES": ("http", "the scopes that every call needs, separated by blanks"),
    "AUTH_FIRST_SCOPES": (
        "http",
        "the scopes that clients are told to request at first, separated by blanks, or `*` for the scopes of all tools;"
        " by default those of the tools that only read",
    ),
    "AUTH_INSTEAD_OF_AUDIENCE": (
        "http",
        "whose tokens are accepted if introspection names no audience: `client:ID` or `scope:NAME`, separated by"
        " commas; by default nobody's",
    ),
    "AUTH_ROLES_CLAIM": (
        "http",
        "the claim of a token that names the caller's roles: its name, or a JSON pointer such as `/realm_access/roles`",
    ),
    "AUTH_INTROSPECTION_CLIENT_ID": (
        "http",
        "the client id with which this server asks the authorization server about tokens that are not JWTs",
    ),
    "AUTH_INTROSPECTION_CLIENT_SECRET": (
        "http",
        "the secret of this client; `_AUTH_INTROSPECTION_CLIENT_SECRET_FILE` names a file that holds it",
    ),
    "HTTP_OPEN": (
        "http",
        "`1` to serve everybody who reaches the port; for servers behind a proxy that authenticates callers",
    ),
    "HTTP_HOSTS": (
        "http",
        "the host names under which clients reach this server, separated by commas; names of this machine, such as"
        " `localhost`, need not be listed",
    ),
    "HTTP_ORIGINS": ("http", "the origins of web pages that may send requests, separated by commas"),
    "HTTP_FILES": ("http", "`1` to let callers use the files in `_FILES_DIR` and `_DOWNLOADS_DIR`"),
    "STATE_KEY": (
        "http",
        "the secret that all replicas share, at least 32 bytes; to change it, list several, separated by commas;"
        " `_STATE_KEY_FILE` names a file that holds it",
    ),
    "STORE": (
        "http",
        "the URL of a Redis or Valkey server in which replicas share state, such as `redis://cache:6379/0`;"
        " `_STORE_FILE` names a file that holds it",
    ),
    "LOGIN_PORT": (
        "login",
        "the port of this machine at which `login` waits for your browser; any free port by default",
    ),
    "TOKEN_STORE": (
        "login",
        "where logins are stored: `keyring` (the default), `file`, or the absolute path of a file",
    ),
    "LOG_LEVEL": (
        "",
        "the level of the log on stderr: `debug`, `info` (the default), `warning` or `error`; `debug` logs each"
        " request",
    ),
}
"""Name without prefix -> the feature that uses the variable ("" for every server), and what the variable holds."""


def described(name: str, prefix: str) -> str:
    """Return what a variable holds, with the names of other variables in full."""
    feature, purpose = PURPOSES[name]
    return ("over HTTP: " if feature == "http" else "") + purpose.replace("`_", f"`{prefix}_")


def may_be_in_file(name: str) -> bool:
    """Return True if the value may be in a file that the variable `<NAME>_FILE` names, as the purpose then says."""
    return f"`_{name}_FILE`" in PURPOSES[name][1]
