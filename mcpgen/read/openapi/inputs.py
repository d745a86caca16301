"""What an operation takes and gives, in the words of OpenAPI 3: parameters, body, answers, servers.

Versions of OpenAPI differ in how a document says it (`Reader`); everything around it is the same.
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
class Surroundings:
    """What operations of one document share. `reader` is that of its version, `hidden_tags` those that it hides."""

    root: JsonObject
    references: References
    schemes: tuple[SecurityScheme, ...]
    base_url: str | None
    diagnostics: Diagnostics
    reader: "Reader"
    hidden_tags: frozenset[str] = frozenset()

    @property
    def credentials(self) -> parameters.Credentials:
        """The API keys by the places that they fill."""
        keys = (scheme for scheme in self.schemes if scheme.type == "apiKey")
        return {parameters.place_of(scheme.location, scheme.wire_name): scheme for scheme in keys}


class Site(NamedTuple):
    """An operation as the document writes it, the path item that holds it, and the places of both."""

    raw: JsonObject
    where: Where
    item: JsonObject
    item_where: Where

    def parameter_lists(self) -> Iterable[tuple[JsonValue, Where]]:
        """The lists of parameters, the more particular last."""
        for holder, where in ((self.item, self.item_where), (self.raw, self.where)):
            yield holder.get("parameters"), where.inside("parameters")


class Inputs(NamedTuple):
    """What the document says of one operation. `servers` None where it has none of its own; `credentials` are
    parameters that carry one.
    """

    parameters: tuple[Parameter, ...]
    body: RequestBody | None
    responses: tuple[Response, ...]
    servers: tuple[Server, ...] | None
    credentials: tuple[SecurityScheme, ...] = ()


Reader = Callable[[Site, PathTemplate, Surroundings], Inputs]


def read(site: Site, template: PathTemplate, around: Surroundings) -> Inputs:
    """The inputs by OpenAPI 3. Unusable where the operation cannot be called without what is not understood."""
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


def read_3_0(site: Site, template: PathTemplate, around: Surroundings) -> Inputs:
    """The inputs by OpenAPI 3.0, where styles of the parts of a multipart body "SHALL be ignored" (4.7.15)."""
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


def _servers(site: Site, around: Surroundings) -> tuple[Server, ...] | None:
    for holder, where in ((site.raw, site.where), (site.item, site.item_where)):
        if isinstance(holder.get("servers"), list):
            return servers.read(holder["servers"], where.inside("servers"), around.base_url, around.diagnostics)
    return None
