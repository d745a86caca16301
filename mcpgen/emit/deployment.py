"""Write the files for deploying a server: a Containerfile, a compose file and Kubernetes manifests.

No text of an API's document reaches these files. They contain only the names of the server and its environment
variables, its version, and port numbers.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.base import assets
from mcpgen.emit import dashboard
from mcpgen.emit.environment import chosen_credentials, environment
from mcpgen.emit.render import render
from mcpgen.model import Catalog

_ORIGIN = re.compile(r"(https?)://[^{}]+?(?::([0-9]{1,5}))?")
_PORTS = {"https": 443, "http": 80}
"""Scheme of a URL → its default port."""


# HAProxy, because free nginx has no active health checks, and resolves names only once before 1.27.3. The configuration
# says why each of its options is set.
def deployment_files(catalog: Catalog) -> dict[str, bytes]:
    """Return path → contents of the files in `offered.DEPLOYMENT`. The result depends only on the catalog and the
    compiler's version.
    """
    credentials, variables = _variables(catalog)
    values = {
        "identity": catalog.identity,
        "credentials": credentials,
        "variables": variables,
        "ports": _ports(catalog.origins),
    }
    files = render(assets.deployment_templates(), values)
    return {**files, dashboard.PATH: dashboard.dashboard(catalog.identity)}


def secret_files(catalog: Catalog) -> list[str]:
    """Return the names of the secret files for the API's credentials. If one of several credentials is enough, only one
    of them has a file.
    """
    return [row.variable for row in _variables(catalog)[0] if row.active]


@dataclass(frozen=True, slots=True)
class Row:
    """An environment variable in a deployment file. If `active` is false, the variable is written as a comment."""

    variable: str
    active: bool


def _variables(catalog: Catalog) -> tuple[list[Row], list[Row]]:
    """Return the rows of environment variables for two tables: credentials that a tool needs or that are usual for its
    scheme, and variables of server URLs.
    """
    of_schemes = {name for scheme in catalog.schemes for name in scheme.variables.values()}
    chosen = {*chosen_credentials(catalog)}
    credentials: list[Row] = []
    variables: list[Row] = []
    for row in environment(catalog):
        active = row.required or row.variable in chosen
        if active or row.usual or row.variable not in of_schemes:
            rows = credentials if row.variable in of_schemes else variables
            rows.append(Row(row.variable, active))
    return credentials, variables


def _ports(origins: Iterable[str]) -> list[int]:
    """Return the ports of `origins`, sorted; 443 if there are none.

    An origin with variables in its URL is skipped, because `origins` also contains the origin with the variables'
    default values.
    """
    parts = filter(None, map(_ORIGIN.fullmatch, origins))
    found = {int(each[2] or _PORTS[each[1]]) for each in parts}
    return sorted(port for port in found if 0 < port < 65536) or [_PORTS["https"]]
