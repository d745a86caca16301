"""Handlers for pets: list, search, compare, create, change, delete."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import asin, cos, radians, sin, sqrt
from typing import Any

from mcpgen.demo.api import Given, Refusal, invalid, missing, reply
from mcpgen.demo.checks import Fault
from mcpgen.demo.http import Answer
from mcpgen.demo.petstore.shapes import BODY, LABELS
from mcpgen.demo.petstore.store import Row, Store

_SHOWN_SEARCH = 50


def found_pet(store: Store, key: int) -> Row:
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


def version(row: Row) -> str:
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
    pets = [shown(store, found_pet(store, key)) for key in given["petIds"]]
    plain = [name for name in BODY if name not in ("microchip", "tags", "traits")]
    columns = {name: [pet[name] for pet in pets] for name in plain}
    return reply(
        {"pets": pets, "differences": {name: values for name, values in columns.items() if len(set(values)) > 1}}
    )


def _add(store: Store, pet: Mapping[str, Any]) -> Row:
    now = store.now()
    return found_pet(store, store.put("pets", **pet, created_at=now, updated_at=now))


def create_pet(store: Store, given: Given) -> Answer:
    row = _add(store, given["body"])
    return reply(shown(store, row), 201, Location=f"/v1/pets/{row['id']}", ETag=version(row))


def create_pets(store: Store, given: Given) -> Answer:
    rows = [_add(store, pet) for pet in given["body"]]
    return replace(reply([shown(store, row) for row in rows], 201), headers=_echo(given))


def _echo(given: Given) -> tuple[tuple[str, str], ...]:
    tags = given["X-Request-Tags"]
    return (("X-Request-Tags", ", ".join(tags)),) if tags else ()


def get_pet(store: Store, given: Given) -> Answer:
    row = found_pet(store, given["petId"])
    return reply(shown(store, row, given["locale"]), ETag=version(row), Content_Language=given["locale"])


def _unchanged(row: Row, seen: str | None) -> None:
    if seen not in (None, version(row)):
        detail = (
            f"You have seen version {seen} of pet {row['id']}, but its version is now {version(row)}. Get the pet "
            "again."
        )
        raise Refusal(412, "changed", detail)


def update_pet(store: Store, given: Given) -> Answer:
    row = found_pet(store, given["petId"])
    _unchanged(row, given["If-Match"])
    merged = merge({name: row[name] for name in BODY}, given["body"])
    change(store, row, **{name: merged.get(name, member.default) for name, member in BODY.items()})
    row = found_pet(store, row["id"])
    return reply(shown(store, row), ETag=version(row))


def change(store: Store, row: Row, **values: Any) -> None:
    """Change columns of a pet. Its version and its time of change increase too."""
    store.change("pets", row["id"], **values, version=row["version"] + 1, updated_at=store.now())


def merge(value: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396, 2)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for name, inner in patch.items():
        if inner is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), inner)
    return merged


def delete_pet(store: Store, given: Given) -> Answer:
    row = found_pet(store, given["petId"])
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
