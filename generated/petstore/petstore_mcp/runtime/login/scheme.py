# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Data of a security scheme for which a user can log in: from `bindings.json`, and from the operator's settings."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from ..settings.origins import Discovery, nowhere
from .errors import LoginFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.catalog import Catalog
    from ..settings.origins import Endpoint, Rules
    from ..settings.settings import Settings
    from ..tables.table import Scheme, UserFlow
    from ..text.addresses import Address


class UserScheme:
    """Security scheme for which a user can log in.

    - `name`: its name in `bindings.json`. `label`: its name on the command line.
    - `server`: name of the generated server. `command`: the command by which the user logs in.
    - `client_id`, `client_secret`: the client that the operator has configured, or "".
    """

    __slots__ = (
        "_apart",
        "_entry",
        "_settings",
        "client_id",
        "client_secret",
        "command",
        "flow",
        "label",
        "name",
        "server",
    )

    def __init__(self, name: str, catalog: Catalog, settings: Settings) -> None:
        self._entry: Scheme = catalog.security[name]
        self._settings = settings
        self.name = name
        self.server = catalog.name
        self.label = label(self._entry, catalog.prefix)
        self.command = command(catalog, self._entry, settings["LOGIN_NAME"])
        self._apart = [settings["LOGIN_NAME"], catalog.account]
        self.flow: UserFlow = self._entry["user"]
        named = self._entry["variables"]
        self.client_id = settings.secrets.get(named["client_id"], "")
        self.client_secret = settings.secrets.get(named["client_secret"], "")

    @property
    def variable(self) -> str:
        """Return the environment variable that may hold an access token, which makes a login unnecessary."""
        return self._entry["variables"]["value"]

    @property
    def client_variable(self) -> str:
        """Return the environment variable that holds the client id."""
        return self._entry["variables"]["client_id"]

    @property
    def overruled(self) -> list[str]:
        """Return the environment variables that are set and are used instead of a login."""
        named, secrets = self._entry["variables"], self._settings.secrets
        if named["value"] in secrets:
            return [named["value"]]
        fetching = [named[role] for role in self._entry["ways"].get("fetched", ())]
        return fetching if secrets.keys() >= set(fetching) else []

    @property
    def place(self) -> str:
        """Return the URL that identifies the authorization server, as written in `bindings.json`."""
        flow = self.flow
        urls = flow.get("metadataUrl"), flow.get("tokenUrl"), flow.get("authorizationUrl")
        return next(filter(None, urls), "") or flow.get("deviceAuthorizationUrl", "")

    def key(self, client_id: str) -> str:
        """Return the key under which a login is stored: one per server, scheme, authorization server and client, and
        per account and per name that the operator gives to the logins of an instance.

        If `client_id` is "", return the key of a further entry, which holds the id of the client that logged in last.
        """
        where = self.resolve(self.place)
        told = [self.server, self.name, where.address.origin, where.target, client_id]
        named = json.dumps([*told, *self._apart] if any(self._apart) else told)  # former logins keep their keys
        return f"{self.label} {hashlib.sha256(named.encode()).hexdigest()[:40]}"

    def resolve(self, url: str) -> Endpoint:
        """Return the endpoint at a URL that `bindings.json` contains. Raise LoginFailed if requests may not be sent
        there.
        """
        return self._checked(url, lambda rules, base, first: rules.endpoint(url, base, first))

    def resolve_named(self, url: str, metadata_url: str) -> Endpoint:
        """Return the endpoint at `url`, a URL in the authorization server's metadata from `metadata_url`.

        Raise LoginFailed if requests may not be sent there.
        """

        def resolve(rules: Rules, base: Address | str, first: str) -> Endpoint:
            place = rules.discovery(metadata_url, base, first)
            assert isinstance(place, Discovery)
            return place.resolve(url)

        return self._checked(url, resolve)

    def _checked(self, url: str, find: Callable[..., Endpoint]) -> Endpoint:
        settings = self._settings
        base = settings.servers[0] if settings.servers else nowhere(settings.prefix)
        assert settings.rules is not None
        try:
            return find(settings.rules, base, settings.described)
        except ValueError as reason:
            shown = url.partition("?")[0][:200]
            raise LoginFailed(f"Nobody can log in for {self.label}: the URL {shown} {reason}.") from None


def label(scheme: Scheme, prefix: str) -> str:
    """Return a scheme's name on the command line: its environment variable without the prefix, in lower case."""
    return scheme["variables"]["value"].removeprefix(f"{prefix}_").lower()


def command(catalog: Catalog, scheme: Scheme, name: str) -> str:
    """Return the command by which a user logs in for a scheme. `name`: that of the logins of this instance, or ""."""
    before = f"{catalog.header['environment']}_LOGIN_NAME={name} " if name else ""
    account = f" --account {catalog.account}" if catalog.account else ""
    return f"{before}{catalog.name}-mcp login {label(scheme, catalog.prefix)}{account}"
