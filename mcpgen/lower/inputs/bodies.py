"""Plan the body of an operation: whether a call must have one, which media type is sent, and which parts become
arguments.

Of the media types that a document offers, the first in this order is chosen: JSON (also `+json`), multipart with a
file, urlencoded, multipart, text and XML, JSON Lines, anything else as bytes. XML is built by the XML Objects of the
schema; if the schema has no members, the argument is XML as text.

An object at the root is flattened, also if null is allowed too: each property is an argument beside the parameters.
Arrays, scalars, maps, unions and objects of more than FLAT properties become a single argument `body`. If a
discriminator selects a subtype, each property of a subtype is an optional argument whose description names the
subtypes that have it.

In OpenAPI a body is optional by default (3.1, 4.8.13), but hardly any author means that. Most APIs answer 400 to a POST
without its required members. So a body with required members is required, unless the operation's description says that
it may be empty.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, unique
from mcpgen.base.names import clipped
from mcpgen.lower.inputs.positions import has_positions
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.schema.discriminators import Discriminator
from mcpgen.lower.schema.kinds import demanded, is_null, only_demands
from mcpgen.lower.schema.media_types import encoding_of, is_file
from mcpgen.lower.schema.merge_unions import OTHERS
from mcpgen.lower.schema.nodes import further_members
from mcpgen.lower.schema.xml import document_shape
from mcpgen.lower.text.prose import ended, plain
from mcpgen.model import BodyEncoding, Encoding, MediaType, Operation, PartKind, RequestBody

FLAT = 40
_REMOVES = "If an optional part of the body is null, the API removes that part from the resource."
_MOST_LABELS = 4
_MOST_NAMES = 40
_CHANGING = ("POST", "PUT", "PATCH")
_MAY_BE_EMPTY = re.compile(
    r"\b(?:empty|no|without an?|optional) (?:request |json )?body\b"
    r"|\bbody (?:\w+ ){0,2}(?:optional|empty|omitted|left out|not (?:needed|required))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class BodyPlan:
    """How a body is sent.

    `properties`: writable members of a flattened body, or None if the body is one argument. `is_needed`: True if every
    call has a body. `needs`: a sentence about members that are required together. `set_by_api`: names of members of a
    flattened body that only responses have.
    """

    body: RequestBody
    media_type: MediaType
    content_type: str
    encoding: BodyEncoding
    schema: JsonObject
    properties: dict[str, JsonObject] | None
    required: frozenset[str]
    rest: JsonObject | None
    is_needed: bool
    xml: JsonObject | None = None
    needs: str = ""
    set_by_api: tuple[str, ...] = ()

    @property
    def is_merge_patch(self) -> bool:
        """Return True if the body is a JSON Merge Patch (RFC 7396), in which null removes an optional member."""
        return self.content_type.partition(";")[0].strip().lower() == "application/merge-patch+json"

    @property
    def said(self) -> str:
        """Return sentences for the tool's description: which members are required together, and what null does."""
        return " ".join(filter(None, [self.needs, _REMOVES if self.is_merge_patch else ""]))


# Members of an optional body are optional arguments: a required argument would make the body required.
def plan(operation: Operation, composer: Composer) -> BodyPlan | None:
    """Return the plan for the body of `operation`. Return None if there is no body, or only an optional body without
    members. Raises SkipOperation if mcpgen can send none of the media types.
    """
    body = operation.body
    if body is None:
        return None
    media_type = min(body.content, key=lambda media_type: _rank(media_type, composer))
    encoding = encoding_of(media_type.name)
    schema = media_type.schema or {}
    node = composer.whole(schema)
    if encoding in ("form", "multipart") and types(node) == ["string"]:
        encoding = "text"  # a form described as one string: the caller encodes the form
    if encoding == "multipart" and has_positions(node, media_type, _is_object(node)):
        encoding = "multipart-items"
    if encoding in ("form", "multipart") and not _is_object(node):
        raise SkipOperation(
            "unsupported-body",
            f"The schema of the body ({media_type.name}) is not an object, so mcpgen cannot encode the body.",
            body.where,
            "Describe the fields of the body as the properties of an object.",
        )
    needed = _is_required(operation, body, node, composer)
    if not needed and _is_empty(node, encoding):
        return None
    node = _without_null(node, composer)
    shape = document_shape(schema, composer) if encoding == "xml" else None
    if encoding == "xml" and shape is None:
        encoding = "text"
    laid_out = encoding in ("json", "form", "multipart", "xml")
    properties, rest = _laid_flat(node, composer, bool(body.names)) if laid_out else (None, None)
    only_read = tuple(key for key, member in members(node) if properties is not None and composer.is_read_only(member))
    required = frozenset(key for key in as_list(node.get("required")) if isinstance(key, str))
    content_type = _binary_types(body) if encoding == "binary" else _concrete(media_type.name, encoding)
    needs = demanded([composer.node(each)[0] for each in alternatives(node)]) if properties is not None else ""
    return BodyPlan(
        body, media_type, content_type, encoding, schema, properties, required, rest, needed, shape, needs, only_read
    )


