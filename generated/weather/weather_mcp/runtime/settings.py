# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The environment and the flags become settings, checked once, before the first call.

Whatever is wrong is kept as sentences for the operator that name the variable and never its value: `problems` keep the
server from calling anything, `warnings` do not. What a document says about its own servers is believed less than what
the operator typed: https unless loopback, and no link-local or metadata address.
"""

from __future__ import annotations

import os

from . import keys
from .addresses import Address, parse

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
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def server(self, index: int) -> Address:
        """Where that server is. Raises NotReady where only the operator can say."""
        found = self.servers[index] if index < len(self.servers) else _nowhere(self.prefix)
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
    insecure = reader.checked("ALLOW_HTTP", _switch, False)
    settings.servers = [reader.described(server, insecure) for server in catalog.servers]
    reader.typed(base_url, insecure)
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

    def described(self, server: dict[str, Any], insecure: bool) -> Address | str:
        """The server that the document describes, or why it cannot be used."""
        url = server["url"]
        for name, variable in server.get("variables", {}).items():
            url = url.replace(f"{{{name}}}", self._server_variable(variable))
        if "://" not in url:
            return _nowhere(self._settings.prefix)
        try:
            address = _secured(parse(url), insecure, self._settings.prefix)
            if address.forbidden:
                raise ValueError("must not be a link-local or metadata address")
        except ValueError as reason:
            prefix = self._settings.prefix
            return f"The server that the API's description names {reason}; {prefix}_BASE_URL can name another."
        return address

    def typed(self, flag: str | None, insecure: bool) -> None:
        """The address that the operator gave takes the place of the first server, path and all."""
        name, value = ("--base-url", flag) if flag else self._value("BASE_URL")
        if not value:
            return
        settings = self._settings
        try:
            address = _secured(parse(value), insecure, settings.prefix)
        except ValueError as reason:
            settings.problems.append(f"{name} {reason}.")
            return
        before = settings.servers[0] if settings.servers else ""
        if isinstance(before, Address) and before.host != address.host and not address.loopback:
            settings.warnings.append(f"{name} sends calls and credentials to {address.host} in place of {before.host}.")
        settings.servers[:1] = [address]

    def _value(self, suffix: str) -> tuple[str, str]:
        name = f"{self._settings.prefix}_{suffix}"
        return name, self._environ.get(name, "").strip()

    def _server_variable(self, variable: dict[str, Any]) -> str:
        name = variable["variable"]
        value = self._environ.get(name) or str(variable.get("default", ""))
        if value not in variable.get("enum", [value]):
            self._settings.problems.append(f"{name} must be one of {', '.join(variable['enum'])}.")
        return value


def _nowhere(prefix: str) -> str:
    return f"{prefix}_BASE_URL is not set, and the API's description does not say where its server is."


def _secured(address: Address, insecure: bool, prefix: str) -> Address:
    if address.scheme == "http" and not (address.loopback or insecure):
        raise ValueError(f"must begin with https:// unless {prefix}_ALLOW_HTTP is 1")
    return address


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
