# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The settings table: one row for each environment variable that every server reads, besides those for credentials.

To add a setting, add a row here, and use its value: `settings["NAME"]`. The reader of settings, `--doctor`, `install`,
suggestions for unknown names, shell completion, and the compiler (README, bundle, reserved names, reference) loop over
the rows. The compiler loads this file alone, and servers load it before their first answer. So it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

_SHARED = "OTEL_"
"""How names of variables begin that all programs of a machine share. They have no prefix."""


class Setting:
    """One environment variable.

    - `name`: its name without the server's prefix.
    - `parser`: `.MODULE.FUNCTION`, seen from this folder, loaded only if the variable is set. The function converts the
      text, or raises ValueError with a reason such as "must be 1 or 0". "" keeps the text.
    - `default`: the value if the variable is unset.
    - `purpose`: what the variable holds. The first sentence is for the README. `{default}` stands for the default. A
      name that begins with `_` stands for the same name with the server's prefix.
    - `feature`: what in the server reads it, "" if every server does. "http": read only over HTTP, so that `install`
      does not write it into the configuration of a client. "otel": further variables of telemetry.
    - `secret`: True if the value is redacted, and may be in a file that `<NAME>_FILE` names.
    - `account`: "own" if an account of the server has only its own value, "server" if the server's is the default. ""
      for the server as a whole.
    - `form`: kind and title of the field in the form of a bundle (text, folder or switch); () asks nobody.
    """

    __slots__ = ("account", "default", "feature", "form", "name", "parser", "purpose", "secret")

    def __init__(
        self,
        name: str,
        parser: str,
        default: Any,
        purpose: str,
        feature: str = "",
        *,
        secret: bool = False,
        account: Literal["", "own", "server"] = "",
        form: tuple[Literal["text", "folder", "switch"], str] | tuple[()] = (),
    ) -> None:
        self.name = name
        self.parser = parser
        self.default = default
        self.purpose = purpose
        self.feature = feature
        self.secret = secret
        self.account = account
        self.form = form

    @property
    def part(self) -> str:
        """Return the part or the folder of the runtime that has the feature, "" for the plain core."""
        return {"otel": "telemetry", "downloads": "results", "roles": ""}.get(self.feature, self.feature)

    def variable(self, prefix: str) -> str:
        """Return the full name of the variable."""
        return self.name if self.name.startswith(_SHARED) else f"{prefix}_{self.name}"

    def variables(self, prefix: str) -> Iterator[str]:
        """Yield the full name, and for a secret that of the variable that names a file."""
        yield self.variable(prefix)
        if self.secret:
            yield f"{self.variable(prefix)}_FILE"

    def describe(self, prefix: str) -> str:
        """Return what the variable holds, with the names of other variables in full."""
        file = f"; `{self.variable(prefix)}_FILE` names a file that holds it" if self.secret else ""
        text = ("over HTTP: " if self.feature == "http" else "") + self.purpose + file
        return text.replace("{default}", str(self.default).removesuffix(".0")).replace("`_", f"`{prefix}_")


