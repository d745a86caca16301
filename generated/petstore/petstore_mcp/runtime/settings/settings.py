# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the server's settings from the environment and flags, and check them once before the first call.

Errors are sentences for the operator that name the variable, never its value. `problems` prevent all calls; `warnings`
do not.
"""

from __future__ import annotations

from ..text.addresses import Address, parse
from . import credential_env, setting_parsers, sizes
from .origins import Endpoint, Listed, Rules, nowhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from ..core.catalog import Catalog
    from ..core.table import Scheme, Server, ServerVariable
    from .delegation import Delegation
    from .listening import Listening
    from .rate import Rate
    from .rotation import Rotation
    from .telemetry import Telemetry

    Again: TypeAlias = "Callable[[Catalog], Settings]"

TIMEOUT = 30.0
"""Seconds that one call may take in total, unless the operator or the tool sets another limit."""

_UNACCEPTED = "The API's description names {}, {}. Nothing is sent there unless {}_ALLOW_HOSTS names that host."

CONCURRENCY = 64
"""Maximum number of concurrent requests. Further requests would only wait at the upstream."""


class NotReady(Exception):
    """Raised if the operator must provide a missing setting. The message is a sentence that names the variable."""


class LoginNeeded(NotReady):
    """Raised if a user must log in first. `scheme`: name of the security scheme in `bindings.json`."""

    def __init__(self, sentence: str, scheme: str) -> None:
        super().__init__(sentence)
        self.scheme = scheme


class Settings:
    """All settings of the operator.

    - `secrets`: values of the credential variables, by name. `private`: other texts to redact.
    - `delegations`: over HTTP, the schemes for which the caller's own credential is used.
    - `servers`: the address of each server in `bindings.json`, or a sentence that says why it is unusable.
    - `endpoints`: the token endpoint of each scheme, or a sentence that says why it is unusable.
    - `client`: files of the client certificate and its key.
    - `trace`: whether upstreams get trace context; None passes on only the client's trace context.
    - `audit`: absolute path of the audit log, or `stderr`.
    - `described`: URL of the first server in the API description, with variables filled in.
    - `ignored_arguments`: names of members that the operator's client adds to the arguments of calls.
    - `login_port`: port at which a login waits for the browser; 0 means any. `token_store`: where logins are stored.
    - `rotation` replaces credentials when their files change; None without such files.
    - `again`: with --reload, a function that reads the settings for a newer `bindings.json`.
    - `telemetry`: settings of telemetry, or None.
    - `read`: names of all environment variables that were looked up, set or not.
    """

    __slots__ = (
        "again",
        "audit",
        "audit_arguments",
        "ca_file",
        "client",
        "concurrency",
        "delegations",
        "described",
        "downloads_dir",
        "downloads_overwrite",
        "endpoints",
        "files_dir",
        "ignored_arguments",
        "listening",
        "log_level",
        "login_port",
        "prefix",
        "private",
        "problems",
        "proxy",
        "rate",
        "read",
        "read_only",
        "result_tool",
        "roles",
        "rotation",
        "rules",
        "secrets",
        "servers",
        "sizes",
        "telemetry",
        "timeout",
        "token_store",
        "trace",
        "warnings",
    )

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.servers: list[Address | str] = []
        self.endpoints: dict[str, Endpoint | str] = {}
        self.secrets: dict[str, str] = {}
        self.delegations: dict[str, Delegation] = {}
        self.timeout = TIMEOUT
        self.concurrency = CONCURRENCY
        self.rate: Rate | None = None
        self.log_level = "info"
        self.files_dir: str | None = None
        self.listening: Listening | None = None
        self.downloads_dir: str | None = None
        self.downloads_overwrite = False
        self.proxy: str | None = None
        self.ca_file: str | None = None
        self.client: tuple[str, str | None] | None = None
        self.private: list[str] = []
        self.read: dict[str, None] = {}
        self.read_only = False
        self.result_tool = False
        self.again: Again | None = None
        self.roles: frozenset[str] = frozenset()
        self.ignored_arguments: frozenset[str] = frozenset()
        self.rotation: Rotation | None = None
        self.rules: Rules | None = None
        self.trace: bool | None = None
        self.telemetry: Telemetry | None = None
        self.audit: str | None = None
        self.audit_arguments = False
        self.sizes = sizes.Sizes()
        self.described = ""
        self.login_port, self.token_store = 0, ""
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def apply(self, catalog: Catalog) -> None:
        """Apply the settings to the catalog: hide tools that the operator excludes, add tools that settings enable."""
        if self.downloads_dir is not None:
            catalog.offer_saving()
        if self.read_only:
            catalog.hide_changing()
        if catalog.roles and not (self.listening and self.listening.roles_claim):
            catalog.hide_restricted(self.roles)
        if self.result_tool:
            catalog.offer_reading()

    def server(self, index: int) -> Address:
        """Return the address of a server by its index in `bindings.json`. Raise NotReady if it must be set first."""
        try:
            found = self.servers[index]
        except IndexError:
            found = nowhere(self.prefix)
        if isinstance(found, str):
            raise NotReady(found)
        return found

    def endpoint(self, scheme: str) -> Endpoint:
        """Return a scheme's token endpoint. Raise NotReady if no usable URL is described or set by the operator."""
        found = self.endpoints[scheme]
        if isinstance(found, str):
            raise NotReady(found)
        return found

    def __repr__(self) -> str:
        shown = {name: getattr(self, name) for name in ("timeout", "log_level", "files_dir", "ca_file")}
        return f"Settings({[str(each) for each in self.servers]}, secrets={sorted(self.secrets)}, {shown})"


