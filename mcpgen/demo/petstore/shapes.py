"""Allowed values of the petstore, and the checks of its parameters and bodies. Pictures, sounds and archives are made
for the seed data, with the same bytes on every machine.
"""

from __future__ import annotations

import json
import struct
import wave
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zipfile import ZipFile, ZipInfo

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

_PAW = (
    "................", "....##...##.....", "...####.####....", "...####.####....", "...####.####....",
    ".#..##...##..#..", "###.........###.", "###...###...###.", ".##..#####..##..", "....#######.....",
    "...#########....", "...#########....", "....###.###.....", "................",
)  # fmt: skip
_PAPER = bytes((250, 247, 240))
_SCALE = 4

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
    if not _is_wav(value):
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


# -- files -------------------------------------------------------------------------------------------------------------


def paw(colour: tuple[int, int, int]) -> bytes:
    """Return a PNG picture of a one-coloured paw on an off-white ground: 64 by 56 pixels, a palette of two colours."""
    rows = [
        int("".join("01"[dot == "#"] * _SCALE for dot in line), 2).to_bytes(8) for line in _PAW for _ in range(_SCALE)
    ]
    header = struct.pack(">IIBBBBB", len(_PAW[0]) * _SCALE, len(rows), 1, 3, 0, 0, 0)
    # Level 0 stores uncompressed: compressed bytes differ between builds of zlib.
    pixels = zlib.compress(b"".join(b"\x00" + row for row in rows), 0)
    chunks = ((b"IHDR", header), (b"PLTE", _PAPER + bytes(colour)), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def tone(hertz: int) -> bytes:
    """Return a quarter of a second of a falling triangle wave: WAV, 8 kHz, 8 bits, mono."""
    rate, count = 8000, 2000
    samples = bytes(
        128 + (abs(n * hertz * 4 % (4 * rate) - 2 * rate) - rate) * 100 * (count - n) // (rate * count)
        for n in range(count)
    )
    stream = BytesIO()
    with wave.open(stream, "wb") as sound:
        sound.setparams((1, 1, rate, count, "NONE", "not compressed"))
        sound.writeframes(samples)
    return stream.getvalue()


def archive(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive of these files, uncompressed, all with the same date."""
    stream = BytesIO()
    with ZipFile(stream, "w") as bundle:
        for name, data in files.items():
            entry = ZipInfo(name, (2026, 2, 1, 9, 0, 0))
            entry.create_system = 3  # Unix: by default, this byte of the archive would depend on the operating system
            bundle.writestr(entry, data)
    return stream.getvalue()


def document(value: Any) -> bytes:
    """Return a JSON value, indented for readers, as the bytes of a file."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def picture_type(data: bytes) -> str | None:
    """Return the content type of a picture by its first bytes, or None if it is neither PNG nor JPEG."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    return "image/jpeg" if data.startswith(b"\xff\xd8\xff") else None


def _is_wav(data: bytes) -> bool:
    """Return True if these bytes begin as a WAV file does."""
    return data[:4] == b"RIFF" and data[8:12] == b"WAVE"
