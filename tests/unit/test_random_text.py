"""Test that random texts differ from names, paths and numbers, whatever characters they are made of."""

from __future__ import annotations

import random
import string

import pytest

from mcpgen.base import secrets
from mcpgen.base.secrets import SHORTEST_IN_TEXT, SHORTEST_VALUE, may_be_secret, without_secrets

LETTERS, DIGITS = string.ascii_letters, string.digits
ALPHABETS = {
    "base64url": LETTERS + DIGITS + "-_",
    "base58": "".join(sorted({*LETTERS, *DIGITS} - {*"lIO0"})),
    "letters": LETTERS,
    "small letters": string.ascii_lowercase,
    "capitals": string.ascii_uppercase,
    "small letters and digits": string.ascii_lowercase + DIGITS,
    "capitals and digits": string.ascii_uppercase + DIGITS,
    "base32": string.ascii_uppercase + "234567",
    "passwords": LETTERS + DIGITS + "!@#$%^&*-_+=.",
    "hexadecimal": DIGITS + "abcdef",
    "all signs": "".join(map(chr, range(ord("!"), ord("~") + 1))),
}
MANY = 1000
MOST_MISSED = MANY // 100
KEPT_IN_TEXT = ("passwords", "hexadecimal", "all signs")
"""Alphabets that are not searched inside a text: signs end a word, and a text may tell digests."""


def texts(alphabet: str, length: int) -> list[str]:
    generator = random.Random(f"{alphabet} {length}")
    return ["".join(generator.choices(ALPHABETS[alphabet], k=length)) for _ in range(MANY)]


@pytest.mark.parametrize("length", [SHORTEST_VALUE + 1, 27, 40])
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_a_random_value_is_noticed(alphabet: str, length: int) -> None:
    most = 2 * MOST_MISSED if alphabet == "all signs" else MOST_MISSED  # some look like paths, or like code in brackets
    assert sum(not may_be_secret("note", each) for each in texts(alphabet, length)) <= most


@pytest.mark.parametrize("length", [SHORTEST_VALUE + 3, 27, 40])
@pytest.mark.parametrize("alphabet", ["passwords", "all signs"])
def test_after_a_secret_name_a_text_loses_all_signs_of_a_random_value(alphabet: str, length: int) -> None:
    """A value that begins with a quotation mark ends at the next one, so such values are not tried."""
    values = [each for each in texts(alphabet, length) if each[0] not in "\"'`\\"]
    for front, back in (("Use the password: ", " to log in."), ("curl -H 'X-Api-Key: ", " https://a.example")):
        found = [(value, without_secrets(f"{front}{value}{back}")) for value in values]
        left = [each for value, each in found if any(value[at : at + 12] in each for at in range(length - 11))]
        assert len(left) <= 2 * MOST_MISSED
    written = [without_secrets(f"API_TOKEN={value}") for value in values if "&" not in value]
    assert sum("LEFT-OUT" not in each for each in written) <= 2 * MOST_MISSED


@pytest.mark.parametrize("length", [SHORTEST_IN_TEXT, 27, 40])
@pytest.mark.parametrize("alphabet", [each for each in ALPHABETS if each not in KEPT_IN_TEXT])
def test_a_random_part_of_a_text_is_left_out(alphabet: str, length: int) -> None:
    left = [each for each in texts(alphabet, length) if each in without_secrets(f"Send {each} with each call.")]
    assert len(left) <= MOST_MISSED


@pytest.mark.parametrize(
    "name",
    [
        *("getV3ProjectsIdHooks", "putV3ProjectsIdServicesGemnasium", "apiGetOpenAIAPIKeyOutput"),
        *("XMLHttpRequestUploadEventTarget", "LinkLocalIPv6PrefixLen", "HTTP_X_FORWARDED_FOR_PROTO"),
        *(
            "apps-s-1vcpu-1gb-fixed",
            "so1_5-32vcpu-256gb-intel",
            "ubuntu-s-1vcpu-1gb-nyc1-01",
            "v1beta1-k8s-ns-svc-lb-sg",
        ),
        *("claude-3-5-sonnet-20241022", "Mistral-7B-Instruct-v0.3", "llama-v3p1-405b-instruct-fp8"),
        *("application/vnd.github.v3.raw+json", "com.amazonaws.services.dynamodbv2.model.AttributeValue"),
        *("arn:aws:iam::123456789012:role/service-role/MyRole", "do:droplet:fa3c10b5-58cc-4372-a567-0e02b2c3d479"),
        *(
            "2024-01-01T00:00:00.000+02:00",
            "2409:40d0:f7:1017:74b4:3a96:105e:4c6e",
            "123e4567-e89b-12d3-a456-426614174000",
        ),
        *("donaudampfschifffahrtsgesellschaft", "pneumonoultramicroscopicsilicovolcanoconiosis"),
        *("abcdefghijklmnopqrstuvwxyz0123456789", "xxxxxxxxxxxxxxxxxxxxxxxx", "________________________"),
        *('{"maxResults":50,"startAt":0,"isLast":true}', "begin!*'();:@&=+$,end", "/maps/api/geocode/json"),
        *("$.paths[?search(@.x,'[ab]{5}[^ab]')]", "/A0/Media.json?DateCreated%3C=2008-01-02&PageSize=50&Page=0"),
        *("msg_01XFDUDYJgAACzvnptvVoYEL", "https://a.example/s/kwio6b4ovt1264rnfbyqo1"),
    ],
)
def test_a_name_is_not_random(name: str) -> None:
    assert not may_be_secret("note", name)
    assert without_secrets(f"See {name}, for example.") == f"See {name}, for example."


@pytest.mark.parametrize(
    "text",
    [
        "The ids of tracks, such as 74ASZWbe4lXaubB36ztrGX.",
        "For example: uris=spotify:track:4iV5W9uYEdYUVa79Axb7Rh",
        "Your agent is at fuauiziwb5xm6xka4c7aer5k.agents.example.com.",
        "See https://a.example/articles/360000#h_01GFVJEHQA06N7XEZ4GCZ9GFAQ for more.",
        "The commit 6dcb09b5b57875f334f61aebed695e2e4193db5e of the branch.",
    ],
)
def test_an_id_of_a_text_stays(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "token://aB3dE5gH7j",
        "https://a.test/ token:aB3dE5gH7j",
        "https://a.test/?token=aB3dE5gH7j",
        "see https://a.test and token:aB3dE5gH7j",
    ],
)
def test_a_url_is_searched_unless_its_scheme_is_its_only_name(text: str) -> None:
    assert "aB3dE5gH7j" not in without_secrets(text)


def test_a_value_is_searched_once_for_its_name_and_its_look() -> None:
    text = "a text with more than eight characters"
    without_secrets(text)
    before = secrets._cleaned.cache_info()
    assert not may_be_secret("note", text)
    assert secrets._cleaned.cache_info().misses == before.misses
