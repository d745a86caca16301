# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Group what calls need over HTTP, where there are several clients and replicas. Over stdio nothing of this is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from ..core.effects import Dialogue
    from ..http.client import Client
    from ..result.result_names import Names
    from ..settings.grants import CallerCredential
    from .consent import Ask, States

    class Sharing(Protocol):
        """What replicas share through the store (replicas.sharing.Sharing)."""

        async def keep(self, name: str, media_type: str, text: bool, pieces: list[bytes], seconds: float) -> None:
            """Let other replicas read the result kept under that name."""

        async def kept(self, name: str) -> tuple[str, bool, list[bytes]] | None:
            """Return what another replica kept under that name: its media type, whether it is text, and its pieces;
            None if absent.
            """

        async def turn(self, most: int, span: float, latest: float) -> tuple[bool, float] | None:
            """Take the next slot of the rate that replicas share; None if each replica counts alone."""

    class PausedRuns(Protocol):
        """Keeper of programs that wait for their user (calls.kept_runs.KeptRuns, replicas.sealed_runs.SealedRuns)."""

        def keep(self, written: bytes) -> str:
            """Return a state for a program that was written down, or "" if it is too large."""

        async def take(self, state: str) -> tuple[bytes, str]:
            """Use up a state. Return the program and "", or b"" and, as a key of consent's texts, why it is void."""

    class TaskIds(Protocol):
        """Issuer and reader of the ids of tasks (signed_tasks.SignedTasks, replicas.sealed_tasks.SealedTasks)."""

        def issue(self, job: bytes, seconds: float) -> str:
            """Return an id that holds the job, good for that many seconds."""

        def open(self, id: str, /) -> tuple[bytes, str]:  # noqa: A002
            """Return the job of an id and "", or b"" and why there is none: `unknown` or `expired`."""

    class CallerCredentials(Protocol):
        """Credentials of those who call (delegation.caller_credentials.Credentials)."""

        def connect(self, client: Client, seconds: float, learn: Callable[[str, str], None]) -> None:
            """Send token requests by `client`, and tell `learn` of each credential before its use."""

        async def get(self, own: CallerCredential, seconds: float) -> str:
            """Return the credential of whoever makes the current call. Raises NotReady."""

        def refused(self, own: CallerCredential, token: str) -> None:
            """Drop a credential that the API refused."""

        async def ensure(self, own: CallerCredential, tool: str, dialogue: Dialogue, ask: Ask | None) -> None:
            """Ask the user to log in if that is necessary. Raises NotReady and Ended."""


class Handles:
    """Names of kept results, states of confirmations, `runs` that wait for their user, ids of `tasks`, the `shared`
    store, and the credentials of `callers`.

    The last two are None if there is no store, and if the API is called with the server's own credentials alone.
    """

    __slots__ = ("callers", "names", "runs", "shared", "states", "tasks")

    def __init__(
        self,
        names: Names,
        states: States,
        runs: PausedRuns,
        tasks: TaskIds,
        shared: Sharing | None = None,
        callers: CallerCredentials | None = None,
    ) -> None:
        self.callers = callers
        self.names = names
        self.runs = runs
        self.states = states
        self.tasks = tasks
        self.shared = shared
