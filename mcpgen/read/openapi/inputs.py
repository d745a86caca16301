"""Read the inputs and outputs of an operation in OpenAPI 3: parameters, body, responses, servers.

Each version of OpenAPI has its own `Reader` function; all other code is shared.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.model import MediaType, Parameter, PathTemplate, RequestBody, Response, SecurityScheme, Server
from mcpgen.read.openapi import content, parameters, servers
from mcpgen.read.openapi.references import References


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """Facts that all operations of one document share.

    `reader`: the function that reads an operation in the document's version. `hidden_tags`: tags whose operations are
    hidden. `is_translated`: the document was translated from another format.
    """

    root: JsonObject
    references: References
    schemes: tuple[SecurityScheme, ...]
    base_url: str | None
    diagnostics: Diagnostics
    reader: "Reader"
    hidden_tags: frozenset[str] = frozenset()
    is_translated: bool = False

    @property
    def credentials(self) -> parameters.Credentials:
        """Return (location such as `header`, name normalized by `fold`) → security scheme, of each declared API key."""
        return parameters.api_keys(self.schemes)


class OperationSource(NamedTuple):
    """An operation and its path item as the document writes them, with the places of both."""

    raw: JsonObject
    where: Where
    item: JsonObject
    item_where: Where

    def parameter_lists(self) -> Iterable[tuple[JsonValue, Where]]:
        """Yield the lists of parameters with their places: those of the path item, then those of the operation."""
        for holder, where in ((self.item, self.item_where), (self.raw, self.where)):
            yield holder.get("parameters"), where.inside("parameters")


class Inputs(NamedTuple):
    """Inputs and outputs of one operation, as the document describes them.

    `servers`: empty if the operation has none of its own. `credentials`: security schemes for parameters that
    carry a credential.
    """

    parameters: tuple[Parameter, ...]
    body: RequestBody | None
    responses: tuple[Response, ...]
    servers: tuple[Server, ...]
    credentials: tuple[SecurityScheme, ...] = ()


Reader = Callable[[OperationSource, PathTemplate, DocumentFacts], Inputs]


def read(site: OperationSource, template: PathTemplate, around: DocumentFacts) -> Inputs:
    """Return the inputs of an operation in OpenAPI 3.1 and later.

    Raises SkipOperation if a part that requests need, such as a required parameter, cannot be read.
    """
    raw, where, references, diagnostics = site.raw, site.where, around.references, around.diagnostics
    lists, keys = site.parameter_lists(), around.credentials
    found, credentials = parameters.read(lists, keys, references, diagnostics, by_name=False)
    return Inputs(
        parameters=parameters.matched_with_path(found, template, where, diagnostics),
        body=content.read_body(raw.get("requestBody"), where.inside("requestBody"), references, diagnostics),
        responses=content.read_responses(raw.get("responses"), where.inside("responses"), references, diagnostics),
        servers=_servers(site, around),
        credentials=credentials,
    )


def read_3_0(site: OperationSource, template: PathTemplate, around: DocumentFacts) -> Inputs:
    """Return the inputs of an operation in OpenAPI 3.0.

    In this version, the style of a multipart body's parts "SHALL be ignored" (4.7.15).
    """
    found = read(site, template, around)
    if found.body is None:
        return found
    content = tuple(
        _without_styles(each) if each.name.startswith("multipart/") else each for each in found.body.content
    )
    return found._replace(body=replace(found.body, content=content))


def _without_styles(media_type: MediaType) -> MediaType:
    plain = {
        name: replace(encoding, style=None, explode=None, reserved=False)
        for name, encoding in media_type.encoding.items()
    }
    return replace(media_type, encoding=plain, untyped_parts_are_files=False)


def _servers(site: OperationSource, around: DocumentFacts) -> tuple[Server, ...]:
    for holder, where in ((site.raw, site.where), (site.item, site.item_where)):
        if isinstance(holder.get("servers"), list):
            return servers.of_operation(holder["servers"], where.inside("servers"), around.base_url, around.diagnostics)
    return ()
