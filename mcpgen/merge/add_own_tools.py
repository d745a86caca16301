"""Add the tools and settings of the user's tools file to the API of the source document.

A document may describe an API key only as a header, query or cookie parameter. As soon as a tools file declares the key
as a security scheme, the server sends the key from that scheme's environment variable. An operationId in a `task` is
replaced by the request of its operation.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, nearest
from mcpgen.merge.unique_prefixes import label_of, place_of
from mcpgen.model import (
    NO_CREDENTIALS,
    Api,
    Operation,
    Prompt,
    Resource,
    SecurityScheme,
    Server,
    TaskRequest,
    TaskRule,
    TaskTarget,
)
from mcpgen.read.openapi import parameters

Named = TypeVar("Named", Prompt, Resource)


# A tools file decides which credentials go to its own server, and not what a document requires for another server.
def merge(api: Api, settings: Api, base: tuple[Server, ...]) -> Api:
    """Return `api` with the tools of the tools file `settings` added.

    Where `settings` gives a title, version, schemes or other values, they replace those of `api`. `base` replaces the
    servers of `api`. `api` and `settings` must be read with the same `Library`, so that they share their schemas.
    """
    home = base or api.servers
    known = {scheme.name for scheme in settings.schemes}
    own = settings.changed(lambda operation: _completed(operation, settings, api, home))
    return replace(
        api,
        title=settings.title or api.title,
        named_at=settings.named_at if settings.title or settings.instructions else api.named_at,
        version=settings.version or api.version,
        name=settings.name or api.name,
        instructions=settings.instructions or api.instructions,
        logging=api.logging if settings.logging is None else settings.logging,
        operations=api.operations + own.operations,
        servers=home,
        schemes=settings.schemes + tuple(scheme for scheme in api.schemes if scheme.name not in known),
        skipped=api.skipped + settings.skipped,
        defaults=settings.defaults.over(api.defaults),
        headers={**api.headers, **settings.headers},
        confirm={**api.confirm, **settings.confirm},
        roles={**api.roles, **settings.roles},
        resources=_with_own(api.resources, own.resources),
        prompts=_with_own(api.prompts, settings.prompts),
    )


def _completed(operation: Operation, settings: Api, api: Api, home: tuple[Server, ...]) -> Operation:
    """Return an operation of the tools file with a server and security, also if the file writes none at the tool.

    Credentials of `api` are only for `home`, its server: an operation on another server gets none of them.
    """
    operation = replace(operation, servers=operation.servers or home[:1])
    place = place_of(operation.servers)
    elsewhere = place != place_of(home) and bool(api.operations or api.schemes)
    if elsewhere:
        operation = _without_credentials(operation, settings, api, label_of(place))
    default = settings.security.otherwise(NO_CREDENTIALS if elsewhere else api.security)
    return replace(operation, security=operation.security.otherwise(default))


def _without_credentials(operation: Operation, settings: Api, api: Api, label: str) -> Operation:
    """Rename credential parameters of an operation that have the name of a scheme of `api`: put `label` before the
    name.

    Otherwise the credential for that scheme would be sent to the operation's own server.
    """
    theirs = {scheme.name for each in api.operations for scheme in each.credentials}
    theirs |= {scheme.name for scheme in api.schemes}
    theirs -= {scheme.name for scheme in settings.schemes}
    found = (
        replace(scheme, name=f"{label}_{scheme.name}") if scheme.name in theirs else scheme
        for scheme in operation.credentials
    )
    return replace(operation, credentials=tuple(found))


def _with_own(found: tuple[Named, ...], own: tuple[Named, ...]) -> tuple[Named, ...]:
    """Return the items of `found` and `own`. An item of `own` replaces the item of the same name in `found`."""
    names = {each.name for each in own}
    return tuple(each for each in found if each.name not in names) + own


# -- declared API keys -------------------------------------------------------------------------------------------------


# If the parameter stayed an argument, the model would have to give the key. If its scheme stayed, the key would be sent
# twice.
def with_declared_keys(api: Api, schemes: Iterable[SecurityScheme], diagnostics: Diagnostics) -> Api:
    """Return `api` without parameters that an API key in `schemes` fills, and report each removed parameter.

    `schemes`: the security schemes of all tools files. Operations on another server than that of `api` keep their
    parameters, because they do not get these keys.
    """
    keys = parameters.api_keys(schemes)
    if not keys:
        return api
    home = place_of(api.servers)
    return replace(
        api,
        operations=tuple(
            _filled(each, keys, diagnostics) if place_of(each.servers) == home else each for each in api.operations
        ),
    )


def _filled(operation: Operation, keys: parameters.Credentials, diagnostics: Diagnostics) -> Operation:
    """Return `operation` with each parameter and credential that a declared API key fills replaced by this key's
    security scheme. `keys`: location and name in the request → security scheme.
    """
    kept, found = parameters.without_credentials(operation.parameters, keys, diagnostics, by_name=False)
    known = [keys.get(parameters.place_of(each.location, each.wire_name), each) for each in operation.credentials]
    return replace(
        operation,
        parameters=kept,
        credentials=tuple({each.name: each for each in (*known, *found)}.values()),
        withheld=(*operation.withheld, *(each for each in operation.parameters if each not in kept)),
    )


# -- operations of jobs ------------------------------------------------------------------------------------------------


def with_task_operations(api: Api, left_out: Iterable[Operation], diagnostics: Diagnostics) -> Api:
    """Return `api` with each operationId in a `task` rule of the tools file replaced by the request of its operation.
    Report and drop a rule that contains an operationId which no operation has.

    `left_out`: operations that selectors excluded. They become no tools, but a rule may poll by their requests, so the
    result has them in its field `left_out`.
    """
    api = replace(api, left_out=tuple(left_out))
    if not any(operation.decided.task for operation in api.operations):
        return api
    known = {each.id: each for each in (*api.operations, *api.left_out) if each.id}
    return replace(api, operations=tuple(_resolved(each, known, diagnostics) for each in api.operations))


def _resolved(operation: Operation, known: Mapping[str, Operation], diagnostics: Diagnostics) -> Operation:
    rule = operation.decided.task
    if rule is None:
        return operation
    missing = [each for each in rule.requests() if each.operation and each.operation not in known]
    for each in missing:
        message = f"No operation has the id '{clipped(each.operation)}'."
        diagnostics.add("unknown-name", message, each.where, nearest(each.operation, sorted(known)))
    found = None if missing else _with_requests(rule, known)
    return replace(operation, decided=replace(operation.decided, task=found))


def _with_requests(rule: TaskRule, known: Mapping[str, Operation]) -> TaskRule:
    result = None if rule.result is None else _target(rule.result, known)
    cancel = None if rule.cancel is None else _request(rule.cancel, known)
    return replace(rule, poll=_target(rule.poll, known), result=result, cancel=cancel)


def _target(target: TaskTarget, known: Mapping[str, Operation]) -> TaskTarget:
    return _request(target, known) if isinstance(target, TaskRequest) else target


def _request(request: TaskRequest, known: Mapping[str, Operation]) -> TaskRequest:
    if not request.operation:
        return request
    meant = known[request.operation]
    return TaskRequest(request.where, meant.method, meant.template.literals, meant.template.declared)
