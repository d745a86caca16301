# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store logins in the system's keyring, or in a file that only its owner can read.

Each store maps keys to texts. Every function here may block, so a running server calls them in a thread.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import sys
from typing import Any, Protocol

from .errors import LoginFailed

LARGEST = 1024 * 1024
"""Maximum size in bytes of the file that stores logins."""

_NAME = "logins.json"


class Store(Protocol):
    """Interface of a store that maps keys to texts. Each method raises LoginFailed if the store cannot be used."""

    where: str

    def read(self, key: str) -> str | None:
        """Return the text under a key, or None if there is none."""

    def write(self, key: str, text: str) -> None:
        """Store a text under a key, replacing an earlier text."""

    def delete(self, key: str) -> None:
        """Remove the text under a key, if there is one."""


# Only the operator may decide to store a secret in plain text, so a file never replaces a keyring that fails.
def open_store(server: str, choice: str, variable: str) -> Store:
    """Return the store that the operator chose: "" or `keyring` (the keyring), `file`, or the absolute path of a file.

    `variable` is the name of the environment variable that holds the choice.
    """
    if choice == "file":
        return FileStore(os.path.join(folder(server), _NAME))
    if choice not in ("", "keyring"):
        return FileStore(choice)
    return KeyringStore(f"{server}-mcp", variable)


def stores_to_search(server: str, choice: str, variable: str) -> list[Store]:
    """Return the stores that may contain a login, in the order in which they are searched.

    The operator's choice is the value of the environment variable `variable`. If the variable is not set (`choice` is
    ""), the default file, if it exists, is searched before the keyring. The user may have logged in from a shell that
    sets the variable, while the MCP client starts the server without it.
    """
    found = open_store(server, choice, variable)
    default = os.path.join(folder(server), _NAME)
    return [FileStore(default), found] if choice == "" and os.path.lexists(default) else [found]


def folder(server: str) -> str:
    """Return the folder for this server's data, according to the system's conventions (on Linux: XDG)."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        given = os.environ.get("XDG_DATA_HOME", "")
        base = given if os.path.isabs(given) else os.path.join(home, ".local", "share")
    return os.path.join(base, f"{server}-mcp")


def make_folder(path: str) -> None:
    """Create the folder for a file, readable only by its owner. Raise LoginFailed if that is not possible."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError:
        raise LoginFailed(f"The folder {os.path.dirname(path)} cannot be made.") from None


class FileStore:
    """Store in one JSON file of mode 0600.

    Writing replaces the whole file, so that readers never see an incomplete one.
    """

    def __init__(self, path: str) -> None:
        self.where = path

    def read(self, key: str) -> str | None:
        return self._all().get(key)

    def write(self, key: str, text: str) -> None:
        self._replace({**self._all(), key: text})

    def delete(self, key: str) -> None:
        found = self._all()
        if found.pop(key, None) is not None:
            self._replace(found)

    def _all(self) -> dict[str, str]:
        try:
            content = self._content()
        except FileNotFoundError:
            return {}
        except OSError:
            raise LoginFailed(f"{self.where} cannot be read, or is a link.") from None
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
            raise LoginFailed(f"{self.where} is no file of logins. Delete it, and log in again.")
        return value

    def _content(self) -> bytes:
        """Return the bytes of the file.

        Raise LoginFailed if users other than the owner can read the file, and OSError if it cannot be read.
        """
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(self.where, flags)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise LoginFailed(f"{self.where} is no regular file.")
            if os.name == "posix" and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
                raise LoginFailed(
                    f"{self.where} can be read by others, so it is not used. Run chmod 600 on it as its owner, or "
                    "delete it and log in again."
                )
            parts, size = [], 0
            while part := os.read(descriptor, 65536):
                parts.append(part)
                if (size := size + len(part)) > LARGEST:
                    raise LoginFailed(f"{self.where} is too large for a file of logins.")
            return b"".join(parts)
        finally:
            os.close(descriptor)

    def _replace(self, content: dict[str, str]) -> None:
        make_folder(self.where)
        beside = f"{self.where}.{secrets.token_hex(8)}"
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(json.dumps(content, indent=1).encode())
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(beside, self.where)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(beside)
                raise
        except OSError:
            raise LoginFailed(f"The login cannot be written to {self.where}.") from None


class KeyringStore:
    """Store in the system's keyring: Keychain, Credential Locker, Secret Service or KWallet."""

    def __init__(self, service: str, variable: str) -> None:
        """Create the store. `variable` is the environment variable that chooses another store."""
        self.where = "the system's keyring"
        self._service = service
        self._variable = variable

    def read(self, key: str) -> str | None:
        keyring = self._library()
        try:
            found = keyring.get_password(self._service, key)
        except Exception as problem:  # any exception, since each keyring backend raises its own
            raise self._unusable() from problem
        return found if isinstance(found, str) else None

    def write(self, key: str, text: str) -> None:
        keyring = self._library()
        try:
            keyring.set_password(self._service, key, text)
        except Exception as problem:  # any exception, since each keyring backend raises its own
            raise self._unusable() from problem

    def delete(self, key: str) -> None:
        if self.read(key) is None:
            return
        try:
            self._library().delete_password(self._service, key)
        except Exception as problem:  # any exception, since each keyring backend raises its own
            raise self._unusable() from problem

    def _library(self) -> Any:
        try:
            import keyring  # imported late: optional, and needed only for logins
        except ImportError:
            raise LoginFailed(
                f"The library keyring is not installed. Install the extra keyring of this server, or set "
                f"{self._variable}=file to keep the login in a file that only you can read."
            ) from None
        return keyring

    def _unusable(self) -> LoginFailed:
        return LoginFailed(
            f"The system's keyring cannot be used here. Unlock it, or set {self._variable}=file to keep the login in a "
            "file that only you can read."
        )
