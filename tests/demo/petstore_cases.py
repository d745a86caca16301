"""List one request for each response that the petstore's document declares. This module contains only data.

401 and 415 are missing: the test derives them from the first case of each operation.
"""

from __future__ import annotations

from typing import NamedTuple

from mcpgen.demo.petstore.shapes import paw, tone
from tests.demo.exchange import NOTHING, Sent, of_form, of_json, of_parts, with_headers

MERGE = "application/merge-patch+json"
PNG, WAV = paw((1, 2, 3)), tone(440)
MEBIBYTE = 1 << 20


class Case(NamedTuple):
    """An operation, the expected status, the request, and requests that are made before it."""

    operation: str
    status: int
    target: str
    sent: Sent = NOTHING
    before: tuple[tuple[str, str, Sent], ...] = ()

    def __repr__(self) -> str:
        return f"{self.operation}-{self.status}"


def of_text(text: str | bytes) -> Sent:
    return Sent(text if isinstance(text, bytes) else text.encode(), "text/plain")


def of_wav(data: bytes) -> Sent:
    return Sent(data, "audio/wav")


FILE = 'name="file"; filename="a.png"'
ADOPT = "pet_ids=1&pet_ids=8&applicant[name]=Ada&applicant[email]=ada%40home.example"
NOT_JSON = Sent(b'{"name": ', "application/json")
FEATURED = ("getFeaturedPet", "/featured-pet", NOTHING)