# A tool has only one input schema, so the media type comes first whose body is built best from single arguments.
def _rank(media_type: MediaType, composer: Composer) -> tuple[int, bool, str]:
    encoding = encoding_of(media_type.name)
    if encoding == "multipart" and media_type.schema is not None:
        node, _ = composer.node(media_type.schema)
        if any(_is_file(composer, as_object(member)) for member in as_object(node.get("properties")).values()):
            return 1, False, media_type.name
    order = {"json": 0, "form": 2, "multipart": 3, "text": 4, "xml": 4, "jsonl": 5, "binary": 6}
    essence = media_type.name.partition(";")[0].strip().lower()
    return order[encoding], essence not in ("application/json", "text/plain"), media_type.name


def _concrete(media_type: str, encoding: BodyEncoding) -> str:
    """Return the Content-Type to send. A media range is replaced by a common type: `text/*` by `text/plain`."""
    if "*" not in media_type.partition(";")[0]:
        return media_type
    common = {
        "json": "application/json",
        "xml": "application/xml",
        "text": "text/plain",
        "multipart": "multipart/form-data",
        "multipart-items": "multipart/mixed",
    }
    return common.get(encoding, "application/octet-stream")


def _binary_types(body: RequestBody) -> str:
    """Return the media types of files that the body accepts, `application/octet-stream` first if it is among them.

    The generated server sends the type of the actual file.
    """
    return ", ".join(
        sorted({each.name for each in body.content if encoding_of(each.name) == "binary"}, key=_for_any_file)
    )


def _for_any_file(name: str) -> tuple[bool, str]:
    return name != "application/octet-stream", name


def _is_empty(node: JsonObject, encoding: BodyEncoding) -> bool:
    """Return True if an object schema declares no members and forbids undeclared members.

    The schema of a form also counts as forbidding undeclared members if it has an empty `properties`, but neither
    `additionalProperties` nor `patternProperties`.
    """
    says_so = node.get("additionalProperties") is False or (encoding in ("form", "multipart") and "properties" in node)
    open_ended = node.get("additionalProperties") not in (None, False) or "patternProperties" in node
    return says_so and not open_ended and not members(node) and not alternatives(node)


def _is_object(node: JsonObject) -> bool:
    return (
        set(types(node)) in ({"object"}, {"object", "null"})
        or "properties" in node
        or bool(alternatives(node))
        or not node
    )


def _without_null(node: JsonObject, composer: Composer) -> JsonObject:
    """Return the object if `node` is a union of an object and null, since a call never sends null as the body.

    Return any other node unchanged.
    """
    if set(types(node)) == {"object", "null"}:
        node = {**node, "type": "object"}
    branches = [composer.node(each)[0] for each in alternatives(node)]
    others = [branch for branch in branches if not is_null(branch)]
    if len(others) != 1 or len(branches) == 1:
        return node
    return composer.merged({key: value for key, value in node.items() if key not in ("anyOf", "oneOf")}, others[0])


