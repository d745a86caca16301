"""Lay out the arguments of a tool: parameters and body members side by side, with names that every provider accepts.

Arguments are flat, because models fill flat objects in better, and providers check only top-level keys. If a body
member repeats a path parameter, one argument serves both. Other inputs that share a name get different arguments. The
plain name goes to the first in the order path, query, header, cookie, body. The others get a suffix (`id_body`).

An input with a single possible value is a constant: the server fills it in, and no argument exists for it. An argument
is optional if the server can send the document's default instead. With `--fields`, a tool also gets an argument with
which a model asks for parts of a result. The result does not depend on other operations.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import (
    alphanumeric,
    argument_name,
    clipped,
    distinct,
    is_readable,
    spelled_out,
    words,
    written_argument_name,
)
from mcpgen.base.runtime import page_arguments
from mcpgen.lower.inputs import changes, constants, hidden_nulls, positions
from mcpgen.lower.inputs.bodies import BodyPlan, part_of
from mcpgen.lower.inputs.changes import misfit
from mcpgen.lower.inputs.slots import (
    ACCOUNT,
    FIELDS,
    LOOKUP,
    ORDER,
    REST,
    SERVER,
    WHOLE,
    Input,
    Slot,
    filename_of,
    part_slot,
)
from mcpgen.lower.schema import budget
from mcpgen.lower.schema.compose import Composer, alternatives, types
from mcpgen.lower.schema.constraints import EMPTY
from mcpgen.lower.schema.expansions import ArgumentKey
from mcpgen.lower.schema.kinds import is_null
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.lower.schema.portable import FILE_NOTE, Portable
from mcpgen.lower.schema.verbatim import Verbatim
from mcpgen.lower.text.boilerplate import without_encoding
from mcpgen.lower.text.prose import ended
from mcpgen.model import InputProfile, Operation, Parameter, SchemaProfile, SentArgument
from mcpgen.model.pins import Pin

Writer = Portable | Verbatim
"""Writer of schemas in one profile (portable or full)."""
_IDENTIFIES = frozenset(["id", "ids", "uuid", "guid", "slug"])
_WORDS = frozenset(["me", "@me", "self", "current", "default", "all", "-", "_", "~"])
"""Defaults that stand for an object of the caller, or for all objects."""
_FIELDS_ARGUMENT = "fields"
FIELDS_SCHEMA: JsonObject = {
    "type": "string",
    "description": "Parts of the result to show, as up to 20 dotted paths: id,owner.name",
}


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one tool.

    `schema`: the input schema. `profile`: "written" if a person wrote the schema; else "portable" if every client
    accepts its keywords, or "full". `names`: slot (place in the request, parameter name) → argument name. `constants`:
    slot → fixed value. `cuts`: phrases for single parts that the schema leaves out, such as conditions. `given_up`:
    phrases for kinds of parts that it leaves out everywhere to save tokens. `fits`: True if the schema stays within the
    token limit. `defaults`: argument → value that is sent if a call leaves it out. `sends_body`: True if a default or
    constant is in the body, so every call has a body.

    Choices of the server's owner: `renamed`: slots with chosen names. `media_types`: chosen media types of parameters.
    `empty`: path parameters that may be empty. `used`: places of rules in the tools file that changed an argument.

    `nullable`: pointers to members of a JSON body that may be null, although the schema does not show it.
    """

    schema: JsonObject
    profile: InputProfile
    names: Mapping[Slot, str]
    constants: Mapping[Slot, JsonValue]
    cuts: tuple[str, ...]
    given_up: tuple[str, ...] = ()
    fits: bool = True
    defaults: Mapping[str, JsonValue] = field(default_factory=dict)
    sends_body: bool = False
    renamed: frozenset[Slot] = frozenset()
    media_types: Mapping[Slot, str] = field(default_factory=dict)
    empty: frozenset[Slot] = frozenset()
    used: frozenset[Where] = frozenset()
    nullable: tuple[str, ...] = ()


