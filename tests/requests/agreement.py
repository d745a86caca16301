"""Compare the arguments of a call with the values that a reader finds in the HTTP request by the OpenAPI standard.

An argument supplies one or more parameters or body members. Any other value in the request must be the only one that
the document allows, or an idempotency key, which the server makes for each request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.requests.bodies import Body
from tests.requests.parts import as_written
from tests.requests.sameness import Json, decoded, is_absent, same, same_json
from tests.requests.shapes import is_read_only, only_value, properties, required
from tests.requests.sources import Case
from tests.requests.standard import Reading, Slot, spreads

NOTHING: Any = object()
KEY: Slot = ("header", "idempotency-key")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class Meant(NamedTuple):
    """The values that the arguments should give: of parameters, of members of the body or the whole body, and file
    names of parts.
    """

    parameters: dict[Slot, Any]
    members: dict[str, Any]
    whole: Any
    file_names: dict[str, Any]


def meant(case: Case, arguments: dict[str, Any]) -> Meant:
    result = Meant({}, {}, NOTHING, {})
    for argument, value in arguments.items():
        for place in case.places[argument]:
            if not place.in_body:
                name = place.name.lower() if place.place == "header" else place.name
                result.parameters[place.place, name] = value
            elif place.part == "filename":
                result.file_names[place.name] = value
            elif place.part:
                continue  # skip: other tests check headers of parts
            elif place.name == "":
                result = result._replace(whole=value)
            else:
                result.members.update((value or {}) if place.name == "*" else {place.name: value})
    return result


def differences(case: Case, arguments: dict[str, Any], reading: Reading) -> list[str]:
    """Return a sentence for each value that did not arrive as given."""
    wanted = meant(case, arguments)
    return [*_of_parameters(case, wanted, reading), *_of_body(case, wanted, reading.body)]


def _of_parameters(case: Case, wanted: Meant, reading: Reading) -> Iterator[str]:
    spreading = [at for at, described in case.described.items() if spreads(described)]
    if len(spreading) > 1:
        wanted, reading = _together(spreading, wanted, reading)
    for at, described in case.described.items():
        fixed = only_value(described.schema)
        given = wanted.parameters.get(at, NOTHING)
        if given is NOTHING and fixed and (described.required or at in reading.parameters):
            given = fixed[0]
        if given is NOTHING and at == KEY:
            given = next((read for read in reading.parameters.get(at, []) if UUID.fullmatch(str(read))), NOTHING)
        value = decoded(given) if described.reserved and given is not NOTHING else given
        yield from _compared(" ".join(at), value, reading.parameters.get(at, []))
    for at in wanted.parameters.keys() - case.described.keys():
        yield f"{at} is in no parameter of the document"


def _together(spreading: list[Slot], wanted: Meant, reading: Reading) -> tuple[Meant, Reading]:
    """Merge several exploded objects into one, both in the wanted and the read values.

    No reader can tell to which object a member belongs.
    """
    given: dict[Slot, Any] = {at: value for at, value in wanted.parameters.items() if at not in spreading}
    found: dict[Slot, Any] = {at: value for at, value in reading.parameters.items() if at not in spreading}
    for all_members, each in ((given, wanted.parameters), (found, reading.parameters)):
        for at in spreading:
            value = each.get(at) if each is wanted.parameters else next(iter(reading.parameters.get(at, [])), None)
            if isinstance(value, dict):
                all_members.setdefault(spreading[0], {}).update(value)
            elif value is not None:
                all_members[at] = value
    readings = {at: [value] if at in spreading else value for at, value in found.items()}
    return wanted._replace(parameters=given), reading._replace(parameters=readings)


def _of_body(case: Case, wanted: Meant, body: Body | None) -> Iterator[str]:
    if body is None:
        left_out = wanted.whole in (NOTHING, None) and not wanted.members
        if not left_out and not (wanted.whole is NOTHING and is_absent(wanted.members)):
            yield f"no body is sent for {wanted.whole if not wanted.members else wanted.members}"
        return
    if body.whole:
        yield from _of_value(wanted, body)
        return
    members = wanted.members if wanted.whole is NOTHING else wanted.whole
    fixed = dict(_fixed(body)) if wanted.whole is NOTHING else {}
    for name in dict.fromkeys([*members, *body.members, *fixed]):
        given = members.get(name, fixed.get(name, NOTHING))
        described = body.described.get(name)
        if described is not None and described.reserved and given is not NOTHING:
            given = decoded(given)
        yield from _compared(f"member {name}", given, body.members.get(name, []))
    for name, file_name in wanted.file_names.items():
        if file_name and name in body.members and body.file_names[name] != [as_written(file_name)]:
            yield f"the file {name} is called {body.file_names[name]}, not {file_name}"


def _of_value(wanted: Meant, body: Body) -> Iterator[str]:
    """Compare the sent body with the expected one, if the body is a single value. Yield the differences."""
    if wanted.whole is not NOTHING:
        if not any(same(wanted.whole, reading) for reading in body.whole):
            yield f"the body is {body.whole}, not {wanted.whole}"
        return
    [read] = body.whole
    fixed = dict(_fixed(body))
    if not isinstance(read, Json) or not isinstance(read.value, dict):
        yield f"the body is {read}, not an object"
    elif not same_json({**fixed, **wanted.members}, read.value):
        yield f"the body is {read.value}, not {wanted.members}"


def _fixed(body: Body) -> Iterator[tuple[str, Any]]:
    """Yield the required members that have only one possible value, with this value."""
    needed = required(body.schema)
    described = {name: each.schema for name, each in body.described.items()} or properties(body.schema)
    for name, schema in described.items():
        demanded = name in needed or schema.at("required").value is True
        if demanded and not is_read_only(schema) and (value := only_value(schema)):
            yield name, value[0]


def _compared(what: str, given: Any, readings: list[Any]) -> Iterator[str]:
    if given is NOTHING:
        if readings:
            yield f"{what} is {readings[0]!r}, and was not given"
    elif not readings and not is_absent(given):
        yield f"{what} is missing, not {given!r}"
    elif readings and not any(same(given, reading) for reading in readings):
        yield f"{what} is {' or '.join(map(repr, readings))}, not {given!r}"
