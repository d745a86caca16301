"""Test the settings: every variable, and for every wrong value an error that names the variable but not the value."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from package.runtime.settings import settings as module
from package.runtime.settings.credential_env import LONGEST
from package.runtime.settings.settings import NotReady, Settings

from tests.runtime.table_stub import Catalog
from tests.scheme_entries import any_header, api_key, basic, bearer

KEY = api_key("header", "X-API-Key", "PETSTORE_API_KEY")
BEARER = bearer("PETSTORE_BEARER")
LOGIN = basic("PETSTORE_LOGIN_USERNAME", "PETSTORE_LOGIN_PASSWORD")
FIELD = any_header("PETSTORE_HEADER")
SECURITY = {"key": KEY, "bearer": BEARER, "login": LOGIN, "field": FIELD}

REGION = {"variable": "PETSTORE_VAR_REGION", "default": "eu", "enum": ["eu", "us"]}
REGIONAL = [{"url": "https://{region}.example.com/v1", "variables": {"region": REGION}}]


def load(environ: dict[str, str], base_url: str | None = None, **table: Any) -> Settings:
    catalog: Any = Catalog(security=SECURITY, **table)
    return module.load(catalog, environ, base_url)


def test_without_any_variable_the_document_and_the_defaults_count() -> None:
    settings = load({})
    assert (str(settings.server(0)), settings["TIMEOUT"], settings["LOG_LEVEL"]) == (
        "https://api.petstore.example/v1",
        30,
        "info",
    )
    assert (settings["FILES_DIR"], settings["CA_FILE"], settings["PROXY"], settings.secrets) == (None, None, None, {})
    assert settings.problems == settings.warnings == []


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("TIMEOUT", " 1.5 ", 1.5),
        ("TIMEOUT", "3600", 3600.0),
        ("TIMEOUT", "0.1", 0.1),
        ("CONCURRENCY", "256", 256),
        ("CONCURRENCY", "", 64),
        ("RATE_LIMIT", "", None),
        ("LOG_LEVEL", "Debug", "debug"),
        ("PROXY", "http://user:p%40ss@proxy.example:3128/", "http://user:p%40ss@proxy.example:3128"),
        ("FILES_DIR", "", None),
    ],
)
def test_a_variable_is_read(variable: str, value: str, expected: object) -> None:
    settings = load({f"PETSTORE_{variable}": value})
    assert settings[variable] == expected
    assert settings.problems == []


@pytest.mark.parametrize(
    ("value", "shown", "kept"),
    [
        ("", 32_000, 64 * 2**20),
        ("1000 tokens", 4000, 64 * 2**20),
        ("16K tokens,2 GiB", 64_000, 2**31),
        ("128MB", 32_000, 128_000_000),
    ],
)
def test_sizes_have_units(value: str, shown: int, kept: int) -> None:
    settings = load({"PETSTORE_MAX_RESULT": value})
    assert (settings.sizes.shown, settings.sizes.kept, settings.problems) == (shown, kept, [])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("10/s", "10 requests a second"),
        ("1/Min", "1 request a minute"),
        ("5000 / h", "5,000 requests an hour"),
    ],
)
def test_a_rate_has_a_span(value: str, said: str) -> None:
    settings = load({"PETSTORE_RATE_LIMIT": value})
    assert (str(settings["RATE_LIMIT"]), settings.problems) == (said, [])


@pytest.mark.parametrize(
    ("values", "allowed"),
    [(("1", "true", "YES", "On"), True), (("0", "False", "no", "off"), False)],
)
def test_a_switch_has_eight_spellings(values: tuple[str, ...], allowed: bool) -> None:
    for value in values:
        environ = {"PETSTORE_ALLOW_HTTP": value, "PETSTORE_BASE_URL": "http://internal.example"}
        assert (load(environ).problems == []) is allowed


def test_files_and_directories_must_exist(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes((Path(__file__).parent / "tls" / "localhost.pem").read_bytes())
    settings = load({"PETSTORE_FILES_DIR": str(tmp_path), "PETSTORE_CA_FILE": str(tmp_path / "ca.pem")})
    assert (settings["FILES_DIR"], settings["CA_FILE"]) == (str(tmp_path.resolve()), str(tmp_path / "ca.pem"))
    settings = load({"PETSTORE_FILES_DIR": str(tmp_path / "ca.pem"), "PETSTORE_CA_FILE": str(tmp_path / "none.pem")})
    assert settings.problems == [
        "PETSTORE_FILES_DIR must name a directory that exists.",
        "PETSTORE_CA_FILE must name a file that can be read.",
    ]
    assert load({"PETSTORE_CA_FILE": str(tmp_path)}).problems == settings.problems[1:], "a directory is no file"


SECONDS = "must be a number of seconds from 0.1 to 3600."
RATE = "must say how many requests in which time, such as 10/s, 100/min or 5000/h."
SIZES = "must say tokens to show, bytes to keep, or both, such as 8k tokens, 64 MiB."
HTTPS = "must begin with https:// unless PETSTORE_ALLOW_HTTP is 1."


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        *(("MAX_RESULT", value, SIZES) for value in ("8000", "64", "MiB", "1 MiB, x", "-1 MiB", "1.5 MiB", ",")),
        *(("MAX_RESULT", value, "must show 500 to 250,000 tokens.") for value in ("499 tokens", "251k tokens")),
        *(("MAX_RESULT", value, "must keep 1 MiB to 4 GiB.") for value in ("999 KiB", "5GB", "1MB")),
        *(
            ("CONCURRENCY", value, "must be a whole number from 1 to 256.")
            for value in ("0", "257", "-1", "8.0", "many")
        ),
        *(("RATE_LIMIT", value, RATE) for value in ("10", "10/day", "/s", "-1/s", "1.5/s", "1000000/s", "10/s/s")),
        *(("RATE_LIMIT", value, "must allow 1 to 100,000 requests.") for value in ("0/s", "100001/h")),
        *(("TIMEOUT", value, SECONDS) for value in ("0", "0.04", "-1", "3601", "nan", "inf", "30s")),
        ("LOG_LEVEL", "verbose", "must be one of debug, info, warning, error."),
        ("ALLOW_HTTP", "maybe", "must be 1 or 0."),
        ("PROXY", "proxy.example:3128", "must be a URL that begins with https:// or http://."),
        ("PROXY", "http://proxy.example/path", "must be a URL such as http://proxy.example:3128."),
        ("PROXY", "http://us\ner@proxy.example", "must be a URL such as http://proxy.example:3128."),
        ("BASE_URL", "http://api.example.com", HTTPS),
        ("BASE_URL", "ftp://api.example.com", "must be a URL that begins with https:// or http://."),
    ],
)
def test_a_wrong_variable_is_a_sentence(variable: str, value: str, problem: str) -> None:
    assert load({f"PETSTORE_{variable}": value}).problems == [f"PETSTORE_{variable} {problem}"]


@pytest.mark.parametrize(
    ("environ", "flag", "servers", "address"),
    [
        ({"PETSTORE_BASE_URL": "https://other.example/base/"}, None, None, "https://other.example/base"),
        ({"PETSTORE_BASE_URL": "https://other.example"}, "https://flag.example/x", None, "https://flag.example/x"),
        ({"PETSTORE_BASE_URL": "http://127.0.0.1:8000"}, None, [], "http://127.0.0.1:8000"),
        ({"PETSTORE_BASE_URL": "http://localhost:8000/v2"}, None, [{"url": "/v1"}], "http://localhost:8000/v2"),
        ({"PETSTORE_BASE_URL": "http://[::1]:80/"}, None, None, "http://[::1]"),
        (
            {"PETSTORE_BASE_URL": "http://internal.example/", "PETSTORE_ALLOW_HTTP": "1"},
            None,
            None,
            "http://internal.example",
        ),
        # a base URL without a path keeps the path of the document's server; with a final slash the path is empty
        ({"PETSTORE_BASE_URL": "http://localhost:8000"}, None, [{"url": "/v1/"}], "http://localhost:8000/v1"),
        (
            {"PETSTORE_BASE_URL": "http://localhost:8000"},
            None,
            [{"url": "https://api.example"}],
            "http://localhost:8000",
        ),
        ({"PETSTORE_BASE_URL": "http://localhost:8000"}, None, REGIONAL, "http://localhost:8000/v1"),
        ({"PETSTORE_BASE_URL": "http://localhost:8000/"}, None, REGIONAL, "http://localhost:8000"),
        ({}, "http://localhost:8000", [{"url": "/v1"}], "http://localhost:8000/v1"),
        ({"PETSTORE_BASE_URL": "https://169.254.169.254/latest"}, None, None, "https://169.254.169.254/latest"),
        ({"PETSTORE_BASE_URL": "HTTPS://API.Example:443/"}, None, None, "https://api.example"),
        ({}, None, REGIONAL, "https://eu.example.com/v1"),
        ({"PETSTORE_VAR_REGION": "us"}, None, REGIONAL, "https://us.example.com/v1"),
        ({}, None, [{"url": "http://localhost:1/"}], "http://localhost:1"),
    ],
)
def test_where_the_server_is(
    environ: dict[str, str], flag: str | None, servers: list[dict[str, Any]] | None, address: str
) -> None:
    settings = load(environ, flag, servers=servers)
    assert settings.problems == []
    assert str(settings.server(0)) == address


NOWHERE = "PETSTORE_BASE_URL is not set, and the API's description does not say where its server is."


@pytest.mark.parametrize(
    ("servers", "sentence"),
    [
        ([], NOWHERE),
        ([{"url": "/v1"}], NOWHERE),
        ([{"url": ""}], NOWHERE),
        ([{"url": "http://api.example.com"}], "must begin with https:// unless PETSTORE_ALLOW_HTTP is 1"),
        ([{"url": "https://169.254.169.254/"}], "must not be a link-local or metadata address"),
        ([{"url": "https://[fe80::1]/"}], "must not be a link-local or metadata address"),
        ([{"url": "https://[::ffff:169.254.169.254]/"}], "must not be a link-local or metadata address"),
        ([{"url": "https://metadata.google.internal./"}], "must not be a link-local or metadata address"),
        ([{"url": "https://0.0.0.0/"}], "must not be a link-local or metadata address"),
        ([{"url": "javascript://api.example.com"}], "must be a URL that begins with https:// or http://"),
    ],
)
def test_a_server_of_the_document_that_cannot_be_used_is_reported_by_the_call(
    servers: list[dict[str, Any]], sentence: str
) -> None:
    settings = load({}, servers=servers)
    assert settings.problems == []
    with pytest.raises(NotReady) as missing:
        settings.server(0)
    assert sentence in str(missing.value)
    assert "PETSTORE_BASE_URL" in str(missing.value)


B = {"url": "https://b.example/v1"}
MOVED = {"PETSTORE_BASE_URL": "https://a.example/base"}


@pytest.mark.parametrize(
    ("environ", "url", "expected"),
    [
        ({}, "https://c.example/x", "https://c.example/x"),
        ({}, "/v2", "https://b.example/v2"),
        ({}, "v2/", "https://b.example/v1/v2"),
        (MOVED, "https://b.example/v2", "https://a.example/v2"),
        (MOVED, "https://b.example", "https://a.example"),
        (MOVED, "/v2", "https://a.example/v2"),
        (MOVED, "v2", "https://a.example/base/v2"),
        (
            MOVED,
            "https://c.example/x",
            "PETSTORE_BASE_URL stands for the API's own server, and this operation is on another, c.example. Name that "
            "host in PETSTORE_ALLOW_HOSTS to call it.",
        ),
        ({**MOVED, "PETSTORE_ALLOW_HOSTS": "x.example, C.example"}, "https://c.example/x", "https://c.example/x"),
        (MOVED, "https://169.254.169.254/x", "must not be a link-local or metadata address"),
    ],
)
def test_where_an_operation_with_a_server_of_its_own_goes(environ: dict[str, str], url: str, expected: str) -> None:
    settings = load(environ, servers=[B, {"url": url}])
    try:
        found = str(settings.server(1))
    except NotReady as reason:
        found = str(reason)
    assert expected in found if " " in expected else found == expected


def test_a_relative_server_of_an_operation_needs_the_first() -> None:
    settings = load({}, servers=[{"url": "/"}, {"url": "/v2"}])
    with pytest.raises(NotReady, match="PETSTORE_BASE_URL is not set"):
        settings.server(1)
    assert str(load(MOVED, servers=[{"url": "/"}, {"url": "/v2"}]).server(1)) == "https://a.example/v2"


def test_a_base_url_that_leads_to_another_host_is_said() -> None:
    settings = load({"PETSTORE_BASE_URL": "https://a.example"}, servers=[{"url": "https://b.example"}])
    assert str(settings.server(0)) == "https://a.example"
    assert settings.warnings == ["PETSTORE_BASE_URL sends calls and credentials to a.example in place of b.example."]


def test_a_server_variable_must_be_one_of_its_values() -> None:
    assert load({"PETSTORE_VAR_REGION": "xx"}, servers=REGIONAL).problems == [
        "PETSTORE_VAR_REGION must be one of eu, us."
    ]


@pytest.mark.parametrize("value", ["a@evil.example", "a?", "a#", "a\\b", "a b", "a\r\nb", "\u00e9"])
def test_cred_05_a_server_variable_that_breaks_the_url_is_refused(value: str) -> None:
    variable = {"variable": "PETSTORE_VAR_HOST", "default": "a"}
    servers = [{"url": "https://{host}.example.com/", "variables": {"host": variable}}]
    with pytest.raises(NotReady, match=r"^The server that the API's description names must "):
        load({"PETSTORE_VAR_HOST": value}, servers=servers).server(0)


@pytest.mark.parametrize(
    ("variable", "value", "secret", "warning"),
    [
        ("API_KEY", "sk-SECRET", "sk-SECRET", None),
        ("API_KEY", "sk-SECRET\n", "sk-SECRET", "PETSTORE_API_KEY ends with a line break; it was taken off."),
        ("API_KEY", "sk-SECRET\r\n", "sk-SECRET", "PETSTORE_API_KEY ends with a line break; it was taken off."),
        ("BEARER", "Bearer abcdef", "abcdef", "PETSTORE_BEARER begins with the word Bearer; it was taken off."),
        ("API_KEY", "x" * 32768, "x" * 32768, None),
        ("API_KEY", "Bearer abcdef", "Bearer abcdef", None),
        ("API_KEY", "sixsix", "sixsix", None),
        ("API_KEY", "short", "short", "PETSTORE_API_KEY is so short that results which repeat it will show it."),
        ("LOGIN_PASSWORD", "pässwörd: x", "pässwörd: x", None),
        ("LOGIN_PASSWORD", "", "", None),
        ("LOGIN_USERNAME", "me", "me", None),
        ("HEADER", "X-Token: abcdef", "X-Token: abcdef", None),
        ("HEADER", "X-Token : abcdef", "X-Token : abcdef", None),
    ],
)
def test_a_credential_is_read(variable: str, value: str, secret: str, warning: str | None) -> None:
    settings = load({f"PETSTORE_{variable}": value})
    assert settings.secrets == {f"PETSTORE_{variable}": secret}
    assert (settings.problems, settings.warnings) == ([], [warning] if warning else [])


@pytest.mark.parametrize("variable", ["API_KEY", "BEARER", "HEADER", "LOGIN_USERNAME"])
def test_cred_01_an_empty_credential_is_not_set(variable: str) -> None:
    assert load({f"PETSTORE_{variable}": ""}).secrets == {}


FRAMING = (
    *("Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection"),
    *("TE", "Trailer", "Transfer-Encoding", "upgrade"),
)
VISIBLE = "must be visible ASCII characters without blanks at the ends."
WRITTEN = "must be written as `Name: value`, the name being none of HTTP's own."


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        *(
            ("API_KEY", value, VISIBLE)
            for value in ("sk\0ab", "ski\u00e9", "sk\nab", "sk\tab", "  ", " sk", "sk ", "\udcff")
        ),
        ("BEARER", "Bearer ", VISIBLE),
        ("API_KEY", "x" * 2**20, "must be at most 32768 characters long."),
        ("LOGIN_USERNAME", "a:b", "must be printable text without a colon."),
        ("LOGIN_PASSWORD", "a\nb", "must be printable text."),
        ("LOGIN_PASSWORD", "\udcff", "must be printable text."),
        *(("HEADER", value, WRITTEN) for value in ("abc", ": x", "X-A:", "X A: b")),
        *(("HEADER", f"{name}: x", WRITTEN) for name in FRAMING),
    ],
)
def test_cred_01_a_credential_that_http_cannot_carry_is_named_and_not_shown(
    variable: str, value: str, problem: str
) -> None:
    settings = load({f"PETSTORE_{variable}": value})
    assert settings.problems == [f"PETSTORE_{variable} {problem}"]
    assert settings.secrets == {}


def test_cred_10_no_secret_is_in_the_repr() -> None:
    environ = {"PETSTORE_API_KEY": "sk-SECRET", "PETSTORE_PROXY": "http://u:HIDDEN@proxy.example:1"}
    shown = repr(load(environ))
    assert "PETSTORE_API_KEY" in shown
    assert "sk-SECRET" not in shown
    assert "HIDDEN" not in shown


@pytest.mark.parametrize(
    ("variable", "content", "secret", "warnings"),
    [
        ("API_KEY", b"sk-SECRET\n", "sk-SECRET", []),
        ("API_KEY", b"sk-SECRET\r\n", "sk-SECRET", []),
        ("API_KEY", b"sk-SECRET", "sk-SECRET", []),
        ("API_KEY", b"short\n", "short", ["PETSTORE_API_KEY is so short that results which repeat it will show it."]),
        ("LOGIN_PASSWORD", "pässwörd\n".encode(), "pässwörd", []),
        ("BEARER", b"x" * 32768 + b"\n", "x" * 32768, []),
    ],
)
def test_a_credential_may_come_from_a_file(
    tmp_path: Path, variable: str, content: bytes, secret: str, warnings: list[str]
) -> None:
    (tmp_path / "secret").write_bytes(content)
    settings = load({f"PETSTORE_{variable}_FILE": str(tmp_path / "secret"), f"PETSTORE_{variable}": ""})
    assert settings.secrets == {f"PETSTORE_{variable}": secret}
    assert (settings.problems, settings.warnings) == ([], warnings)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "names a file that is empty."),
        (b"\n", "names a file that is empty."),
        (b"sk\0SECRET", VISIBLE),
        (b"sk-SECRET\nsk-SECRET\n", VISIBLE),
        (b"\xff\xfe", "must name a file of text in UTF-8."),
        (b"x" * 2**20, "must be at most 32768 characters long."),
        ("\U0001f511".encode() * (LONGEST + 1), "must be at most 32768 characters long."),
        (b"\xff" * 2**20, "must name a file of text in UTF-8."),
        (None, "must name a file that can be read."),
    ],
)
def test_cred_01_a_file_that_holds_no_credential_is_named_by_its_variable(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    if content is not None:
        (tmp_path / "secret").write_bytes(content)
    settings = load({"PETSTORE_API_KEY_FILE": str(tmp_path / "secret")})
    assert settings.problems == [f"PETSTORE_API_KEY_FILE {problem}"]
    assert settings.secrets == {}


def test_cred_01_a_directory_and_a_pipe_hold_no_credential_and_hold_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert load({"PETSTORE_API_KEY_FILE": str(tmp_path)}).problems == [
        "PETSTORE_API_KEY_FILE must name a file that can be read."
    ]
    assert load({"PETSTORE_API_KEY_FILE": str(tmp_path / "pipe")}).problems == [
        "PETSTORE_API_KEY_FILE names a file that is empty."
    ]


def test_a_credential_is_given_once(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from the file")
    environ = {"PETSTORE_API_KEY": "from-the-variable", "PETSTORE_API_KEY_FILE": str(tmp_path / "secret")}
    settings = load(environ)
    assert settings.problems == ["PETSTORE_API_KEY and PETSTORE_API_KEY_FILE are both set; one of them must go."]
    assert settings.secrets == {}
