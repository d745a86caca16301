# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Plan the calls of a tool: the steps that its entry in `bindings.json` asks for, in their order.

A step is a function of a call (`CallUnderWay`), which reads and sets its attributes. It returns None, or an awaitable
of None if it waits for something. A plain call has the steps arguments, request, credentials, send, result and
redaction. All other steps belong to wings, whose modules are loaded when a tool first needs them.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.limits import STEPS as STEPS_OF_WORK
from ..core.limits import Budget
from .hook_loading import NoHooks
from .plain_call import sentence

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from .plain_call import CallUnderWay
    from .services import Services

    Step = Callable[[CallUnderWay], Awaitable[None] | None]
    Make = Callable[[Services, Tool], Step]
    Condition = Callable[[Services, Tool], object]
    Row = tuple[str, Condition, Make | tuple[str, str]]


def _always(services: Services, tool: Tool) -> bool:
    return True


def _binds(key: str) -> Condition:
    return lambda services, tool: key in tool.binding


def _in_workflows(services: Services, tool: Tool) -> bool:
    return services.catalog.offers("workflows")


def _hooked(services: Services, tool: Tool) -> bool:
    hooks = services.preparation.hooks
    return not (hooks.idle or isinstance(hooks, NoHooks))


def _asks_no_more(services: Services, tool: Tool) -> bool:
    return _hooked(services, tool) and not _replaced(services, tool)


def _unloaded(services: Services, tool: Tool) -> bool:
    hooks = services.preparation.hooks
    return isinstance(hooks, NoHooks) and not hooks.idle


def _followed(services: Services, tool: Tool) -> bool:
    hooks = services.preparation.hooks
    return not isinstance(hooks, NoHooks) and hooks.follow(tool.name)


def _replaced(services: Services, tool: Tool) -> bool:
    """Return True if a hook runs in place of the request. A preview shows the request nevertheless."""
    return bool(services.preparation.hooks.replacing(tool.name)) and not services.previews


def _requests(services: Services, tool: Tool) -> bool:
    """Return True if calls of the tool send a request, unlike those of the server's own tools."""
    return tool.binding.keys().isdisjoint(SENDS_NOTHING) and not _replaced(services, tool)


def _runs_programs(services: Services, tool: Tool) -> bool:
    if "search" not in tool.binding:
        return False
    from ..search.search_listing import PROGRAMS  # imported late: few servers have a search

    return services.catalog.finders[tool.name] in PROGRAMS


def _saves(services: Services, tool: Tool) -> bool:
    saves = services.settings["DOWNLOADS_DIR"] is not None
    return saves and tool.binding.get("saves") in tool.schema.get("properties", ()) and _requests(services, tool)


def _goes_through_pages(services: Services, tool: Tool) -> bool:
    """Return True if a call may request several pages: a lookup reads whole lists, whatever the rules of its tool."""
    looked_up = bool(services.catalog.binds(b'"lookups":'))
    return "task" not in tool.binding and ("pages" in tool.binding or looked_up)


def _also(condition: Condition) -> Condition:
    """Return the condition that calls of the tool send a request, and that `condition` holds."""
    return lambda services, tool: _requests(services, tool) and condition(services, tool)


SENDS_NOTHING = {
    "reads": "It reads what this server has kept, and sends nothing.",
    "follows": "It looks at jobs that other tools have started.",
    "search": "It finds or calls other tools, and sends nothing itself.",
    "workflow": "Its steps are calls of other tools, and it sends nothing itself.",
}
"""Key in the binding of a tool of the server itself -> why such a tool has no request."""

