"""Test the responses of the petstore to reading requests, with parameters in every style."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.demo import petstore
from tests.demo.exchange import Received, call, get, with_headers


def ids(page: Any) -> list[int]:
    return [pet["id"] for pet in page["data"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("species=tortoise", [5]),
        ("species=tortoise&species=bird", [4, 9, 5]),
        ("status=pending,adopted", [7, 6]),
        ("status=pending%2Cadopted", "status[0]"),
        ("species=tortoise,bird", "species[0]"),
        ("born_after=2023-09-09&species=cat", [12]),
        ("born_before=2000-01-01", [5]),
        ("updated_since=2026-01-11T08:00:00Z", [11, 12]),
        ("updated_since=2026-01-12T09:00:00%2B01:00", [12]),
        ("updated_since=2026-01-12T09:00:00+01:00", "updated_since"),
        ("sort=-name&limit=2", [12, 5]),
        ("sort=born&limit=1", [5]),
        ("sort=-born&limit=2", [9, 10]),
        ("limit=1e1", 10),
        ("limit=many", "limit"),
        ("limit=3&limit=4", "limit"),
        ("sort=name&colour=red", "colour"),
        ("species[]=cat", "species[]"),
        ("born_after=2023-02-30", "born_after"),
        ("cursor=nonsense", "cursor"),
        ("sort=%zz", "sort"),
        ("sort=%ff", "sort"),
    ],
)
def test_a_list_takes_its_query_as_it_is_written(
    running: petstore.Running, query: str, expected: list[int] | int | str
) -> None:
    received = call(running.url, "GET", f"/pets?{query}")
    if isinstance(expected, str):
        assert received.faults() == [("query", expected)]
    elif isinstance(expected, int):
        assert len(received.json()["data"]) == expected
    else:
        assert ids(received.json()) == expected


@pytest.mark.parametrize("order", ["name", "-name", "born", "-born", "updated_at", "-updated_at"])
def test_following_the_cursor_shows_every_pet_once(running: petstore.Running, order: str) -> None:
    seen: list[int] = []
    page = get(running.url, f"/pets?limit=5&sort={order}")
    while page["next_cursor"] is not None:
        seen += ids(page)
        page = get(running.url, f"/pets?limit=5&sort={order}&cursor={page['next_cursor']}")
    assert seen + ids(page) == ids(get(running.url, f"/pets?sort={order}"))
    assert page["total"] == 12


def test_a_cursor_is_bound_to_its_sorting(running: petstore.Running) -> None:
    cursor = get(running.url, "/pets?limit=5")["next_cursor"]
    received = call(running.url, "GET", f"/pets?limit=5&sort=born&cursor={cursor}")
    assert received.json()["errors"][0]["detail"].startswith("was made for sort=name;")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("filter[species]=dog&filter[vaccinated]=true&filter[max_weight_kg]=20", [7, 11]),
        ("filter%5Bname%5D=L", [7, 3, 6, 5, 10, 8]),
        ("filter[name]=ZO%C3%8B", [12]),
        ("filter[name]=zoe", []),
        ("tags=calm%20house-trained", [7, 11]),
        ("tags=calm+indoor", [1, 8]),
        ("tags=calm,indoor", "tags[0]"),
        ("near=%7B%22latitude%22%3A52.5%2C%22longitude%22%3A13.4%7D", [3, 1, 2, 12]),
        ("near=%7B%22latitude%22%3A0%2C%22longitude%22%3A0%7D", []),
        ("near=%7B%22latitude%22%3A%2252%22%2C%22longitude%22%3A13.4%7D", "near[latitude]"),
        ("near=52.5,13.4", "near"),
        ('near={"latitude":52.5,"longitude":13.4}', "near"),
        ("filter=dog", "filter"),
        ("filter[]=dog", "filter[]"),
        ("filter[species]=dog&filter[species]=cat", "filter"),
        ("filter[vaccinated]=True", "filter[vaccinated]"),
    ],
)
def test_a_search_takes_its_query_as_it_is_written(
    running: petstore.Running, query: str, expected: list[int] | str
) -> None:
    received = call(running.url, "GET", f"/pets/search?{query}")
    if isinstance(expected, str):
        assert received.faults() == [("query", expected)]
    else:
        assert sorted(ids(received.json())) == sorted(expected)
        assert received.json()["total"] == len(expected)


@pytest.mark.parametrize("bar", ["%7C", "%7c", "|"])
def test_a_search_returns_the_fields_that_were_asked_for(running: petstore.Running, bar: str) -> None:
    found = get(running.url, f"/pets/search?filter[species]=tortoise&fields=name{bar}weight_kg")
    assert found == {"data": [{"name": "Sheldon", "weight_kg": 3.1}], "total": 1}


def test_the_cookie_chooses_the_language(running: petstore.Running) -> None:
    german = call(running.url, "GET", "/pets/1", with_headers(Cookie="theme=dark; locale=de"))
    assert (german.json()["species_label"], german.headers["content-language"]) == ("Katze", "de")
    assert get(running.url, "/pets/1")["species_label"] == "Cat"
    assert call(running.url, "GET", "/pets/1", with_headers(Cookie="locale=it")).faults() == [("cookie", "locale")]


def test_pets_are_compared_in_the_order_given(running: petstore.Running) -> None:
    found = get(running.url, "/pets/compare/8,1")
    assert [pet["id"] for pet in found["pets"]] == [8, 1]
    assert found["differences"]["name"] == ["Nala", "Mitzi"]
    assert "species" not in found["differences"]
    assert call(running.url, "GET", "/pets/compare/1%2C8").faults() == [("path", "petIds"), ("path", "petIds[0]")]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/shelters/1/slots;from=2026-02-06;to=2026-02-09", ["2026-02-06", "2026-02-06", "2026-02-09", "2026-02-09"]),
        ("/shelters/1/slots;to=2026-02-07;from=2026-02-07", []),
        ("/shelters/1/slots;from=2026-02-07;to=2026-02-06", "window"),
        ("/shelters/1/slots;from=2026-02-01;to=2026-02-15", "window"),
        ("/shelters/1/slots;window=from,2026-02-06,to,2026-02-09", ["window[from]", "window[to]", "window[window]"]),
        ("/shelters/1/slots2026-02-06", "window"),
    ],
)
def test_visits_are_for_weekdays_in_a_window(running: petstore.Running, target: str, expected: list[str] | str) -> None:
    received = call(running.url, "GET", target)
    if received.status == 200:
        assert [slot["starts_at"][:10] for slot in received.json()] == expected
    else:
        names = [expected] if isinstance(expected, str) else expected
        assert sorted(received.faults()) == [("path", name) for name in names]


def test_stock_is_counted(running: petstore.Running) -> None:
    assert get(running.url, "/inventory") == {"cat": 4, "dog": 3, "rabbit": 2, "bird": 2, "tortoise": 1}
    assert get(running.url, "/inventory?by=status") == {"available": 10, "pending": 1, "adopted": 1}


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_pets_are_exported_as_a_table(running: petstore.Running, suffix: str, delimiter: str) -> None:
    lines = call(running.url, "GET", f"/exports/pets{suffix}").body.decode().splitlines()
    assert len(lines) == 13
    assert lines[3].split(delimiter) == ["3", "Flöckchen", "rabbit", "", "2023-05-01", "available", "1.9", "1"]
    assert call(running.url, "GET", "/exports/petscsv").faults() == [("path", "format")]


def test_every_third_look_at_the_featured_pet_is_one_too_many(running: petstore.Running) -> None:
    answers: list[Received] = [call(running.url, "GET", "/featured-pet", credentials={}) for _ in range(6)]
    assert [answer.status for answer in answers] == [200, 200, 429, 200, 200, 429]
    assert answers[2].headers["retry-after"] == "1"
    assert answers[0].json()["name"] == "Mitzi"


def test_two_petstores_answer_the_same() -> None:
    with petstore.serve() as one, petstore.serve() as other:
        for target in ("/pets", "/photos/1", "/pets/1/sound", "/pets/1/dossier"):
            assert call(one.url, "GET", target) == call(other.url, "GET", target)
