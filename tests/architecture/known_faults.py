"""List published vulnerabilities of the packages that mcpgen, its generated projects and its tests require.

No version bound may allow a vulnerable release. A row is added when an audit finds a vulnerability
(`specs/examples/scheduled/audit.yml`, or `pip-audit`). `known` is the day of the release with the fix or of the first
report that we found, whichever is known. Indirect dependencies (multidict, idna, h11) have no bounds
here; audits of installed packages cover them.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

LOOKED_UP = date(2026, 11, 29)
"""Day on which all packages were last checked against the advisories of PyPI and GitHub."""


class Fault(NamedTuple):
    """A published vulnerability of all releases of `package` before `fixed`."""

    package: str
    fixed: str
    names: tuple[str, ...]
    known: date


FAULTS = (
    Fault("aiohttp", "3.14.0", ("CVE-2026-34993", "CVE-2026-47265"), date(2026, 6, 5)),
    Fault("aiohttp", "3.14.1", tuple(f"CVE-2026-{number}" for number in range(54273, 54281)), date(2026, 6, 15)),
    Fault("aiohttp", "3.14.2", ("CVE-2026-59881", "CVE-2026-69243"), date(2026, 8, 4)),
    Fault("aiohttp", "3.14.3", ("CVE-2026-69244",), date(2026, 8, 4)),
    Fault("aiohttp", "3.14.4", ("PYSEC-2026-4369", "PYSEC-2026-4371"), date(2026, 10, 19)),
    Fault("click", "8.3.3", ("CVE-2026-7246", "PYSEC-2026-2132"), date(2026, 5, 5)),
    Fault("cryptography", "46.0.5", ("CVE-2026-26007",), date(2026, 2, 10)),
    Fault("cryptography", "46.0.6", ("CVE-2026-34073",), date(2026, 4, 1)),
    Fault("cryptography", "46.0.7", ("CVE-2026-39892",), date(2026, 4, 12)),
    Fault("cryptography", "48.0.1", ("GHSA-537c-gmf6-5ccf",), date(2026, 8, 4)),
    Fault("cryptography", "49.0.0", ("CVE-2026-69248", "CVE-2026-69249"), date(2026, 8, 4)),
    Fault("cryptography", "50.0.0", ("CVE-2026-69247",), date(2026, 8, 4)),
    Fault("httpx", "0.23.0", ("CVE-2021-41945",), date(2022, 4, 28)),
    Fault("jinja2", "3.1.5", ("CVE-2024-56201", "CVE-2024-56326"), date(2024, 12, 23)),
    Fault("jinja2", "3.1.6", ("CVE-2025-27516",), date(2025, 3, 5)),
    Fault("joserfc", "1.6.8", ("CVE-2026-27932", "CVE-2026-48990", "CVE-2026-49852"), date(2026, 7, 8)),
    Fault("joserfc", "1.7.2", ("GHSA-5jhw-7jv7-qcqq",), date(2026, 8, 20)),
    Fault("joserfc", "1.7.3", ("CVE-2026-75509",), date(2026, 8, 24)),
    Fault("pytest", "9.0.3", ("CVE-2025-71176",), date(2026, 4, 7)),
    Fault("pyyaml", "5.4", ("CVE-2020-14343",), date(2021, 1, 20)),
    Fault("redis", "4.5.4", ("CVE-2023-28858", "CVE-2023-28859"), date(2023, 3, 30)),
    Fault("sphinx", "3.0.4", ("CVE-2020-11022", "CVE-2020-11023"), date(2020, 5, 27)),
    Fault("uvicorn", "0.11.7", ("CVE-2020-7694", "CVE-2020-7695"), date(2020, 7, 28)),
)

WITHOUT_FAULTS = frozenset(
    (
        *("anyascii", "compose-spec", "editables", "furo", "hatchling", "hypothesis", "json5", "jsonpath-rfc9535"),
        *(
            "jsonschema",
            "jsonschema-rs",
            "keyring",
            "kubernetes-validate",
            "mypy",
            "myst-parser",
            "openapi-spec-validator",
        ),
        *("opentelemetry-proto", "prometheus-client", "pydantic-monty", "pytest-timeout", "pytest-xdist", "ruff"),
        *("aiohttp-socks", "types-jsonschema", "types-pyyaml"),
    )
)
"""Packages that were looked up by name, and for which no vulnerability was published since 2020."""
