# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Objects that calls need only over HTTP, where there are several clients and replicas. Stdio uses none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from ..core.effects import Dialogue
    from ..core.wire_formats import Ask
    from ..delegation.delegation_settings import CallerCredential
    from ..http.client import Client
    from ..questions.signed_state import States
    from ..result.result_store import Names

    class Sharing(Protocol):
        """Interface to the data that replicas share through the store (replicas.sharing.Sharing)."""

        async def keep(self, name: str, media_type: str, text: bool, pieces: list[bytes], seconds: float) -> None:
            """Store a result under `name` for `seconds` seconds, so that other replicas can read it."""

        async def kept(self, name: str) -> tuple[str, bool, list[bytes]] | None:
            """Return the result that another replica stored under `name`, or None if there is none.

            The result is its media type, True if it is text, and its pieces.
            """

        async def turn(self, most: int, span: float, latest: float) -> tuple[bool, float] | None:
            """Reserve the next slot of the rate limit that replicas share.

            Return whether that succeeded and the seconds to wait for the slot, as `replicas.store.Store.turn` does.
            Return None if the store does not answer. Each replica then counts only its own requests.
            """

    class PausedRuns(Protocol):
        """Store of programs and workflows that wait for the user (kept_runs.KeptRuns, sealed_states.SealedRuns)."""

        def keep(self, written: bytes) -> str:
            """Return a `requestState` that stands for a model's paused program, given in serialized form.

            Return "" if the program is too large.
            """

        async def take(self, state: str) -> tuple[bytes, str]:
            """Mark as used the state of a model's program that waits for a user. Return the serialized program and "".

            If the state is invalid, return b"" and the reason, a key of consent.INSTEAD.
            """

    class TaskIds(Protocol):
        """Encoder and decoder of MCP task ids (task_calls.SignedTasks, sealed_states.SealedTasks)."""

        def issue(self, job: bytes, seconds: float) -> str:
            """Return an id that contains the encoded job and is valid for `seconds` seconds."""

        def open(self, id: str, /) -> tuple[bytes, str]:  # noqa: A002
            """Decode the job that an id contains. Return the job and "", or b"" and a reason: `unknown`, `expired`."""

    class CallerCredentials(Protocol):
        """Interface to the credentials of callers (delegation.caller_credentials.Credentials)."""

        def connect(self, client: Client, seconds: float, learn: Callable[[str, str], None]) -> None:
            """Use `client` for token requests from now on, and pass each credential to `learn` before its use."""

        async def get(self, own: CallerCredential, seconds: float) -> str:
            """Return the credential of the current caller. Raise NotReady if there is none."""

        def refused(self, own: CallerCredential, token: str) -> None:
            """Drop a credential that the API refused."""

        async def ensure(self, own: CallerCredential, tool: str, dialogue: Dialogue, ask: Ask | None) -> None:
            """Ask the user to log in if that is necessary.

            Raise NotReady if the user does not log in. Raise OtherOutcome if the client gets the question for the user,
            or a protocol error, as the response to the call.
            """


class Handles:
    """Objects that calls need only over HTTP.

    `names`, `states` and `tasks`: issuers of the names of stored results, of the `requestState` of confirmations, and
    of the ids of MCP tasks. `runs`: store of programs that models wrote and that wait for the user. `shared`: the store
    of the replicas, or None. `callers`: credentials of callers, or None if the API is called with the server's own
    credentials only. `apart`: function that makes such objects for one account of the server.
    """

    __slots__ = ("apart", "callers", "names", "runs", "shared", "states", "tasks")

    def __init__(
        self,
        names: Names,
        states: States,
        runs: PausedRuns,
        tasks: TaskIds,
        shared: Sharing | None = None,
        callers: CallerCredentials | None = None,
        apart: Callable[[str], Handles] | None = None,
    ) -> None:
        self.apart = apart
        self.callers = callers
        self.names = names
        self.runs = runs
        self.states = states
        self.tasks = tasks
        self.shared = shared
