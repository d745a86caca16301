# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the server's settings from the environment and flags, and check them once before the first call.

Errors are sentences for the operator that name the variable, never its value. `problems` prevent all calls; `warnings`
do not.
"""

from __future__ import annotations

from ..text.addresses import Address, parse
from . import credential_env
from .origins import Endpoint, Listed, Rules, nowhere
from .settings_table import SETTINGS
from .sizes import Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from ..core.catalog import Catalog
    from ..delegation.delegation_settings import Delegation
    from ..http_server.listening import Listening
    from ..tables.table import Scheme, Server, ServerVariable
    from ..telemetry.telemetry_settings import Telemetry
    from .rotation import Rotation
    from .settings_table import Setting

    Again: TypeAlias = "Callable[[Catalog], Settings]"

_UNACCEPTED = "The API's description names {}, {}. Nothing is sent there unless {}_ALLOW_HOSTS names that host."


class NotReady(Exception):
    """Raised if the operator must provide a missing setting. The message is a sentence that names the variable."""


class LoginNeeded(NotReady):
    """Raised if a user must log in first. `scheme`: name of the security scheme in `bindings.json`."""

    def __init__(self, sentence: str, scheme: str) -> None:
        super().__init__(sentence)
        self.scheme = scheme


class Settings:
    """All settings of the operator. `settings["NAME"]` is the value of a row of the settings table, or its default.

    - `values`: these values, by the names of the rows. `given`: the rows whose variables are set, even if unusable.
    - `secrets`: values of the credential variables, by name. `private`: other texts to redact.
    - `delegations`: over HTTP, the schemes for which the caller's own credential is used.
    - `servers`: the address of each server in `bindings.json`, or a sentence that says why it is unusable.
    - `endpoints`: the token endpoint of each scheme, or a sentence that says why it is unusable.
    - `client`: files of the client certificate and its key. `sizes`: the limits that MAX_RESULT sets.
    - `described`: URL of the first server in the API description, with variables filled in.
    - `rotation` replaces credentials when their files change; None without such files.
    - `accounts`: name -> catalog and settings of each account.
    - `again`: with --reload, a function that reads the settings for a newer `bindings.json`.
    - `telemetry`: settings of telemetry, or None.
    - `read`: names of all environment variables that were looked up, set or not.
    """

    __slots__ = (
        "accounts", "again", "client", "delegations", "described", "endpoints", "given", "listening", "prefix",
        "private", "problems", "read", "rotation", "rules", "secrets", "servers", "sizes", "telemetry",
        "values", "warnings",
    )  # fmt: skip

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.values: dict[str, Any] = {row.name: row.default for row in SETTINGS}
        self.given: set[str] = set()
        self.servers: list[Address | str] = []
        self.endpoints: dict[str, Endpoint | str] = {}
        self.secrets: dict[str, str] = {}
        self.delegations: dict[str, Delegation] = {}
        self.listening: Listening | None = None
        self.client: tuple[str, str | None] | None = None
        self.private: list[str] = []
        self.read: dict[str, None] = {}
        self.accounts: dict[str, tuple[Catalog, Settings]] = {}
        self.again: Again | None = None
        self.rotation: Rotation | None = None
        self.rules: Rules | None = None
        self.telemetry: Telemetry | None = None
        self.sizes = Sizes()
        self.described = ""
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def __getitem__(self, name: str) -> Any:
        """Return the value of the setting `name`, which is without the prefix."""
        return self.values[name]

    def apply(self, catalog: Catalog) -> None:
        """Apply the settings to the catalog: hide tools that the operator excludes, add tools that settings enable."""
        if self["DOWNLOADS_DIR"] is not None:
            catalog.offer_saving()
        if self.accounts and self.listening is not None and self["CALLER_ACCOUNTS"] is not None:
            from ..accounts.accounts import withdraw  # imported late: few servers have accounts

            withdraw(catalog)
        if self["READ_ONLY"]:
            catalog.hide_changing()
        if catalog.roles and not (self.listening and self["AUTH_ROLES_CLAIM"]):
            catalog.hide_restricted(self["ROLES"])
        if self["RESULT_TOOL"]:
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
        return f"Settings({[str(each) for each in self.servers]}, given={sorted({*self.secrets, *self.given})})"


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
    for row in SETTINGS:
        if http is not None or row.feature != "http":
            reader.read(row)
    settings.values["READ_ONLY"] = read_only or settings["READ_ONLY"]
    settings.sizes = settings["MAX_RESULT"] or settings.sizes
    settings.client = reader.client()
    reader.listening(http)
    if settings["METRICS"] or any(name.startswith("OTEL_") for name in environ):
        load_telemetry(settings, catalog, asked)
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
    if "accounts" in catalog.header:
        from ..accounts.accounts import load as load_accounts  # imported late: few servers have accounts

        load_accounts(settings, lambda view, seen: load(view, seen, base_url, False, at_start, http), catalog, asked)
    settings.warnings += warnings + asked.unread(f"{catalog.prefix}_")
    named = (credential_env.named(ending, catalog.security, asked) for ending in credential_env.SOURCES)
    if settings["CA_FILE"] or settings.client or any(named):
        from .rotation import Rotation  # imported late: few servers have such files

        settings.rotation = Rotation(settings, catalog.security, asked)
    return settings


def load_telemetry(settings: Settings, catalog: Catalog, environ: Mapping[str, str]) -> None:
    """Read the settings of telemetry.

    Other programs read the variables of OpenTelemetry too. A server without telemetry ignores them, unless they say
    where to send something: then raise ModuleNotFoundError.
    """
    try:
        from ..telemetry.telemetry_settings import load  # imported late: few operators enable telemetry
    except ModuleNotFoundError:
        if settings["METRICS"] or any(_is_sent(signal, environ) for signal in ("TRACES_", "METRICS_")):
            raise
    else:
        load(settings, catalog, environ)


def _is_sent(signal: str, environ: Mapping[str, str]) -> bool:
    """Return True if variables of OpenTelemetry enable sending traces or metrics."""

    def read(name: str) -> str:
        return environ.get(f"OTEL_{name}", "").strip().lower()

    exporter, endpoint = read(f"{signal}EXPORTER"), read("EXPORTER_OTLP_ENDPOINT")
    endpoint = endpoint or read(f"EXPORTER_OTLP_{signal}ENDPOINT")
    return read("SDK_DISABLED") != "true" and (exporter == "otlp" or bool(endpoint and not exporter))


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
        # Imported late: variables that no setting reads are rarely set.
        from ..core import absent_parts
        from . import mistaken_variables

        # Over stdio, settings for HTTP are known, although they are not read.
        rows = [row for row in SETTINGS if absent_parts.has(row.part)]
        known = [*(each for row in rows for each in row.variables(prefix.removesuffix("_"))), *self._names]
        return [sentence] if (sentence := mistaken_variables.warning(names, known, prefix)) else []


class _Reader:
    """Reader of environment variables. It records problems of their values in the settings."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ

    def read(self, row: Setting) -> None:
        """Store the value of a row of the settings table, if its variable is set and valid. Redact a secret."""
        name, settings = row.variable(self._settings.prefix), self._settings
        try:
            value, name = (
                credential_env.value_of(name, self._environ) if row.secret else (self._environ.get(name), name)
            )
        except ValueError as sentence:
            settings.problems.append(str(sentence))
            settings.given.add(row.name)
            return
        if not value or not (value := value.strip()):
            return
        settings.given.add(row.name)
        settings.values[row.name] = self._parsed(name, value, parser(row), row.default)
        if row.secret:
            from .setting_parsers import secret_texts  # imported late: few starts have such settings

            settings.private += secret_texts(value)

    def _parsed(self, name: str, value: str, parse: Callable[[str], Any], default: Any) -> Any:
        """Return the parsed value of the variable `name`. If the value is invalid, record a problem and return
        `default`.
        """
        try:
            return parse(value)
        except ValueError as reason:
            self._settings.problems.append(f"{name} {reason}.")
            return default

    def client(self) -> tuple[str, str | None] | None:
        """Return the files of the client certificate and its key. Record a problem if the files cannot be loaded."""
        certificate, key = self._settings["CLIENT_CERT"], self._settings["CLIENT_KEY"]
        prefix, problems = self._settings.prefix, self._settings.problems
        if key and not certificate:
            problems.append(f"{prefix}_CLIENT_KEY is set and {prefix}_CLIENT_CERT is not, or cannot be used.")
        client = (certificate, key) if certificate else None
        if client or self._settings["CA_FILE"]:
            from . import tls  # imported here: loads OpenSSL, which most starts do not need

            broken = tls.problem(self._settings["CA_FILE"], client, self._settings["CLIENT_KEY_PASSWORD"])
            if broken == "ca_file":
                problems.append(f"{prefix}_CA_FILE must hold certificates in PEM.")
            elif broken:
                words = f"must hold a certificate and its key in PEM; {prefix}_CLIENT_KEY_PASSWORD unlocks the key"
                problems.append(f"{prefix}_CLIENT_CERT with {prefix}_CLIENT_KEY {words}.")
        if client is not None:
            from .setting_parsers import private_key  # imported late: few operators have a client certificate

            self._settings.private += private_key(client)
        return client

    def listening(self, address: tuple[str, int] | None) -> None:
        """Read the HTTP settings if the server listens on HTTP.

        Unless the operator allows files over HTTP, drop the folders for files: callers on other machines must not use
        files of this machine (security requirement X2).
        """
        if address is None:
            return
        from ..http_server.listening import load as load_listening  # imported here: stdio does not need this module

        settings = self._settings
        try:
            settings.listening = load_listening(address, settings)
        except ValueError as sentence:
            settings.problems.append(str(sentence))
            return
        settings.private += [each.decode("latin-1") for each in settings["STATE_KEY"]]
        if not settings["HTTP_FILES"]:
            settings.values.update(FILES_DIR=None, DOWNLOADS_DIR=None)

    def rules(self, listed: Listed) -> Rules:
        """Return the rules about where requests may be sent. `listed`: the accepted origins in `bindings.json`."""
        return Rules(
            self._settings.prefix,
            listed,
            insecure=self._settings["ALLOW_HTTP"],
            hosts=self._settings["ALLOW_HOSTS"],
            certificate=self._settings.client is not None,
        )

    def addresses(self, rules: Rules, servers: list[Server], urls: list[str], flag: str | None) -> list[Address | str]:
        """Return, for each server in `bindings.json`, the address for its requests, or a sentence why there is none.

        `rules`: where the operator lets requests be sent. `flag`: the base URL given on the command line, or None.
        """
        name, value = f"{self._settings.prefix}_BASE_URL", self._settings["BASE_URL"]
        name, value = ("--base-url", flag) if flag else (name, value)
        try:
            if value:
                rules.redirect(self._typed(value))
        except ValueError as reason:
            self._settings.problems.append(f"{name} {reason}.")
        found = rules.addresses(servers, urls)
        sentences = filter(None, (rules.redirected(urls), rules.kept_path()))
        self._settings.warnings += [f"{name} {sentence}" for sentence in sentences]
        return found

    def _typed(self, value: str) -> Address:
        """Return the address that the operator's base URL names."""
        if not value.startswith("unix:"):
            return parse(value)
        from ..reach.proxies import at_socket  # imported late: few APIs are behind a unix socket

        self._settings.values["BASE_URL"] = value
        return at_socket(value)

    def endpoints(self, rules: Rules, security: dict[str, Scheme], urls: list[str]) -> dict[str, Endpoint | str]:
        """Return the token endpoint of each scheme that has one, or a sentence that says why it cannot be used."""
        base, described = (self._settings.servers[0], urls[0]) if urls else (nowhere(self._settings.prefix), "")
        found: dict[str, Endpoint | str] = {}
        for scheme, entry in security.items():
            if "fetched" not in entry["ways"]:
                continue
            name = entry["variables"]["token_url"]
            value = self._environ.get(name, "").strip()
            typed = self._parsed(name, value, rules.typed_endpoint, None) if value else None
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
            # imported late: rarely used, and only over HTTP
            from ..delegation.delegation_settings import load as load_delegation

            load_delegation(self._settings, security, self._environ, rules, urls[0] if urls else "")

    def url(self, server: Server) -> str:
        """Return the URL of `server`, an entry of `bindings.json`, with the configured values of its variables."""
        url = str(server["url"])
        for name, variable in server.get("variables", {}).items():
            url = url.replace(f"{{{name}}}", self._server_variable(variable))
        return url

    def _server_variable(self, variable: ServerVariable) -> str:
        name = variable["variable"]
        value = self._environ.get(name, "")
        if value and value not in variable.get("enum", [value]):
            self._settings.problems.append(f"{name} must be one of {', '.join(variable['enum'])}.")
        self._settings.values[name] = found = value or str(variable.get("default", ""))
        return found


def parser(row: Setting) -> Callable[[str], Any]:
    """Return the function that parses the value of a row. Import its module."""
    if not row.parser:
        return str
    from importlib import import_module  # imported late: most starts have no variable that is parsed

    module, _, name = row.parser.rpartition(".")
    parse: Callable[[str], Any] = getattr(import_module(module, __package__), name)
    return parse
