"""Test what POST, PUT, PATCH and DELETE requests change in the petstore, and which of them it refuses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mcpgen.demo import petstore
from tests.demo.exchange import call, get, of_form, of_json, with_headers
from tests.demo.petstore_cases import ADOPT, MERGE, of_text


def test_a_new_pet_is_where_its_location_says_and_keeps_its_chip_to_itself(running: petstore.Running) -> None:
    born = {"name": "Tiger", "species": "cat", "traits": {"coat": "tabby"}, "microchip": "276098106123456"}
    created = call(running.url, "POST", "/pets", of_json(born))
    assert created.headers["location"] == "/v1/pets/13"
    assert created.json() == get(running.url, "/pets/13")
    assert "microchip" not in created.json()
    assert running.store.rows("pets", id=13)[0]["microchip"] == "276098106123456"


@pytest.mark.parametrize(
    ("pet", "names"),
    [
        ({}, ["/name", "/species"]),
        ({"id": 7, "name": "Tiger", "species": "cat"}, ["/id"]),
        ({"name": "Tiger", "species": "cat", "weight": 3}, ["/weight"]),
        ({"name": 1, "species": None, "born": "May", "weight_kg": "4"}, ["/born", "/name", "/species", "/weight_kg"]),
        ({"name": "Tiger", "species": "cat", "tags": ["Big Cat"], "traits": {"eyes": 2}}, ["/tags/0", "/traits/eyes"]),
        ([], [""]),
    ],
)
def test_everything_wrong_with_a_pet_is_said_at_once(running: petstore.Running, pet: Any, names: list[str]) -> None:
    received = call(running.url, "POST", "/pets", of_json(pet))
    assert sorted(received.faults()) == [("body", name) for name in names]
    assert len(running.store.rows("pets")) == 12


def test_an_error_says_where_what_and_what_else(running: petstore.Running) -> None:
    received = call(running.url, "POST", "/pets", of_json({"name": "Tiger", "species": "cow", "wieght_kg": 4}))
    assert received.json() == {
        "type": "https://petstore.example/problems/invalid-request",
        "title": "Invalid request",
        "status": 422,
        "detail": "2 values are wrong: /wieght_kg, /species.",
        "errors": [
            {"in": "body", "name": "/wieght_kg", "detail": "is not a property of a pet; did you mean weight_kg?"},
            {
                "in": "body",
                "name": "/species",
                "detail": 'must be one of cat, dog, rabbit, bird, tortoise, and is "cow"',
            },
        ],
    }


def test_the_same_key_creates_once(running: petstore.Running) -> None:
    sent = of_json({"name": "Tiger", "species": "cat"}, Idempotency_Key="intake-0001")
    first, second = call(running.url, "POST", "/pets", sent), call(running.url, "POST", "/pets", sent)
    assert first == second
    assert len(running.store.rows("pets")) == 13
    other = of_json({"name": "Lion", "species": "cat"}, Idempotency_Key="intake-0001")
    assert call(running.url, "POST", "/pets", other).faults() == [("header", "Idempotency-Key")]


def test_a_batch_is_all_or_nothing(running: petstore.Running) -> None:
    good, bad = {"name": "Salt", "species": "rabbit"}, {"name": "Pepper"}
    assert call(running.url, "POST", "/pets/batch", of_json([good, bad])).faults() == [("body", "/1/species")]
    assert len(running.store.rows("pets")) == 12
    created = call(running.url, "POST", "/pets/batch", of_json([good, good], X_Request_Tags="intake,winter"))
    assert [pet["id"] for pet in created.json()] == [13, 14]
    assert created.headers["x-request-tags"] == "intake, winter"


def test_a_patch_changes_what_is_given_and_null_clears(running: petstore.Running) -> None:
    before = get(running.url, "/pets/1")
    patch = {"breed": None, "weight_kg": 4.4, "traits": {"collar": "red", "eyes": None}}
    changed = call(running.url, "PATCH", "/pets/1", of_json(patch, MERGE, If_Match='"1-1"'))
    expected = {"breed": None, "weight_kg": 4.4, "traits": {"coat": "black and white", "collar": "red"}}
    assert changed.json() == {**before, **expected, "updated_at": "2026-02-01T09:00:01Z"}
    assert changed.headers["etag"] == '"1-2"'
    late = call(running.url, "PATCH", "/pets/1", of_json(patch, MERGE, If_Match='"1-1"'))
    assert (
        late.json()["detail"]
        == 'You have seen version "1-1" of pet 1, but its version is now "1-2". Get the pet again.'
    )


@pytest.mark.parametrize("name", ["name", "status", "vaccinated", "tags", "shelter_id"])
def test_null_is_no_value_for_what_is_always_known(running: petstore.Running, name: str) -> None:
    received = call(running.url, "PATCH", "/pets/1", of_json({name: None}, MERGE))
    assert received.faults() == [("body", f"/{name}")]


def test_a_deleted_pet_takes_everything_with_it(running: petstore.Running) -> None:
    deleted = call(running.url, "DELETE", "/pets/1", with_headers(If_Match='"1-1"', X_Request_Tags="gone"))
    assert (deleted.status, deleted.headers, deleted.body) == (204, {"x-request-tags": "gone"}, b"")
    left = [row["pet_id"] for table in ("photos", "notes", "sounds", "events") for row in running.store.rows(table)]
    assert 1 not in left


def test_a_pedigree_goes_back_five_generations(running: petstore.Running) -> None:
    tree: dict[str, Any] = {"name": "A"}
    for name in "BCDEF":
        tree = {"name": name, "mother": tree}
    assert call(running.url, "PUT", "/pets/1/pedigree", of_json(tree)).json() == tree
    assert get(running.url, "/pets/1/pedigree") == tree
    deeper = call(running.url, "PUT", "/pets/1/pedigree", of_json({"name": "G", "mother": tree}))
    assert deeper.faults() == [("body", "/mother" * 6)]


def test_notes_come_back_as_they_were_written(running: petstore.Running) -> None:
    text = "Liebt Löwenzahn.\r\n\tUnd Ruhe.\n"
    call(running.url, "PUT", "/pets/3/notes", of_text(text))
    assert call(running.url, "GET", "/pets/3/notes").body.decode() == text
    call(running.url, "PUT", "/pets/3/notes", of_text(""))
    assert running.store.rows("notes", pet_id=3) == []


def test_events_have_their_effect(running: petstore.Running) -> None:
    at = {"at": "2026-01-20T12:00:00+02:00"}
    weighed = call(running.url, "POST", "/pets/3/events", of_json({"kind": "weighing", "weight_kg": 2.1, **at}))
    shot = {"kind": "vaccination", "vaccine": "RHD", "valid_until": None, **at}
    call(running.url, "POST", "/pets/3/events", of_json(shot))
    pet = get(running.url, "/pets/3")
    assert (pet["weight_kg"], pet["vaccinated"]) == (2.1, True)
    assert weighed.json()["at"] == "2026-01-20T10:00:00Z"
    assert [row["event"]["kind"] for row in running.store.rows("events", pet_id=3)] == ["weighing", "vaccination"]


@pytest.mark.parametrize(
    ("event", "names"),
    [
        ({}, ["/kind"]),
        ({"kind": ["weighing"]}, ["/kind"]),
        ({"kind": "weighing", "weight_kg": 0}, ["/at", "/weight_kg"]),
        ({"kind": "treatment", "at": "2026-01-20T12:00:00Z", "description": "x", "vaccine": "y"}, ["/vaccine"]),
    ],
)
def test_an_event_is_checked_by_its_kind(running: petstore.Running, event: Any, names: list[str]) -> None:
    received = call(running.url, "POST", "/pets/3/events", of_json(event))
    assert sorted(received.faults()) == [("body", name) for name in names]


def test_an_adoption_is_read_from_a_form(running: petstore.Running) -> None:
    form = (
        ADOPT + "&applicant%5Baddress%5D%5Bcity%5D=Saint+%C3%89tienne&extras=carrier,food&newsletter=true&message=a%2Bb"
    )
    asked = call(running.url, "POST", "/adoptions", of_form(form))
    assert asked.headers["location"] == "/v1/adoptions/2"
    assert asked.json() == {
        "id": 2,
        "status": "pending",
        "pet_ids": [1, 8],
        "applicant": {"name": "Ada", "email": "ada@home.example", "address": {"city": "Saint Étienne"}},
        "extras": ["carrier", "food"],
        "visit_on": None,
        "message": "a+b",
        "newsletter": True,
        "created_at": "2026-02-01T09:00:01Z",
    }
    assert get(running.url, "/adoptions/2") == asked.json()
    assert [get(running.url, f"/pets/{key}")["status"] for key in (1, 8)] == ["pending", "pending"]


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("", ["/applicant", "/pet_ids"]),
        ("pet_ids=1,8&applicant[name]=A&applicant[email]=a@b", ["/pet_ids/0"]),
        ("pet_ids=1&applicant[name]=A&applicant[mail]=a@b", ["/applicant/email", "/applicant/mail"]),
        ("pet_ids=1&applicant[name]=A&applicant[email]=a@b&newsletter=yes", ["/newsletter"]),
        ("pet_ids=1&applicant[name]=A&applicant[email]=a@b&extras=food&extras[]=lead", ["/extras[]"]),
    ],
)
def test_a_wrong_field_of_a_form_is_named(running: petstore.Running, form: str, names: list[str]) -> None:
    assert sorted(call(running.url, "POST", "/adoptions", of_form(form)).faults()) == [("body", name) for name in names]


def test_a_field_given_twice_is_no_form(running: petstore.Running) -> None:
    received = call(running.url, "POST", "/adoptions", of_form(f"{ADOPT}&message=a&message=b"))
    assert received.json()["detail"] == "The body has message, which is given 2 times, and once is enough."


def test_calls_at_the_same_time_do_not_disturb_each_other(running: petstore.Running) -> None:
    with ThreadPoolExecutor(8) as pool:
        sent = [of_json({"name": f"Pet {number}", "species": "cat"}) for number in range(40)]
        created = list(pool.map(lambda one: call(running.url, "POST", "/pets", one), sent))
    assert sorted(received.json()["id"] for received in created) == list(range(13, 53))
    assert len({row["updated_at"] for row in running.store.rows("pets")}) == 52
