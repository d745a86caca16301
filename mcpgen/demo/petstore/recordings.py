"""Handlers whose responses or requests are bytes: photos, sounds and the dossier of a pet."""

from __future__ import annotations

from mcpgen.demo.api import Given, missing, reply
from mcpgen.demo.http import Answer
from mcpgen.demo.petstore.media import archive, document, picture_type
from mcpgen.demo.petstore.pets import found_pet, shown
from mcpgen.demo.petstore.store import Store


def upload_photo(store: Store, given: Given) -> Answer:
    pet, form = found_pet(store, given["petId"]), given["body"]
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
    pet = found_pet(store, given["petId"])
    sound = store.one("sounds", pet_id=pet["id"])
    if sound is None:
        raise missing(f"Nobody has recorded pet {pet['id']} yet.")
    return Answer(200, "audio/wav", sound["data"])


def replace_pet_sound(store: Store, given: Given) -> Answer:
    store.put("sounds", pet_id=found_pet(store, given["petId"])["id"], data=given["body"])
    return Answer(204)


def download_dossier(store: Store, given: Given) -> Answer:
    pet = found_pet(store, given["petId"])
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
