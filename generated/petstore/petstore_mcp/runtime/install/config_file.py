# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read a configuration file, and replace it atomically, with a backup beside it.

A byte order mark and the file's mode are preserved. Before the write the file is read again: if another program has
changed it, nothing is written.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
from dataclasses import dataclass

from ..files import safe_open
from .paths import InstallError

LARGEST = 32 * 1024 * 1024
"""Largest file in bytes. Claude Code stores its history in its configuration file, which has some megabytes."""

_WRITABLE = 0o200
_MOST_LINKS = 40


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One configuration file as it was read.

    `data` is None if there is no file. In `path`, symbolic links are resolved.
    """

    path: str
    data: bytes | None
    mode: int

    @property
    def text(self) -> str:
        """Return the text without its byte order mark. Raise InstallError if it is not UTF-8."""
        return decode(self.path, self.data or b"")

    def encode(self, text: str) -> bytes:
        """Return the bytes of a text, with a byte order mark if the file has one."""
        mark = codecs.BOM_UTF8 if (self.data or b"").startswith(codecs.BOM_UTF8) else b""
        return mark + text.encode()

    def backup(self, name: str) -> str:
        """Return the path of the backup of this file for the server `name`."""
        return f"{self.path}.{name}.bak"


def decode(path: str, data: bytes) -> str:
    """Return the text of a file without its byte order mark. Raise InstallError if it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InstallError(f"{path} is not text in UTF-8. Save it as UTF-8, then try again.") from None


def read(path: str, within: str = "") -> ConfigFile:
    """Return the file at a path; without such a file, its `data` is None. Raise InstallError if a file cannot be read.

    `within` is the folder of a project, which symbolic links must not leave; "" allows any folder.
    """
    real = resolve(path, within)
    data = content(real)
    mode = stat.S_IMODE(os.stat(real).st_mode) if data is not None else 0
    return ConfigFile(real, data, mode)


def content(path: str) -> bytes | None:
    """Return the bytes of a file, or None if there is none. Raise InstallError if it cannot be read or is too large."""
    try:
        descriptor = safe_open.open_regular(path)
    except FileNotFoundError:
        return None
    except safe_open.NotRegular:
        raise InstallError(f"{path} is no file.") from None
    except OSError as problem:
        raise InstallError(f"{path} cannot be read: {os.strerror(problem.errno or 0)}.") from None
    with open(descriptor, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InstallError(f"{path} has more than {LARGEST // 1024 // 1024} MiB, so it is no configuration.")
    return data


# Linux follows links in sticky folders by a similar rule. A rule about folders' permissions would refuse Fedora's
# group-writable home folders.
def resolve(path: str, within: str = "") -> str:
    """Return the path with symbolic links resolved. Raise InstallError if a link must not be followed.

    Each link on the way must belong to this user or to root. With `within`, the folder of a project, the result must be
    in that folder.
    """
    path = os.path.abspath(path)
    real = _followed(path) if os.name == "posix" else os.path.realpath(path)
    if within:
        root = os.path.realpath(within)
        if os.path.commonpath([root, real]) != root:
            raise InstallError(f"{path} leads out of the project by a link, to {real}. Nothing was changed.")
    if os.path.islink(path) and not os.path.exists(path):
        raise InstallError(f"{path} is a link to {real}, which does not exist. Nothing was changed.")
    return real


def _followed(path: str) -> str:
    """Return a path with symbolic links resolved. Raise InstallError for a link that belongs to another user."""
    done, waiting, links = "/", _steps(path), 0
    while waiting:
        step = waiting.pop()
        place = os.path.dirname(done) if step == os.pardir else os.path.join(done, step)
        try:
            status = os.lstat(place)
        except OSError:  # nothing exists here, so there is no link
            return os.path.join(place, *reversed(waiting))
        if not stat.S_ISLNK(status.st_mode):
            done = place
            continue
        links += 1
        if status.st_uid not in (0, os.geteuid()) or links > _MOST_LINKS:
            raise InstallError(f"{place} is a link that another user has made. Nothing was changed.")
        target = os.readlink(place)
        done = "/" if target.startswith("/") else done
        waiting += _steps(target)
    return done


def _steps(path: str) -> list[str]:
    """Return the names of which a path consists, the last one first."""
    return [step for step in reversed(path.split("/")) if step not in ("", os.curdir)]


def write(file: ConfigFile, data: bytes, backup: str, mode: int = 0o600) -> None:
    """Replace the content of a file, or create the file. Raise InstallError if that fails.

    First save `file.data`, the old content, in the file `backup`, unless `backup` is "". `mode` is the mode of a new
    file.
    """
    _check_writable(file)
    try:
        if file.data is None:
            os.makedirs(os.path.dirname(file.path), exist_ok=True)
        elif backup:
            _replace(backup, file.data, file.mode, file.path)
        _check_unchanged(file)
        _replace(file.path, data, mode if file.data is None else file.mode, file.path)
    except OSError as problem:
        raise _unwritable(file.path, problem) from None


def remove(file: ConfigFile) -> None:
    """Remove a file. Raise InstallError if it is read-only, was changed meanwhile, or cannot be removed."""
    _check_writable(file)
    _check_unchanged(file)
    try:
        os.unlink(file.path)
    except OSError as problem:
        raise _unwritable(file.path, problem) from None


def discard(path: str) -> None:
    """Remove a backup file, if it exists."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def _check_unchanged(file: ConfigFile) -> None:
    if content(file.path) != file.data:
        raise InstallError(f"{file.path} was changed by another program in this moment. Try again.")


def _check_writable(file: ConfigFile) -> None:
    if file.data is not None and not (file.mode & _WRITABLE and os.access(file.path, os.W_OK)):
        raise InstallError(
            f"{file.path} is read-only. Make it writable, or change it where it is made. Nothing was changed."
        )


def _unwritable(path: str, problem: OSError) -> InstallError:
    return InstallError(f"{path} cannot be written: {os.strerror(problem.errno or 0)}. Nothing was changed.")


def _replace(path: str, data: bytes, mode: int, like: str) -> None:
    """Write a file atomically. Give it the owner of the file `like`, as far as the system allows."""
    beside = f"{path}.{os.urandom(4).hex()}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(beside, flags, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.chmod(beside, mode)
        if hasattr(os, "chown") and os.path.exists(like):
            owner = os.stat(like)
            with contextlib.suppress(OSError):
                os.chown(beside, owner.st_uid, owner.st_gid)
        os.replace(beside, path)
    except BaseException:
        discard(beside)
        raise
