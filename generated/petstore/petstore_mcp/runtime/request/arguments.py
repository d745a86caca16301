# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read a tool's arguments as clients write them, and check them against the tool's input schema.

The validator library first decides whether the arguments are valid, which is fast. Only in invalid arguments, the
violations are searched for, within the call's time budget, and become problems that the model can correct. The search
stops when it has found more problems than the model is shown. Of the formats, date, date-time and uuid are checked.
Integers may be written 1.0; true is not an integer. Names that the schema does not declare are refused, unless the
tool's entry in `bindings.json` has the member `open`.

Arguments that do not fit the schema as they are may fit otherwise (`read_leniently`):

- A text that is JSON (`"[1, 2]"`, `"5"`) stands for its value if the schema allows no string there, and allows the type
  of the value. Some clients and models write every argument as a string.
- null for an optional member stands for no member, unless the schema allows null. Some frameworks send all members.
  "" does the same for enums, numbers, booleans and dates.
- Members that a host adds to the arguments are left out, unless the tool has such an argument.
- The name that the API has for a parameter or body member, such as `api-version` for `api_version`, stands for the
  argument. Models know these names from the API's documentation, and from descriptions of arguments.

A tool whose entry in `bindings.json` has a kind that this runtime does not know is not called, because a newer mcpgen
may write other styles and encodings. Kinds of security schemes are checked when the server starts (`catalog.py`).

Compiled validators are cached. The library fetches nothing, and each check takes time linear in the size of the value.
Patterns run in linear time. A pattern that has no linear form, or is too large, is not checked.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Container, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from ..core.jsonrpc import NotJSON, loads
from ..core.limits import Budget, Exhausted
from ..text.patterns import options
from .argument_errors import MOST_SHOWN, Problem, Problems
from .styles import STYLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.catalog import Tool
    from ..tables.table import Binding, Body, Parameter
    from ..tables.words import BodyEncoding, PartKind
    from .violations import Violation

MOST_VALIDATORS = 128
"""Maximum number of validators in the cache.

A validator takes some tens of microseconds to build and some tens of kilobytes of memory. Its patterns take at most 2
MiB, which the compiler ensures.
"""

# Formats that are not checked, because servers disagree on their exact form. Only date, date-time and uuid are checked.
_DOUBTFUL = (
    *("duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference"),
    *("json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template"),
)

Formats = dict[str, Callable[[str], bool]]


class SchemaChecker:
    """Checker for one schema and its subschemas. `schema`: the schema without patterns that only the API checks.

    `is_valid(value)` checks a value against the whole schema. The other methods check a value against a subschema, or
    one keyword of a subschema. The subschema is named by a JSON Pointer as a URI fragment (RFC 6901 section 6).
    """

    __slots__ = ("_formats", "_keywords", "_parts", "is_valid", "schema")

    def __init__(self, schema: dict[str, Any], formats: Formats, unchecked: Collection[str] = ()) -> None:
        """Compile the schema. `unchecked` lists patterns that are not checked here, only by the API."""
        self.schema = _without_patterns(schema, unchecked) if unchecked else schema
        self._formats = formats
        self._parts: jsonschema_rs.ValidatorMap | None = None
        self._keywords: dict[str, Callable[[Any], bool]] = {}
        try:
            self.is_valid = _build(self.schema, formats).is_valid
        except (
            jsonschema_rs.ValidationError
        ):  # this version of jsonschema_rs refuses a pattern: leave such patterns out
            self.schema = _without_patterns(self.schema, _refused(self.schema))
            self.is_valid = _build(self.schema, formats).is_valid

    def is_part_valid(self, pointer: str, value: Any) -> bool:
        """Return True if `value` is valid against the subschema at `pointer`. Raise KeyError if there is none."""
        if self._parts is None:
            self._parts = jsonschema_rs.validator_map_for(self.schema, **options(self._formats))
        return self._parts[pointer].is_valid(value)

    def is_keyword_valid(self, pointer: str, keyword: str, rule: dict[str, Any], value: Any) -> bool:
        """Return True if `value` satisfies one keyword of the subschema at `pointer`.

        `rule` is a schema that contains only this keyword.
        """
        place = f"{pointer}/{keyword}"
        if place not in self._keywords:
            dialect = {"$schema": self.schema["$schema"]} if "$schema" in self.schema else {}
            self._keywords[place] = _build({**dialect, **rule}, self._formats).is_valid
        return self._keywords[place](value)


