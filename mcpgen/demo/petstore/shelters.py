"""Handlers for shelters: visiting hours, inventory, export."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date, timedelta
from io import StringIO

from mcpgen.demo.api import Given, invalid, missing, reply
from mcpgen.demo.checks import Fault
from mcpgen.demo.http import Answer
from mcpgen.demo.petstore.store import Store

_DAYS = 14
_HOURS = (10, 14)
_GUIDES = ("Jo", "Ines", None)
_COLUMNS = ("id", "name", "species", "breed", "born", "status", "weight_kg", "shelter_id")
_FORMATS = {"csv": ("text/csv; charset=utf-8", ","), "tsv": ("text/tab-separated-values; charset=utf-8", "\t")}


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