def _laid_flat(
    node: JsonObject, composer: Composer, named: bool
) -> tuple[dict[str, JsonObject] | None, JsonObject | None]:
    """Return the writable properties of an object that can be flattened, and the schema of its undeclared members, if
    any.

    Return None for both if the object cannot be flattened. `named`: True if a tools file names the argument of any
    body member; then the body is flattened whatever its size.
    """
    is_inherited = Discriminator(node, composer).is_inherited
    branches = [] if is_inherited else [composer.node(member)[0] for member in alternatives(node)]
    if branches and not all(only_demands(branch) for branch in branches):
        return None, None
    every, is_cut = _side_by_side(node, composer, FLAT) if is_inherited else (dict(members(node)), False)
    properties = {key: member for key, member in every.items() if not composer.is_read_only(member)}
    if not properties or (len(properties) > FLAT and not named):
        return None, None
    rest = True if is_cut else further_members(node)
    return properties, as_object(rest) if isinstance(rest, dict) or rest is True else None


def _is_file(composer: Composer, schema: JsonObject) -> bool:
    """Return True if a part is a file or a list of files in each alternative except null."""
    node, _ = composer.node(schema)
    if branches := [found for each in alternatives(node) if not is_null(found := composer.node(each)[0])]:
        return all(_is_file_or_list(branch, composer) for branch in branches)
    return _is_file_or_list(node, composer)


def _is_file_or_list(node: JsonObject, composer: Composer) -> bool:
    return is_file(composer.node(as_object(node.get("items")))[0] if "array" in types(node) else node)


_WORDS = frozenset({"title", "description", "example", "examples", "deprecated", "default", "$comment"})
"""Keywords that do not constrain values."""


def part_of(plan: BodyPlan, key: str, schema: JsonObject, composer: Composer) -> PartKind | None:
    """Return the kind of the part `key` of a multipart body (OpenAPI 3.1, 4.8.15.1.1), by its schema and its declared
    content type.

    The items of an array decide for it, since each item is a part. Of several content types, the first one counts,
    ranges such as `image/*` excepted. Since OpenAPI 3.1, a part is a file if it has neither a content type nor a
    keyword that constrains its value. None means that the value of a call
    decides: an object or a list is sent as JSON, anything else as text. Raises SkipOperation for an array or object
    whose declared content type is a form, since mcpgen cannot write a form in a part.
    """
    node, _ = composer.node(schema)
    types_declared = (plan.media_type.encoding.get(key, Encoding()).content_type or "").split(",")
    declared = next((name.strip() for name in types_declared if "*" not in name), "")
    if _is_file(composer, schema):
        return "file"
    encoding = encoding_of(declared) if declared else None
    if encoding == "json":
        return "json"
    inner = composer.node(as_object(node.get("items")))[0] if "array" in types(node) else node
    if "object" in types(inner) or "properties" in inner or "array" in types(inner):
        if encoding in ("form", "multipart"):
            message = (
                f"The part {clipped(key)} is declared as {declared}, a media type that mcpgen cannot write in a part."
            )
            raise SkipOperation("unsupported-body", message, plan.body.where, "Declare the part as application/json.")
        return "xml" if encoding == "xml" else "json"
    if not declared and not types(inner):
        is_stated = inner is node or "items" in node
        return "file" if plan.media_type.untyped_parts_are_files and is_stated and not inner.keys() - _WORDS else None
    is_text = encoding in (None, "xml") or declared.startswith("text/") or "contentEncoding" in inner
    return "text" if is_text or types(inner) not in ([], ["string"]) else "file"


def _side_by_side(node: JsonObject, composer: Composer, most: int) -> tuple[dict[str, JsonObject], bool]:
    """Return the properties of `node` and of the subtypes that its discriminator selects, at most `most` in all. Also
    return True if properties were left out.
    """
    discriminator = Discriminator(node, composer)
    own = dict(members(node))
    told: dict[str, list[tuple[str, JsonObject]]] = {}
    for member in discriminator.shown():
        label = " or ".join(str(value) for value in discriminator.values(member))
        for key, schema in members(composer.node(member)[0]):
            if schema != own.get(key) and key != discriminator.key:
                told.setdefault(key, []).append((label, schema))
    more = discriminator.has_more
    name = str(discriminator.key)
    added = {key: _joined(own.get(key), places, name, more, composer) for key, places in sorted(told.items())}
    room = max(0, most - len(own))
    new = [key for key in added if key not in own]
    found = {**own, **{key: schema for key, schema in added.items() if key in own or key in new[:room]}}
    found[name] = _chooser(discriminator, as_object(own.get(name)), composer)
    return found, more or len(new) > room


