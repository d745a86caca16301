"""Test credentials: which of several security schemes is used, where it is sent, and that no output shows a secret."""

from __future__ import annotations

import base64
import json
import re
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from package.runtime.request.request import Request
from package.runtime.settings import credentials
from package.runtime.settings.settings import NotReady, Settings
from package.runtime.text import fields
from package.runtime.text.folded_names import fold
from package.runtime.text.redaction import REDACTED, Redactor, finder

from mcpgen.model import Login
from mcpgen.read.openapi import parameters
from tests.scheme_entries import any_header, api_key, basic, bearer, login, oauth, setting

SECURITY: dict[str, Any] = {
    "head": api_key("header", "X-Key", "P_HEAD"),
    "query": api_key("query", "api key", "P_QUERY"),
    "cookie": api_key("cookie", "sid", "P_COOKIE"),
    "bearer": bearer("P_BEARER"),
    "login": basic("P_USERNAME", "P_PASSWORD"),
    "field": any_header("P_HEADER"),
    "oauth": oauth(
        {"value": "P_OAUTH", "client_id": "P_ID", "client_secret": "P_SECRET", "token_url": "P_URL"},
        "https://login.example/t",
    ),
}
SECRETS = {
    "P_HEAD": "head-secret",
    "P_QUERY": "a&b=c d/+%",
    "P_COOKIE": "s%3Aab/c=d.mn%2Fop",
    "P_BEARER": "bearer-secret",
    "P_USERNAME": "me",
    "P_PASSWORD": "pä:ss",
    "P_HEADER": "X-Custom :  some value ",
    "P_OAUTH": "ready-token",
    "P_ID": "client-id",
    "P_SECRET": "client-secret",
}


def holding(secrets: dict[str, str]) -> Settings:
    made = Settings("P")
    made.secrets = secrets
    return made


def attached(*schemes: str) -> Request:
    request = Request("GET", "/p")
    request.headers = [("Accept", "*/*"), ("x-KEY", "from an argument"), ("authorization", "from an argument")]
    request.query = ["q=1", "api%20key=from-an-argument", "api+x=2"]
    request.cookies = ["sid=from-an-argument", "other=1"]
    credentials.put(request, credentials.written([SECURITY[name] for name in schemes], SECRETS))
    return request


@pytest.mark.parametrize(
    ("scheme", "field"),
    [
        ("head", ("X-Key", "head-secret")),
        ("bearer", ("Authorization", "Bearer bearer-secret")),
        ("login", ("Authorization", "Basic " + base64.b64encode("me:pä:ss".encode()).decode())),
        ("field", ("X-Custom", "some value")),
    ],
)
def test_arg_16_a_credential_in_a_header_replaces_whatever_has_its_name(scheme: str, field: tuple[str, str]) -> None:
    headers = attached(scheme).headers
    assert [each for each in headers if each[0].lower() == field[0].lower()] == [field]
    assert ("Accept", "*/*") in headers


def test_a_credential_in_the_query_is_encoded_and_the_only_one_of_its_name() -> None:
    assert attached("query").query == ["q=1", "api+x=2", "api%20key=a%26b%3Dc%20d%2F%2B%25"]


def test_a_credential_in_a_cookie_is_sent_as_given_and_the_only_one_of_its_name() -> None:
    assert attached("cookie").cookies == ["other=1", "sid=s%3Aab/c=d.mn%2Fop"]


def test_several_credentials_go_together() -> None:
    request = attached("head", "query", "cookie", "bearer")
    assert {"X-Key", "Authorization"} <= {name for name, _ in request.headers}
    assert request.query[-1].startswith("api%20key=")
    assert request.cookies[-1].startswith("sid=")


