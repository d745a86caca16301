"""Define what clients do with tools that ask the user first: one job for each situation, such as a declined question.

In some situations, the API must receive a request, in others none. `test_confirmations` checks this.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.interop.clients import Step
from tests.interop.messages import R3, R5

#: Console script of a server whose `requestState` values expire immediately.
HASTY = """#!{python}
import sys

from confirm_mcp.runtime.questions import signed_state as tickets

tickets.SECONDS = 0
from confirm_mcp.runtime.server import main

sys.exit(main())
"""
#: The file hooks.py of the server whose tools ask the user first. Its hook asks the user twice.
HOOKS = """from .runtime.hooks import Arguments, context


async def before_remove_hooked(arguments: Arguments) -> Arguments:
    why = await context.ask(f"Why pet {arguments['petId']}?", {"reason": {"minLength": 3, "required": True}})
    seen = await context.ask(f"What shows that it is {why['reason']}?", {"sign": {"enum": ["old", "ill"]}})
    return {**arguments, **why, **seen}
"""
PET = {"petId": 9}


@dataclass(frozen=True, slots=True)
class Job:
    """Steps of one client. `asks`: True if the client can ask its user.

    `hasty`: True if the server's questions expire at once.
    """

    steps: tuple[Step, ...]
    asks: bool = True
    hasty: bool = False


def _call(answer: str = "", tool: str = "delete_pet", **arguments: object) -> Step:
    return {"do": "call", "tool": tool, "arguments": {**PET, **arguments}, "answer": answer}


def _answered(answer: str, **content: object) -> Job:
    return Job(({"do": "call", "tool": "remove_asked", "arguments": {}, "answer": answer, "content": content},))


def _hooked(answer: str, **content: object) -> Job:
    return Job(({"do": "call", "tool": "remove_hooked", "arguments": PET, "answer": answer, "content": content},))


def _by_hand(*again: Step) -> Job:
    return Job(({"do": "confirm", "tool": "delete_pet", "arguments": PET, "again": list(again)},))


_EVERYWHERE = {
    "without": Job((_call(), _call(tool="remove_if_asked")), asks=False),
    "no questions": Job(({"do": "call", "tool": "remove_asked", "arguments": {}},), asks=False),
    "no questions of hooks": Job(({"do": "call", "tool": "remove_hooked", "arguments": PET},), asks=False),
}
_WHERE_IT_CAN_BE_ASKED = {
    "accepted": Job((_call("accept"),)),
    "declined": Job((_call("decline"), _call("decline", tool="remove_if_asked"))),
    "cancelled": Job((_call("cancel"),)),
    "wrong arguments": Job((_call("accept", petId="nine"),)),
    "three questions": _answered("accept", kind="dog", petId=9, reason="too old", signs=["old", "ill"]),
    "two questions": _answered("accept", petId=9),
    "question declined": _answered("decline"),
    "question cancelled": _answered("cancel"),
    "wrong answers": _answered("accept", petId=0),
    "a hook asks": _hooked("accept", reason="too old", sign="old"),
    "a hook asks and is declined": _hooked("decline"),
    "a hook asks and is cancelled": _hooked("cancel"),
    "a hook gets wrong answers": _hooked("accept", reason="no"),
    "expired": Job((_call("accept"),), hasty=True),
}
#: Jobs in which the client's driver (`drivers/`), not the client, answers an elicitation: the driver repeats the call
#: with the server's `requestState`. Only the stateless revision has `requestState`.
_WITH_STATE = {
    "tampered": _by_hand({"tamper": True, "answer": "accept"}),
    "replayed": _by_hand({"arguments": {"petId": 8}, "answer": "accept"}, {"answer": "accept"}, {"answer": "accept"}),
    "declined first": _by_hand({"answer": "decline"}, {"answer": "accept"}),
    "not answered": _by_hand({}),
}


def jobs(revision: str) -> dict[str, Job]:
    """Return a mapping from the name of each situation that is possible in this revision of MCP to its job, the steps
    of a client.
    """
    able = _WHERE_IT_CAN_BE_ASKED if revision >= R3 else {}
    return {**_EVERYWHERE, **able, **(_WITH_STATE if revision == R5 else {})}
