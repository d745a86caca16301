"""Seed data: the twelve pets in every new petstore.

Ids and dates are fixed, because tests and the demo rely on them. Pet 6 has a pending adoption, so it cannot be deleted.
Pet 5 has no sound. Pets above 2 have neither photos nor notes. Only pet 2 has a pedigree.
"""

from __future__ import annotations

from typing import Any

from mcpgen.demo.petstore.media import paw, tone
from mcpgen.demo.petstore.store import Store

SHELTERS = ((1, "Berlin", 52.52, 13.405), (2, "Lyon", 45.764, 4.8357), (3, "Kraków", 50.0647, 19.945))

_COLUMNS = ("name", "species", "breed", "size", "born", "status", "weight_kg", "vaccinated", "shelter_id", "microchip")
_PETS: tuple[tuple[Any, ...], ...] = (
    ("Mitzi", "cat", "European Shorthair", "small", "2021-04-12", "available", 4.2, True, 1, "276098100000001"),
    ("Rex", "dog", "German Shepherd", "large", "2019-08-30", "available", 34.5, True, 1, "276098100000002"),
    ("Flöckchen", "rabbit", None, "small", "2023-05-01", "available", 1.9, False, 1, None),
    ("Kiwi", "bird", "Budgerigar", "small", "2024-02-20", "available", 0.04, False, 2, None),
    ("Sheldon", "tortoise", "Hermann's tortoise", "small", "1998-06-15", "available", 3.1, False, 2, None),
    ("Luna", "cat", "Siamese", "medium", "2022-10-31", "pending", 3.8, True, 2, "250269600000006"),
    ("Bello", "dog", None, "medium", "2017-01-01", "adopted", 18.0, True, 2, "250269600000007"),
    ("Nala", "cat", None, "small", "2020-07-07", "available", 4.9, False, 3, None),
    ("Pip", "bird", "Canary", "small", None, "available", 0.02, False, 3, None),
    ("Hazel", "rabbit", "Dutch", "small", "2024-03-17", "available", 2.3, True, 3, None),
    ("Oscar", "dog", "Dachshund", "small", "2021-12-24", "available", 8.7, True, 3, "616093900000011"),
    ("Zoë", "cat", "Maine Coon", "large", "2023-09-09", "available", None, True, 1, None),
)
_TAGS = {"calm": (1, 3, 5, 7, 8, 11), "house-trained": (2, 7, 10, 11), "indoor": (1, 6, 8)}
_TRAITS: dict[int, dict[str, str]] = {
    1: {"coat": "black and white", "eyes": "green"},
    2: {"coat": "sable"},
    3: {"ears": "lop"},
    6: {"eyes": "blue"},
    8: {"coat": "ginger"},
    12: {"coat": "brown tabby", "eyes": "amber"},
}
_COLOURS = {1: (40, 40, 48), 2: (150, 105, 60)}
_VOICES = {"cat": 520, "dog": 180, "bird": 2100}
_NOTES = {
    1: "Shy with strangers. Eats only when nobody watches.\n",
    2: "Walks twice a day, never past the café on Mill Lane.\n",
}
_REX = {
    "name": "Rex",
    "breed": "German Shepherd",
    "born": "2019-08-30",
    "mother": {"name": "Asta", "mother": {"name": "Cora"}},
    "father": {"name": "Brutus", "breed": "German Shepherd"},
}
_SHOT = {"kind": "vaccination", "at": "2026-01-10T10:00:00Z", "vaccine": "rabies", "valid_until": "2027-01-10"}
_ASKED: dict[str, Any] = {
    "status": "pending",
    "pet_ids": [6],
    "applicant": {"name": "Ada Martin", "email": "ada@home.example", "address": {"city": "Lyon", "country": "FR"}},
    "extras": ["carrier"],
    "visit_on": "2026-01-31",
    "message": None,
    "newsletter": False,
    "created_at": "2026-01-20T18:30:00Z",
}


def seed(store: Store) -> None:
    """Fill an empty store with the twelve pets."""
    with store:
        for key, name, latitude, longitude in SHELTERS:
            store.put("shelters", id=key, name=name, latitude=latitude, longitude=longitude)
        for key, values in enumerate(_PETS, start=1):
            _pet(store, key, dict(zip(_COLUMNS, values, strict=True)))
        for key, colour in _COLOURS.items():
            _photo(store, key, colour)
        for key, text in _NOTES.items():
            store.put("notes", pet_id=key, text=text)
        store.put("pedigrees", pet_id=2, tree=_REX)
        store.put("events", pet_id=1, event=_SHOT)
        store.put("adoptions", **_ASKED)


def _pet(store: Store, key: int, values: dict[str, Any]) -> None:
    """Add one pet, with the sound of its species. The day of arrival increases with the id."""
    arrived = f"2026-01-{key:02}T08:00:00Z"
    tags = [tag for tag, pets in _TAGS.items() if key in pets]
    kept = {"tags": tags, "traits": _TRAITS.get(key, {}), "created_at": arrived, "updated_at": arrived}
    store.put("pets", id=key, **values, **kept)
    if (voice := _VOICES.get(values["species"])) is not None:
        store.put("sounds", pet_id=key, data=tone(voice))


def _photo(store: Store, key: int, colour: tuple[int, int, int]) -> None:
    name = f"{_PETS[key - 1][0].lower()}.png"
    taken = {"taken_at": "2026-01-15T12:00:00Z", "photographer": "Jo", "public": True}
    kept = {"file_name": name, "caption": None, "metadata": taken, "created_at": "2026-01-15T13:00:00Z"}
    store.put("photos", pet_id=key, content_type="image/png", data=paw(colour), **kept)
