"""Data type for an API description as a whole: the result of reading a source."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.api import CallerScopes, Operation, Scopes, SecurityRequirement, SecurityScheme, Server, Skipped
from mcpgen.model.features import Prompt, Resource
from mcpgen.model.words import Confirm, Output, Pages, Redirects


@dataclass(frozen=True, slots=True)
class Api:
    """An API description with its owner's decisions about the server.

    `security`: None if the document does not mention security. `unconfirmed`: origins that the project's owner must
    accept, since a base URL has replaced the server of every document that names them. `named_at`: place of title and
    instructions in the file.

    Decisions: `name`, `version`, `instructions`, `logging`, `redirects`, `output` (form of results), `pages` (how many
    a call fetches), `fields` (calls can select parts of results), `lookups` (calls can give names in place of ids),
    `confirm` (method or DESTRUCTIVE → when to ask), `roles` (method or DESTRUCTIVE → roles).

    `resources` and `prompts` are offered beside tools. `left_out`: operations that a selection removed; they become no
    tools, but a tool that starts a job may poll the job by a GET among them.
    """

    title: str
    operations: tuple[Operation, ...]
    definitions: Mapping[str, JsonObject]
    name: str | None = None
    version: str = ""
    instructions: str = ""
    logging: bool | None = None
    servers: tuple[Server, ...] = ()
    schemes: tuple[SecurityScheme, ...] = ()
    security: tuple[SecurityRequirement, ...] | None = None
    scopes: Scopes = field(default_factory=dict)
    caller_scopes: CallerScopes = ()
    skipped: tuple[Skipped, ...] = ()
    output: Output | None = None
    confirm: Mapping[str, Confirm] = field(default_factory=dict)
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: bool | None = None
    redirects: Redirects | None = None
    lookups: bool | None = None
    pages: Pages | None = None
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    named_at: Where | None = None
    unconfirmed: frozenset[str] = frozenset()
    left_out: tuple[Operation, ...] = ()
