# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The environment and the flags become settings, checked once, before the first call.

Whatever is wrong is kept as sentences for the operator that name the variable and never its value: `problems` keep the
server from calling anything, `warnings` do not.
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
    from .rate import Rate

    Again: TypeAlias = "Callable[[Catalog], Settings]"
    from ..core.table import Scheme, Server, ServerVariable

TIMEOUT = 30.0
"""Seconds that a call may take in all, unless the operator or the tool says otherwise."""

_UNACCEPTED = "The API's description names {}, {}. Nothing is sent there unless {}_ALLOW_HOSTS names that host."

CONCURRENCY = 64
"""Requests under way at a time. More would only queue at the upstream."""


class NotReady(Exception):
    """A setting is missing that only the operator can give; its message is a sentence that names the variable."""


class Settings:
    """What the operator decided. `secrets` holds the values of the credential variables that are set, by name;
    `servers` the address of each server of the table, and `endpoints` by scheme where its tokens are fetched, or the
    sentence that says why there is none. `client` are the files of the certificate that the server shows of itself, and
    of its key; `private` are texts beside the credentials that must not leave. `trace` is whether upstreams are told of
    a trace: None means of the client's alone. `audit` is the absolute path that calls are recorded at, or `stderr`.
    `again` reads the settings for the table of a later compile, where the server is to notice one."""

    __slots__ = (
        "again",
        "audit",
        "audit_arguments",
        "ca_file",
        "client",
        "concurrency",
        "downloads_dir",
        "downloads_overwrite",
        "endpoints",
        "files_dir",
        "log_level",
        "prefix",
        "private",
        "problems",
        "proxy",
        "rate",
        "read_only",
        "result_tool",
        "roles",
        "rules",
        "secrets",
        "servers",
        "sizes",
        "timeout",
        "trace",
        "warnings",
    )

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.servers: list[Address | str] = []
        self.endpoints: dict[str, Endpoint | str] = {}
        self.secrets: dict[str, str] = {}
        self.timeout = TIMEOUT
        self.concurrency = CONCURRENCY
        self.rate: Rate | None = None
        self.log_level = "info"
        self.files_dir: str | None = None
        self.downloads_dir: str | None = None
        self.downloads_overwrite = False
        self.proxy: str | None = None
        self.ca_file: str | None = None
        self.client: tuple[str, str | None] | None = None
        self.private: list[str] = []
        self.read_only = False
        self.result_tool = False
        self.again: Again | None = None
        self.roles: frozenset[str] = frozenset()
        self.rules: Rules | None = None
        self.trace: bool | None = None
        self.audit: str | None = None
        self.audit_arguments = False
        self.sizes = sizes.Sizes()
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def apply(self, catalog: Catalog) -> None:
        """Leave only the tools that the operator wants offered, and list what the settings make possible."""
        if self.downloads_dir is not None:
            catalog.offer_saving()
        if self.read_only:
            catalog.hide_changing()
        if catalog.roles:
            catalog.hide_restricted(self.roles)
        if self.result_tool:
            catalog.offer_reading()

    def server(self, index: int) -> Address:
        """Where that server is. Raises NotReady where only the operator can say."""
        try:
            found = self.servers[index]
        except IndexError:
            found = nowhere(self.prefix)
        if isinstance(found, str):
            raise NotReady(found)
        return found

    def endpoint(self, scheme: str) -> Endpoint:
        """Where the tokens of that scheme are fetched. Raises NotReady where only the operator can say."""
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
) -> Settings:
    """The settings. Never raises: see `Settings.problems`. `base_url` is the flag, which wins over the variable, as
    `read_only` does. `at_start` is the table that the server began with, where `catalog` came later: no origin that it
    did not list is accepted.
    """
    settings = Settings(catalog.prefix)
    asked = _Asked(environ)
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
    settings.audit = reader.checked("AUDIT", setting_parsers.audit, None)
    settings.audit_arguments = reader.checked("AUDIT_ARGUMENTS", setting_parsers.switch, False)
    settings.trace = reader.checked("TRACE", setting_parsers.switch, None)
    settings.private = [*setting_parsers.login(settings.proxy), *setting_parsers.private_key(settings.client)]
    settings.rules = rules = reader.rules(Listed(catalog.origins, at_start.origins if at_start else None))
    urls = [reader.url(server) for server in catalog.servers]
    settings.servers = reader.addresses(rules, catalog.servers, urls, base_url)
    settings.endpoints = reader.endpoints(rules, catalog.security, urls)
    settings.warnings += [_UNACCEPTED.format(host, reason, catalog.prefix) for host, reason in rules.unaccepted.items()]
    settings.secrets, problems, warnings = credential_env.read(catalog.security, asked)
    settings.problems += problems
    settings.warnings += warnings + asked.unread(f"{catalog.prefix}_")
    return settings