# The order of keys in a document has no meaning and must change no byte, so properties are sorted, required ones first.
def lay_out(
    operation: Operation,
    plan: BodyPlan | None,
    producers: Mapping[Slot, str],
    known: Pin,
    composer: Composer,
    profile: SchemaProfile,
    most_tokens: int,
    diagnostics: Diagnostics,
) -> Arguments:
    """Return the arguments of `operation`. Their schema has at most `most_tokens` if possible; in the profile "full",
    it may have more.

    `plan`: how the body is sent. `producers`: slot (place in the request, parameter name) of an id → the tool that
    lists its values. `known`: the names that the lock file stores for the tool.
    """
    everything = [
        *(_of_parameter(each, producers, composer) for each in operation.parameters),
        *(_of_body(plan, producers, composer) if plan else ()),
        *(_of_sent(each) for each in (operation.decided.sends.arguments if operation.decided.sends else ())),
    ]
    fixed = ((entry.slot, _constant(entry, composer)) for entry in everything)
    constants = {slot: value for slot, value in fixed if value is not None}
    inputs = sorted((entry for entry in everything if entry.slot not in constants), key=_position)
    if _fields_are_offered(operation, composer) and all(each.wanted_name != _FIELDS_ARGUMENT for each in inputs):
        inputs.append(Input(FIELDS, _FIELDS_ARGUMENT, FIELDS_SCHEMA))
    inputs = [replace(each, original=name) if (name := _original(each)) else each for each in inputs]
    derived = _named(inputs, known.arguments, known.former, composer)
    settled = changes.settled(operation, everything, inputs, derived, constants, plan, diagnostics)
    inputs, names = sorted(settled.inputs, key=_position), settled.names
    nulls = operation.method in ("PATCH", "PUT") or (plan is not None and "merge-patch" in plan.content_type)
    files = plan is not None and plan.encoding.startswith("multipart")
    portable = [Portable(composer, limits, nulls=nulls, files=files) for limits in budget.LADDER]
    verbatim: list[Writer] = [Verbatim(composer, files=files)] if profile == "full" else []
    schema, writer, fits = _written([*verbatim, *portable], inputs, names, most_tokens)
    cuts = tuple(dict.fromkeys(writer.cuts))
    written: SchemaProfile = "full" if isinstance(writer, Verbatim) else "portable"
    schema, filled_in = _with_document_defaults(operation, schema, inputs, names, settled.demanded, composer)
    defaults = filled_in | changes.checked_defaults(settled, schema, diagnostics)
    given_up = tuple(writer.given_up())
    renamed = frozenset(slot for slot, name in names.items() if derived.get(slot) != name)
    return Arguments(
        schema,
        written,
        names,
        settled.constants,
        cuts,
        given_up,
        fits,
        defaults,
        settled.sends_body,
        renamed,
        settled.media_types,
        frozenset(settled.empty),
        frozenset(settled.used),
        () if nulls or written == "full" else hidden_nulls.pointers(_of_json(inputs, plan), names, schema, composer),
    )


def _of_json(inputs: list[Input], plan: BodyPlan | None) -> list[Input]:
    """Return the inputs that are sent as parts of JSON, or by a template, which leaves null out of anything else."""
    places = ("send", "body") if plan is not None and plan.encoding in ("json", "jsonl") else ("send",)
    return [entry for entry in inputs if entry.slot[0] in places]


def _written(
    writers: list[Writer], inputs: list[Input], names: Mapping[Slot, str], most_tokens: int
) -> tuple[JsonObject, Writer, bool]:
    """Write the input schema with each of `writers` in order, until a schema has at most `most_tokens`.

    Return the last schema that was written, its writer, and True if the schema has at most `most_tokens`.
    """
    exhausted, keys = set[int](), list[ArgumentKey]()
    for writer, following in zip(writers, [*writers[1:], None], strict=True):
        if isinstance(writer, Portable) and writer.limits.depth in exhausted:
            continue  # a writer with this `depth` has reached the limit on nodes: try only smaller depths
        if isinstance(writer, Portable) and isinstance(following, Portable):
            keys = keys or _keys(inputs, names, writer)
            known = writer.known(keys)
            is_too_large = sum([each.nodes for each in known]) >= budget.MOST_NODES
            if known and not is_too_large and following.limits.depth < writer.limits.depth:
                shown = [each.emitted for each in known]
                is_too_large = budget.are_too_large(shown, len(inputs), most_tokens, writer.composer.once)
            if is_too_large:
                exhausted.add(writer.limits.depth)
                for each in known:
                    writer.composer.repeat(each.findings)
                continue
        schema = _schema_of(inputs, names, writer, whole=following is None)
        if writer.is_exhausted and following is not None:
            exhausted |= {writer.limits.depth} if isinstance(writer, Portable) else set()
            continue
        fits = budget.fits(schema, most_tokens, writer.composer.once)
        if fits or isinstance(writer, Verbatim):
            break
    return schema, writer, fits


def _keys(inputs: list[Input], names: Mapping[Slot, str], writer: Portable) -> list[ArgumentKey]:
    """Return the keys of expansions of the members of the body that become parts of the input schema."""
    first = {names[entry.slot]: entry for entry in reversed(inputs)}
    return [
        writer.key(entry.schema, entry.required, entry.description, entry.removable, entry.patched)
        for entry in first.values()
        if entry.slot[0] == "body" and not entry.file
    ]


