"""Handlers of the petstore's operations: pets, their care and their recordings, adoptions and shelters; and the table
of its routes, in the order in which paths are matched.

`once` replays the response to a request that is repeated. Recordings are bytes: photos, sounds and the dossier of a
pet.
"""

from __future__ import annotations

import csv
import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from io import StringIO
from math import asin, cos, radians, sin, sqrt
from typing import Any

from mcpgen.demo import wire
from mcpgen.demo.api import (
    Given,
    Handler,
    Parameter,
    Refusal,
    Route,
    cookie,
    header,
    invalid,
    missing,
    path,
    query,
    reply,
)
from mcpgen.demo.bodies import (
    Body,
    binary_body,
    file_part,
    form_body,
    json_body,
    json_part,
    multipart_body,
    text_body,
    text_part,
)
from mcpgen.demo.checks import Fault, array, choice, day, moment, text
from mcpgen.demo.checks import integer as whole
from mcpgen.demo.http import Answer
from mcpgen.demo.petstore import shapes
from mcpgen.demo.petstore.shapes import BODY, LABELS, archive, document, picture_type
from mcpgen.demo.petstore.store import Row, Store

_SHOWN_SEARCH = 50
_DAYS = 14
_HOURS = (10, 14)
_GUIDES = ("Jo", "Ines", None)
_COLUMNS = ("id", "name", "species", "breed", "born", "status", "weight_kg", "shelter_id")
_FORMATS = {"csv": ("text/csv; charset=utf-8", ","), "tsv": ("text/tab-separated-values; charset=utf-8", "\t")}


def _found_pet(store: Store, key: int) -> Row:
    """Return the row of a pet. Raises a Refusal with status 404 if there is no such pet."""
    if (row := store.one("pets", id=key)) is None:
        raise missing(f"There is no pet {key}.")
    return row


def shown(store: Store, row: Row, locale: str = "en") -> dict[str, Any]:
    """Return the JSON object of a pet for a response."""
    kept = {name: row[name] for name in BODY if name != "microchip"}
    photos = [photo["id"] for photo in store.rows("photos", pet_id=row["id"])]
    derived = {
        "species_label": LABELS[row["species"]][locale],
        "has_microchip": row["microchip"] is not None,
        "photo_ids": photos,
    }
    return {"id": row["id"], **kept, **derived, "created_at": row["created_at"], "updated_at": row["updated_at"]}


def _version(row: Row) -> str:
    """Return the entity tag of a pet (RFC 9110, 8.8.3)."""
    return f'"{row["id"]}-{row["version"]}"'


def list_pets(store: Store, given: Given) -> Answer:
    rows = _sorted(store.find_pets(given), given["sort"])
    begin = _position(rows, given["sort"], given["cursor"])
    page = rows[begin : begin + given["limit"]]
    more = begin + len(page) < len(rows)
    data = [shown(store, row, given["locale"]) for row in page]
    cursor = _cursor(given["sort"], page[-1]["id"]) if more else None
    return reply({"data": data, "total": len(rows), "next_cursor": cursor}, Content_Language=given["locale"])


def _sorted(rows: Sequence[Row], order: str) -> list[Row]:
    column = order.removeprefix("-")
    return sorted(
        rows, key=lambda row: (row[column] is None, row[column] or "", row["id"]), reverse=order.startswith("-")
    )


def _cursor(order: str, last: int) -> str:
    return urlsafe_b64encode(json.dumps([order, last]).encode()).decode().rstrip("=")


def _position(rows: Sequence[Row], order: str, cursor: str | None) -> int:
    """Return the index at which the page for `cursor` begins: after the last pet of the previous page."""
    if cursor is None:
        return 0
    try:
        made_for, last = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError):
        raise invalid(
            [Fault("query", "cursor", "is not a cursor; take next_cursor of the page before as it is")]
        ) from None
    if made_for != order:
        detail = f"was made for sort={made_for}; send it with that, or leave it out to begin anew"
        raise invalid([Fault("query", "cursor", detail)])
    place = next((index for index, row in enumerate(rows) if row["id"] == last), None)
    if place is None:
        raise invalid(
            [Fault("query", "cursor", "points at a pet that is not in this list any more; leave it out to begin anew")]
        )
    return place + 1