# The order keeps calls safe, so it is data that a test holds (docs/decisions/calls.md).
STEPS: tuple[Row, ...] = (
    ("capabilities", _binds("requires"), ("..questions.required_capabilities", "require")),
    ("task", lambda services, tool: services.catalog.offers("tasks"), ("..jobs.task_calls", "refuse")),
    ("shown arguments", _binds("confirm"), ("..questions.consent", "remember")),
    ("questions", _binds("ask"), ("..questions.questions", "ask")),
    ("questions of hooks", _hooked, ("..hooks.hook_steps", "questions")),
    ("hooks before", _hooked, ("..hooks.hook_steps", "before")),
    ("hooks before", _unloaded, (".hook_loading", "refuse")),
    ("arguments", _always, lambda services, tool: services.preparation.check),
    ("names", _binds("lookups"), ("..lookups.lookups", "look_up")),
    ("request", _requests, lambda services, tool: services.preparation.build),
    ("server", _also(_binds("variables")), ("..tenants.tenants", "choose")),
    ("file", _saves, ("..results.downloads", "name")),
    ("hooks of the request", _also(_hooked), ("..hooks.hook_steps", "request")),
    (
        "stored logins",
        _also(lambda services, tool: services.preparation.logins is not None),
        ("..login.user_logins", "look"),
    ),
    ("credentials", _requests, lambda services, tool: services.preparation.choose),
    (
        "login of the caller",
        _also(lambda services, tool: services.lasting.callers is not None),
        ("..delegation.caller_credentials", "ensure"),
    ),
    ("consent", _binds("workflow"), ("..workflows.workflow_step", "confirm")),
    ("consent", _binds("confirm"), ("..questions.consent", "confirm")),
    ("consent", _in_workflows, ("..questions.consent", "confirm")),
    ("end of the questions of hooks", _asks_no_more, ("..hooks.hook_steps", "close")),
    ("send", _binds("follows"), ("..jobs.task_calls", "look")),
    ("send", _runs_programs, ("..programs.program_step", "run")),
    ("send", _binds("search"), ("..search.tools", "answer")),
    ("send", _binds("reads"), lambda services, tool: partial(_read, services)),
    ("send", _replaced, ("..hooks.hook_steps", "instead")),
    ("send", _binds("workflow"), ("..workflows.workflow_step", "run")),
    ("send", _always, lambda services, tool: services.exchange.send),
    ("pages", _also(_goes_through_pages), ("..lookups.page_walk", "walk")),
    ("answer for workflows", _also(_in_workflows), ("..workflows.step_calls", "observe")),
    ("result", _also(_binds("task")), ("..jobs.task_calls", "start")),
    ("result", _saves, ("..results.downloads", "save")),
    ("result", _requests, lambda services, tool: services.writer.write),
)
"""Steps of a call until its result, in their order: name, condition, and what makes the step from the services and the
tool, which is a function, or the names of a module and of its function. Of rows with one name, the first counts whose
condition holds.
"""

AFTER: tuple[Row, ...] = (
    ("found items", _binds("lookups"), ("..lookups.lookups", "tell")),
    ("hooks after", _followed, ("..hooks.hook_steps", "after")),
)
"""Steps that change a result, unless a hook has failed."""

LAST: tuple[Row, ...] = (
    ("redaction", _always, lambda services, tool: services.writer.redact),
    (
        "output schema",
        lambda services, tool: tool.output_schema is not None,
        ("..results.structured", "promise"),
    ),
    ("view", _binds("view"), ("..views.views", "tell")),
)
"""Steps of every result. All text comes into a result before the redaction. The steps after it examine or describe what
the client gets.
"""

PREPARING, SENDING = ("request", "credentials"), ("send", "send")
"""First and last of the steps that are run again after a user has logged in."""


class Plan:
    """Plan of the calls of one tool: how to make their time budget, and their steps.

    `refusal`: function that returns the text for the model that says why a call was not made.
    """

    def __init__(self, services: Services, tool: Tool) -> None:
        self.tool = tool
        limit = services.preparation.budget(tool)
        self.budget: Callable[[], Budget] = partial(Budget, limit.total, time.monotonic, STEPS_OF_WORK, limit.setting)
        made = dict(_made(STEPS, services, tool))
        if services.preparation.logins is not None:
            from ..login.user_logins import around  # imported late: most servers have no logins

            made = around(services, around(services, made, _between(*PREPARING)), _between(*SENDING))
        self.steps = tuple(made.values())
        self.after = tuple(step for _, step in _made(AFTER, services, tool))
        self.last = tuple(step for _, step in _made(LAST, services, tool))
        self.refusal: Callable[[str, Exception], str] = sentence
        if services.catalog.finders:
            from ..search.tools import refusal  # imported late: few servers have a search

            self.refusal = refusal(services)


def some(services: Services, tool: Tool, first: str, last: str) -> list[Step]:
    """Return the steps of a call from `first` to `last`, for another request of the same tool or for a preview."""
    names = _between(first, last)
    return [step for _, step in _made([row for row in STEPS if row[0] in names], services, tool)]


def _between(first: str, last: str) -> list[str]:
    """Return the names of the steps from `first` to `last`."""
    names = list(dict.fromkeys(name for name, *_ in STEPS))
    return names[names.index(first) : names.index(last) + 1]


def _made(rows: Iterable[Row], services: Services, tool: Tool) -> Iterator[tuple[str, Step]]:
    """Yield the name and the step of each row whose condition holds, the first row of each name only."""
    made = ""
    for name, condition, make in rows:
        if name != made and condition(services, tool):
            made = name
            if isinstance(make, tuple):
                module, function = make
                make = getattr(import_module(module, __package__), function)
            yield name, make(services, tool)


async def _read(services: Services, call: CallUnderWay) -> None:
    """Answer a call of the server's own tool that reads stored results (`read_result`)."""
    from ..core.read_result_tool import ARGUMENT
    from ..result import result_store  # imported late, as ARGUMENT: few servers list the tool read_result

    await services.lasting.bring(str(call.arguments[ARGUMENT]))
    call.result = result_store.read(services.lasting.resources, call.arguments, services.settings.sizes.shown)
