"""Handlers for the care of a pet: notes, pedigree, events."""

from __future__ import annotations

from typing import Any

from mcpgen.demo.api import Given, missing, reply
from mcpgen.demo.http import Answer
from mcpgen.demo.petstore.pets import change, found_pet
from mcpgen.demo.petstore.store import Store


def get_care_notes(store: Store, given: Given) -> Answer:
    pet = found_pet(store, given["petId"])
    notes = store.one("notes", pet_id=pet["id"])
    return Answer(204) if notes is None else Answer(200, "text/plain; charset=utf-8", notes["text"].encode())


def replace_care_notes(store: Store, given: Given) -> Answer:
    pet = found_pet(store, given["petId"])
    if given["body"]:
        store.put("notes", pet_id=pet["id"], text=given["body"])
    else:
        store.remove("notes", pet_id=pet["id"])
    return Answer(204)


def get_pedigree(store: Store, given: Given) -> Answer:
    pet = found_pet(store, given["petId"])
    pedigree = store.one("pedigrees", pet_id=pet["id"])
    if pedigree is None:
        raise missing(f"Nothing is known about the ancestors of pet {pet['id']}.")
    return reply(pedigree["tree"])


def replace_pedigree(store: Store, given: Given) -> Answer:
    store.put("pedigrees", pet_id=found_pet(store, given["petId"])["id"], tree=given["body"])
    return reply(given["body"])


def record_care_event(store: Store, given: Given) -> Answer:
    pet, event = found_pet(store, given["petId"]), given["body"]
    effect: dict[str, Any] = {
        "vaccination": {"vaccinated": True},
        "weighing": {"weight_kg": event.get("weight_kg")},
        "treatment": {},
    }[event["kind"]]
    if effect:
        change(store, pet, **effect)
    return reply({"id": store.put("events", pet_id=pet["id"], event=event), **event}, 201)