def search_pets(store: Store, given: Given) -> Answer:
    wanted = given["filter"] or {}
    criteria = {**wanted, "tags": given["tags"]}
    criteria |= {name: [wanted[name]] for name in ("species", "status") if name in wanted}
    if given["near"] is not None:
        criteria["shelter_id"] = [
            shelter["id"] for shelter in store.rows("shelters") if _within(shelter, given["near"])
        ]
    rows = store.find_pets(criteria)
    pets = [shown(store, row) for row in rows[:_SHOWN_SEARCH]]
    fields = given["fields"]
    return reply({"data": [{name: pet[name] for name in fields or pet} for pet in pets], "total": len(rows)})


def _within(shelter: Row, area: Mapping[str, float]) -> bool:
    """Return True if a shelter lies within an area, by the haversine formula on a sphere with a radius of 6371 km."""
    north, east = radians(shelter["latitude"] - area["latitude"]), radians(shelter["longitude"] - area["longitude"])
    both = cos(radians(shelter["latitude"])) * cos(radians(area["latitude"]))
    return 2 * 6371 * asin(sqrt(sin(north / 2) ** 2 + both * sin(east / 2) ** 2)) <= area["radius_km"]


def compare_pets(store: Store, given: Given) -> Answer:
    pets = [shown(store, _found_pet(store, key)) for key in given["petIds"]]
    plain = [name for name in BODY if name not in ("microchip", "tags", "traits")]
    columns = {name: [pet[name] for pet in pets] for name in plain}
    return reply(
        {"pets": pets, "differences": {name: values for name, values in columns.items() if len(set(values)) > 1}}
    )


def _add(store: Store, pet: Mapping[str, Any]) -> Row:
    now = store.now()
    return _found_pet(store, store.put("pets", **pet, created_at=now, updated_at=now))


def create_pet(store: Store, given: Given) -> Answer:
    row = _add(store, given["body"])
    return reply(shown(store, row), 201, Location=f"/v1/pets/{row['id']}", ETag=_version(row))


def create_pets(store: Store, given: Given) -> Answer:
    rows = [_add(store, pet) for pet in given["body"]]
    return replace(reply([shown(store, row) for row in rows], 201), headers=_echo(given))


def _echo(given: Given) -> tuple[tuple[str, str], ...]:
    tags = given["X-Request-Tags"]
    return (("X-Request-Tags", ", ".join(tags)),) if tags else ()


def get_pet(store: Store, given: Given) -> Answer:
    row = _found_pet(store, given["petId"])
    return reply(shown(store, row, given["locale"]), ETag=_version(row), Content_Language=given["locale"])


def _unchanged(row: Row, seen: str | None) -> None:
    if seen not in (None, _version(row)):
        detail = (
            f"You have seen version {seen} of pet {row['id']}, but its version is now {_version(row)}. Get the pet "
            "again."
        )
        raise Refusal(412, "changed", detail)


def update_pet(store: Store, given: Given) -> Answer:
    row = _found_pet(store, given["petId"])
    _unchanged(row, given["If-Match"])
    merged = _merge({name: row[name] for name in BODY}, given["body"])
    _change(store, row, **{name: merged.get(name, member.default) for name, member in BODY.items()})
    row = _found_pet(store, row["id"])
    return reply(shown(store, row), ETag=_version(row))


def _change(store: Store, row: Row, **values: Any) -> None:
    """Change columns of a pet. Its version and its time of change increase too."""
    store.change("pets", row["id"], **values, version=row["version"] + 1, updated_at=store.now())


def _merge(value: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396, 2)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for name, inner in patch.items():
        if inner is None:
            merged.pop(name, None)
        else:
            merged[name] = _merge(merged.get(name), inner)
    return merged


def delete_pet(store: Store, given: Given) -> Answer:
    row = _found_pet(store, given["petId"])
    _unchanged(row, given["If-Match"])
    if any(row["id"] in adoption["pet_ids"] for adoption in store.rows("adoptions", status="pending")):
        raise Refusal(
            409, "conflict", f"Pet {row['id']} has a pending adoption; it can be deleted once that is decided."
        )
    store.remove("pets", id=row["id"])
    return Answer(204, headers=_echo(given))


