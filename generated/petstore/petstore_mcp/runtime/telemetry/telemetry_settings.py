# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Settings of telemetry: the variables of OpenTelemetry (`OTEL_*`), and `<NAME>_METRICS`.

Many programs on one machine may share the OTEL variables. So a value that cannot be used causes a warning and does not
prevent the start. Loaded only if one of these variables is set.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ..settings import credential_env
from ..settings.settings_table import SETTINGS
from ..text.fields import is_name, is_value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from ..core.catalog import Catalog
    from ..http_server.listening import Listening

    class Settings(Protocol):
        """Interface of those attributes of settings.Settings that are set before this module is called."""

        prefix: str
        values: dict[str, Any]
        given: set[str]
        listening: Listening | None
        telemetry: Telemetry | None
        problems: list[str]
        warnings: list[str]
        private: list[str]


DEFAULT_ENDPOINT = "http://localhost:4318"
"""Address at which a collector listens by default (OTLP/HTTP)."""

MOST_ATTRIBUTES, LONGEST_ATTRIBUTE = 64, 255
_SAMPLERS = ("always_on", "always_off", "traceidratio")
_PARENT = "parentbased_"
_DEFAULTS = {row.name: row.default for row in SETTINGS}


class Target:
    """Where traces or metrics are sent: URL, header fields, timeout of a request in seconds, and TLS files."""

    __slots__ = ("ca_file", "certificate", "gzip", "headers", "key", "timeout", "url")

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self.url = url
        self.headers = headers
        self.timeout = 10.0
        self.gzip = False
        self.ca_file: str | None = None
        self.certificate: str | None = None
        self.key: str | None = None


class Telemetry:
    """Settings of what is measured, and where the data is sent.

    - `traces`, `metrics`: where spans and metrics are sent, or None if they are not sent.
    - `resource`: OpenTelemetry resource attributes of this process, such as `service.name`.
    - `sampler`, `ratio`, `by_parent`: which traces are recorded, and whether the client's decision takes precedence.
    - `delay`, `interval`: seconds between two exports of spans, and of metrics.
    - `counts`: whether the server itself publishes metrics: in `file` if set, else over HTTP at `/metrics`, and over
      stdio as a log entry when the server ends.
    - `token`: bearer token that a reader of `/metrics` must send, "" for none.
    """

    __slots__ = (
        "by_parent", "counts", "delay", "file", "interval", "metrics", "ratio", "resource", "sampler", "token",
        "traces",
    )  # fmt: skip

    def __init__(self) -> None:
        self.traces: Target | None = None
        self.metrics: Target | None = None
        self.resource: dict[str, str] = {}
        self.sampler = "always_on"
        self.ratio = 1.0
        self.by_parent = True
        self.delay = _DEFAULTS["OTEL_BSP_SCHEDULE_DELAY"] / 1000
        self.interval = _DEFAULTS["OTEL_METRIC_EXPORT_INTERVAL"] / 1000
        self.counts = False
        self.file = ""
        self.token = ""

    @property
    def at_path(self) -> bool:
        """Return whether `/metrics` is served over HTTP."""
        return self.counts and not self.file


def load(settings: Settings, catalog: Catalog, environ: Mapping[str, str]) -> None:
    """Read the telemetry settings into `settings`, with their problems, warnings and secrets. Never raises."""
    wanted = Telemetry()
    _load_metrics(wanted, settings)
    reader = _Reader(environ, settings)
    if reader.text("OTEL_SDK_DISABLED").lower() != "true":
        wanted.traces, wanted.metrics = reader.target("TRACES"), reader.target("METRICS")
    if wanted.traces is not None or wanted.metrics is not None:
        _load_sampler(wanted, reader)
        wanted.delay = reader.seconds("OTEL_BSP_SCHEDULE_DELAY")
        wanted.interval = reader.seconds("OTEL_METRIC_EXPORT_INTERVAL")
        wanted.resource = {"service.name": f"{catalog.name}-mcp", "service.version": catalog.version}
        wanted.resource |= reader.pairs("OTEL_RESOURCE_ATTRIBUTES")
        if service := reader.text("OTEL_SERVICE_NAME"):
            wanted.resource["service.name"] = service[:LONGEST_ATTRIBUTE]
        for target in filter(None, (wanted.traces, wanted.metrics)):
            settings.private += [value for value in target.headers.values() if _is_long(value)]
    if wanted.traces or wanted.metrics or wanted.counts:
        settings.telemetry = wanted


def _load_metrics(wanted: Telemetry, settings: Settings) -> None:
    """Load the server's own settings for metrics: whether it publishes them, and who may read them."""
    prefix, value = settings.prefix, settings.values["METRICS"]
    wanted.counts, wanted.file = bool(value), value if isinstance(value, str) else ""
    wanted.token = settings.values["METRICS_TOKEN"]
    # Metrics name tools and API hosts, so other machines need a token. Access tokens of callers do not count, because
    # callers are not operators.
    if wanted.at_path and settings.listening and settings.listening.guarded and "METRICS_TOKEN" not in settings.given:
        settings.problems.append(
            f"{prefix}_METRICS=1 needs {prefix}_METRICS_TOKEN where other machines may connect:"
            " whoever reads /metrics sends it as a bearer token."
        )