@pytest.mark.parametrize(
    ("wanted", "set_", "chosen"),
    [
        (None, ["P_HEAD"], []),
        ([], ["P_HEAD"], NotReady),
        ([[]], ["P_HEAD"], []),
        ([["head"], []], ["P_HEAD"], ["P_HEAD"]),
        ([["head"], []], [], []),
        ([["head"], ["bearer"]], ["P_BEARER"], ["P_BEARER"]),
        ([["head"], ["bearer"]], ["P_BEARER", "P_HEAD"], ["P_HEAD"]),
        ([["head", "bearer"]], ["P_BEARER", "P_HEAD"], ["P_HEAD", "P_BEARER"]),
        ([["head", "bearer"]], ["P_BEARER"], NotReady),
        ([["login"]], ["P_USERNAME"], NotReady),
        ([["login"]], ["P_USERNAME", "P_PASSWORD"], ["P_USERNAME", "P_PASSWORD"]),
        ([["oauth"]], ["P_ID"], NotReady),
        ([["oauth"]], ["P_ID", "P_SECRET"], ["P_ID", "P_SECRET"]),
        ([["oauth"]], ["P_ID", "P_SECRET", "P_OAUTH"], ["P_OAUTH"]),
        ([["oauth", "head"]], ["P_ID", "P_SECRET", "P_HEAD"], ["P_ID", "P_SECRET", "P_HEAD"]),
        ([["oauth", "head"], ["oauth"]], ["P_ID", "P_SECRET"], ["P_ID", "P_SECRET"]),
    ],
)
def test_cred_13_the_first_alternative_whose_variables_are_all_set_is_chosen(
    wanted: Any, set_: list[str], chosen: Any
) -> None:
    secrets = {name: SECRETS[name] for name in set_}
    if chosen is NotReady:
        with pytest.raises(NotReady):
            credentials.choose(wanted, SECURITY, secrets)
    else:
        assert credentials.variables(credentials.choose(wanted, SECURITY, secrets), secrets) == chosen


def test_cred_13_a_missing_credential_is_reported_by_all_its_ways() -> None:
    with pytest.raises(NotReady) as missing:
        credentials.choose([["bearer"], ["head", "cookie"], ["login"]], SECURITY, {})
    assert str(missing.value) == (
        "It needs a credential: set P_BEARER, or P_HEAD with P_COOKIE, or P_USERNAME with P_PASSWORD, "
        "in the environment of this server."
    )


def test_cred_13_a_token_can_be_given_or_fetched() -> None:
    with pytest.raises(NotReady) as missing:
        credentials.choose([["bearer"], ["oauth"], ["cookie", "bearer"]], SECURITY, {})
    assert str(missing.value) == (
        "It needs a credential: set P_BEARER, or P_OAUTH, or P_ID with P_SECRET, in the environment of this server."
    ), "what asks for more than another way is no way to tell of"
    with pytest.raises(NotReady) as missing:
        credentials.choose([["oauth", "head"]], SECURITY, {})
    assert str(missing.value) == (
        "It needs a credential: set (P_OAUTH or P_ID with P_SECRET) with P_HEAD, in the environment of this server."
    )


def test_cred_13_many_schemes_together_are_as_cheap_as_few() -> None:
    variables = {"value": "P_OAUTH{0}", "client_id": "P_ID{0}", "client_secret": "P_SECRET{0}"}
    many: dict[str, Any] = {
        f"s{n}": {**SECURITY["oauth"], "variables": {role: name.format(n) for role, name in variables.items()}}
        for n in range(200)
    }
    secrets = {name: "x" for scheme in many.values() for name in list(scheme["variables"].values())[1:]}
    assert len(credentials.choose([list(many)], many, secrets)) == 200


def test_what_is_sensitive() -> None:
    found = credentials.sensitive(SECURITY, holding({**SECRETS, "P_HEADER": "Authorization: Token abcdefgh"}))
    login = base64.b64encode("me:pä:ss".encode()).decode()
    assert set(found) == {
        "head-secret", "a&b=c d/+%", "s%3Aab/c=d.mn%2Fop", "bearer-secret", login, "Token abcdefgh", "abcdefgh",
        "ready-token",
        "a%26b%3Dc%20d%2F%2B%25",  # a secret as it is sent in a query
        "client-secret", base64.b64encode(b"client-id:client-secret").decode(),
    }  # fmt: skip
    quoted = credentials.sensitive(SECURITY, holding({**SECRETS, "P_HEADER": 'Authorization: Token token="abcdefgh"'}))
    assert {'Token token="abcdefgh"', 'token="abcdefgh"', "abcdefgh"} <= {*quoted}
    several = credentials.sensitive(SECURITY, holding({**SECRETS, "P_HEADER": 'A: {"kind": "account_type"}'}))
    assert "account_type" not in several, "which may be any word"
    keyed = credentials.sensitive(SECURITY, holding({"P_USERNAME": "sk-username", "P_PASSWORD": ""}))
    assert "sk-username" in keyed


