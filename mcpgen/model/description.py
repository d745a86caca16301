"""Data type for an API description as a whole: the result of reading a source."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.api import NO_SERVER, UNDECLARED, Operation, Security, SecurityScheme, Server, Skipped
from mcpgen.model.curation import UNDECIDED, Decisions
from mcpgen.model.features import Prompt, Resource, Webhook
from mcpgen.model.words import Confirm


@dataclass(frozen=True, slots=True)
class Api:
    """An API description with its owner's decisions about the server.

    `servers` and `security`: those of tools that a tools file adds without their own. `unconfirmed`: origins that the
    project's owner must accept, since a base URL has replaced the server of every document that names them. `named_at`:
    place of title and instructions in the file.

    Decisions: `name`, `version`, `instructions`, `logging`, `defaults` (for each tool that decides nothing else),
    `confirm` (method or DESTRUCTIVE → when to ask), `roles` (method or DESTRUCTIVE → roles), `headers` (fields of all
    requests: name → text and place).

    `resources` and `prompts` are offered beside tools. `webhooks`: requests that the API sends. `left_out`: operations
    that a selection removed; they become no tools, but a tool that starts a job may poll the job by a GET among them.
    """

    title: str
    operations: tuple[Operation, ...]
    definitions: Mapping[str, JsonObject]
    name: str | None = None
    version: str = ""
    instructions: str = ""
    logging: bool | None = None
    servers: tuple[Server, ...] = NO_SERVER
    schemes: tuple[SecurityScheme, ...] = ()
    security: Security = UNDECLARED
    skipped: tuple[Skipped, ...] = ()
    defaults: Decisions = UNDECIDED
    confirm: Mapping[str, Confirm] = field(default_factory=dict)
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    headers: Mapping[str, tuple[str, Where]] = field(default_factory=dict)
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    webhooks: tuple[Webhook, ...] = ()
    named_at: Where | None = None
    unconfirmed: frozenset[str] = frozenset()
    left_out: tuple[Operation, ...] = ()

    @property
    def all_operations(self) -> tuple[Operation, ...]:
        """Return the operations of tools, then those of resources."""
        return (*self.operations, *(each.operation for each in self.resources if each.operation))

    @property
    def all_servers(self) -> tuple[Server, ...]:
        """Return all servers, each once."""
        return tuple(dict.fromkeys((*self.servers, *(each for one in self.all_operations for each in one.servers))))

    def with_servers(self, change: Callable[[Server], Server]) -> "Api":
        """Return this API with `change` applied to all servers."""
        found = self.changed(lambda each: replace(each, servers=tuple(map(change, each.servers))))
        return replace(found, servers=tuple(map(change, self.servers)))

    def changed(self, change: Callable[[Operation], Operation]) -> "Api":
        """Return this API with `change` applied to the operations of tools and resources."""
        resources = (
            replace(each, operation=change(each.operation)) if each.operation else each for each in self.resources
        )
        return replace(self, operations=tuple(map(change, self.operations)), resources=tuple(resources))