class Validators:
    """Cache of schema checkers, one per tool.

    With `exact`, all formats are checked, otherwise only date, date-time and uuid. `exact` is for results, since
    clients check all formats in results too.
    """

    __slots__ = ("_built", "_formats")

    def __init__(self, *, exact: bool = False) -> None:
        self._built: dict[str, SchemaChecker] = {}
        self._formats: Formats = {} if exact else dict.fromkeys(_DOUBTFUL, lambda value: True)

    def of(self, tool: Tool, schema: dict[str, Any]) -> SchemaChecker:
        """Return the checker for `schema`, a schema of `tool`."""
        if tool.name not in self._built:
            if len(self._built) >= MOST_VALIDATORS:
                del self._built[next(iter(self._built))]
            self._built[tool.name] = SchemaChecker(schema, self._formats, tool.binding.get("unchecked", ()))
        return self._built[tool.name]


def _build(schema: dict[str, Any], formats: Formats) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema, **options(formats))


def _refused(schema: Any) -> list[str]:
    """Return the patterns of a schema that the validator library refuses, because it cannot compile them within its
    limit.
    """
    return [pattern for pattern in _patterns(schema) if not _is_compilable(pattern)]


def _is_compilable(pattern: str) -> bool:
    try:
        _build({"pattern": pattern}, {})
    except jsonschema_rs.ValidationError:
        return False
    return True


def _patterns(schema: Any) -> Iterator[str]:
    """Yield the patterns of a schema: values of `pattern`, and keys of `patternProperties`."""
    if isinstance(schema, list):
        for item in schema:
            yield from _patterns(item)
    elif isinstance(schema, dict):
        for name, member in schema.items():
            yield from _of_member(name, member)
            if name not in ("enum", "const"):
                yield from _patterns(member)


def _without_patterns(schema: Any, unchecked: Collection[str]) -> Any:
    """Return the schema without the patterns in `unchecked`."""
    if isinstance(schema, list):
        return [_without_patterns(item, unchecked) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: member if name in ("enum", "const") else _without_patterns(member, unchecked)
        for name, member in schema.items()
        if not any(pattern in unchecked for pattern in _of_member(name, member))
    }


def _of_member(name: str, member: Any) -> list[str]:
    """Return the patterns that the member `name` of a schema is or contains as keys."""
    if name == "pattern" and isinstance(member, str):
        return [member]
    return list(member) if name == "patternProperties" and isinstance(member, dict) else []


ENCODINGS: tuple[BodyEncoding, ...] = ("json", "jsonl", "form", "multipart", "multipart-items", "xml", "text", "binary")
PARTS: tuple[PartKind, ...] = ("text", "json", "xml", "file")


def unknown_kinds(binding: Binding) -> str:
    """Return the first unknown style, encoding or part kind in a tool's entry, with a label; "" if all are known."""
    return next((f"{what} {kind!r}" for what, kind, known in _kinds(binding) if kind not in known), "")


def _kinds(binding: Binding) -> Iterator[tuple[str, str, Collection[str]]]:
    """Yield a triple for each style, body encoding and kind of a multipart part in a tool's entry.

    The triple is: a label for messages (`style`, for example), the value, and the values that the runtime knows.
    """
    for parameter in parameters_of(binding):
        yield "style", parameter["style"], STYLES
    if "body" in binding:
        yield from _of_body(binding["body"])


def _of_body(body: Body) -> Iterator[tuple[str, str, Collection[str]]]:
    yield "encoding", body["encoding"], ENCODINGS
    for field in body.get("fields", ()):
        if "style" in field:
            yield "style", field["style"], STYLES
        if "part" in field:
            yield "part", field["part"], PARTS


def parameters_of(binding: Binding) -> Iterator[Parameter]:
    """Yield the parameters of a tool's entry, then the headers of its multipart parts."""
    yield from (part for part in binding.get("path", ()) if not isinstance(part, str))
    yield from (*binding.get("query", ()), *binding.get("querystring", ()))
    yield from (*binding.get("headers", ()), *binding.get("cookies", ()))
    if "body" in binding:
        yield from (header for field in binding["body"].get("fields", ()) for header in field.get("headers", ()))