SETTINGS = (
    Setting("BASE_URL", "", "",
            "the API's base URL, or a unix socket, such as `unix:///run/api.sock`; a value without a path keeps the"
            " original path; to have no path, end the value with a slash", account="server"),
    Setting("TIMEOUT", ".setting_parsers.seconds", 30.0, "the time limit of a call in seconds; {default} by default"),
    Setting("CONCURRENCY", ".setting_parsers.concurrency", 64,
            "how many requests the server sends to the API at the same time; one tool may use seven eighths of them;"
            " {default} by default", account="server"),
    Setting("RATE_LIMIT", ".setting_parsers.rate", None,
            "how many requests the server sends to the API in any second, minute or hour, such as `10/s`, `100/min` or"
            " `5000/h`; no limit by default", account="server"),
    Setting("MAX_RESULT", ".sizes.parse", None,
            "two limits: how much of a result a client gets at once, and how much the server stores so that clients can"
            " read the rest; `8k tokens, 64 MiB` by default. The limit for images, sounds and files is 32 times the one"
            " for text, at least 64 KiB and at most 5 MiB of base64"),
    Setting("RESULT_TOOL", ".setting_parsers.switch", False,
            "`1` to list one more tool, `read_result`, which returns the rest of a result that was cut; for hosts whose"
            " models cannot read resources"),
    Setting("FILES_DIR", ".setting_parsers.directory", None,
            "the only directory from which arguments of the form `file:NAME` may read files; no files by default. The"
            " server does not follow symbolic links there, but cannot recognise hard links",
            "files", form=("folder", "Folder to read from")),
    Setting("DOWNLOADS_DIR", ".setting_parsers.writable_directory", None,
            "the only directory into which tools may save files that the API returns; none by default. If it is set,"
            " tools that return files get an argument for the file name. The server does not follow links there",
            "downloads", form=("folder", "Folder to write to")),
    Setting("DOWNLOADS_OVERWRITE", ".setting_parsers.switch", False,
            "`1` to allow saved files to replace existing files", "downloads"),
    Setting("READ_ONLY", ".setting_parsers.switch", False,
            "`1` to offer only tools that change nothing. The flag `--read-only` does the same",
            form=("switch", "Read-only")),
    Setting("ROLES", ".setting_parsers.roles", frozenset(),
            "your roles, separated by commas; the server offers a tool that lists roles only if you have one of them",
            "roles"),
    Setting("PROXY", ".setting_parsers.proxy", None,
            "the proxy for requests to the API, `http://USER:PASSWORD@HOST:PORT` or `socks5://...`; variables such as"
            " `HTTP_PROXY` are ignored", secret=True, account="server"),
    Setting("NO_PROXY", "..reach.proxies.exceptions", (),
            "what requests reach without `_PROXY`, separated by commas: hosts, with all names below them, and networks",
            "reach", account="server"),
    Setting("HEADERS", "..reach.constant_headers.read", (),
            "header fields for every request to the API, one `Name: value` on each line, without secrets",
            "reach", account="server"),
    Setting("HEADERS_FILE", "..reach.constant_headers.read_file", (),
            "a file with further such fields, whose values are secret", "reach", account="own"),
    Setting("CA_FILE", ".setting_parsers.file", None, "a file of certificates to trust instead of the system's (PEM)"),
    Setting("CLIENT_CERT", ".setting_parsers.file", None, "the client certificate for TLS (PEM)", account="own"),
    Setting("CLIENT_KEY", ".setting_parsers.file", None,
            "the key of `_CLIENT_CERT`, if the key is in another file (PEM)", account="own"),
    Setting("CLIENT_KEY_PASSWORD", "", "", "the passphrase of that key, if the key is locked", secret=True,
            account="own"),
    Setting("ALLOW_HTTP", ".setting_parsers.switch", False, "`1` to allow requests to other machines without TLS"),
    Setting("ALLOW_HOSTS", ".setting_parsers.hosts", frozenset(),
            "further hosts to which calls and credentials may go, separated by commas. You need it for hosts that are"
            " new since this server was first generated, and for further hosts of the API if `_BASE_URL` is set. Tools"
            " that follow redirects may also follow them to these hosts, without credentials", account="server"),
    Setting("IGNORE_ARGUMENTS", ".setting_parsers.names", frozenset(),
            "further members that your client adds to the arguments of calls, separated by commas; the server leaves"
            " them out of calls to tools that have no such argument. `toolCallId` of n8n, with `sessionId`, `action`"
            " and `chatInput` beside it, and `task_progress` of Cline need not be listed"),
    Setting("AUDIT", ".setting_parsers.audit", None,
            "the path of a file, or `stderr`; the server writes one JSON line there for each call, and refuses calls if"
            " it cannot write", "audit"),
    Setting("AUDIT_ARGUMENTS", ".setting_parsers.switch", False,
            "`1` to add the arguments of a call to its audit line, shortened and without secrets", "audit"),
    Setting("TRACE", ".setting_parsers.switch", None,
            "`1` to start a trace (`traceparent`) if the client sends none, `0` to send no trace to the API; by default"
            " the server passes on the client's trace"),
    Setting("METRICS", ".setting_parsers.metrics", False,
            "`1` to collect metrics: over HTTP they are at `/metrics` for Prometheus, over stdio in the log when the"
            " server ends. Or the path of a file for the metrics, in which `{pid}` stands for the process id",
            "telemetry"),
    Setting("METRICS_TOKEN", ".setting_parsers.metrics_token", "",
            "the bearer token for `/metrics`; required if other machines may connect", "http", secret=True),
    Setting("HTTP_TOKENS", "..http_server.listening.tokens", None,
            "the file of callers: on each line a name and the SHA-256 of a token", "http"),
    Setting("HTTP_URL", "..http_server.callers.url", None,
            "this server's URL as clients use it, such as `https://mcp.example.com/mcp`; access tokens are issued for"
            " it, and the server also answers at its path", "http"),
    Setting("HTTP_CARD", "..http_server.listening.card_name", "",
            "this server's name in the MCP registry, such as `io.github.ann/petstore`. The server then publishes its"
            " name and URL at `/mcp/server-card` and `/.well-known/ai-catalog.json`", "http"),
    Setting("AUTH_ISSUER", "..http_server.callers.issuers", (),
            "the authorization servers whose access tokens are accepted, separated by commas, each exactly as the"
            " `issuer` in its metadata", "http"),
    Setting("AUTH_AUDIENCE", "..http_server.callers.audiences", frozenset(),
            "the audience (`aud`) that access tokens must have; the server's URL by default", "http"),
    Setting("AUTH_SCOPES", "..http_server.callers.scopes", (),
            "the scopes that every call needs, separated by blanks", "http"),
    Setting("AUTH_FIRST_SCOPES", "..http_server.callers.scopes", None,
            "the scopes that clients are told to request at first, separated by blanks, or `*` for the scopes of all"
            " tools; by default those of the tools that only read", "http"),
    Setting("AUTH_INSTEAD_OF_AUDIENCE", "..http_server.callers.instead_of_audience", (),
            "whose tokens are accepted if introspection names no audience: `client:ID` or `scope:NAME`, separated by"
            " commas; by default nobody's", "http"),
    Setting("AUTH_ROLES_CLAIM", "..http_server.callers.claim", "",
            "the claim of a token that names the caller's roles: its name, or a JSON pointer such as"
            " `/realm_access/roles`", "http"),
    Setting("AUTH_INTROSPECTION_CLIENT_ID", "..http_server.callers.text", "",
            "the client id with which this server asks the authorization server about tokens that are not JWTs",
            "http"),
    Setting("AUTH_INTROSPECTION_CLIENT_SECRET", "..http_server.callers.client_secret", "",
            "the secret of this client", "http", secret=True),
    Setting("HTTP_OPEN", ".setting_parsers.switch", False,
            "`1` to serve everybody who reaches the port; for servers behind a proxy that authenticates callers",
            "http"),
    Setting("HTTP_HOSTS", "..http_server.listening.hosts", frozenset(),
            "the host names under which clients reach this server, separated by commas; names of this machine, such as"
            " `localhost`, need not be listed", "http"),
    Setting("HTTP_ORIGINS", "..http_server.listening.origins", frozenset(),
            "the origins of web pages that may send requests, separated by commas", "http"),
    Setting("HTTP_FILES", ".setting_parsers.switch", False,
            "`1` to let callers use the files in `_FILES_DIR` and `_DOWNLOADS_DIR`", "http"),
    Setting("STATE_KEY", "..http_server.listening.keys", (),
            "the secret that all replicas share, at least 32 bytes; to change it, list several, separated by commas",
            "http", secret=True),
    Setting("STORE", "..http_server.listening.store", None,
            "the URL of a Redis or Valkey server in which replicas share state, such as `redis://cache:6379/0`",
            "http", secret=True),
    Setting("CALLER_ACCOUNTS", "", None,
            "over HTTP: the account that each caller uses, by `claim:NAME` of access tokens, or by a file: on each line"
            " a caller and an account", "accounts"),
    Setting("LOGIN_NAME", "", "",
            "a name for the logins of this instance, if several of this server on one machine must not share them",
            "login"),
    Setting("LOGIN_PORT", ".setting_parsers.port", 0,
            "the port of this machine at which `login` waits for your browser; any free port by default", "login"),
    Setting("TOKEN_STORE", ".setting_parsers.token_store", "",
            "where logins are stored: `keyring` (the default), `file`, or the absolute path of a file", "login"),
    Setting("LOG_LEVEL", ".setting_parsers.level", "info",
            "the level of the log on stderr: `debug`, `{default}` (the default), `warning` or `error`; `debug` logs"
            " each request"),
    # Telemetry parses the following texts itself, because they may differ for traces and metrics. A value that
    # cannot be used causes a warning and not a problem: other programs read these variables too.
    Setting("OTEL_EXPORTER_OTLP_ENDPOINT", "", "",
            "where spans and metrics are sent (OpenTelemetry), such as `http://localhost:4318`; needs `pip install"
            " '.[otel]'`. This variable and the others that begin with `OTEL_EXPORTER_OTLP_` can be set for traces or"
            " metrics alone: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`", "telemetry"),
    Setting("OTEL_EXPORTER_OTLP_PROTOCOL", "", "http/protobuf", "always `{default}`", "otel"),
    Setting("OTEL_EXPORTER_OTLP_HEADERS", "", "",
            "header fields for the collector, such as `api-key=KEY`, separated by commas", "otel"),
    Setting("OTEL_EXPORTER_OTLP_TIMEOUT", "", 10000,
            "the time limit for sending in milliseconds, at most 60000; {default} by default", "otel"),
    Setting("OTEL_EXPORTER_OTLP_COMPRESSION", "", "none", "`gzip`, or `{default}` (the default)", "otel"),
    Setting("OTEL_EXPORTER_OTLP_CERTIFICATE", "", "",
            "a file of certificates to trust for the collector (PEM)", "otel"),
    Setting("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "", "", "the client certificate for the collector (PEM)", "otel"),
    Setting("OTEL_EXPORTER_OTLP_CLIENT_KEY", "", "", "the key of that client certificate (PEM)", "otel"),
    Setting("OTEL_TRACES_EXPORTER", "", "",
            "`otlp` to send traces, `none` to send none; by default, traces are sent if an endpoint is set", "otel"),
    Setting("OTEL_METRICS_EXPORTER", "", "",
            "`otlp` to send metrics, `none` to send none; by default, metrics are sent if an endpoint is set", "otel"),
    Setting("OTEL_TRACES_SAMPLER", "", "parentbased_always_on",
            "which traces are recorded: `always_on`, `always_off` or `traceidratio`. With `parentbased_` before it, the"
            " decision of the client has precedence; `{default}` by default", "otel"),
    Setting("OTEL_TRACES_SAMPLER_ARG", "", 1,
            "the share of traces that `traceidratio` records, from 0 to 1; {default} by default", "otel"),
    Setting("OTEL_SERVICE_NAME", "", "", "the name of this server in spans and metrics", "otel"),
    Setting("OTEL_RESOURCE_ATTRIBUTES", "", "",
            "attributes of the process, such as `deployment.environment.name=prod`, separated by commas", "otel"),
    Setting("OTEL_BSP_SCHEDULE_DELAY", "", 5000,
            "milliseconds between two exports of spans; {default} by default", "otel"),
    Setting("OTEL_METRIC_EXPORT_INTERVAL", "", 60000,
            "milliseconds between two exports of metrics; {default} by default", "otel"),
    Setting("OTEL_SDK_DISABLED", "", "false", "`true` to send neither traces nor metrics", "otel"),
)  # fmt: skip