def get_featured_pet(store: Store, given: Given) -> Answer:
    store.featured_calls += 1
    if store.featured_calls % 3 == 0:
        detail = "Everyone may send this request, but every third one is refused. Wait a second, then call again."
        raise Refusal(429, "too-many-calls", detail, [("Retry-After", "1")])
    waiting = _sorted(store.find_pets({"status": ["available"]}), "created_at")
    if not waiting:
        raise missing("There is no pet to feature: all of them have a home.")
    return reply(shown(store, waiting[0]))


def get_care_notes(store: Store, given: Given) -> Answer:
    pet = _found_pet(store, given["petId"])
    notes = store.one("notes", pet_id=pet["id"])
    return Answer(204) if notes is None else Answer(200, "text/plain; charset=utf-8", notes["text"].encode())


def replace_care_notes(store: Store, given: Given) -> Answer:
    pet = _found_pet(store, given["petId"])
    if given["body"]:
        store.put("notes", pet_id=pet["id"], text=given["body"])
    else:
        store.remove("notes", pet_id=pet["id"])
    return Answer(204)


def get_pedigree(store: Store, given: Given) -> Answer:
    pet = _found_pet(store, given["petId"])
    pedigree = store.one("pedigrees", pet_id=pet["id"])
    if pedigree is None:
        raise missing(f"Nothing is known about the ancestors of pet {pet['id']}.")
    return reply(pedigree["tree"])


def replace_pedigree(store: Store, given: Given) -> Answer:
    store.put("pedigrees", pet_id=_found_pet(store, given["petId"])["id"], tree=given["body"])
    return reply(given["body"])


def record_care_event(store: Store, given: Given) -> Answer:
    pet, event = _found_pet(store, given["petId"]), given["body"]
    effect: dict[str, Any] = {
        "vaccination": {"vaccinated": True},
        "weighing": {"weight_kg": event.get("weight_kg")},
        "treatment": {},
    }[event["kind"]]
    if effect:
        _change(store, pet, **effect)
    return reply({"id": store.put("events", pet_id=pet["id"], event=event), **event}, 201)


def upload_photo(store: Store, given: Given) -> Answer:
    pet, form = _found_pet(store, given["petId"]), given["body"]
    file = form["file"]
    kept = {
        "pet_id": pet["id"],
        "content_type": picture_type(file.data),
        "file_name": file.filename,
        "caption": form["caption"],
        "metadata": form["metadata"],
        "created_at": store.now(),
    }
    photo = store.put("photos", **kept, data=file.data)
    return reply({"id": photo, "size": len(file.data), **kept}, 201, Location=f"/v1/photos/{photo}")


def download_photo(store: Store, given: Given) -> Answer:
    photo = store.one("photos", id=given["photoId"])
    if photo is None:
        raise missing(f"There is no photo {given['photoId']}.")
    return Answer(200, photo["content_type"], photo["data"])


def get_pet_sound(store: Store, given: Given) -> Answer:
    pet = _found_pet(store, given["petId"])
    sound = store.one("sounds", pet_id=pet["id"])
    if sound is None:
        raise missing(f"Nobody has recorded pet {pet['id']} yet.")
    return Answer(200, "audio/wav", sound["data"])


def replace_pet_sound(store: Store, given: Given) -> Answer:
    store.put("sounds", pet_id=_found_pet(store, given["petId"])["id"], data=given["body"])
    return Answer(204)


def download_dossier(store: Store, given: Given) -> Answer:
    pet = _found_pet(store, given["petId"])
    notes = store.one("notes", pet_id=pet["id"])
    events = [{"id": row["id"], **row["event"]} for row in store.rows("events", pet_id=pet["id"])]
    files = {
        "pet.json": document(shown(store, pet)),
        "events.json": document(events),
        "notes.txt": notes["text"].encode() if notes else b"",
    }
    for photo in store.rows("photos", pet_id=pet["id"]):
        files[f"photos/{photo['id']}.{photo['content_type'].removeprefix('image/')}"] = photo["data"]
    name = f'attachment; filename="pet-{pet["id"]}.zip"'
    return Answer(200, "application/zip", archive(files), (("Content-Disposition", name),))


