"""The table of the petstore's routes: every operation with its inputs and its handler, in the order in which paths are
matched.

The table follows `specs/petstore.openapi.yaml` line by line and does not read that file; a test compares the two.
"""

from __future__ import annotations

from mcpgen.demo import wire
from mcpgen.demo.api import Handler, Parameter, Route, cookie, header, path, query
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
from mcpgen.demo.checks import array, choice, day, moment, text
from mcpgen.demo.checks import integer as whole
from mcpgen.demo.petstore import handlers, shapes
from mcpgen.demo.petstore.handlers import once
from mcpgen.demo.petstore.store import Store

READ, WRITE = "apiKey", "bearer"
MEBIBYTE = 1 << 20

PET_ID = path("petId", shapes.ID)
LOCALE = cookie("locale", shapes.LOCALE, default="en")
IF_MATCH = header("If-Match", shapes.ETAG)
ONCE = header("Idempotency-Key", shapes.KEY)
TAGS = header("X-Request-Tags", array(shapes.TAG, 1, 5, unique=False), wire.listed)

LIST_QUERY: tuple[Parameter, ...] = (
    query("species", array(shapes.SPECIES, 1), wire.exploded),
    query("status", array(shapes.STATUS, 1), wire.commas),
    query("born_after", day),
    query("born_before", day),
    query("updated_since", moment),
    query("sort", shapes.SORT, default="name"),
    query("limit", whole(1, 100), default=20),
    query("cursor", text(1)),
)
SEARCH_QUERY: tuple[Parameter, ...] = (
    query("filter", shapes.PET_FILTER, wire.deep),
    query("tags", array(shapes.TAG, 1, unique=False), wire.spaces),
    query("fields", array(shapes.FIELD, 1), wire.pipes),
    query("near", shapes.AREA, wire.content),
)

PATCH_BODY = json_body(shapes.PET_PATCH, "application/merge-patch+json")
NOTES_BODY = text_body(text(0, 4000))
SOUND_BODY = binary_body("audio/wav", shapes.recording, MEBIBYTE)
PHOTO_BODY = multipart_body({"file": file_part, "caption": text_part, "metadata": json_part}, shapes.PHOTO, MEBIBYTE)
FORM_STYLES = {"pet_ids": wire.exploded, "extras": wire.commas, "applicant": wire.deep}
ADOPTION_BODY = form_body(FORM_STYLES, shapes.ADOPTION_FORM)


def _read(template: str, handler: Handler[Store], *parameters: Parameter) -> Route[Store]:
    return Route("GET", template, handler, READ, parameters)


def _write(
    method: str, template: str, handler: Handler[Store], *parameters: Parameter, body: Body | None = None
) -> Route[Store]:
    return Route(method, template, handler, WRITE, parameters, body)


ROUTES: tuple[Route[Store], ...] = (
    _read("/pets", handlers.list_pets, *LIST_QUERY, LOCALE),
    _write("POST", "/pets", once(handlers.create_pet), ONCE, body=json_body(shapes.PET)),
    _write("POST", "/pets/batch", handlers.create_pets, TAGS, body=json_body(shapes.PETS)),
    _read("/pets/search", handlers.search_pets, *SEARCH_QUERY),
    _read("/pets/compare/{petIds}", handlers.compare_pets, path("petIds", array(shapes.ID, 2, 5), wire.segments)),
    _read("/pets/{petId}", handlers.get_pet, PET_ID, LOCALE),
    _write("PATCH", "/pets/{petId}", handlers.update_pet, PET_ID, IF_MATCH, body=PATCH_BODY),
    _write("DELETE", "/pets/{petId}", handlers.delete_pet, PET_ID, IF_MATCH, TAGS),
    _read("/pets/{petId}/pedigree", handlers.get_pedigree, PET_ID),
    _write("PUT", "/pets/{petId}/pedigree", handlers.replace_pedigree, PET_ID, body=json_body(shapes.ancestor)),
    _read("/pets/{petId}/notes", handlers.get_care_notes, PET_ID),
    _write("PUT", "/pets/{petId}/notes", handlers.replace_care_notes, PET_ID, body=NOTES_BODY),
    _write("POST", "/pets/{petId}/events", handlers.record_care_event, PET_ID, body=json_body(shapes.CARE_EVENT)),
    _write("POST", "/pets/{petId}/photos", handlers.upload_photo, PET_ID, body=PHOTO_BODY),
    _read("/photos/{photoId}", handlers.download_photo, path("photoId", shapes.ID)),
    _read("/pets/{petId}/sound", handlers.get_pet_sound, PET_ID),
    _write("PUT", "/pets/{petId}/sound", handlers.replace_pet_sound, PET_ID, body=SOUND_BODY),
    _read("/pets/{petId}/dossier", handlers.download_dossier, PET_ID),
    _write("POST", "/adoptions", once(handlers.request_adoption), ONCE, body=ADOPTION_BODY),
    _read("/adoptions/{adoptionId}", handlers.get_adoption, path("adoptionId", shapes.ID)),
    _read(
        "/shelters/{shelterId}/slots{window}",
        handlers.list_visit_slots,
        path("shelterId", shapes.ID),
        path("window", shapes.WINDOW, wire.matrix),
    ),
    _read("/inventory", handlers.get_inventory, query("by", choice("species", "status"), default="species")),
    _read("/exports/pets{format}", handlers.export_pets, path("format", choice("csv", "tsv"), wire.label)),
    Route("GET", "/featured-pet", handlers.get_featured_pet, None),
)
