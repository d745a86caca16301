"""The table of requirements and the tests name each other, both ways."""

from pathlib import Path

from tests.requirements import ID, REQUIREMENTS, SOURCES

TESTS = Path(__file__).parents[1]
OWN = {TESTS / "requirements.py", Path(__file__)}


def _named() -> dict[str, set[str]]:
    """Id → the files that name it."""
    found: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("*")):
        if path.is_file() and path not in OWN and "__pycache__" not in path.parts:
            text = path.read_bytes().decode("utf-8", "replace")
            for kind, number in ID.findall(text):
                found.setdefault(f"{kind.upper()}-{number}", set()).add(path.relative_to(TESTS).as_posix())
    return found


def test_every_requirement_is_shown_by_a_test() -> None:
    named = _named()
    assert not [identifier for identifier in REQUIREMENTS if identifier not in named]


def test_every_id_that_a_test_names_is_a_requirement() -> None:
    assert {identifier: places for identifier, places in _named().items() if identifier not in REQUIREMENTS} == {}


def test_every_requirement_has_a_source_and_a_sentence() -> None:
    assert {identifier.split("-")[0] for identifier in REQUIREMENTS} == set(SOURCES)
    assert all(len(sentence.split()) >= 3 for sentence in REQUIREMENTS.values())
