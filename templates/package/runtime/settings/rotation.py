# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read files with credentials and certificates again after they have changed, because secrets are replaced regularly.

A call looks at the files if the last look was SECONDS ago, or if the upstream has refused a credential since. Files
that cannot be used are not taken: the former values stay until the files change again. Pending calls keep what they
have. Commands that print credentials run again after a refusal.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core import log
from . import credential_env, setting_parsers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from ..reach.secret_commands import Repetition
    from ..tables.table import Scheme

    class Settings(Protocol):
        """Interface of the settings whose credentials are replaced (settings.Settings)."""

        prefix: str
        secrets: dict[str, str]
        private: list[str]
        values: dict[str, Any]
        client: tuple[str, str | None] | None


SECONDS = 1.0
"""Shortest time between two looks at the files."""


class Rotation:
    """Replacer of the credentials of `settings`, when the files that hold them change.

    `renewed()` is called after a replacement, before any new credential is used.
    """

    def __init__(
        self,
        settings: Settings,
        security: dict[str, Scheme],
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with the present state of the files. `clock` returns seconds and never goes back."""
        self.renewed: Callable[[], None] = lambda: None
        self._settings = settings
        self._security = security
        self._environ = environ
        self._clock = clock
        self._next = clock() + SECONDS
        self._turn = 0
        self._private = [*settings.private]
        certificates = filter(None, (settings.values["CA_FILE"], *(settings.client or ())))
        self._paths = [*credential_env.named("_FILE", security, environ).values(), *certificates]
        self._commands = credential_env.named("_COMMAND", security, environ)
        self._repetition: Repetition | None = None
        self._seen = self._look()

    def turn(self) -> int:
        """Return how many times credentials were replaced. Replace them first if the files have changed."""
        if self._clock() >= self._next:
            self._next = self._clock() + SECONDS
            before, self._seen = self._seen, self._look()
            if self._seen != before:
                self._renew()
        return self._turn

    async def refused(self, seconds: float) -> None:
        """Look at the files at the next call, since the upstream has refused a credential.

        Run commands again now, and wait for them at most for `seconds`.
        """
        self._next = 0.0
        if self._commands and self._repetition is None:
            from ..reach.secret_commands import Repetition  # imported late: few credentials come from commands

            self._repetition = Repetition(self._commands, self._renew)
        if self._repetition is not None:
            await self._repetition.run(seconds)

    def _renew(self) -> None:
        """Use the new contents of the files, or log why they cannot be used."""
        settings = self._settings
        secrets, problems, _ = credential_env.read(self._security, self._environ)
        if settings.values["CA_FILE"] or settings.client:
            from . import tls  # imported late: loads OpenSSL

            values = settings.values
            if name := tls.problem(values["CA_FILE"], settings.client, values["CLIENT_KEY_PASSWORD"]):
                wrong = "CA_FILE" if name == "ca_file" else "CLIENT_CERT"
                problems.append(f"{settings.prefix}_{wrong} cannot be loaded.")
        if problems:
            log.event("error", "files_not_taken", reason=" ".join(problems))
            return
        settings.secrets = secrets
        settings.private = [*self._private, *setting_parsers.private_key(settings.client)]
        self._turn += 1
        self.renewed()
        log.event("info", "files_taken")

    def _look(self) -> list[tuple[int, ...]]:
        """Return the state of each file, which changes when the file is written or replaced."""
        found: list[tuple[int, ...]] = []
        for path in self._paths:
            try:
                status = os.stat(path)
            except OSError:
                found.append(())
            else:
                found.append((status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))
        return found
