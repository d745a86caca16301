"""Allowed values of the petstore, and the checks of its parameters and bodies."""

from __future__ import annotations

from typing import Any

from mcpgen.demo import wire
from mcpgen.demo.checks import (
    Check,
    Member,
    Report,
    array,
    boolean,
    choice,
    day,
    integer,
    mapping,
    moment,
    nullable,
    number,
    read_only,
    record,
    tagged,
    text,
)
from mcpgen.demo.petstore.media import is_wav, picture_type

LABELS = {
    "cat": {"en": "Cat", "de": "Katze", "fr": "Chat"},
    "dog": {"en": "Dog", "de": "Hund", "fr": "Chien"},
    "rabbit": {"en": "Rabbit", "de": "Kaninchen", "fr": "Lapin"},
    "bird": {"en": "Bird", "de": "Vogel", "fr": "Oiseau"},
    "tortoise": {"en": "Tortoise", "de": "Schildkröte", "fr": "Tortue"},
}

ID = integer(1)
SPECIES = choice(*LABELS)
STATUS = choice("available", "pending", "adopted")
LOCALE = choice("en", "de", "fr")
SHELTER = integer(1, 3)
TAG = text(1, 30, r"[a-z0-9-]+", "lower-case letters, digits and hyphens")
WEIGHT = number(0, 500, exclusive=True)
CHIP = text(15, 15, r"[0-9]{15}", "fifteen digits")
ETAG = text(pattern=r'"[0-9]+-[0-9]+"', meaning='an entity tag like "1-1", with its quotes')
KEY = text(8, 64, r"[A-Za-z0-9_-]+", "letters, digits, hyphens and underscores")
SORT = choice("name", "-name", "born", "-born", "updated_at", "-updated_at")
FIELD = choice(
    *("id", "name", "species", "breed", "size", "born", "status", "weight_kg", "vaccinated"),
    *("tags", "traits", "shelter_id", "photo_ids", "created_at", "updated_at"),
)

BODY: dict[str, Member] = {
    "name": Member(text(1, 60), required=True),
    "species": Member(SPECIES, required=True),
    "breed": Member(nullable(text(0, 60)), default=None),
    "size": Member(nullable(choice("small", "medium", "large")), default=None),
    "born": Member(nullable(day), default=None),
    "status": Member(STATUS, default="available"),
    "weight_kg": Member(nullable(WEIGHT), default=None),
    "vaccinated": Member(boolean, default=False),
    "tags": Member(array(TAG, most=10), default=[]),
    "traits": Member(mapping(text(0, 100)), default={}),
    "shelter_id": Member(SHELTER, default=1),
    "microchip": Member(CHIP, default=None),
}
_READ_ONLY = {
    name: Member(read_only)
    for name in ("id", "species_label", "has_microchip", "photo_ids", "created_at", "updated_at")
}
PET = record(BODY | _READ_ONLY, "a property of a pet")
PETS = array(PET, 1, 50, unique=False)


def _patched(name: str, member: Member) -> Member:
    checks: dict[str, Check] = {"traits": nullable(mapping(nullable(text(0, 100)))), "microchip": nullable(CHIP)}
    return Member(checks.get(name, member.check))


_PATCH = {name: _patched(name, member) for name, member in BODY.items() if name != "species"}
PET_PATCH = record(_PATCH, "a property that can change", least=1)

PET_FILTER = record(
    {
        "name": Member(text(1)),
        "species": Member(SPECIES),
        "status": Member(STATUS),
        "max_weight_kg": Member(number(0, exclusive=True)),
        "vaccinated": Member(boolean),
    },
    "something to filter by",
)
AREA = record(
    {
        "latitude": Member(number(-90, 90), required=True),
        "longitude": Member(number(-180, 180), required=True),
        "radius_km": Member(number(0, 20_000, exclusive=True), default=50),
    }
)
WINDOW = record({"from": Member(day, required=True), "to": Member(day, required=True)})

GENERATIONS = 5


def ancestor(value: Any, report: Report, left: int = GENERATIONS) -> Any:
    """Check the JSON object of one ancestor in a pedigree. `left`: how many further generations it may hold."""
    if left < 0:
        report.wrong(f"goes back more than {GENERATIONS} generations")
        return None

    def parent(inner: Any, inside: Report) -> Any:
        return ancestor(inner, inside, left - 1)

    members = {"name": Member(text(1, 60), required=True), "breed": Member(text(1, 60)), "born": Member(day)}
    return record(members | {"mother": Member(parent), "father": Member(parent)}, "a property of an ancestor")(
        value, report
    )


def _event(kind: str, **members: Member) -> Check:
    shared = {
        "id": Member(read_only),
        "kind": Member(choice(kind), required=True),
        "at": Member(moment, required=True),
        "by": Member(text(1, 60)),
    }
    return record(shared | members, f"a property of a {kind}")


CARE_EVENT = tagged(
    "kind",
    {
        "vaccination": _event(
            "vaccination", vaccine=Member(text(1, 60), required=True), valid_until=Member(nullable(day))
        ),
        "weighing": _event("weighing", weight_kg=Member(WEIGHT, required=True)),
        "treatment": _event("treatment", description=Member(text(1, 500), required=True), follow_up_on=Member(day)),
    },
)


PICTURES = ("image/png", "image/jpeg")


def picture(value: Any, report: Report) -> Any:
    """Check that a part is a file with a PNG or a JPEG."""
    if not isinstance(value, wire.Part) or value.filename is None:
        report.wrong("must be a file: give the part a file name")
        return None
    if picture_type(value.data) is None:
        report.wrong("must be a PNG or a JPEG, and begins as neither")
    elif wire.media_type(value.content_type)[0] not in PICTURES:
        report.wrong(f"must have the content type image/png or image/jpeg, and has {value.content_type}")
    return value


METADATA = record(
    {"taken_at": Member(moment), "photographer": Member(text(1, 60)), "public": Member(boolean, default=True)}
)
PHOTO = record(
    {
        "file": Member(picture, required=True),
        "caption": Member(text(0, 200), default=None),
        "metadata": Member(METADATA, default={"public": True}),
    },
    "a part of a photo",
)


def recording(value: Any, report: Report) -> Any:
    """Check that bytes are a WAV file."""
    if not is_wav(value):
        report.wrong("must be a WAV file")
    return value


_ADDRESS = record(
    {
        "street": Member(text(0, 100)),
        "city": Member(text(1, 100), required=True),
        "country": Member(text(2, 2, r"[A-Z]{2}", "two capital letters")),
    }
)
_EMAIL = text(3, 200, r"[^@\s]+@[^@\s]+", "an e-mail address")
_APPLICANT = record(
    {"name": Member(text(1, 100), required=True), "email": Member(_EMAIL, required=True), "address": Member(_ADDRESS)},
    "a property of an applicant",
)
ADOPTION_FORM = record(
    {
        "pet_ids": Member(array(ID, 1, 5), required=True),
        "applicant": Member(_APPLICANT, required=True),
        "extras": Member(array(choice("carrier", "lead", "food", "blanket")), default=[]),
        "visit_on": Member(day, default=None),
        "message": Member(text(0, 1000), default=None),
        "newsletter": Member(boolean, default=False),
    },
    "a field of this form",
)