def test_what_is_sensitive_of_a_login_and_a_setting() -> None:
    fields = (("username", "username", ""), ("password", "password", ""), ("mode", "", "json"))
    security: dict[str, Any] = {
        "login": login(
            Login("application/json", fields, "/token", ""),
            {"value": "P_T", "username": "P_U", "password": "P_P", "token_url": "P_T_URL"},
        ),
        "alt": setting("alt", "P_ALT"),
    }
    secrets = {"P_U": "somebody", "P_P": "pass word/1", "P_ALT": "application"}
    found = credentials.sensitive(security, holding(secrets))
    assert found == ["pass word/1", "pass+word%2F1"], "as JSON, and as a form carries it; settings are no secrets"
    wanted = [["login"]]
    assert credentials.variables(credentials.choose(wanted, security, secrets), secrets) == ["P_U", "P_P"]
    with pytest.raises(NotReady, match="set P_T, or P_U with P_P, in the environment"):
        credentials.choose(wanted, security, {"P_U": "somebody"})


SECRET = 'sk-"\\/é+&= x'


def encodings(secret: str) -> list[str]:
    """Return the encoded forms of a secret. This code is independent of the redactor's."""
    lower = re.sub("%..", lambda triple: triple[0].lower(), quote(secret, safe=""))
    return [
        secret,
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        quote(quote(secret, safe=""), safe=""),
        lower,
        json.dumps(secret),
        json.dumps(secret, ensure_ascii=False),
        json.dumps(secret).replace("/", "\\/"),
        json.dumps({"headers": {"Authorization": f"Bearer {secret}"}}),
        *(
            base64.b64encode(f"{before}{secret}{after}".encode()).decode()
            for before in ("", "a", "ab", "abc")
            for after in ("", "x")
        ),
        base64.urlsafe_b64encode(f"me:{secret}".encode()).decode(),
    ]


@pytest.mark.parametrize("echo", encodings(SECRET))
def test_cred_06_a_secret_is_redacted_however_it_is_written(echo: str) -> None:
    redactor = Redactor([SECRET])
    assert REDACTED in redactor.text(f"before {echo} after")
    assert REDACTED.encode() in redactor.content(f"before {echo} after".encode())


LETTERS = [
    "".join(f"\\u{ord(each):04x}" for each in "sk-Live/7x"),
    "".join(f"\\u{ord(each):04X}" if each.isalpha() else each for each in "sk-Live/7x"),
    '{"key":"' + "".join(f"\\\\u{ord(each):04x}" for each in "sk-Live/7x") + '"}',
    base64.b64encode(b"sk-Live/7x").decode().replace("c", "\\u0063"),
]


@pytest.mark.parametrize("echo", LETTERS)
def test_hard_24_a_secret_whose_letters_are_escaped_as_in_json_is_redacted(echo: str) -> None:
    redactor = Redactor(["sk-Live/7x"])
    assert redactor.may_be_in(echo)
    assert REDACTED in redactor.text(f"before {echo} after")
    assert redactor.content(f"before {echo} after".encode()).startswith(b"before ")
    assert REDACTED.encode() in redactor.content(f"before {echo} after".encode())
    stream = redactor.stream()
    assert REDACTED.encode() in b"".join(
        [*(stream.feed(bytes([byte])) for byte in echo.encode()), stream.feed(b"", True)]
    )
    assert REDACTED in redactor.field(echo.replace("\\\\", "\\"))


@pytest.mark.parametrize(
    "secret", ["-" * 20_000 + "A", "-a" * 10_000 + "b", "%41" * 6_000, "\\u0041" * 3_000, "+" * 20_000]
)
def test_hard_13_the_first_and_the_last_of_a_long_secret_are_redacted(secret: str) -> None:
    redactor = Redactor([secret])
    text = redactor.text(f"x {secret} y {json.dumps(secret)} z {quote(secret, safe='')}")
    assert re.fullmatch(r'x ?(\[redacted\])+ ?y "(\[redacted\])+" z ?(\[redacted\])+', text)