def _schema_of(inputs: list[Input], names: Mapping[Slot, str], writer: Writer, *, whole: bool) -> JsonObject:
    """Return the input schema.

    `whole`: True to include all arguments. Otherwise, once the schema is too large (`writer.is_exhausted`), leave out
    the remaining arguments.
    """
    properties: JsonObject = {}
    for entry in inputs:
        if writer.is_exhausted and not whole:
            break
        if names[entry.slot] not in properties:
            properties[names[entry.slot]] = _schema(entry, writer)
    schema: JsonObject = {"type": "object", "properties": properties}
    required = {names[entry.slot] for entry in inputs if entry.required}
    if required:
        schema["required"] = [name for name in properties if name in required]
    if definitions := writer.definitions():
        schema["$defs"] = definitions
    return schema


def _position(entry: Input) -> tuple[bool, int]:
    """Return a sort key: required inputs first, by their place in the request; other inputs stay in the order of the
    document.
    """
    return not entry.required, ORDER[entry.slot[0]] if entry.required else 0


# -- Inputs of a request -----------------------------------------------------------------------------------------------


def _of_parameter(parameter: Parameter, producers: Mapping[Slot, str], composer: Composer) -> Input:
    plain = parameter.name.lower() if parameter.location == "header" else parameter.name
    made = constants.is_made(parameter, composer)
    return Input(
        (parameter.location, parameter.name),
        written_argument_name(parameter.argument) if parameter.argument else argument_name(plain),
        _or_empty(parameter, composer) if parameter.allows_empty else parameter.schema,
        parameter.required and not made,
        parameter.description,
        parameter.deprecated,
        source=producers.get((parameter.location, parameter.name), ""),
        made=made,
    )


def _or_empty(parameter: Parameter, composer: Composer) -> JsonObject:
    """Return the parameter's schema, with the empty string as an alternative if the schema does not allow strings.

    An empty string sends the parameter's name without a value (`allowEmptyValue`, OpenAPI 3.1, 4.8.12.2.1).
    """
    if "string" in types(composer.node(parameter.schema)[0]):
        return parameter.schema
    told = "If empty, only the parameter's name is sent."
    empty: JsonObject = {"type": "string", "pattern": EMPTY, "description": told}
    return {"anyOf": [parameter.schema, empty]}


def _of_body(plan: BodyPlan, producers: Mapping[Slot, str], composer: Composer) -> Iterator[Input]:
    must, patched = plan.is_needed, plan.is_merge_patch
    if plan.properties is None:
        if plan.encoding == "multipart-items":
            kinds = [part_of(plan, *part, composer) for part in positions.positions(plan.media_type, composer)]
            yield from positions.inputs(plan.media_type, kinds, must, plan.body.description, composer)
            return
        file = plan.encoding == "binary"
        yield Input(WHOLE, "body", _whole_schema(plan), must, plan.body.description, file=file, patched=patched)
        return
    for key, schema in plan.properties.items():
        given = plan.body.names.get(key)
        name = argument_name(key) if given is None else written_argument_name(given)
        file = plan.encoding == "multipart" and part_of(plan, key, schema, composer) == "file"
        demanded, removable = key in plan.required, patched and key not in plan.required
        slot: Slot = ("body", key)
        source = producers.get(slot, "")
        yield Input(
            slot, name, schema, must and demanded, file=file, source=source, removable=removable, patched=patched
        )
        if file and "array" not in types(composer.node(schema)[0]):
            yield filename_of(key, name)
        for header in plan.media_type.headers_of(key) if plan.encoding == "multipart" else ():
            wanted = argument_name(f"{name}_{header.name.lower()}")
            needed = must and key in plan.required and header.required
            yield Input(part_slot(key, header), wanted, header.schema, needed, header.description)
    if plan.rest is not None:
        further: JsonObject = {"type": "object", "description": "Further members of the body."}
        rest = {**further, "additionalProperties": plan.rest}
        yield Input(REST, "additional_properties", rest, patched=patched)


def _of_sent(argument: SentArgument) -> Input:
    """Return the input (a value for the request) for an argument that a template in the tools file uses.

    Its default is sent, since the API does not see the argument itself and cannot apply the default.
    """
    name, default = written_argument_name(argument.name), argument.default
    return Input(("send", argument.name), name, argument.schema, argument.required, default=default)