def originals(binding: Binding) -> dict[str, str]:
    """Return name in the request -> argument, for names that differ from the argument and belong to one argument."""
    found: dict[str, str] = {}
    doubtful: set[str] = set()
    for each in (*parameters_of(binding), *binding.get("body", {}).get("fields", ())):
        if "argument" in each and found.setdefault(each["name"], each["argument"]) != each["argument"]:
            doubtful.add(each["name"])
    return {name: argument for name, argument in found.items() if name != argument and name not in doubtful}


def with_argument_names(binding: Binding, declared: Container[str], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return `arguments` with each original name replaced by the name of its argument.

    A name that is itself a declared argument stays, and so does a name whose argument is given too. If nothing is
    replaced, `arguments` itself is returned.
    """
    known = originals(binding)
    meant = {name: known[name] for name in arguments if name in known and name not in declared}
    meant = {name: argument for name, argument in meant.items() if argument not in arguments}
    return {meant.get(name, name): value for name, value in arguments.items()} if meant else arguments


HOST_MEMBERS = frozenset(["toolCallId", "task_progress"])
"""Members that hosts add to the arguments of every call: n8n and Cline."""

SECONDS = 30.0
"""Time limit, in seconds, for a check that is not part of a call."""


class Checker:
    """Checker of arguments, with a cache of the tools' compiled validators."""

    __slots__ = ("_ignored", "_validators")

    def __init__(self, ignored: frozenset[str] = frozenset()) -> None:
        """Create the checker. `ignored`: names that no open tool accepts, because hosts add them to the arguments."""
        self._validators = Validators()
        self._ignored = ignored

    def fits(self, tool: Tool, arguments: dict[str, Any]) -> bool:
        """Return True if the arguments have no problems."""
        named = tool.schema.get("properties", {})
        is_known = arguments.keys() <= named.keys() or not self._strange(tool, arguments)
        return is_known and _is_valid(self._validators.of(tool, tool.schema), arguments)

    def check(self, tool: Tool, arguments: dict[str, Any], budget: Budget | None = None) -> Problems:
        """Return the problems of the arguments: unknown names first, then violations in the order of the schema."""
        strange = self._strange(tool, arguments)
        judge = self._validators.of(tool, tool.schema)
        fits = _is_valid(judge, arguments)
        if fits and not strange:
            return Problems()
        if not fits and (broken := _broken(arguments)):
            return broken
        budget = budget or Budget(SECONDS, time.monotonic)
        return _explained(tool, strange, None if fits else judge, arguments, budget)

    def _strange(self, tool: Tool, arguments: dict[str, Any]) -> list[str]:
        """Return the first few argument names that the tool does not accept, in the order of the call."""
        known, is_open = known_names(tool), tool.binding.get("open", False)
        strange = (name for name in arguments if name not in known and (not is_open or name in self._ignored))
        return list(islice(strange, MOST_SHOWN + 1))


def known_names(tool: Tool) -> dict[str, None]:
    """Return the names of a tool's arguments, in order."""
    return dict.fromkeys([*tool.schema.get("properties", {}), *tool.binding.get("also", ())])


def _is_valid(judge: SchemaChecker, arguments: dict[str, Any]) -> bool:
    try:
        return judge.is_valid(arguments)
    except UnicodeEncodeError:  # jsonschema_rs fails on some lone surrogates; treat the arguments as invalid
        return False


def _explained(
    tool: Tool, strange: list[str], judge: SchemaChecker | None, arguments: dict[str, Any], budget: Budget
) -> Problems:
    """Return the problems to show to the model: the unknown names in `strange`, then violations of the schema.

    `judge`: checker of the schema that the arguments violate, or None if they violate none.
    """
    # Imported here: needed only for invalid arguments.
    from .violations import SchemaWalk, problems, unknown_name

    known = known_names(tool)
    found = Problems()
    set_by_api = tool.binding.get("body", {}).get("setByApi", ())
    found.add(unknown_name("", name, known, set_by_api, originals(tool.binding)) for name in strange)
    if judge is None:
        return found
    violations: list[Violation] = []
    try:
        for violation in SchemaWalk(judge, budget).violations_of(arguments):
            # Skip unknown top-level names: they were reported above, or `bindings.json` allows them.
            if violation.path or violation.keyword not in ("additionalProperties", "unevaluatedProperties"):
                violations.append(violation)
            if len(violations) > MOST_SHOWN:
                break
    except Exhausted:
        found.complete = False
    for violation in _in_order(violations, list(known)):
        try:
            found.add(problems(violation))
        except Exhausted:
            found.complete = False
    if not found:
        found.add(_roughly(tool, judge, arguments))
    return found


def _roughly(tool: Tool, judge: SchemaChecker, arguments: dict[str, Any]) -> Iterator[Problem]:
    """Yield one problem per invalid argument, without details.

    Used if a search for details would exceed the time budget.
    """
    from .violations import shown_name  # imported here: needed only for invalid arguments

    for name in tool.schema.get("properties", {}):
        pointer = f"#/properties/{name.replace('~', '~0').replace('/', '~1')}"
        if name in arguments and not judge.is_part_valid(pointer, arguments[name]):
            yield Problem(shown_name(name), "does not fit its schema, and holds too much to say where")


def _in_order(violations: list[Violation], known: list[str]) -> list[Violation]:
    """Return violations in the order in which `known` lists the arguments.

    A `type` violation is dropped if the same value also violates `enum` or `const`.
    """
    listed = {violation.path for violation in violations if violation.keyword in ("enum", "const")}
    told = [violation for violation in violations if violation.keyword != "type" or violation.path not in listed]
    position: dict[Any, int] = {name: index for index, name in enumerate(known)}
    return sorted(told, key=lambda violation: position.get(_first(violation), -1))


def _first(violation: Violation) -> str | int:
    """Return the name of the top-level argument that contains a violation."""
    if violation.path:
        return violation.path[0]
    return violation.detail if violation.keyword == "required" else ""


def _broken(arguments: dict[str, Any]) -> Problems:
    """Return a problem for each argument that contains a lone surrogate."""
    found = Problems()
    if _is_text(arguments):
        return found
    from .violations import shown_name  # imported here: needed only for invalid arguments

    broken = (name for name, value in arguments.items() if not _is_text({name: value}))
    found.add(Problem(shown_name(name), "expected text without lone surrogates") for name in broken)
    return found


def _is_text(value: dict[str, Any]) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


_MEANT = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
"""JSON types to which a text is converted. null is left out, because `"null"` is as often meant as a word."""

_WITH_CALL_ID = frozenset(["sessionId", "action", "chatInput"])
"""Members that n8n adds together with `toolCallId`."""

_PARTS = ("anyOf", "oneOf", "allOf")
_DEEPEST = 8


def without_host_members(
    arguments: dict[str, Any], known: Iterable[str], further: frozenset[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments without members that hosts add, and the names of these members.

    `known`: names of the tool's arguments, which always stay. `further`: names that the operator has added to the list.
    """
    strange = arguments.keys() - set(known)
    added = HOST_MEMBERS | further | (_WITH_CALL_ID if "toolCallId" in strange else frozenset())
    left_out = sorted(strange & added)
    return {name: value for name, value in arguments.items() if name not in left_out}, left_out


def read_leniently(
    schema: dict[str, Any], arguments: dict[str, Any], budget: Budget, nullable: Iterable[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments as the schema means them, and the names of those that came as JSON text.

    `schema`: the tool's input schema. `nullable`: pointers to members whose null stays, although the schema does not
    allow null there, such as `/labels/*/color`. Raise Exhausted if the time budget runs out.
    """
    reading = _Reading(schema, budget, frozenset(nullable))
    found = reading.members(reading.alternatives(schema), arguments, "")
    parsed = [name for name, value in arguments.items() if name in found and _is_parsed(value, found[name])]
    return found, parsed


def _is_parsed(before: Any, after: Any) -> bool:
    """Return True if a text in `before` became a value in `after`."""
    if isinstance(before, str) or type(before) is not type(after):
        return before is not after
    if isinstance(before, list):
        return any(map(_is_parsed, before, after))
    return isinstance(before, dict) and any(_is_parsed(before[name], member) for name, member in after.items())


class _Reading:
    """Converter of values into the values that the schema of a tool means."""

    __slots__ = ("_budget", "_nullable", "_schema")

    def __init__(self, schema: dict[str, Any], budget: Budget, nullable: frozenset[str]) -> None:
        self._schema = schema
        self._budget = budget
        self._nullable = nullable

    def members(self, schemas: list[dict[str, Any]], value: dict[str, Any], pointer: str) -> dict[str, Any]:
        """Return an object without members that count as not given. `schemas`: those that may apply to the object."""
        found: dict[str, Any] = {}
        for name, member in value.items():
            at = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            owners = [each for each in schemas if name in each.get("properties", ())]
            schema = _any_of([each["properties"][name] for each in owners] or _further(schemas))
            if member is None and at in self._nullable:
                found[name] = None
            elif not (
                member in (None, "")
                and any(name not in each.get("required", ()) for each in owners)
                and not self._has_meaning(schema, member)
            ):
                found[name] = self.value(schema, member, at)
        return found

    def value(self, schema: Any, value: Any, pointer: str) -> Any:
        """Return the value that the schema means. Return `value` itself if nothing in it is to be changed."""
        self._budget.spend(1)
        if isinstance(value, str):
            meant = self._meant(self._types(schema, 0), value)
            return value if meant is value else self.value(schema, meant, pointer)
        if isinstance(value, list):
            inner = [each["items"] for each in self.alternatives(schema) if isinstance(each.get("items"), dict)]
            items = [self.value(_any_of(inner), item, f"{pointer}/*") for item in value] if inner else value
            return items if any(one is not other for one, other in zip(value, items, strict=True)) else value
        if isinstance(value, dict):
            found = self.members(self.alternatives(schema), value, pointer)
            same = len(found) == len(value) and all(found[name] is member for name, member in value.items())
            return value if same else found
        return value

    def _meant(self, types: frozenset[str], text: str) -> Any:
        if not types or "string" in types:
            return text
        self._budget.spend(len(text) // 100)
        try:
            value, repeated = loads(text)
        except NotJSON:
            return text
        kind = _MEANT.get(type(value), "")
        fits = kind in types or (kind == "integer" and "number" in types)
        return value if fits and not repeated else text

    def _has_meaning(self, schema: Any, value: object, depth: int = 0) -> bool:
        """Return True if null or "" (`value`) is more than "not given", because the schema allows it, or may allow it.

        "" for an array, an object, or a string with a length or a pattern is a mistake, which the check reports.
        """
        self._budget.spend(1)
        schema = self._followed(schema)
        if not schema.keys().isdisjoint(("enum", "const", "type")) or depth >= _DEEPEST:
            return _allows(schema, value)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return any(self._has_meaning(each, value, depth + 1) for each in branches)
        return all(self._has_meaning(each, value, depth + 1) for each in schema.get("allOf", ()))

    def _types(self, schema: Any, depth: int) -> frozenset[str]:
        """Return the JSON types that a schema allows, or an empty set if it allows all types."""
        self._budget.spend(1)
        schema = self._followed(schema)
        if declared := schema.get("type"):
            return frozenset([declared] if isinstance(declared, str) else declared)
        if "enum" in schema:
            return frozenset(_MEANT.get(type(value), "string") for value in schema["enum"])
        branches = schema.get("anyOf") or schema.get("oneOf") or ()
        each = [self._types(branch, depth + 1) for branch in branches] if depth < _DEEPEST else []
        return frozenset().union(*each) if each and all(each) else frozenset()

    def alternatives(self, schema: Any, depth: int = 0) -> list[dict[str, Any]]:
        """Return the schema with its alternatives and parts, nested ones included."""
        self._budget.spend(1)
        schema = self._followed(schema)
        parts = [part for keyword in _PARTS for part in schema.get(keyword, ())] if depth < _DEEPEST else []
        return [schema, *(found for part in parts for found in self.alternatives(part, depth + 1))]

    def _followed(self, schema: Any) -> dict[str, Any]:
        """Return the schema in the tool's `$defs` to which `$ref` refers, or `schema` itself if it has no `$ref`."""
        for _ in range(8):
            name = schema.get("$ref") if isinstance(schema, dict) else None
            if not isinstance(name, str):
                break
            schema = self._schema.get("$defs", {}).get(name.removeprefix("#/$defs/"))
        return schema if isinstance(schema, dict) else {}


def _any_of(schemas: list[Any]) -> Any:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _further(schemas: list[dict[str, Any]]) -> list[Any]:
    """Return the schemas of members that the object schemas do not name."""
    return [each["additionalProperties"] for each in schemas if isinstance(each.get("additionalProperties"), dict)]


def _allows(schema: dict[str, Any], value: object) -> bool:
    """Return True if `enum` or `type` of a schema allow null or "" (`value`)."""
    if "enum" in schema or "const" in schema:
        return value in schema.get("enum", [schema.get("const")])
    declared = schema.get("type", ("string", "null"))
    kinds = {declared} if isinstance(declared, str) else {*declared}
    if value is None:
        return "null" in kinds
    if "string" in kinds:
        return schema.get("format") not in ("date", "date-time")
    return not kinds <= {"integer", "number", "boolean", "null"}