SIGNS = 'Zm9v+Y/q<u>x&0=4"6`\\7'


def units(text: str, signs: str, way: str) -> str:
    """Return the text with each character of `signs` escaped as UTF-16 units, as some frameworks write it."""
    return "".join(way.format(ord(each)) if each in signs else each for each in text)


@pytest.mark.parametrize("signs", ["+", "<>&", "'=", "+/<>&='\"`\\", "+/"])
@pytest.mark.parametrize(
    "way",
    ["\\u{:04x}", "\\u{:04X}", "\\\\u{:04x}", "\\x{:02x}", "%{:02X}", "%25{:02x}", "&#{};", "&#x{:X};", "&amp;#{};"],
)
def test_cred_06_a_secret_is_redacted_however_a_framework_escapes_it(signs: str, way: str) -> None:
    redactor = Redactor([SIGNS])
    for echo in (units(SIGNS, signs, way), units(json.dumps(SIGNS)[1:-1], signs.strip("\\"), way)):
        assert redactor.text(f"before {echo} after") == "before [redacted] after"
        assert redactor.content(f"before {echo} after".encode()) == b"before [redacted] after"
        stream = redactor.stream()
        made = b"".join(stream.feed(bytes([byte])) for byte in echo.encode())
        assert made + stream.feed(b"", last=True) == b"[redacted]"


def test_cred_06_what_a_call_may_still_bring_back_is_not_forgotten() -> None:
    redactor = Redactor([])
    with redactor.during():
        for number in range(30):
            redactor.learn(f"signature-{number}", "hook")
        assert all(redactor.text(f"signature-{number}") == REDACTED for number in range(30))
    with redactor.during():
        redactor.learn("signature-30", "hook")
    assert redactor.text("signature-0") == "signature-0"
    assert redactor.text("signature-29 signature-30") == f"{REDACTED} {REDACTED}"


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.text(min_size=6, max_size=30), st.binary(max_size=5), st.binary(max_size=5))
@example("redacted", b"", b"")
@example("[redacted]", b"", b"")
def test_cred_06_no_secret_survives(secret: str, before: bytes, after: bytes) -> None:
    redactor = Redactor([secret])
    plain = before + secret.encode() + after
    assert secret.encode() not in redactor.content(plain).replace(REDACTED.encode(), b"\xff")
    if len(secret.encode()) >= 8:
        assert REDACTED in redactor.text(base64.b64encode(plain).decode())


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("after", range(4))
@pytest.mark.parametrize("length", range(8, 12))
def test_cred_06_of_a_secret_in_base64_no_character_of_its_own_is_left(before: int, after: int, length: int) -> None:
    secret = "abcdefghijkl"[:length]
    encoded = base64.b64encode(f"{'x' * before}{secret}{'y' * after}".encode()).decode()
    # how many base64 characters encode only bits of the secret: only they are redacted
    own = (before + length) * 8 // 6 - -(-before * 8 // 6)
    redacted = Redactor([secret]).text(encoded)
    assert REDACTED in redacted
    assert len(redacted) - len(REDACTED) == len(encoded) - own


def test_any_number_of_secrets_can_be_learned() -> None:
    """Search for more words than one pattern can hold, such as the tokens of thousands of users."""
    words = [f"{number:032}" for number in range(2_000)]
    found = finder(words)
    assert found(f"a text with {words[0]}, and more")
    assert found(f"a text with {words[-1]}, and more")
    assert not found("a text with none")


def test_values_are_redacted_to_their_depth_and_nothing_else_changes() -> None:
    redactor = Redactor(["hunter22"])
    value = {"a hunter22": ["x", {"y": "hunter22", "n": 1.5, "b": True, "z": None}]}
    assert redactor.value(value) == {"a [redacted]": ["x", {"y": "[redacted]", "n": 1.5, "b": True, "z": None}]}
    assert Redactor([]).text("hunter22") == "hunter22"


def test_a_text_that_held_no_secret_holds_one_once_there_is_one_more() -> None:
    redactor = Redactor(["another-one"])
    text = "it is hunter22"
    assert redactor.text(text) == text
    assert not redactor.may_be_in(text)
    redactor.learn("hunter22")
    assert redactor.may_be_in(text)
    assert redactor.text(text) == "it is [redacted]"


