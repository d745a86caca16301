"""List published vulnerabilities of the packages that mcpgen, its generated projects and its tests require.

No version bound may allow a vulnerable release. A row is added when an audit finds a vulnerability
(`specs/examples/scheduled/audit.yml`, or `pip-audit`). Indirect dependencies (multidict, idna, h11) have no bounds
here; audits of installed packages cover them.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

LOOKED_UP = date(2026, 11, 23)
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
    Fault("click", "8.3.3", ("CVE-2026-7246", "PYSEC-2026-2132"), date(2026, 5, 5)),
    Fault("httpx", "0.23.0", ("CVE-2021-41945",), date(2022, 4, 28)),
    Fault("jinja2", "3.1.5", ("CVE-2024-56201", "CVE-2024-56326"), date(2024, 12, 23)),
    Fault("jinja2", "3.1.6", ("CVE-2025-27516",), date(2025, 3, 5)),
    Fault("pytest", "9.0.3", ("CVE-2025-71176",), date(2026, 4, 7)),
    Fault("pyyaml", "5.4", ("CVE-2020-14343",), date(2021, 1, 20)),
)
