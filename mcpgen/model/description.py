"""An API description as a whole: what a front end comes to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.api import Operation, Scopes, SecurityRequirement, SecurityScheme, Server, Skipped
from mcpgen.model.features import Prompt, Resource
from mcpgen.model.words import Confirm, Output, Redirects


@dataclass(frozen=True, slots=True)
class Api:
    """An API description. `security` None means that the document says nothing at all about security.

    `name`, `version`, `instructions`, `output`, `confirm` (method or DESTRUCTIVE → when), `roles` (the same → whose)
    and `fields` are of the server to be, where its owner gave them; `resources` and `prompts` are what it offers beside
    tools. `named_at` is where title and instructions stand. `unconfirmed` are origins that need the owner's word, since
    a base URL replaced the server of the documents that name them.
    """

    title: str
    operations: tuple[Operation, ...]
    definitions: Mapping[str, JsonObject]
    name: str | None = None
    version: str = ""
    instructions: str = ""
    servers: tuple[Server, ...] = ()
    schemes: tuple[SecurityScheme, ...] = ()
    security: tuple[SecurityRequirement, ...] | None = None
    scopes: Scopes = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    output: Output | None = None
    confirm: Mapping[str, Confirm] = field(default_factory=dict)
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: bool | None = None
    redirects: Redirects | None = None
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    named_at: Where | None = None
    unconfirmed: frozenset[str] = frozenset()