@given(st.lists(st.text(min_size=8), max_size=3), st.text(), st.text())
@example(["!?+-*/$%"], "", "")
@example(["x" * 5000 + "-" + "y" * 300], "x" * 4999, "")
def test_wherever_a_secret_stands_it_may_be_there(secrets: list[str], before: str, after: str) -> None:
    redactor = Redactor(secrets)
    for secret in secrets:
        assert redactor.may_be_in(f"{before}{secret}{after}")
    assert redactor.may_be_in(before) is any(form.anchor[:32] in before for form in redactor._forms)


@pytest.mark.parametrize("text", ["\ud800 hunter22", "hunter22\udfff", "\ud800"])
def test_beside_a_lone_surrogate_a_secret_is_found_too(text: str) -> None:
    assert Redactor(["hunter22"]).text(text) == text.replace("hunter22", "[redacted]")


def test_the_compiler_and_the_server_name_the_same_fields() -> None:
    assert parameters.FRAMING == fields.FRAMING


def test_cred_07_a_secret_inside_another_is_redacted_with_it() -> None:
    assert Redactor(["secret", "secret-and-more"]).text("secret-and-more secret") == "[redacted] [redacted]"


@pytest.mark.parametrize("header", ["X_KEY", "x-Key", "XKey", "X.Key"])
@pytest.mark.parametrize("pair", ["API_KEY=1", "api%2520key=1", "api+key[]=1", "%41pi.key=1"])
@pytest.mark.parametrize("cookie", ["SID=1", "sid[]=1", "s%69d=1"])
def test_hard_20_what_is_read_as_the_name_of_a_credential_gives_way_to_it(header: str, pair: str, cookie: str) -> None:
    """Remove each header, query pair and cookie that a server could take for the credential, before the credential is
    added.

    They can come from a project of an older compiler, from a hook, or from the environment variable that adds headers.
    """
    request = Request("GET", "/p")
    request.headers = [("Accept", "*/*"), (header, "1")]
    request.query, request.cookies = ["q=1", pair, "keys=2"], [cookie, "side=2"]
    credentials.put(request, credentials.written([SECURITY[name] for name in ("head", "query", "cookie")], SECRETS))
    assert request.headers == [("Accept", "*/*"), ("X-Key", "head-secret")]
    assert request.query == ["q=1", "keys=2", f"api%20key={quote(SECRETS['P_QUERY'], safe='')}"]
    assert [cookie.partition("=")[0] for cookie in request.cookies] == ["side", "sid"]


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("%2561pi%255Fkey", "apikey"),
        ("\uff41\uff50\uff49\uff3f\uff4b\uff45\uff59", "apikey"),
        ("API-Key[0]", "apikey"),
        ("\u212aey\u00df", "keyss"),
        ("[]", "[]"),
        ("a" + "\u0301\u0323" * 130_000, "\u1ea1"),  # within a moment, not in minutes
    ],
)
def test_hard_20_names_that_a_server_may_read_as_one_are_folded_to_one(name: str, folded: str) -> None:
    assert fold(name) == folded


@pytest.mark.parametrize(
    "secret",
    ['"begins', "\\begins", "\\\\begins", "ends\\", "ends\\\\", '"both-of-them\\', 'quo"te-inside\\', "neither-one"],
)
def test_json_stays_json_without_a_secret_that_json_escapes_at_its_ends(secret: str) -> None:
    """Test requirement CRED-03: JSON stays valid, since redaction also removes a backslash that escapes a secret's
    first or last character.
    """
    text = json.dumps({"before\\": "\\", "key": f"{secret}", "after": "\\x"})
    assert json.loads(Redactor([secret]).text(text)) == {"before\\": "\\", "key": "[redacted]", "after": "\\x"}


def test_a_text_without_secrets_is_searched_again_once_a_secret_is_learned() -> None:
    redactor, text = Redactor(["alphabeta1234"]), "It is called gammadelta5678."
    assert [redactor.text(text) for _ in range(3)] == [text] * 3
    redactor.learn("gammadelta5678")
    assert redactor.text(text) == "It is called [redacted]."