def request_adoption(store: Store, given: Given) -> Answer:
    form = given["body"]
    pets = {key: store.one("pets", id=key) for key in form["pet_ids"]}
    unknown = [
        Fault("body", f"/pet_ids/{place}", f"is no pet: {key}") for place, key in enumerate(pets) if pets[key] is None
    ]
    if unknown:
        raise invalid(unknown)
    taken = [f"pet {key} is {pet['status']}" for key, pet in pets.items() if pet and pet["status"] != "available"]
    if taken:
        raise Refusal(409, "conflict", f"All pets must be available, but {', '.join(taken)}.")
    for key in pets:
        store.change("pets", key, status="pending")
    adoption = store.put("adoptions", status="pending", **form, created_at=store.now())
    return reply(_shown(store, adoption), 202, Location=f"/v1/adoptions/{adoption}")


def get_adoption(store: Store, given: Given) -> Answer:
    return reply(_shown(store, given["adoptionId"]))


def _shown(store: Store, key: int) -> Row:
    if (adoption := store.one("adoptions", id=key)) is None:
        raise missing(f"There is no adoption {key}.")
    return adoption


def once(handler: Handler[Store]) -> Handler[Store]:
    """Return a handler with idempotency keys: if an `Idempotency-Key` is repeated, it replays the first response and
    changes nothing.
    """

    def replayed(store: Store, given: Given) -> Answer:
        operation, key = handler.__name__, given["Idempotency-Key"]
        if key is None:
            return handler(store, given)
        digest = hashlib.sha256(json.dumps(given["body"], sort_keys=True).encode()).hexdigest()
        before = store.one("replays", operation=operation, key=key)
        if before is None:
            answer = handler(store, given)
            kept = {"status": answer.status, "headers": [list(pair) for pair in answer.headers], "body": answer.body}
            store.put("replays", operation=operation, key=key, digest=digest, **kept)
            return answer
        if before["digest"] != digest:
            raise invalid([Fault("header", "Idempotency-Key", f"was used for another body; take a new key than {key}")])
        return Answer(
            before["status"],
            "application/json",
            before["body"],
            tuple((name, value) for name, value in before["headers"]),
        )

    return replayed


def list_visit_slots(store: Store, given: Given) -> Answer:
    shelter, window = given["shelterId"], given["window"]
    if store.one("shelters", id=shelter) is None:
        raise missing(f"There is no shelter {shelter}.")
    first, last = date.fromisoformat(window["from"]), date.fromisoformat(window["to"])
    if not 0 <= (last - first).days < _DAYS:
        raise invalid([Fault("path", "window", f"must end on the day it begins or up to {_DAYS - 1} days later")])
    days = [first + timedelta(days=count) for count in range((last - first).days + 1)]
    return reply([_slot(shelter, when, hour) for when in days if when.weekday() < 5 for hour in _HOURS])


def _slot(shelter: int, when: date, hour: int) -> dict[str, object]:
    """Return one visiting hour. Its guide, and whether it is free, are computed from day, hour and shelter, so they
    never change.
    """
    turn = when.toordinal() + shelter + hour
    return {"starts_at": f"{when.isoformat()}T{hour:02}:00:00Z", "free": turn % 5 > 1, "guide": _GUIDES[turn % 3]}


def get_inventory(store: Store, given: Given) -> Answer:
    return reply(Counter(pet[given["by"]] for pet in store.rows("pets")))