def _load_sampler(wanted: Telemetry, reader: _Reader) -> None:
    text = reader.text("OTEL_TRACES_SAMPLER")
    if text.removeprefix(_PARENT) not in _SAMPLERS:
        reader.warn("OTEL_TRACES_SAMPLER", f"must be one of {', '.join(_SAMPLERS)}, or {_PARENT} and one of them")
        text = _DEFAULTS["OTEL_TRACES_SAMPLER"]
    wanted.sampler, wanted.by_parent = text.removeprefix(_PARENT), text.startswith(_PARENT)
    if wanted.sampler == "traceidratio":
        wanted.ratio = reader.number("OTEL_TRACES_SAMPLER_ARG", 1.0)


def _is_long(value: str) -> bool:
    return len(value) >= credential_env.SHORTEST_REDACTED


class _Reader:
    """Reader of the OTEL variables. An invalid value becomes a warning, which never contains the value."""

    def __init__(self, environ: Mapping[str, str], settings: Settings) -> None:
        self._environ = environ
        self._values = settings.values
        self._warnings = settings.warnings

    def text(self, name: str) -> str:
        """Return the text of a variable without white space at its ends, or its default. Variables for traces or
        metrics alone are not in the settings table, and have no default.
        """
        return str(self._values[name]) if name in self._values else self._environ.get(name, "").strip()

    def warn(self, name: str, reason: str) -> None:
        """Store the warning that consists of `name`, an environment variable, and `reason`. Store it only once, as a
        variable may concern both traces and metrics.
        """
        if (said := f"{name} {reason}.") not in self._warnings:
            self._warnings.append(said)

    # Hosts set `OTEL_*` variables for themselves, and servers inherit them. Only an exporter or an endpoint asks for
    # telemetry.
    def target(self, signal: str) -> Target | None:
        """Return where traces or metrics are sent, or None if no variable enables sending them."""
        exporter = self.text(f"OTEL_{signal}_EXPORTER").lower()
        endpoint = self.text(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
        shared = self.text("OTEL_EXPORTER_OTLP_ENDPOINT")
        if exporter == "none" or not (exporter or endpoint or shared):
            return None
        if exporter not in ("", "otlp"):
            self.warn(f"OTEL_{signal}_EXPORTER", "must be otlp or none here: nothing of it is sent")
            return None
        protocol = _DEFAULTS["OTEL_EXPORTER_OTLP_PROTOCOL"]
        if self._of(signal, "PROTOCOL") != protocol:
            self.warn("OTEL_EXPORTER_OTLP_PROTOCOL", f"must be {protocol} here: nothing is sent")
            return None
        url = endpoint or f"{(shared or DEFAULT_ENDPOINT).rstrip('/')}/v1/{signal.lower()}"
        if not _is_url(url):
            self.warn(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT", "must be a URL such as http://localhost:4318")
            return None
        return self._with_options(Target(url, self._headers(signal)), signal)

    def _with_options(self, target: Target, signal: str) -> Target | None:
        own = self.seconds(f"OTEL_EXPORTER_OTLP_{signal}_TIMEOUT")
        target.timeout = min(own or self.seconds("OTEL_EXPORTER_OTLP_TIMEOUT"), 60.0)
        compression = self._of(signal, "COMPRESSION").lower()
        if compression not in ("none", "gzip"):
            self.warn("OTEL_EXPORTER_OTLP_COMPRESSION", "is neither gzip nor none, so reports are sent uncompressed")
        target.gzip = compression == "gzip"
        files = [self._of(signal, part) or None for part in ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY")]
        if any(each is not None and not os.access(each, os.R_OK) for each in files):
            self.warn("OTEL_EXPORTER_OTLP_CERTIFICATE", "or one of its kind names a file that cannot be read")
            return None
        target.ca_file, target.certificate, target.key = files
        return target

    def _headers(self, signal: str) -> dict[str, str]:
        name = f"OTEL_EXPORTER_OTLP_{signal}_HEADERS"
        found = self.pairs(name if self.text(name) else "OTEL_EXPORTER_OTLP_HEADERS")
        usable = {key: value for key, value in found.items() if is_name(key) and is_value(value)}
        if usable != found:
            self.warn("OTEL_EXPORTER_OTLP_HEADERS", "holds a header that cannot be sent; it was left out")
        return usable

    def _of(self, signal: str, part: str) -> str:
        return self.text(f"OTEL_EXPORTER_OTLP_{signal}_{part}") or self.text(f"OTEL_EXPORTER_OTLP_{part}")

    def pairs(self, name: str) -> dict[str, str]:
        """Return the decoded name-value pairs of a text such as `a=1,b=two%20words`."""
        found: dict[str, str] = {}
        for each in self.text(name).split(",")[:MOST_ATTRIBUTES]:
            key, equals, value = each.partition("=")
            if equals and key.strip():
                found[unquote(key.strip())] = unquote(value.strip())
            elif each.strip():
                self.warn(name, "must be pairs such as key=value, joined by commas; one was left out")
        return found

    def seconds(self, name: str) -> float:
        """Return a variable's value, converted from milliseconds to seconds."""
        return self.number(name, 86_400_000.0) / 1000

    def number(self, name: str, most: float) -> float:
        """Return a variable's value as a number, or the default if it is invalid or not between 0 and `most`."""
        text, default = self.text(name), float(_DEFAULTS.get(name, 0))
        try:
            value = float(text) if text else default
        except ValueError:
            value = -1.0
        if not 0.0 <= value <= most:
            self.warn(name, f"must be a number from 0 to {most:g}")
            return default
        return value


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable() and parts.port != 0
    except ValueError:
        return False