def load(
    catalog: Catalog,
    environ: Mapping[str, str],
    base_url: str | None = None,
    read_only: bool = False,
    at_start: Catalog | None = None,
    http: tuple[str, int] | None = None,
) -> Settings:
    """Load the settings. Never raises; problems are added to `Settings.problems`.

    - `base_url`, `read_only`: flags, which take precedence over the variables.
    - `at_start`: on a reload, the catalog of the server's start; only origins that both catalogs list are accepted.
    - `http`: the listening address, or None for stdio.
    """
    settings = Settings(catalog.prefix)
    asked = _RecordingEnvironment(environ, settings.read)
    reader = _Reader(settings, asked)
    settings.log_level = reader.checked("LOG_LEVEL", setting_parsers.level, "info")
    settings.timeout = reader.checked("TIMEOUT", setting_parsers.seconds, TIMEOUT)
    settings.concurrency = reader.checked("CONCURRENCY", setting_parsers.concurrency, CONCURRENCY)
    settings.rate = reader.checked("RATE_LIMIT", setting_parsers.rate, None)
    settings.files_dir = reader.checked("FILES_DIR", setting_parsers.directory, None)
    settings.downloads_dir = reader.checked("DOWNLOADS_DIR", setting_parsers.writable_directory, None)
    settings.downloads_overwrite = reader.checked("DOWNLOADS_OVERWRITE", setting_parsers.switch, False)
    settings.ca_file = reader.checked("CA_FILE", setting_parsers.file, None)
    settings.proxy = reader.proxy()
    settings.sizes = reader.checked("MAX_RESULT", sizes.parse, settings.sizes)
    settings.client = reader.client()
    settings.read_only = reader.checked("READ_ONLY", setting_parsers.switch, False) or read_only
    settings.result_tool = reader.checked("RESULT_TOOL", setting_parsers.switch, False)
    settings.roles = reader.checked("ROLES", setting_parsers.roles, settings.roles)
    settings.ignored_arguments = reader.checked("IGNORE_ARGUMENTS", setting_parsers.names, frozenset())
    settings.audit = reader.checked("AUDIT", setting_parsers.audit, None)
    settings.audit_arguments = reader.checked("AUDIT_ARGUMENTS", setting_parsers.switch, False)
    settings.login_port = reader.checked("LOGIN_PORT", setting_parsers.port, 0)
    settings.token_store = reader.checked("TOKEN_STORE", setting_parsers.token_store, "")
    settings.trace = reader.checked("TRACE", setting_parsers.switch, None)
    settings.private = [*setting_parsers.login(settings.proxy), *setting_parsers.private_key(settings.client)]
    reader.listening(http)
    if any(name.startswith(("OTEL_", f"{catalog.prefix}_METRICS")) for name in environ):
        from . import telemetry  # imported here: few operators enable telemetry

        telemetry.load(settings, catalog, asked)
    settings.rules = rules = reader.rules(Listed(catalog.origins, at_start.origins if at_start else None))
    urls = [reader.url(server) for server in catalog.servers]
    settings.described = urls[0] if urls else ""
    settings.servers = reader.addresses(rules, catalog.servers, urls, base_url)
    settings.endpoints = reader.endpoints(rules, catalog.security, urls)
    # Skipped if HTTP settings are invalid: `listening` is None as over stdio, which `delegations` would report
    if http is None or settings.listening is not None:
        reader.delegations(rules, catalog.security, urls)
    settings.warnings += [_UNACCEPTED.format(host, reason, catalog.prefix) for host, reason in rules.unaccepted.items()]
    settings.secrets, problems, warnings = credential_env.read(catalog.security, asked)
    settings.problems += problems
    settings.warnings += warnings + asked.unread(f"{catalog.prefix}_")
    if settings.ca_file or settings.client or credential_env.files(catalog.security, asked):
        from .rotation import Rotation  # imported late: few servers have such files

        settings.rotation = Rotation(settings, catalog.security, asked)
    return settings