def _original(entry: Input) -> str:
    """Return the name that the input has in the request, if the argument's name does not show it, else ""."""
    place, wire_name = entry.slot
    is_named = place in ("path", "query", "header", "cookie", "body") and wire_name not in ("", entry.wanted_name)
    return clipped(wire_name) if is_named and not is_readable(wire_name) else ""


def _whole_schema(plan: BodyPlan) -> JsonObject:
    if plan.encoding in ("text", "binary"):
        return {"type": "string", "description": f"The body, as {plan.content_type}."}
    if plan.encoding == "jsonl":
        return {"description": f"One JSON value a line, as {plan.content_type}.", "type": "array", **plan.schema}
    if plan.schema or (plan.encoding == "json" and plan.media_type.schema is not None):
        return plan.schema
    return {"type": "object"}


def _constant(entry: Input, composer: Composer) -> JsonValue:
    """Return the only value of a required input or part header, or None if there is a choice.

    An input for a whole body never counts as a constant.
    """
    if not (entry.required or entry.slot[0] == "part") or entry.slot == WHOLE:
        return None
    return composer.only_value(entry.schema)


# -- Names of arguments ------------------------------------------------------------------------------------------------


_LATER = (LOOKUP, SERVER, ACCOUNT[0])
"""Places of arguments that are added when all others have names."""


def _named(
    inputs: list[Input],
    promised: Mapping[tuple[str, str], str],
    former: Mapping[tuple[str, str], str],
    composer: Composer,
) -> dict[Slot, str]:
    wanted: dict[str, list[Input]] = {}
    for entry in inputs:
        wanted.setdefault(entry.wanted_name, []).append(entry)
    kept = _kept(inputs, promised, former)
    held = {*kept.values(), *(name for (place, _), name in promised.items() if place in _LATER)}
    taken = {*wanted, *held}
    names: dict[Slot, str] = {}
    for name, members in wanted.items():
        first, *others = sorted(members, key=lambda entry: _claim(entry, kept.get(entry.slot), name))
        names[first.slot] = kept.get(first.slot) or (_suffixed(name, first, taken) if name in held else name)
        taken.add(names[first.slot])
        for other in others:
            if _is_repeated(first, other, composer):
                names[other.slot] = names[first.slot]
                continue
            names[other.slot] = kept.get(other.slot) or _suffixed(name, other, taken)
            taken.add(names[other.slot])
    return names


def _kept(
    inputs: list[Input], promised: Mapping[tuple[str, str], str], former: Mapping[tuple[str, str], str]
) -> dict[Slot, str]:
    """Return slot (place in the request, parameter name) → the argument name that the parameter keeps from an earlier
    version of the project.

    Names in `promised` always stay. `former`: names of arguments that an earlier version had and the last one did not.
    A former name comes back only if no other argument has it or would get it.
    """
    kept: dict[Slot, str] = {}
    for entry in inputs:
        if (name := promised.get(entry.slot)) and name not in kept.values():
            kept[entry.slot] = name
    elsewhere = {entry.wanted_name for entry in inputs if entry.slot not in kept}
    for entry in inputs:
        name = former.get(entry.slot)
        if name and entry.slot not in kept and name not in (elsewhere - {entry.wanted_name}) | {*kept.values()}:
            kept[entry.slot] = name
    return kept


def _claim(entry: Input, kept: str | None, name: str) -> tuple[bool, int, bool]:
    """Return a sort key for inputs that compete for the argument name `name`: first the input that had this name in an
    earlier version of the project, then by place in the request.
    """
    return kept != name, ORDER[entry.slot[0]], entry.slot[1] != name


def _suffixed(name: str, entry: Input, taken: set[str]) -> str:
    place, wire_name = entry.slot
    candidates = (f"{name[:55]}_{place}", *spelled_out(wire_name))
    return distinct(candidates, name[:55], place + wire_name, taken)


def _is_repeated(first: Input, other: Input, composer: Composer) -> bool:
    """Return True if a body requires a value that the path already contains, so that one argument serves both."""
    same_name = (first.slot[0], other.slot[0]) == ("path", "body") and first.slot[1] == other.slot[1]
    return same_name and other.required and _types(first, composer) == _types(other, composer)


def _types(entry: Input, composer: Composer) -> list[str]:
    return types(composer.node(entry.schema)[0])


# -- Schemas of arguments ----------------------------------------------------------------------------------------------


_ENCODED = frozenset(["path", "query"])
"""Places of the request in which the server percent-encodes values, and in which null cannot be sent."""