def _joined(
    inherited: JsonObject | None, places: list[tuple[str, JsonObject]], name: str, has_others: bool, composer: Composer
) -> JsonObject:
    """Return a schema for one property that allows every value that one of the schemas in `places` allows.

    `places`: pairs of a subtype's discriminator value and the property's schema in that subtype. `name`: the name of
    the discriminator property.
    """
    schemas: list[JsonValue] = [schema for _, schema in places]
    distinct = unique([*schemas, *([inherited] if inherited is not None else [])])
    if has_others and len(distinct) > 1 and inherited is None:
        kinds = {tuple(types(composer.node(as_object(each))[0])) for each in distinct}
        distinct.append({"type": "object", "description": OTHERS} if kinds == {("object",)} else {})
    schema: JsonObject = as_object(distinct[0]) if len(distinct) == 1 else {"anyOf": distinct}
    if inherited is not None or len(places) > _MOST_LABELS:
        return schema
    words = as_text(composer.node(schema)[0].get("description"))
    labels = " or ".join(clipped(plain(label), 40) for label, _ in places)
    note = f"Applies if {clipped(plain(name))} is {labels}."
    return {**schema, "description": f"{ended(words)} {note}".strip()}


def _chooser(discriminator: Discriminator, declared: JsonObject, composer: Composer) -> JsonObject:
    """Return the schema of the discriminator property. It lists the values, or gives examples in its description if
    the document does not list all values.
    """
    shown = discriminator.shown()
    node, _ = composer.node(declared)
    if "enum" in node or "const" in node:
        return declared
    values = unique(
        [*(value for member in shown for value in discriminator.values(member)), *discriminator.other_values()]
    )
    if all(discriminator.known_values(member) for member in shown):
        return {"allOf": [declared or {"type": "string"}, {"enum": values}]}
    names = ", ".join(clipped(plain(str(value)), 40) for value in values[:_MOST_NAMES])
    note = f"Such as {names}{', …' if len(values) > _MOST_NAMES else ''}."
    return {"type": "string", **declared, "description": f"{ended(as_text(node.get('description')))} {note}".strip()}


# By OpenAPI's default, a body with required members may be left out. In documents that were new to mcpgen, a sixth of
# the tools sent no body for this reason. `--optional-bodies` restores the default.
def _is_required(operation: Operation, body: RequestBody, node: JsonObject, composer: Composer) -> bool:
    """Return True if a call of the operation must have the body. `node`: the schema of the body.

    If the document does not set `required`, the method, the schema and the descriptions decide.
    """
    if body.required is not None:
        return body.required
    told = "\n".join((operation.summary, operation.description, body.description))
    return operation.method in _CHANGING and _needs_members(node, composer) and not _MAY_BE_EMPTY.search(told)


def _needs_members(node: JsonObject, composer: Composer) -> bool:
    """Return True if neither null nor an empty object is valid for `node`."""
    branches = [composer.node(each)[0] for each in alternatives(node)]
    if "null" in types(node) or any(map(is_null, branches)):
        return False
    if as_list(node.get("required")):
        return True
    return bool(branches) and all(as_list(each.get("required")) for each in branches)


def report_demanded(taken: Sequence[Operation], diagnostics: Diagnostics) -> None:
    """Report in one diagnostic which bodies mcpgen makes required although their document does not say so."""
    if not taken:
        return
    some = ", ".join(f"{each.method} {each.path}" for each in taken[:3])
    more = f" and {len(taken) - 3} more" if len(taken) > 3 else ""
    message = (
        "These request bodies have required members, so mcpgen makes the bodies required, although the "
        f"document does not say so: {some}{more}."
    )
    hint = (
        "Write `required: true` or `required: false` at the body in the document. To keep a body optional, use "
        "`body: {required: false}` in an override, or --optional-bodies."
    )
    body = taken[0].body
    diagnostics.add("body-required", message, body.where if body else taken[0].where, hint)