class _Asked(dict[str, str]):
    """The environment, which notes what is read of it: whatever else begins like a variable of ours may be meant as
    one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(environ)
        self._names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self._names.add(name)
        return super().get(name, default)

    def unread(self, prefix: str) -> list[str]:
        """A warning of those with that prefix that are set and were not read."""
        names = [name for name, value in self.items() if name.startswith(prefix) and value and name not in self._names]
        if not names:
            return []
        from . import unknown_variables  # few environments have any

        return [sentence] if (sentence := unknown_variables.warning(names, self._names, prefix)) else []


class _Reader:
    """Reads variables and notes in the settings what is wrong with them."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ

    def checked(self, suffix: str, check: Callable[[str], Any], default: Any) -> Any:
        """The value of a variable, where it is set and right."""
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
        """The proxy's URL, which may hold a password, so that it may come from a file like any credential."""
        try:
            value, source = credential_env.value_of(f"{self._settings.prefix}_PROXY", self._environ)
        except ValueError as sentence:
            self._settings.problems.append(str(sentence))
            return None
        found: str | None = self._named(source, setting_parsers.proxy, None, (value or "").strip())
        return found

    def client(self) -> tuple[str, str | None] | None:
        """The files of the client's certificate and key, once it is certain that they can be used."""
        certificate, key = (
            self.checked(suffix, setting_parsers.file, None) for suffix in ("CLIENT_CERT", "CLIENT_KEY")
        )
        prefix, problems = self._settings.prefix, self._settings.problems
        if key and not certificate:
            problems.append(f"{prefix}_CLIENT_KEY is set and {prefix}_CLIENT_CERT is not, or cannot be used.")
        client = (certificate, key) if certificate else None
        if client or self._settings.ca_file:
            from . import tls  # loads OpenSSL, which the way to the first answer does without

            broken = tls.problem(self._settings.ca_file, client)
            if broken == "ca_file":
                problems.append(f"{prefix}_CA_FILE must hold certificates in PEM.")
            elif broken:
                words = "must hold a certificate and its key in PEM, the key without a passphrase"
                problems.append(f"{prefix}_CLIENT_CERT with {prefix}_CLIENT_KEY {words}.")
        return client

    def rules(self, listed: Listed) -> Rules:
        """What the operator allows beside the origins that the table has `listed`."""
        return Rules(
            self._settings.prefix,
            listed,
            insecure=self.checked("ALLOW_HTTP", setting_parsers.switch, False),
            hosts=self.checked("ALLOW_HOSTS", setting_parsers.hosts, frozenset()),
            certificate=self._settings.client is not None,
        )

    def addresses(self, rules: Rules, servers: list[Server], urls: list[str], flag: str | None) -> list[Address | str]:
        """The address of each server of the table, by what the operator typed and allowed."""
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
        """Where the tokens of each scheme are fetched that has such a place."""
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

    def url(self, server: Server) -> str:
        """The URL of a server of the table, its variables filled in."""
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
