"""Test names with tables of cases: what name a text gives, and that names are legal for any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.names import (
    ARGUMENT_NAME,
    SERVER_NAME,
    VERSION_NUMBER,
    argument_name,
    clipped,
    distinct,
    environment_suffix,
    is_readable,
    server_name,
    short_hash,
    spelled_out,
    words,
)

ANY_TEXT = st.text(st.characters(), max_size=200)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("listPets", "list pets"),
        ("GetAccountsAccountCapabilities", "get accounts account capabilities"),
        ("repos/get-branch", "repos get branch"),
        ("HTTPServer", "http server"),
        ("the pet's owners' list, isn't it", "the pet owners list isnt it"),
        ("getURLs", "get urls"),
        ("IDs", "ids"),
        ("oauth2", "oauth2"),
        ("v1Beta1", "v1 beta1"),
        ("s3_bucket", "s3 bucket"),
        ("2fa", "2 fa"),
        ("  spaced -- out  ", "spaced out"),
        ("größe", "groe"),
        ("Ünïcödé", "unicode"),
        ("日本", ""),
        ("", ""),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected


@given(ANY_TEXT)
def test_words_are_plain_whatever_the_text(text: str) -> None:
    assert all(re.fullmatch(r"[a-z]+[0-9]*|[0-9]+", word) for word in words(text))


@pytest.mark.parametrize(
    ("wire_name", "expected"),
    [
        ("city", "city"),
        ("petId", "petId"),
        ("_id", "id"),
        ("__class__", "class"),
        ("a_", "a_"),
        ("model_config", "argument_model_config"),
        ("model_dump", "argument_model_dump"),
        ("model-config", "argument_model_config"),
        ("model_configs", "model_configs"),
        ("config", "argument_config"),
        ("self", "argument_self"),
        ("configs", "configs"),
        ("filter[name]", "filter_name"),
        ("$top", "top"),
        ("$.xgafv", "xgafv"),
        ("api-version", "api_version"),
        ("ids[]", "ids"),
        ("StartTime<", "StartTime_lt"),
        ("StartTime>=", "StartTime_gte"),
        ("name!", "name_not"),
        ("name!=", "name_ne"),
        ("@type", "type"),
        ("a.b.c", "a_b_c"),
        ("2fa", "argument_2fa"),
        ("\uff49\uff4d\uff50\uff4f\uff52\uff54", "import"),
        ("größe", "grosse"),
        ("状态", "zhuang_tai"),
        ("用户id列表", "yong_hu_id_lie_biao"),
        ("ユーザー", "yuza"),
        ("페이지", "pe_i_ji"),
        ("имяПользователя", "imyaPolzovatelya"),
        ("المستخدم", "lmstkhdm"),
        ("χρήστης", "christis"),
    ],
)
def test_argument_name(wire_name: str, expected: str) -> None:
    assert argument_name(wire_name) == expected


@pytest.mark.parametrize(
    ("wire_name", "expected"),
    [("api-version", True), ("Ünïcödé", True), ("größe", False), ("状态", False), ("имя", False), ("✨", False)],
)
def test_whether_an_argument_name_shows_the_original(wire_name: str, expected: bool) -> None:
    assert is_readable(wire_name) == expected


@pytest.mark.parametrize(
    ("wire_name", "expected"),
    [("a.b", ["a_dot_b"]), ("a-b:c", ["a_dash_b_colon_c"]), ("a[b]", []), ("状-态", []), ("2-b", [])],
)
def test_punctuation_spelled_out(wire_name: str, expected: list[str]) -> None:
    assert spelled_out(wire_name) == expected


@given(ANY_TEXT)
def test_an_argument_name_is_one_that_every_provider_takes(wire_name: str) -> None:
    assert ARGUMENT_NAME.fullmatch(argument_name(wire_name))


@pytest.mark.parametrize("wire_name", ["", "✨", "\u202e\u200b", "??", "-", "x" * 300, "a-" * 100])
def test_an_argument_name_without_letters_or_too_long_is_told_apart_by_a_hash(wire_name: str) -> None:
    assert re.fullmatch(r"[a-z_]+_[2-9a-z]{4}", argument_name(wire_name))
    assert argument_name(wire_name) != argument_name(wire_name + "-x")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Swagger Petstore - OpenAPI 3.1", "petstore"),
        ("The Weather API", "weather"),
        ("GitHub v3 REST API", "github"),
        ("GitHub's official OpenAPI spec", "github"),
        ("Joe\u2019s Pizza", "joe-pizza"),
        ("Amazon Simple Storage Service", "amazon-simple-storage"),
        ("Supercalifragilisticexpialidocious", "supercalifragilisticexpialidocious"),
        ("API", "api"),
        ("REST API v2", "rest-api-v2"),
        ("mcp", "mcp"),
        ("3D Printing", "api-3d-printing"),
        ("日本", "ri-ben"),
        ("✨", "api"),
        ("../../etc/passwd", "etc-passwd"),
        ("con", "con"),
    ],
)
def test_server_name(title: str, expected: str) -> None:
    assert server_name(title) == expected


@pytest.mark.parametrize(
    ("title", "host", "expected"),
    [
        ("API", "api.themoviedb.org", "themoviedb"),
        ("REST API v2", "www.shop.co.uk", "shop"),
        ("API Documentation", "sandbox.api.bank.com", "bank"),
        ("API Reference: Billing", "api.bank.com", "billing"),
        ("API definition of the shop", "", "shop"),
        ("API", "127.0.0.1", "api"),
        ("API", "localhost", "api"),
        ("API", "api.example.com", "api"),
        ("API", "{region}.cloud.com", "api"),
        ("", "", "api"),
        ("Orders", "api.bank.com", "orders"),
        ("Email Activity (beta)", "", "email-activity"),
        ("Support for different kinds of types", "", "support-for-different"),
        ("Uploads for every kind of documents", "", "uploads-for-every-kind"),
    ],
)
def test_a_server_is_named_by_its_host_where_the_title_says_nothing(title: str, host: str, expected: str) -> None:
    assert server_name(title, host) == expected


@pytest.mark.parametrize(
    ("title", "host", "file", "expected"),
    [
        ("", "", "https://x.example.com/temporal.json?a=/b.json", "temporal"),
        ("server", "localhost", "specs/langfuse.v1.yaml", "langfuse"),
        ("api", "api.bank.com", "langfuse.yaml", "bank"),
        ("API", "", "openapi.yaml", "api"),
        ("Files Files", "api.hubapi.com", "files.json", "hubapi"),
        ("Files Files", "", "openapi.json", "files"),
        ("Orders", "", "langfuse.yaml", "orders"),
        ("", "", "C:\\specs\\crm.json", "crm"),
    ],
)
def test_a_server_is_named_by_its_file_where_title_and_host_say_nothing(
    title: str, host: str, file: str, expected: str
) -> None:
    assert server_name(title, host, file) == expected


@given(ANY_TEXT)
def test_a_server_name_is_legal_whatever_the_title(title: str) -> None:
    assert SERVER_NAME.fullmatch(server_name(title))


@pytest.mark.parametrize("title", ["9" * 60, "x" * 60, "1 " * 60])
def test_a_server_name_is_legal_at_any_length(title: str) -> None:
    assert SERVER_NAME.fullmatch(server_name(title))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("petstoreAuth", "PETSTORE_AUTH"),
        ("api_key", "API_KEY"),
        ("OAuth 2.0", "O_AUTH_2_0"),
        ("X-API-Key", "X_API_KEY"),
    ],
)
def test_environment_suffix(name: str, expected: str) -> None:
    assert environment_suffix(name) == expected


@given(ANY_TEXT | st.text("ab-", min_size=100, max_size=500))
def test_an_environment_suffix_is_legal_whatever_the_name(name: str) -> None:
    assert re.fullmatch(r"[A-Z0-9][A-Z0-9_]{0,63}", environment_suffix(name))


def test_a_hash_is_stable_and_has_no_letters_that_are_mistaken() -> None:
    assert short_hash("GET /pets", 12) == "d2um5fmigx87"
    assert len({short_hash(str(number), 8) for number in range(1000)}) == 1000
    assert not set("".join(short_hash(str(number)) for number in range(200))) & set("01lozOIL")


def test_a_distinct_name_is_found_however_many_are_taken() -> None:
    taken: set[str] = set()
    for _ in range(50):
        name = distinct(("a", "a_body"), "a", "seed", taken)
        assert name not in taken
        taken.add(name)
    assert {"a", "a_body"} < taken


@pytest.mark.parametrize("version", ["1", "1.2.3", "0.1.0", "2024.1", "1.0a1", "1.0rc2", "1.0.post1", "1.0.dev3"])
def test_versions_that_a_package_can_have(version: str) -> None:
    assert VERSION_NUMBER.fullmatch(version)


@pytest.mark.parametrize("version", ["", "v1", "1.", "1.0-beta", "latest", '1"; import os', "1\n", "\uff11.0", "1.0 "])
def test_versions_that_no_package_can_have(version: str) -> None:
    assert not VERSION_NUMBER.fullmatch(version)


@given(ANY_TEXT)
def test_clipped_text_is_short_and_printable(text: str) -> None:
    shown = clipped(text, 40)
    assert shown.isprintable()
    assert "\n" not in shown
    assert text != shown or len(shown) <= 40