def export_pets(store: Store, given: Given) -> Answer:
    media, delimiter = _FORMATS[given["format"]]
    table = StringIO()
    writer = csv.writer(table, delimiter=delimiter, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([pet[column] for column in _COLUMNS] for pet in store.rows("pets"))
    return Answer(200, media, table.getvalue().encode())


# -- routes ------------------------------------------------------------------------------------------------------------


_READ, _WRITE = "apiKey", "bearer"
_MEBIBYTE = 1 << 20

_PET_ID = path("petId", shapes.ID)
_LOCALE = cookie("locale", shapes.LOCALE, default="en")
_IF_MATCH = header("If-Match", shapes.ETAG)
_ONCE = header("Idempotency-Key", shapes.KEY)
_TAGS = header("X-Request-Tags", array(shapes.TAG, 1, 5, unique=False), wire.listed)

_LIST_QUERY: tuple[Parameter, ...] = (
    query("species", array(shapes.SPECIES, 1), wire.exploded),
    query("status", array(shapes.STATUS, 1), wire.commas),
    query("born_after", day),
    query("born_before", day),
    query("updated_since", moment),
    query("sort", shapes.SORT, default="name"),
    query("limit", whole(1, 100), default=20),
    query("cursor", text(1)),
)
_SEARCH_QUERY: tuple[Parameter, ...] = (
    query("filter", shapes.PET_FILTER, wire.deep),
    query("tags", array(shapes.TAG, 1, unique=False), wire.spaces),
    query("fields", array(shapes.FIELD, 1), wire.pipes),
    query("near", shapes.AREA, wire.content),
)

_PATCH_BODY = json_body(shapes.PET_PATCH, "application/merge-patch+json")
_NOTES_BODY = text_body(text(0, 4000))
_SOUND_BODY = binary_body("audio/wav", shapes.recording, _MEBIBYTE)
_PHOTO_BODY = multipart_body({"file": file_part, "caption": text_part, "metadata": json_part}, shapes.PHOTO, _MEBIBYTE)
_FORM_STYLES = {"pet_ids": wire.exploded, "extras": wire.commas, "applicant": wire.deep}
_ADOPTION_BODY = form_body(_FORM_STYLES, shapes.ADOPTION_FORM)


def _read(template: str, handler: Handler[Store], *parameters: Parameter) -> Route[Store]:
    return Route("GET", template, handler, _READ, parameters)


def _write(
    method: str, template: str, handler: Handler[Store], *parameters: Parameter, body: Body | None = None
) -> Route[Store]:
    return Route(method, template, handler, _WRITE, parameters, body)


ROUTES: tuple[Route[Store], ...] = (
    _read("/pets", list_pets, *_LIST_QUERY, _LOCALE),
    _write("POST", "/pets", once(create_pet), _ONCE, body=json_body(shapes.PET)),
    _write("POST", "/pets/batch", create_pets, _TAGS, body=json_body(shapes.PETS)),
    _read("/pets/search", search_pets, *_SEARCH_QUERY),
    _read("/pets/compare/{petIds}", compare_pets, path("petIds", array(shapes.ID, 2, 5), wire.segments)),
    _read("/pets/{petId}", get_pet, _PET_ID, _LOCALE),
    _write("PATCH", "/pets/{petId}", update_pet, _PET_ID, _IF_MATCH, body=_PATCH_BODY),
    _write("DELETE", "/pets/{petId}", delete_pet, _PET_ID, _IF_MATCH, _TAGS),
    _read("/pets/{petId}/pedigree", get_pedigree, _PET_ID),
    _write("PUT", "/pets/{petId}/pedigree", replace_pedigree, _PET_ID, body=json_body(shapes.ancestor)),
    _read("/pets/{petId}/notes", get_care_notes, _PET_ID),
    _write("PUT", "/pets/{petId}/notes", replace_care_notes, _PET_ID, body=_NOTES_BODY),
    _write("POST", "/pets/{petId}/events", record_care_event, _PET_ID, body=json_body(shapes.CARE_EVENT)),
    _write("POST", "/pets/{petId}/photos", upload_photo, _PET_ID, body=_PHOTO_BODY),
    _read("/photos/{photoId}", download_photo, path("photoId", shapes.ID)),
    _read("/pets/{petId}/sound", get_pet_sound, _PET_ID),
    _write("PUT", "/pets/{petId}/sound", replace_pet_sound, _PET_ID, body=_SOUND_BODY),
    _read("/pets/{petId}/dossier", download_dossier, _PET_ID),
    _write("POST", "/adoptions", once(request_adoption), _ONCE, body=_ADOPTION_BODY),
    _read("/adoptions/{adoptionId}", get_adoption, path("adoptionId", shapes.ID)),
    _read(
        "/shelters/{shelterId}/slots{window}",
        list_visit_slots,
        path("shelterId", shapes.ID),
        path("window", shapes.WINDOW, wire.matrix),
    ),
    _read("/inventory", get_inventory, query("by", choice("species", "status"), default="species")),
    _read("/exports/pets{format}", export_pets, path("format", choice("csv", "tsv"), wire.label)),
    Route("GET", "/featured-pet", get_featured_pet, None),
)