def _schema(entry: Input, writer: Writer) -> JsonObject:
    if entry.file:
        schema = _file_schema(entry, writer)
    else:
        is_text = entry.slot[0] in _ENCODED
        told = entry.description or (str(entry.schema.get("description", "")) if is_text else "")
        schema = writer.schema(
            entry.schema,
            required=entry.required and not is_text,
            description=without_encoding(told) if is_text else told,
            removable=entry.removable,
            patched=entry.patched,
        )
    text = str(schema.get("description", ""))
    if entry.original and entry.original not in text:
        text = f"{entry.original}: {text}" if text else entry.original
        schema = {**schema, "description": text}
    notes = [
        f"From {entry.source}." if entry.source and entry.source not in text else "",
        "Deprecated." if entry.deprecated and "Deprecated." not in text else "",
        constants.NOTE if entry.made else "",
    ]
    if any(notes):
        schema = {**schema, "description": " ".join(filter(None, [ended(text), *notes]))}
    return schema if entry.default is None else {**schema, "default": entry.default[0]}


def _file_schema(entry: Input, writer: Writer) -> JsonObject:
    node, _ = writer.composer.node(entry.schema)
    words = writer.schema({"type": "string", "description": entry.description or node.get("description", "")})
    text = str(words.get("description", ""))
    note = f"{text}{'' if not text or text[-1] in '.!?' else '.'} {FILE_NOTE}".strip()
    one: JsonObject = {"type": "string", "contentEncoding": "base64"}
    several: JsonObject = {"type": "array", "items": one}
    branches = [writer.composer.node(each)[0] for each in alternatives(node)] or [node]
    kinds = {"array" in types(branch) for branch in branches if not is_null(branch)}
    if kinds == {True, False}:
        return {"anyOf": [one, several], "description": note}
    return {**(several if kinds == {True} else one), "description": note}


def _with_document_defaults(
    operation: Operation,
    schema: JsonObject,
    inputs: Iterable[Input],
    names: Mapping[Slot, str],
    demanded: set[Slot],
    composer: Composer,
) -> tuple[JsonObject, JsonObject]:
    """Return the input schema in which required arguments with a default are optional, and argument → this default.

    `demanded`: slots that the owner makes required.
    """
    properties, required = as_object(schema.get("properties")), [str(name) for name in as_list(schema.get("required"))]
    defaults: JsonObject = {}
    for entry in inputs:
        name = names[entry.slot]
        if name not in required or entry.slot in demanded:
            continue
        # the schema that is shown leaves out some defaults, such as those of unions
        default = composer.node(entry.schema)[0].get("default")
        if default not in (None, "") and not _must_be_given(operation, entry, default):
            defaults[name] = default
    defaults = {name: value for name, value in defaults.items() if not misfit(schema, name, value)}
    if not defaults:
        return schema, {}
    left = [name for name in required if name not in defaults]
    ordered = {name: properties[name] for name in [*left, *(name for name in properties if name not in left)]}
    changed: JsonObject = {**schema, "properties": ordered, "required": list[JsonValue](left)}
    return {key: value for key, value in changed.items() if left or key != "required"}, defaults


def _must_be_given(operation: Operation, entry: Input, default: JsonValue) -> bool:
    """Return True if a call must give a required argument although the document has a default for it."""
    place, name = entry.slot
    if entry.slot == WHOLE or entry.file or place == "part":
        return True
    *_, last = operation.template.variables or ("",)
    ends_path = place == "path" and name == last and not operation.template.literals[-1]
    names_object = ends_path or (words(name) or [""])[-1] in _IDENTIFIES
    return names_object and str(default) not in _WORDS


# If every tool had the argument `fields`, it would cost more tokens than it saves (docs/decisions/results.md).
def _fields_are_offered(operation: Operation, composer: Composer) -> bool:
    """Return True if the tool for `operation` gets the argument `fields`."""
    if not operation.decided.fields or operation.decided.output_schema is not None:
        return False  # a result with only some fields would not match a handwritten output schema
    if operation.decided.result is not None and operation.decided.result.replaces:
        return False  # a text or content blocks replace the JSON, so there are no fields to select
    query = (alphanumeric(each.name) for each in operation.parameters if each.location == "query")
    if any(map(page_arguments.FIELDS.fullmatch, query)):
        return False  # the API has an argument for this purpose
    good = [response for response in operation.responses if response.status[:1] == "2"]
    schemas = [
        media_type.schema
        for response in good
        for media_type in response.content
        if encoding_of(media_type.name) == "json"
    ]
    return not good or any(schema is None or _has_parts(schema, composer) for schema in schemas)


def _has_parts(schema: JsonObject, composer: Composer) -> bool:
    kinds = types(composer.node(schema)[0])
    return not kinds or bool({"object", "array"} & set(kinds))
