# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read, write and delete stored logins, under the keys of their security schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import entry
from .errors import LoginFailed
from .token_store import Store, open_store, stores_to_search

if TYPE_CHECKING:
    from .entry import Entry
    from .scheme import UserScheme


class KeptLogins:
    """Stored logins of one server. Every method may block, and raises LoginFailed if the store cannot be used."""

    def __init__(self, server: str, choice: str, prefix: str) -> None:
        """Give access to the logins of `server`. `choice`: value of the environment variable `<PREFIX>_TOKEN_STORE`."""
        self._server = server
        self._choice = choice
        self._variable = f"{prefix}_TOKEN_STORE"

    def read(self, scheme: UserScheme) -> tuple[Entry, Store] | None:
        """Return the login of a scheme and the store that contains it, or None if there is none.

        If the operator has set no client id, return the login of the client that logged in last.
        """
        problem: LoginFailed | None = None
        for store in self._stores():
            try:
                if (found := self._read(scheme, store)) is not None:
                    return found, store
            except LoginFailed as reason:
                problem = problem or reason
        if problem is not None:
            raise problem
        return None

    def has(self, scheme: UserScheme) -> bool:
        """Return True if a login of the scheme is stored. A store that cannot be used counts as empty."""
        try:
            return self.read(scheme) is not None
        except LoginFailed:
            return False

    def write(self, scheme: UserScheme, found: Entry, store: Store | None = None) -> Store:
        """Store a login in place of an earlier one, and return the store that was used.

        The login is written to `store`, or if that is None, to the store that the operator has chosen.
        """
        target = store or open_store(self._server, self._choice, self._variable)
        target.write(scheme.key(found.client_id), found.written())
        if store is None:
            target.write(scheme.key(""), entry.pointer(found.client_id))
            for other in self._stores():
                if other.where != target.where:
                    self._delete(scheme, other)
        return target

    def check(self) -> None:
        """Raise LoginFailed if the chosen store cannot be read. Call this before the user is asked to log in."""
        open_store(self._server, self._choice, self._variable).read("check")

    def delete(self, scheme: UserScheme) -> None:
        """Delete the stored login of a scheme from every store."""
        for store in self._stores():
            self._delete(scheme, store)

    def _stores(self) -> list[Store]:
        return stores_to_search(self._server, self._choice, self._variable)

    @staticmethod
    def _client(scheme: UserScheme, store: Store) -> str:
        return scheme.client_id or entry.pointed(store.read(scheme.key("")))

    def _read(self, scheme: UserScheme, store: Store) -> Entry | None:
        client = self._client(scheme, store)
        found = entry.read(store.read(scheme.key(client))) if client else None
        return found if found is not None and (found.refresh_token or found.access_token) else None

    def _delete(self, scheme: UserScheme, store: Store) -> None:
        if client := self._client(scheme, store):
            store.delete(scheme.key(client))
            store.delete(scheme.key(""))
