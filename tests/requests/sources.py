"""Load sample documents of the corpus, and the petstore document of this repository.

From each document, the operations are selected that differ most from one another.

mcpgen provides only the generated tools, and the parameter that each argument supplies (`arguments` of `inspect
--format json`). All other facts are read from the document.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from package.runtime.core.catalog import Tool

from mcpgen.cli.inspect.contract import arguments_json
from mcpgen.emit import table
from mcpgen.model import Catalog, ToolSpec
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.requests.described import Described, Operation
from tests.requests.raw import Node
from tests.requests.standard import slot
from tests.runtime.parts import part

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "dev"
OURS = ROOT / "specs" / "petstore.openapi.yaml"

SAMPLE = re.findall(
    r"\S+",
    """
    adyen-checkout-v71.json anthropic.json box.json digitalocean/DigitalOcean-public.v2.yaml
    docker-engine-v1.47-swagger2.yaml gitea-swagger2.json github-rest.json gitlab-from-swagger2.json jira.json
    keycloak-23.json notion.json open-meteo-forecast.yml openai.yaml sendgrid.json slack-web-swagger2.json spotify.json
    stripe.yaml tmdb.json twilio-api-v2010.yaml twilio-verify-v2.yaml weather-gov.yaml xero-accounting.json
    small/autorest-2.0/body-complex.json small/autorest-2.0/body-formdata-urlencoded.json
    small/autorest-2.0/body-formdata.json small/autorest-2.0/header.json small/autorest-2.0/paging.json
    small/autorest-2.0/required-optional.json small/autorest-2.0/url-multi-collectionFormat.json
    small/autorest-2.0/url.json small/names/patientview-swagger2.json small/names/vtex-masterdata-nonascii.json
    small/oai-3.2-schema-tests/media-type-examples.yaml
    small/oai-3.2-schema-tests/operation-object-example.yaml small/oai-3.2-schema-tests/path-item-object-example.yaml
    small/oai-3.2-schema-tests/path_item_servers_parameters.yaml small/oai/petstore-separate-2.0-json/spec/swagger.json
    small/oai/v3.0-petstore-expanded.yaml small/oai/v3.0-uspto.yaml small/oai/v3.1-tictactoe.yaml
    small/oapi-codegen/bodies-content_types.yaml small/oapi-codegen/naming-conflicts.yaml
    small/oapi-codegen/openapi31params.yaml small/oapi-codegen/parameters-nilcheck.yaml
    small/openapi-python-client-baseline-3.0.json small/openapi-python-client-baseline-3.1.yaml small/petstore-2.0.json
    small/petstore-3.0.json small/readme/circular-request-bodies-3.0.yaml small/readme/discriminators-3.0.yaml
    small/readme/file-uploads-3.0.yaml small/readme/form-data-3.0.yaml small/readme/parameters-common-3.0.yaml
    small/readme/parameters-cookies-3.0.yaml small/readme/parameters-extreme-3.0.yaml
    small/readme/parameters-style-3.0.yaml small/readme/parameters-style-3.1.yaml small/readme/petstore-3.1.yaml
    small/readme/schema-circular-3.0.yaml small/readme/schema-encoding-style-3.0.yaml
    small/readme/schema-types-3.1.yaml small/readme/star-trek-3.0.yaml small/readme/train-travel-3.1.yaml
    small/redocly/cafe-3.2-split/cafe.yaml small/redocly/cafe-3.2.yaml small/redocly/museum-3.1.yaml
    small/scalar-galaxy-3.1.yaml
    """,
)
"""Documents that cover all versions of OpenAPI, every location and style in the corpus, forms, multipart, and several
files.
"""

OPERATIONS = 24
"""Limit on the operations tested of one document."""

NOT_READ = ("xml", "jsonl")
"""Encodings of bodies that this reader does not know. They have separate tests."""


_INNER = ("items", "additionalProperties")


class Place(NamedTuple):
    """Parameter or body member that an argument supplies.

    `part`: the aspect of a multipart part that the argument sets, if it does not set the part's content.
    """

    place: str
    name: str
    part: str = ""

    @property
    def in_body(self) -> bool:
        return self.place in ("body", "form", "multipart")


@dataclass(frozen=True, repr=False)
class Case:
    """One operation as the document describes it, its tool, and which parameter or body member an argument supplies."""

    tool: Tool
    places: dict[str, list[Place]]
    operation: Operation

    def __repr__(self) -> str:  # the representation that a failing test prints
        return f"{self.tool.name} ({self.operation.method} {self.operation.path})"

    @cached_property
    def described(self) -> dict[tuple[str, str], Described]:
        return {slot(parameter): parameter for parameter in self.operation.parameters}

    def parameter(self, place: Place) -> Described | None:
        name = place.name.lower() if place.place == "header" else place.name
        return self.described.get((place.place, name))

    def features(self) -> set[str]:
        """Return the features of the operation's requests, such as styles and locations.

        All JSON bodies count as one feature.
        """
        found = set()
        for argument, places in self.places.items():
            for place in places:
                parameter = self.parameter(place)
                style = (parameter.style, parameter.explode, parameter.content) if parameter else place.part
                for nesting in {""} if place.place == "body" else nestings(self.tool.schema["properties"][argument]):
                    found.add(f"{place.place} {style} {nesting}")
        return found


def nestings(schema: dict[str, Any]) -> set[str]:
    """Return how types nest in values of a schema, such as `object array string`."""
    if "anyOf" in schema:
        return {nesting for member in schema["anyOf"] for nesting in nestings(member)}
    inner = [*schema.get("properties", {}).values(), *(schema[key] for key in _INNER if key in schema)]
    below = {f" {nesting}" for member in inner for nesting in nestings(member)} or {""}
    return {f"{schema['type']}{nesting}" for nesting in below}


def paths() -> list[Path]:
    """Return the paths of those sample documents that are present."""
    return [OURS, *(path for name in SAMPLE if (path := CORPUS / name).is_file())]


def name_of(path: Path) -> str:
    return path.name if path == OURS else path.relative_to(CORPUS).as_posix()


def cases(path: Path) -> list[Case]:
    """Return operations with arguments, those with most features first.

    Each of the first operations has a feature that the earlier ones lack. Further ones are drawn at random with a fixed
    seed.
    """
    catalog = compile_source(fetch.read(str(path)), Options()).catalog
    specs = [spec for spec in catalog.tools if spec.input_schema["properties"] and _is_read(spec)]
    Random(name_of(path)).shuffle(specs)
    places = {spec.name: _places(spec) for spec in specs}
    root = Node.of(path)
    blank = [
        Case(
            Tool(spec.name, spec.input_schema, part({})),
            places[spec.name],
            Operation(root, spec.operation.method, spec.operation.path),
        )
        for spec in specs
    ]
    seen: set[str] = set()
    order = sorted(range(len(blank)), key=lambda index: -len(blank[index].features()))
    telling: list[tuple[ToolSpec, Case]] = []
    others: list[tuple[ToolSpec, Case]] = []
    for spec, case in ((specs[index], blank[index]) for index in order):
        features = case.features()
        (others if features <= seen else telling).append((spec, case))
        seen |= features
    chosen = (telling + others)[:OPERATIONS]
    tools = _emitted(catalog, [spec for spec, _ in chosen])
    return [replace(case, tool=tools[spec.name]) for spec, case in chosen]


def _is_read(spec: ToolSpec) -> bool:
    return spec.binding.body is None or spec.binding.body.encoding not in NOT_READ


def _places(spec: ToolSpec) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    drawn: dict[str, Any] = arguments_json(spec)
    for argument, first in drawn.items():
        each = [first, *first.get("also", ())]
        found[argument] = [Place(str(at["in"]), str(at["name"]), str(at.get("part", ""))) for at in each]
    return found


def _emitted(catalog: Catalog, specs: list[ToolSpec]) -> dict[str, Tool]:
    """Return the tools by name, as a generated server reads them."""
    small = replace(catalog, tools=tuple(specs))
    content = table.tools_json(small)
    tools, bindings = json.loads(content), json.loads(table.bindings_json(small, content, {}))["bindings"]
    return {
        tool["name"]: Tool(tool["name"], tool["inputSchema"], binding)
        for tool, binding in zip(tools, bindings, strict=True)
    }