class _RecordingEnvironment(dict[str, str]):
    """Copy of the environment that records which variables were read.

    If a variable with the server's prefix is set but was not read, its name may be misspelt.
    """

    def __init__(self, environ: Mapping[str, str], names: dict[str, None]) -> None:
        super().__init__(environ)
        self._names = names

    def get(self, name: str, default: Any = None) -> Any:
        self._names[name] = None
        return super().get(name, default)

    def unread(self, prefix: str) -> list[str]:
        """Return a list with one warning if environment variables with `prefix` are set but not read, otherwise []."""
        names = [name for name, value in self.items() if name.startswith(prefix) and value and name not in self._names]
        if not names:
            return []
        from . import unknown_variables  # imported late: variables that no setting reads are rarely set

        return [sentence] if (sentence := unknown_variables.warning(names, self._names, prefix)) else []


class _Reader:
    """Reader of environment variables. It records problems of their values in the settings."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ

    def checked(self, suffix: str, check: Callable[[str], Any], default: Any) -> Any:
        """Return the parsed value of a variable, or `default` if the variable is unset or invalid."""
        return self._named(f"{self._settings.prefix}_{suffix}", check, default)

    def _named(self, name: str, check: Callable[[str], Any], default: Any, value: str | None = None) -> Any:
        value = self._environ.get(name, "").strip() if value is None else value
        if not value:
            return default
        try:
            return check(value)
        except ValueError as reason:
            self._settings.problems.append(f"{name} {reason}.")
            return default

    def proxy(self) -> str | None:
        """Return the proxy URL. It may come from a file, as credentials may, because it may contain a password."""
        try:
            value, source = credential_env.value_of(f"{self._settings.prefix}_PROXY", self._environ)
        except ValueError as sentence:
            self._settings.problems.append(str(sentence))
            return None
        found: str | None = self._named(source, setting_parsers.proxy, None, (value or "").strip())
        return found

    def client(self) -> tuple[str, str | None] | None:
        """Return the files of the client certificate and its key. Record a problem if the files cannot be loaded."""
        certificate, key = (
            self.checked(suffix, setting_parsers.file, None) for suffix in ("CLIENT_CERT", "CLIENT_KEY")
        )
        prefix, problems = self._settings.prefix, self._settings.problems
        if key and not certificate:
            problems.append(f"{prefix}_CLIENT_KEY is set and {prefix}_CLIENT_CERT is not, or cannot be used.")
        client = (certificate, key) if certificate else None
        if client or self._settings.ca_file:
            from . import tls  # imported here: loads OpenSSL, which most starts do not need

            broken = tls.problem(self._settings.ca_file, client)
            if broken == "ca_file":
                problems.append(f"{prefix}_CA_FILE must hold certificates in PEM.")
            elif broken:
                words = "must hold a certificate and its key in PEM, the key without a passphrase"
                problems.append(f"{prefix}_CLIENT_CERT with {prefix}_CLIENT_KEY {words}.")
        return client

    def listening(self, address: tuple[str, int] | None) -> None:
        """Read the HTTP settings if the server listens on HTTP.

        Unless the operator allows files over HTTP, drop the folders for files: callers on other machines must not use
        files of this machine (security requirement X2).
        """
        if address is None:
            return
        from . import listening  # imported here: stdio does not need this module

        settings = self._settings
        try:
            found = listening.load(address, settings.prefix, self._environ, self.checked)
        except ValueError as sentence:
            settings.problems.append(str(sentence))
            return
        settings.listening = found
        settings.private += [*(each.decode("latin-1") for each in found.keys), *setting_parsers.login(found.store)]
        if found.introspection is not None:
            settings.private.append(found.introspection.secret)
        if not found.files:
            settings.files_dir = settings.downloads_dir = None

    def rules(self, listed: Listed) -> Rules:
        """Return the rules about where requests may be sent. `listed`: the accepted origins in `bindings.json`."""
        return Rules(
            self._settings.prefix,
            listed,
            insecure=self.checked("ALLOW_HTTP", setting_parsers.switch, False),
            hosts=self.checked("ALLOW_HOSTS", setting_parsers.hosts, frozenset()),
            certificate=self._settings.client is not None,
        )

    def addresses(self, rules: Rules, servers: list[Server], urls: list[str], flag: str | None) -> list[Address | str]:
        """Return, for each server in `bindings.json`, the address for its requests, or a sentence why there is none.

        `rules`: where the operator lets requests be sent. `flag`: the base URL given on the command line, or None.
        """
        name, value = self._value("BASE_URL")
        name, value = ("--base-url", flag) if flag else (name, value)
        try:
            if value:
                rules.redirect(parse(value))
        except ValueError as reason:
            self._settings.problems.append(f"{name} {reason}.")
        found = rules.addresses(servers, urls)
        sentences = filter(None, (rules.redirected(urls), rules.kept_path()))
        self._settings.warnings += [f"{name} {sentence}" for sentence in sentences]
        return found

    def endpoints(self, rules: Rules, security: dict[str, Scheme], urls: list[str]) -> dict[str, Endpoint | str]:
        """Return the token endpoint of each scheme that has one, or a sentence that says why it cannot be used."""
        base, described = (self._settings.servers[0], urls[0]) if urls else (nowhere(self._settings.prefix), "")
        found: dict[str, Endpoint | str] = {}
        for scheme, entry in security.items():
            if entry["type"] not in credential_env.FETCHED:
                continue
            name = entry["variables"]["token_url"]
            typed = self._named(name, rules.typed_endpoint, None)
            kind, url = ("token", entry["tokenUrl"]) if "tokenUrl" in entry else ("OpenID", entry["openIdConnectUrl"])
            try:
                find = rules.endpoint if kind == "token" else rules.discovery
                found[scheme] = typed or find(url, base, described)
            except ValueError as reason:
                found[scheme] = f"The {kind} URL that the API's description names {reason}; {name} can name another."
        return found

    def delegations(self, rules: Rules, security: dict[str, Scheme], urls: list[str]) -> None:
        """Read the settings for calling the API with the caller's rights, if `<SCHEME>_AS` is set for any scheme."""
        values = [scheme["variables"].get("value", "") for scheme in security.values()]
        if any(self._environ.get(f"{value}_AS") for value in values if value):
            from . import delegation  # imported here: rarely used, and only over HTTP

            delegation.load(self._settings, security, self._environ, rules, urls[0] if urls else "")

    def url(self, server: Server) -> str:
        """Return the URL of `server`, an entry of `bindings.json`, with the configured values of its variables."""
        url = str(server["url"])
        for name, variable in server.get("variables", {}).items():
            url = url.replace(f"{{{name}}}", self._server_variable(variable))
        return url

    def _value(self, suffix: str) -> tuple[str, str]:
        name = f"{self._settings.prefix}_{suffix}"
        return name, self._environ.get(name, "").strip()

    def _server_variable(self, variable: ServerVariable) -> str:
        name = variable["variable"]
        value = self._environ.get(name, "")
        if value and value not in variable.get("enum", [value]):
            self._settings.problems.append(f"{name} must be one of {', '.join(variable['enum'])}.")
        return value or str(variable.get("default", ""))
