# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The environment and the flags become settings, checked once, before the first call.

Whatever is wrong is kept as sentences for the operator that name the variable and never its value: `problems` keep the
server from calling anything, `warnings` do not.
"""

from __future__ import annotations

import os

from . import keys, sizes
from .addresses import Address, parse
from .origins import Rules, nowhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .catalog import Catalog

TIMEOUT = 30.0
"""Seconds that a call may take in all, unless the operator or the tool says otherwise."""

LONGEST_TIMEOUT = 3600.0

_LEVELS = ("debug", "info", "warning", "error")
_SWITCH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class NotReady(Exception):
    """A setting is missing that only the operator can give; its message is a sentence that names the variable."""


class Settings:
    """What the operator decided. `secrets` holds the values of the credential variables that are set, by name;
    `servers` the address of each server of the table, or the sentence that says why it has none."""

    __slots__ = (
        "ca_file",
        "files_dir",
        "log_level",
        "prefix",
        "problems",
        "proxy",
        "secrets",
        "servers",
        "sizes",
        "timeout",
        "warnings",
    )

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.servers: list[Address | str] = []
        self.secrets: dict[str, str] = {}
        self.timeout = TIMEOUT
        self.log_level = "info"
        self.files_dir: str | None = None
        self.proxy: str | None = None
        self.ca_file: str | None = None
        self.sizes = sizes.Sizes()
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def server(self, index: int) -> Address:
        """Where that server is. Raises NotReady where only the operator can say."""
        found = self.servers[index] if index < len(self.servers) else nowhere(self.prefix)
        if isinstance(found, str):
            raise NotReady(found)
        return found

    def __repr__(self) -> str:
        shown = {name: getattr(self, name) for name in ("timeout", "log_level", "files_dir", "ca_file")}
        return f"Settings({[str(each) for each in self.servers]}, secrets={sorted(self.secrets)}, {shown})"


def load(catalog: Catalog, environ: Mapping[str, str], base_url: str | None = None) -> Settings:
    """The settings. Never raises: see `Settings.problems`. `base_url` is the flag, which wins over the variable."""
    settings = Settings(catalog.prefix)
    reader = _Reader(settings, environ)
    settings.log_level = reader.checked("LOG_LEVEL", _level, "info")
    settings.timeout = reader.checked("TIMEOUT", _seconds, TIMEOUT)
    settings.files_dir = reader.checked("FILES_DIR", _directory, None)
    settings.ca_file = reader.checked("CA_FILE", _file, None)
    settings.proxy = reader.checked("PROXY", _proxy, None)
    settings.sizes = reader.checked("MAX_RESULT", sizes.parse, settings.sizes)
    settings.servers = reader.addresses(catalog.servers, base_url)
    settings.secrets, problems, warnings = keys.read(catalog.security, environ)
    settings.problems += problems
    settings.warnings += warnings
    return settings


class _Reader:
    """Reads variables and notes in the settings what is wrong with them."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ

    def checked(self, suffix: str, check: Callable[[str], Any], default: Any) -> Any:
        """The value of a variable, where it is set and right."""
        name, value = self._value(suffix)
        if not value:
            return default
        try:
            return check(value)
        except ValueError as reason:
            self._settings.problems.append(f"{name} {reason}.")
            return default

    def addresses(self, servers: list[dict[str, Any]], flag: str | None) -> list[Address | str]:
        """The address of each server of the table, by what the operator typed and allowed."""
        rules = Rules(
            self._settings.prefix,
            insecure=self.checked("ALLOW_HTTP", _switch, False),
            hosts=self.checked("ALLOW_HOSTS", _hosts, frozenset()),
        )
        urls = [self._url(server) for server in servers]
        name, value = ("--base-url", flag) if flag else self._value("BASE_URL")
        try:
            typed = rules.secured(parse(value)) if value else None
        except ValueError as reason:
            self._settings.problems.append(f"{name} {reason}.")
            typed = None
        if typed is not None and (sentence := rules.redirected(typed, urls)):
            self._settings.warnings.append(f"{name} {sentence}")
        return rules.addresses(urls, typed)

    def _url(self, server: dict[str, Any]) -> str:
        url = str(server["url"])
        for name, variable in server.get("variables", {}).items():
            url = url.replace(f"{{{name}}}", self._server_variable(variable))
        return url

    def _value(self, suffix: str) -> tuple[str, str]:
        name = f"{self._settings.prefix}_{suffix}"
        return name, self._environ.get(name, "").strip()

    def _server_variable(self, variable: dict[str, Any]) -> str:
        name = variable["variable"]
        value = self._environ.get(name) or str(variable.get("default", ""))
        if value not in variable.get("enum", [value]):
            self._settings.problems.append(f"{name} must be one of {', '.join(variable['enum'])}.")
        return value


# The checks raise ValueError with the rest of a sentence that begins with the variable's name.


def _level(value: str) -> str:
    if value.lower() not in _LEVELS:
        raise ValueError(f"must be one of {', '.join(_LEVELS)}")
    return value.lower()


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_TIMEOUT:
        raise ValueError(f"must be a number of seconds above 0 and up to {LONGEST_TIMEOUT:.0f}")
    return seconds


def _hosts(value: str) -> frozenset[str]:
    return frozenset(host.strip().lower() for host in value.split(",") if host.strip())


def _directory(value: str) -> str:
    if not os.path.isdir(value):
        raise ValueError("must name a directory that exists")
    return os.path.realpath(value)


def _file(value: str) -> str:
    if not os.access(value, os.R_OK):
        raise ValueError("must name a file that can be read")
    return value


def _proxy(value: str) -> str:
    # Proxies do want a user and a password in their URL; all else is as for a server.
    scheme, _, rest = value.partition("://")
    user, _, host = rest.rpartition("@")
    if not (user.isascii() and user.isprintable()) or parse(f"{scheme}://{host}").path:
        raise ValueError("must be a URL such as http://proxy.example:3128")
    return value.rstrip("/")


def _switch(value: str) -> bool:
    if value.lower() not in _SWITCH:
        raise ValueError("must be 1 or 0")
    return _SWITCH[value.lower()]
