"""The data of the petstore: one SQLite database in memory, shared by all threads, one call at a time. It has the same
twelve pets at every start.

`with store:` holds a lock for one transaction: committed at the end, rolled back if the block raises. The store knows
no rules of the API and reads no clock: its time begins at `MORNING` and advances by one second with each write.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from threading import RLock
from types import TracebackType
from typing import Any

from mcpgen.demo.petstore.shapes import paw, tone

Row = dict[str, Any]

MORNING = datetime(2026, 2, 1, 9, 0, 0, tzinfo=UTC)

SCHEMA = """
CREATE TABLE shelters (id INTEGER PRIMARY KEY, name TEXT, latitude REAL, longitude REAL);
CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL DEFAULT 1,
    name TEXT NOT NULL, species TEXT NOT NULL, breed TEXT, size TEXT, born TEXT, status TEXT NOT NULL, weight_kg REAL,
    vaccinated INTEGER NOT NULL, tags TEXT NOT NULL, traits TEXT NOT NULL, microchip TEXT,
    shelter_id INTEGER NOT NULL REFERENCES shelters, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE notes (pet_id INTEGER PRIMARY KEY REFERENCES pets ON DELETE CASCADE, text TEXT NOT NULL);
CREATE TABLE sounds (pet_id INTEGER PRIMARY KEY REFERENCES pets ON DELETE CASCADE, data BLOB NOT NULL);
CREATE TABLE pedigrees (pet_id INTEGER PRIMARY KEY REFERENCES pets ON DELETE CASCADE, tree TEXT NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, pet_id INTEGER NOT NULL REFERENCES pets ON DELETE CASCADE, event TEXT NOT NULL
);
CREATE TABLE photos (
    id INTEGER PRIMARY KEY AUTOINCREMENT, pet_id INTEGER NOT NULL REFERENCES pets ON DELETE CASCADE,
    content_type TEXT NOT NULL, file_name TEXT NOT NULL, caption TEXT, metadata TEXT NOT NULL,
    created_at TEXT NOT NULL, data BLOB NOT NULL
);
CREATE TABLE adoptions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT NOT NULL, pet_ids TEXT NOT NULL, applicant TEXT NOT NULL,
    extras TEXT NOT NULL, visit_on TEXT, message TEXT, newsletter INTEGER NOT NULL, created_at TEXT NOT NULL
);
CREATE TABLE replays (
    operation TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL,
    status INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (operation, key)
);
"""

TABLES = ("shelters", "pets", "notes", "sounds", "pedigrees", "events", "photos", "adoptions", "replays")
_JSON = {"tags", "traits", "tree", "event", "metadata", "pet_ids", "applicant", "extras", "headers"}
_BOOLEAN = {"vaccinated", "newsletter"}

# A criterion that is NULL is not applied. Lists are passed as JSON, so that the SQL text is the same for all requests.
_FIND_PETS = """
SELECT * FROM pets WHERE (:species IS NULL OR species IN (SELECT value FROM json_each(:species)))
AND (:status IS NULL OR status IN (SELECT value FROM json_each(:status)))
AND (:shelter_id IS NULL OR shelter_id IN (SELECT value FROM json_each(:shelter_id)))
AND (:born_after IS NULL OR born >= :born_after) AND (:born_before IS NULL OR born < :born_before)
AND (:updated_since IS NULL OR updated_at >= :updated_since)
AND (:name IS NULL OR instr(folded(name), folded(:name)) > 0)
AND (:max_weight_kg IS NULL OR weight_kg <= :max_weight_kg) AND (:vaccinated IS NULL OR vaccinated = :vaccinated)
AND (:tags IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(:tags) WHERE value NOT IN (SELECT value FROM json_each(pets.tags))
))
ORDER BY name, id
"""
CRITERIA = (
    *("species", "status", "shelter_id", "born_after", "born_before", "updated_since"),
    *("name", "max_weight_kg", "vaccinated", "tags"),
)


class Store:
    """The petstore's tables. Columns with objects or lists are stored as JSON and returned as values."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.row_factory = sqlite3.Row
        # SQLite's own lower() changes only ASCII letters, so this function replaces it.
        self._database.create_function("folded", 1, lambda text: text and text.casefold(), deterministic=True)
        self._database.executescript("PRAGMA foreign_keys = ON;" + SCHEMA)
        self._ticks = 0
        self.featured_calls = 0

    def __enter__(self) -> Store:
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._database.commit()
            else:
                self._database.rollback()
        finally:
            self._lock.release()

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def now(self) -> str:
        """Advance the store's own clock by one second, and return the time."""
        self._ticks += 1
        return (MORNING + timedelta(seconds=self._ticks)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def rows(self, table: str, **wanted: Any) -> list[Row]:
        """Return the rows of a table whose columns have the given values, in the order of the rows' keys."""
        where = "".join(f" AND {column} IS :{column}" for column in wanted)
        return self._select(f"SELECT * FROM {_known(table)} WHERE true{where} ORDER BY 1", wanted)  # noqa: S608 (names from code)

    def one(self, table: str, **wanted: Any) -> Row | None:
        """Return the first row of a table whose columns have the given values, or None."""
        return next(iter(self.rows(table, **wanted)), None)

    def put(self, table: str, **values: Any) -> int:
        """Add a row, or replace the row with the same key. Return its id."""
        slots = ", ".join(f":{column}" for column in values)
        statement = f"INSERT OR REPLACE INTO {_known(table)} ({', '.join(values)}) VALUES ({slots})"  # noqa: S608 (names from code)
        with self._lock:
            return self._database.execute(statement, _stored(values)).lastrowid or 0

    def change(self, table: str, key: int, **values: Any) -> None:
        """Change columns of the row with this key."""
        columns = ", ".join(f"{column} = :{column}" for column in values)
        statement = f"UPDATE {_known(table)} SET {columns} WHERE id = :key"  # noqa: S608 (names from code)
        with self._lock:
            self._database.execute(statement, {**_stored(values), "key": key})

    def remove(self, table: str, **wanted: Any) -> None:
        """Remove the rows of `table` with the given column values, and the rows of other tables that refer to them."""
        where = " AND ".join(f"{column} IS :{column}" for column in wanted)
        with self._lock:
            self._database.execute(f"DELETE FROM {_known(table)} WHERE {where}", wanted)  # noqa: S608 (names from code)

    def find_pets(self, criteria: Mapping[str, Any]) -> list[Row]:
        """Return the pets that meet all criteria, sorted by name.

        A criterion that is missing or None is not applied.
        """
        return self._select(_FIND_PETS, _stored({name: criteria.get(name) for name in CRITERIA}))

    def _select(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        with self._lock:
            return [_row(found) for found in self._database.execute(statement, values)]


def _known(table: str) -> str:
    if table not in TABLES:
        raise KeyError(f"no table {table}; there are {', '.join(TABLES)}")
    return table


def _stored(values: Mapping[str, Any]) -> Row:
    return {column: json.dumps(value) if isinstance(value, list | dict) else value for column, value in values.items()}


def _row(found: sqlite3.Row) -> Row:
    columns: Iterable[str] = found.keys()
    return {column: _value(column, found[column]) for column in columns}


def _value(column: str, stored: Any) -> Any:
    if column in _JSON:
        return json.loads(stored)
    return bool(stored) if column in _BOOLEAN else stored


# -- seed data ---------------------------------------------------------------------------------------------------------


_SHELTERS = ((1, "Berlin", 52.52, 13.405), (2, "Lyon", 45.764, 4.8357), (3, "Kraków", 50.0647, 19.945))

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
        for key, name, latitude, longitude in _SHELTERS:
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
