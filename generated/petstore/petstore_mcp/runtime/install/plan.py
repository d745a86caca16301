# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Plan the changes that `install` and `uninstall` make in a client's configuration file. This module writes no file.

A plan preserves what the user has added to an entry. If adding the entry to the backup would give exactly the current
file, `uninstall` restores the backup. Otherwise it only removes the entry.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import config_file, entries
from .edits import SYNTAXES, Edit, apply
from .paths import ABSENT, InstallError, SyntaxFault, look_up, place

if TYPE_CHECKING:
    from .clients import Client
    from .config_file import ConfigFile
    from .paths import Path

_ENVIRONMENTS = ("env", "environment", "envs", "headers", "http_headers")
"""Members of an entry that map names to values. A user may have added some of these."""

_NAMES = ("env_vars", "env_keys")
"""Members of an entry that list names of environment variables."""

_INPUTS: Path = ("inputs",)


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change of a configuration file.

    `after` is the new content; None removes the file. `backup` is the path of a copy of the old content, or "" for no
    copy. `obsolete` is a backup file that is no longer needed afterwards, or "".
    """

    file: ConfigFile
    after: bytes | None
    backup: str = ""
    obsolete: str = ""

    def carry_out(self, mode: int) -> None:
        """Write or remove the configuration file. `mode`: file mode of a new file. Raise InstallError if that fails."""
        if self.after is None:
            config_file.remove(self.file)
        else:
            config_file.write(self.file, self.after, self.backup, mode)
        if self.obsolete:
            config_file.discard(self.obsolete)


class Configuration:
    """The parsed configuration of one client. The constructor raises InstallError if the file is not valid."""

    def __init__(self, client: Client, file: ConfigFile) -> None:
        self._client = client
        self._file = file
        self._text = file.text
        self.value = self._parsed(self._text)

    def entry(self, name: str) -> Any:
        """Return the entry for the server `name` in the configuration file, or ABSENT if there is none."""
        return look_up(self.value, (self._client.section, name))

    def install(self, server: entries.Server, program: str) -> Change | None:
        """Return the change that installs a server, or None if nothing changes.

        Raise InstallError if the name belongs to another server. `program` is the name of this server, by which its
        entries are recognized.
        """
        path = (self._client.section, server.name)
        present, wanted = self.entry(server.name), entries.write(self._client, server)
        _check_characters(wanted)
        if present is ABSENT:
            edits = [Edit(path, wanted)]
        else:
            self._check_owner(present, server.name, program, server.url)
            edits = _merged(path, present, wanted, server)
        after = self._applied(self._text, edits)
        after = self._applied(after, self._new_prompts(after, path, entries.prompts(self._client, server)))
        if after == self._text:
            return None
        backup = self._file.backup(server.name)
        kept = self._file.data is not None and (present is ABSENT or not os.path.exists(backup))
        return Change(self._file, self._file.encode(after), backup if kept else "")

    def uninstall(self, name: str, program: str, url: str) -> Change | None:
        """Return the change that removes a server and its backup, or None if the server is not configured.

        Raise InstallError if the entry belongs to another server.
        """
        present = self.entry(name)
        if present is ABSENT:
            return None
        backup = self._file.backup(name)
        before = self._read_backup(backup)
        # In the tests, all of 68 configurations come back byte for byte with the backup, and 55 without it.
        if before is not None and self._leads_back(config_file.decode(backup, before), name):
            return Change(self._file, before, obsolete=backup)
        self._check_owner(present, name, program, url)
        if before is None and self._file.data and self._leads_back("", name):
            return Change(self._file, None)
        # The backup goes even if it no longer fits: it is older than the client's own changes, and may hold secrets.
        return Change(self._file, self._file.encode(self._without(name)), obsolete=backup)

    def _read_backup(self, path: str) -> bytes | None:
        """Return the bytes of a backup file, or None if the file does not exist or is not text."""
        try:
            found = config_file.content(path)
            config_file.decode(path, found or b"")
        except InstallError:
            return None
        return found

    def _without(self, name: str) -> str:
        """Return the text without the entry and the prompts (`inputs`) that only it uses. Remove the section too if
        `install` added it.
        """
        entry, section = self.entry(name), self._client.section
        after = self._applied(self._text, [Edit((section, name), ABSENT)])
        after = self._applied(after, self._old_prompts(after, name, entry))
        for key in (*_INPUTS, section):
            if look_up(self._parsed(after), (key,)) in ({}, []):
                shorter = self._applied(after, [Edit((key,), ABSENT)])
                after = shorter if self._leads_back(shorter, name) else after
        return after

    def _leads_back(self, before: str, name: str) -> bool:
        """Return True if adding the server's current entry to the text `before` gives exactly the current text of the
        file.
        """
        path = (self._client.section, name)
        try:
            if look_up(self._parsed(before), path) is not ABSENT:
                return False
            entry = self.entry(name)
            after = self._applied(before, [Edit(path, entry)])
            used = [each for each in self._inputs(self.value) if each.get("id") in entries.asked_for(entry)]
            return self._applied(after, self._new_prompts(after, path, used)) == self._text
        except InstallError:
            return False

    def _new_prompts(self, text: str, path: Path, prompts: list[dict[str, Any]]) -> list[Edit]:
        """Return edits that add prompts to the member `inputs` of the configuration file. A prompt asks the user for a
        secret. Only those in `prompts` are added that the entry at `path` uses, and that the file lacks.
        """
        if not prompts:
            return []
        value = self._parsed(text)
        there = self._inputs(value)
        used = entries.asked_for(look_up(value, path))
        known = [each.get("id") for each in there]
        added = [each for each in prompts if each["id"] in used and each["id"] not in known]
        return [Edit((*_INPUTS, len(there) + index), each) for index, each in enumerate(added)]

    def _old_prompts(self, text: str, name: str, entry: Any) -> list[Edit]:
        """Return edits that remove the prompts for secrets (members of `inputs`) that only `entry` used.

        The edits begin with the last prompt, since a removal changes the indexes of the prompts after it.
        """
        if not self._client.prompts:
            return []
        value = self._parsed(text)
        used = entries.asked_for(value)
        ours = [each for each in entries.asked_for(entry) if each.startswith(f"{name}-") and each not in used]
        found = [index for index, each in enumerate(self._inputs(value)) if each.get("id") in ours]
        return [Edit((*_INPUTS, index), ABSENT) for index in reversed(found)]

    def _inputs(self, value: Any) -> list[dict[str, Any]]:
        found = look_up(value, _INPUTS) if self._client.prompts else []
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    def _check_owner(self, entry: Any, name: str, program: str, url: str) -> None:
        """Raise InstallError if `entry` of the configuration file neither starts `program` nor has the URL `url`."""
        if entries.is_ours(entry, program, url):
            return
        there = entries.url_of(entry)
        if there:
            raise InstallError(
                f"{self._file.path} has a server {name} at another URL, {there}. Name it with --http if it is this one,"
                " or choose another name with --name. Nothing was changed."
            )
        raise InstallError(
            f"{self._file.path} has another server under the name {name}. Choose another name with --name. Nothing was"
            " changed."
        )

    def _parsed(self, text: str) -> Any:
        try:
            return SYNTAXES[self._client.syntax].parse(text)
        except SyntaxFault as fault:
            raise self._broken(text, fault) from None

    def _applied(self, text: str, edits: list[Edit]) -> str:
        try:
            return apply(text, self._client.syntax, edits)
        except SyntaxFault as fault:
            raise self._broken(text, fault) from None

    def _broken(self, text: str, fault: SyntaxFault) -> InstallError:
        where = f"{self._file.path}:{place(text, fault.offset)}"
        return InstallError(f"{where}: {fault}. Correct it there; nothing was changed.")


def _check_characters(entry: dict[str, Any]) -> None:
    """Raise InstallError if an entry has a lone surrogate, by which Python reads a byte of a path that is not UTF-8."""
    try:
        json.dumps(entry, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InstallError(
            "The entry would name a path or value that is not UTF-8, which clients cannot read. Rename it. Nothing was"
            " changed."
        ) from None


def _merged(path: Path, present: dict[str, Any], wanted: dict[str, Any], server: entries.Server) -> list[Edit]:
    """Return edits that update the server's entry in a client's configuration.

    Members and values that the user has added to the entry are preserved, unless a command replaces a URL or a URL
    replaces a command.
    """
    if bool(entries.url_of(present)) != bool(server.url):
        return [Edit(path, wanted)]
    found = []
    for key, value in wanted.items():
        there = present.get(key, ABSENT)
        if key in _ENVIRONMENTS and isinstance(there, dict):
            found += [
                Edit((*path, key, name), each)
                for name, each in value.items()
                if name not in there or (there[name] != each and (name in server.values or server.bearer))
            ]
        elif key in _NAMES and isinstance(there, list):
            filled = [name for each in _ENVIRONMENTS for name in present.get(each) or {}]
            more = [name for name in value if name not in (*there, *filled)]
            found += [Edit((*path, key), [*there, *more])] if more else []
        elif there is ABSENT or there != value:
            found.append(Edit((*path, key), value))
    return found