CASES = (
    Case("listPets", 200, "/pets"),
    Case("listPets", 422, "/pets?limit=0"),
    Case("createPet", 201, "/pets", of_json({"name": "Tiger", "species": "cat"})),
    Case("createPet", 400, "/pets", NOT_JSON),
    Case("createPet", 422, "/pets", of_json({"name": "", "species": "cow"})),
    Case("createPets", 201, "/pets/batch", of_json([{"name": "Salt", "species": "rabbit"}], X_Request_Tags="intake")),
    Case("createPets", 400, "/pets/batch", NOT_JSON),
    Case("createPets", 422, "/pets/batch", of_json([])),
    Case("searchPets", 200, "/pets/search?filter[species]=cat"),
    Case("searchPets", 422, "/pets/search?filter[colour]=red"),
    Case("comparePets", 200, "/pets/compare/1,6,8"),
    Case("comparePets", 404, "/pets/compare/1,99"),
    Case("comparePets", 422, "/pets/compare/1"),
    Case("getPet", 200, "/pets/1"),
    Case("getPet", 404, "/pets/99"),
    Case("getPet", 422, "/pets/first"),
    Case("updatePet", 200, "/pets/1", of_json({"breed": None}, MERGE)),
    Case("updatePet", 400, "/pets/1", Sent(b"{", MERGE)),
    Case("updatePet", 404, "/pets/99", of_json({"breed": None}, MERGE)),
    Case("updatePet", 412, "/pets/1", of_json({"breed": None}, MERGE, If_Match='"1-7"')),
    Case("updatePet", 422, "/pets/1", of_json({}, MERGE)),
    Case("deletePet", 204, "/pets/1", with_headers(X_Request_Tags="cleanup, spring")),
    Case("deletePet", 404, "/pets/99"),
    Case("deletePet", 409, "/pets/6"),
    Case("deletePet", 412, "/pets/1", with_headers(If_Match='"1-7"')),
    Case("deletePet", 422, "/pets/1", with_headers(If_Match="1-1")),
    Case("getPedigree", 200, "/pets/2/pedigree"),
    Case("getPedigree", 404, "/pets/1/pedigree"),
    Case("getPedigree", 422, "/pets/0/pedigree"),
    Case("replacePedigree", 200, "/pets/1/pedigree", of_json({"name": "Mitzi", "mother": {"name": "Minka"}})),
    Case("replacePedigree", 400, "/pets/1/pedigree", NOT_JSON),
    Case("replacePedigree", 404, "/pets/99/pedigree", of_json({"name": "Mitzi"})),
    Case("replacePedigree", 422, "/pets/1/pedigree", of_json({"name": "Mitzi", "mother": {}})),
    Case("getCareNotes", 200, "/pets/1/notes"),
    Case("getCareNotes", 204, "/pets/3/notes"),
    Case("getCareNotes", 404, "/pets/99/notes"),
    Case("getCareNotes", 422, "/pets/x/notes"),
    Case("replaceCareNotes", 204, "/pets/3/notes", of_text("Liebt Löwenzahn.")),
    Case("replaceCareNotes", 400, "/pets/3/notes", of_text(b"\xff")),
    Case("replaceCareNotes", 404, "/pets/99/notes", of_text("")),
    Case("replaceCareNotes", 422, "/pets/3/notes", of_text("x" * 4001)),
    Case(
        "recordCareEvent",
        201,
        "/pets/1/events",
        of_json({"kind": "weighing", "at": "2026-01-20T10:35:00Z", "weight_kg": 4}),
    ),
    Case("recordCareEvent", 400, "/pets/1/events", NOT_JSON),
    Case(
        "recordCareEvent",
        404,
        "/pets/99/events",
        of_json({"kind": "treatment", "at": "2026-01-20T10:35:00Z", "description": "x"}),
    ),
    Case("recordCareEvent", 422, "/pets/1/events", of_json({"kind": "haircut"})),
    Case("uploadPhoto", 201, "/pets/3/photos", of_parts((FILE, "image/png", PNG))),
    Case("uploadPhoto", 400, "/pets/3/photos", Sent(b"no parts", "multipart/form-data; boundary=frontier")),
    Case("uploadPhoto", 404, "/pets/99/photos", of_parts((FILE, "image/png", PNG))),
    Case("uploadPhoto", 413, "/pets/3/photos", of_parts((FILE, "image/png", PNG.ljust(MEBIBYTE)))),
    Case("uploadPhoto", 422, "/pets/3/photos", of_parts((FILE, "image/png", b"GIF89a"))),
    Case("downloadPhoto", 200, "/photos/1"),
    Case("downloadPhoto", 404, "/photos/99"),
    Case("downloadPhoto", 422, "/photos/1.5"),
    Case("getPetSound", 200, "/pets/1/sound"),
    Case("getPetSound", 404, "/pets/5/sound"),
    Case("getPetSound", 422, "/pets/x/sound"),
    Case("replacePetSound", 204, "/pets/5/sound", of_wav(WAV)),
    Case("replacePetSound", 404, "/pets/99/sound", of_wav(WAV)),
    Case("replacePetSound", 413, "/pets/5/sound", of_wav(WAV.ljust(MEBIBYTE + 1))),
    Case("replacePetSound", 422, "/pets/5/sound", of_wav(b"ID3")),
    Case("downloadDossier", 200, "/pets/1/dossier"),
    Case("downloadDossier", 404, "/pets/99/dossier"),
    Case("downloadDossier", 422, "/pets/x/dossier"),
    Case("requestAdoption", 202, "/adoptions", of_form(ADOPT)),
    Case("requestAdoption", 400, "/adoptions", of_form("message=%zz")),
    Case(
        "requestAdoption",
        409,
        "/adoptions",
        of_form(ADOPT),
        before=(("requestAdoption", "/adoptions", of_form(ADOPT)),),
    ),
    Case("requestAdoption", 422, "/adoptions", of_form("pet_ids=99")),
    Case("getAdoption", 200, "/adoptions/1"),
    Case("getAdoption", 404, "/adoptions/99"),
    Case("getAdoption", 422, "/adoptions/x"),
    Case("listVisitSlots", 200, "/shelters/1/slots;from=2026-02-02;to=2026-02-06"),
    Case("listVisitSlots", 404, "/shelters/9/slots;from=2026-02-02;to=2026-02-06"),
    Case("listVisitSlots", 422, "/shelters/1/slots;from=2026-02-02"),
    Case("getInventory", 200, "/inventory"),
    Case("getInventory", 422, "/inventory?by=colour"),
    Case("exportPets", 200, "/exports/pets.csv"),
    Case("exportPets", 422, "/exports/pets.xlsx"),
    Case("getFeaturedPet", 200, "/featured-pet"),
    Case("getFeaturedPet", 429, "/featured-pet", before=(FEATURED, FEATURED)),
    Case(
        "getFeaturedPet",
        404,
        "/featured-pet",
        before=tuple(("updatePet", f"/pets/{key}", of_json({"status": "adopted"}, MERGE)) for key in range(1, 13)),
    ),
)
