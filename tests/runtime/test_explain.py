"""Test `--explain`: it shows the request that a raw socket receives, with variable names for credentials, and sends
nothing.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.calls.execution import ToolExecutor
from package.runtime.commands import explain
from package.runtime.hooks import Request
from package.runtime.settings import settings
from package.runtime.text.sanitize import visible

from tests.runtime.process import generate
from tests.runtime.table_stub import Catalog
from tests.runtime.test_commands import run as run_command
from tests.runtime.upstream import serving
from tests.scheme_entries import any_header, api_key, basic, bearer, oauth

SECURITY: dict[str, dict[str, Any]] = {
    "head": api_key("header", "X-Key", "P_HEAD"),
    "query": api_key("query", "api key", "P_QUERY"),
    "cookie": api_key("cookie", "sid", "P_COOKIE"),
    "bearer": bearer("P_BEARER"),
    "login": basic("P_USERNAME", "P_PASSWORD"),
    "field": any_header("P_FIELD"),
}
SECRETS = {
    "P_HEAD": "headsecret",
    "P_QUERY": "querysecret",
    "P_COOKIE": "cookiesecret",
    "P_BEARER": "bearersecret",
    "P_USERNAME": "someuser",
    "P_PASSWORD": "somesecret",
    "P_FIELD": "X-Field: fieldsecret",
}
PNG = b"\x89PNG\r\n\x1a\n\x00\xff"
BINARY = base64.b64encode(PNG).decode()


def body(encoding: str, content_type: str, *fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"body": {"encoding": encoding, "contentType": content_type, "fields": list(fields), **more}}


def argument(name: str, **more: Any) -> dict[str, Any]:
    return {"argument": name, "name": name, **more}


TOOLS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "get": ({"method": "GET", "path": ["/a"]}, {}),
    "query": (
        {"method": "GET", "path": ["/a"], "query": [argument("q", style="form", explode=True)]},
        {"q": ["é&=", "x y"]},
    ),
    "path": ({"method": "DELETE", "path": ["/a/", argument("id", style="simple")]}, {"id": "7 / 8"}),
    "post_nothing": ({"method": "POST", "path": ["/a"]}, {}),
    "json": (
        {"method": "PATCH", "path": ["/a"], **body("json", "application/json", argument("x"))},
        {"x": {"y": "\x1b\u202eé"}},
    ),
    "form": (
        {"method": "POST", "path": ["/a"], **body("form", "application/x-www-form-urlencoded", argument("x"))},
        {"x": "a b&c"},
    ),
    "text": (
        {"method": "PUT", "path": ["/a"], "body": {"encoding": "text", "contentType": "text/plain", "argument": "x"}},
        {"x": "one\ntwo"},
    ),
    "parts": (
        {
            "method": "POST",
            "path": ["/a"],
            **body(
                "multipart",
                "multipart/form-data",
                argument("note", part="text"),
                argument("photo", part="file", contentType="image/png"),
                argument("more", part="json"),
            ),
        },
        {"note": "hé", "photo": BINARY, "more": {"a": 1}},
    ),
    "bytes": (
        {"method": "POST", "path": ["/a"], "body": {"encoding": "binary", "contentType": "image/png", "argument": "x"}},
        {"x": BINARY},
    ),
    "header": ({"method": "GET", "path": ["/a"], "headers": [argument("X-A", style="simple")]}, {"X-A": "1"}),
    "cookie": ({"method": "GET", "path": ["/a"], "cookies": [argument("c", style="form", explode=True)]}, {"c": "1"}),
    **{f"with_{name}": ({"method": "GET", "path": ["/a"], "security": [[name]]}, {}) for name in SECURITY},
    "with_all": ({"method": "HEAD", "path": ["/a"], "security": [[name for name in SECURITY if name != "bearer"]]}, {}),
}
CATALOG: Any = Catalog({name: {"binding": binding} for name, (binding, _) in TOOLS.items()}, security=SECURITY)
CATALOG.prefix = "P"


def on_the_wire(name: str) -> tuple[bytes, str]:
    """Make a real call, and return the bytes of its request and the URL of the upstream."""

    async def main() -> tuple[bytes, str]:
        async with serving() as upstream:
            base = str(upstream.address("/v1"))
            caller = ToolExecutor(CATALOG, settings.load(CATALOG, SECRETS, base))
            await asyncio.wait_for(caller.call(name, TOOLS[name][1], lambda _: None), 30)
            await caller.close()
            return upstream.requests[0], base

    return asyncio.run(main())


def filled(text: str) -> str:
    """Return the printed request with variable names replaced by their values."""
    text = re.sub(r"base64\((.*?)\)", lambda found: base64.b64encode(filled(found[1]).encode()).decode(), text)
    return re.sub(r"<(P_\w+)>", lambda found: SECRETS[found[1]].rpartition(": ")[2], text)


def same_boundary(text: str) -> str:
    return re.sub(r"mcpgen-[0-9a-f]{32}", "mcpgen-BOUNDARY", text)


@pytest.mark.parametrize("name", TOOLS)
def test_what_is_shown_is_what_is_sent(name: str) -> None:
    """Compare the printed request with the sent one: headers in order, and the body byte by byte unless it
    is binary.
    """
    sent, base = on_the_wire(name)
    found = explain.explain(CATALOG, SECRETS, base, name, TOOLS[name][1])
    assert found["error"] is None
    shown = "\n".join(explain.lines({**found["request"], "url": found["request"]["url"].removeprefix(base)}))
    shown = shown if found["request"]["body"] else shown + "\n\n"
    head, _, content = sent.partition(b"\r\n\r\n")
    first, *fields = head.decode().split("\r\n")
    told = content.replace(PNG, f"({len(PNG)} bytes that are not shown)".encode()).decode().replace("\r\n", "\n")
    expected = "\n".join([first.replace(" /v1", " ").removesuffix(" HTTP/1.1"), *fields, "", told])
    assert same_boundary(filled(shown)).rstrip("\n") == visible(same_boundary(expected)).rstrip("\n")


@pytest.mark.parametrize("name", [name for name in TOOLS if name.startswith("with_")])
@pytest.mark.parametrize("environ", [SECRETS, {}], ids=["set", "unset"])
def test_a_credential_is_the_name_of_its_variable(name: str, environ: dict[str, str]) -> None:
    found = explain.explain(CATALOG, environ, "http://localhost:1/", name, {})
    text = json.dumps(found)
    wanted = TOOLS[name][0]["security"][0]
    for variable in (each for scheme in wanted for each in SECURITY[scheme]["variables"].values()):
        assert f"<{variable}>" in text
    assert "secret" not in text
    assert base64.b64encode(b"someuser:somesecret").decode() not in text
    assert found["error"] is None
    assert [note.partition("set ")[0] for note in found["notes"]] == (
        [] if environ else [f"{name} would not be called. It needs a credential: "]
    )


def test_what_repeats_a_credential_is_redacted() -> None:
    found = explain.explain(CATALOG, SECRETS, "http://localhost:1/", "json", {"x": "bearersecret"})
    assert found["request"]["body"]["text"] == '{"x":"[redacted]"}'


def test_without_a_base_url_the_path_is_shown_and_the_variable_named() -> None:
    nowhere: Any = Catalog({"get": {"binding": TOOLS["query"][0]}}, servers=[])
    found = explain.explain(nowhere, {}, None, "get", {"q": ["1"]})
    assert found["request"]["url"] == "<PETSTORE_BASE_URL>/a?q=1"
    assert found["request"]["headers"][0] == ["Host", "<PETSTORE_BASE_URL>"]
    assert found["error"].startswith("get was not called. PETSTORE_BASE_URL is not set, and the API's description")


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("P_TIMEOUT", "x", "get was not called. P_TIMEOUT must be a number of seconds"),
        ("P_BEARER", "bearer\0secret", "get was not called. P_BEARER must be visible ASCII"),
        ("P_BASE_URL", "ftp://x", "get was not called. P_BASE_URL must be a URL"),
    ],
)
def test_a_setting_that_is_wrong_ends_in_the_sentence_of_a_call(variable: str, value: str, expected: str) -> None:
    found = explain.explain(CATALOG, {variable: value}, None, "get", {})
    assert found["request"] is None
    assert found["error"].startswith(expected)
    assert "secret" not in json.dumps(found)


def test_hooks_before_a_call_take_part_and_one_in_its_place_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(users_file, "before_path", lambda arguments: {"id": arguments["id"] + 1}, raising=False)
    monkeypatch.setattr(users_file, "instead_of_path", ran.append, raising=False)
    monkeypatch.setattr(users_file, "before_get", lambda arguments: 1 / 0, raising=False)
    found = explain.explain(CATALOG, SECRETS, "http://localhost:1/", "path", {"id": 7})
    assert found["request"]["url"] == "http://localhost:1/a/8"
    assert found["notes"] == ["hooks.py answers path itself, in instead_of_path: this request would not be sent."]
    assert ran == []
    found = explain.explain(CATALOG, SECRETS, "http://localhost:1/", "get", {})
    assert found["error"] == "get was not completed. The hook before_get of this server failed. Its log says where."
    assert found["request"] is None


def test_a_hook_of_the_request_takes_part_and_what_is_wrong_with_hooks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def sign(request: Request) -> Request:
        return request.with_header("Authorization", "Hmac 0123456789").with_header("X-Seen", str(len(request.headers)))

    monkeypatch.setattr(users_file, "request_with_head", sign, raising=False)
    monkeypatch.setattr(users_file, "before_with_haed", sign, raising=False)
    found = explain.explain(CATALOG, SECRETS, "http://localhost:1/", "with_head", {})
    shown = [tuple(field) for field in found["request"]["headers"] if field[0] not in ("Host", "User-Agent")]
    assert shown == [
        ("Accept", "*/*"),
        ("Authorization", "[redacted]"),
        ("X-Seen", "1"),
        ("X-Key", "<P_HEAD>"),
        ("Accept-Encoding", "gzip, deflate"),
    ]
    [note] = found["notes"]
    assert note.startswith("before_with_haed is for no tool, so it is never called. Did you mean before_with_head?")


def test_files_are_read_where_the_operator_opened_a_directory(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    arguments = {"x": "file:a.png"}
    found = explain.explain(CATALOG, {"P_FILES_DIR": str(tmp_path)}, "http://localhost:1/", "bytes", arguments)
    assert found["request"]["body"] == {"contentType": "image/png", "length": len(PNG), "text": None}
    found = explain.explain(CATALOG, {}, "http://localhost:1/", "bytes", arguments)
    assert "its operator can set P_FILES_DIR" in found["error"]


#: Rows: arguments of the command line, exit code, beginning of stdout, beginning of stderr.
COMMANDS: list[tuple[list[str], int, str, str]] = [
    (["wait", "{}"], 0, "PUT http://127.0.0.1:9/v1/wait\nHost: 127.0.0.1:9\n", "wait would not be called. It needs a"),
    (["echo", '{"text": "a b"}'], 0, "GET http://127.0.0.1:9/v1/echo?text=a%20b\n", ""),
    (["echo", '{"txt": 1}'], 1, "", "echo was not called: 1 problem with the arguments.\n- txt: is not an argument"),
    (["ecko", "{}"], 2, "", "There is no tool ecko; did you mean echo?\n"),
    (["echo", "[]"], 2, "", "The arguments of echo must be one JSON object, such as {}.\n"),
    (["echo", "{"], 2, "", "The arguments of echo must be one JSON object, such as {}.\n"),
    (["echo", '{"text": "\ud7ff"}', "--format", "json"], 0, '{"schema":1,"tool":"echo","request":{"method":"GET"', ""),
    (["echo", '{"txt": 1}', "--format", "json"], 1, '{"schema":1,"tool":"echo","request":null,"error":"echo was', ""),
]


@pytest.mark.parametrize(("arguments", "code", "out", "err"), COMMANDS)
def test_the_command_line(tmp_path: Path, arguments: list[str], code: int, out: str, err: str) -> None:
    generate(tmp_path)
    done = run_command(tmp_path, "--explain", *arguments)
    assert done.returncode == code
    assert done.stdout.startswith(out)
    assert done.stderr.startswith(err)
    assert bool(done.stdout) == bool(out)
    assert bool(done.stderr) == bool(err)


def test_what_a_hook_prints_is_no_part_of_the_result(tmp_path: Path) -> None:
    package = generate(tmp_path)
    (package / "hooks.py").write_text("print('loaded')\ndef before_all(tool, arguments):\n    print('called')\n")
    done = run_command(tmp_path, "--explain", "echo", "{}", "--format", "json")
    assert json.loads(done.stdout)["error"] is None
    assert done.stderr == "loaded\ncalled\n"


def test_a_table_that_is_torn_is_one_sentence(tmp_path: Path) -> None:
    bindings = generate(tmp_path) / "bindings.json"
    bindings.write_text(bindings.read_text().replace('"path":["/echo"]', '"path":["/echo" '))
    done = run_command(tmp_path, "--explain", "echo", "{}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("a line of its table is no JSON object.\n")


@pytest.mark.parametrize(
    ("environ", "shown"),
    [
        ({}, "Bearer <P_OAUTH>"),
        ({"P_OAUTH": "ready-SECRET"}, "Bearer <P_OAUTH>"),
        ({"P_ID": "client", "P_SECRET": "client-SECRET"}, "Bearer <token of P_ID>"),
    ],
)
def test_a_token_that_would_be_fetched_is_shown_by_the_client_it_is_for(environ: dict[str, str], shown: str) -> None:
    names = {"value": "P_OAUTH", "client_id": "P_ID", "client_secret": "P_SECRET", "token_url": "P_URL"}
    entry = oauth(names, "https://login.example/t")
    tool = {"binding": {"method": "GET", "path": ["/a"], "security": [["oauth"]]}}
    catalog: Any = Catalog({"look": tool}, security={"oauth": entry})
    found = explain.explain(catalog, environ, None, "look", {})
    assert ["Authorization", shown] in found["request"]["headers"]
    assert "SECRET" not in str(found).replace("P_SECRET", "")
    assert bool(found["notes"]) is not bool(environ)


@pytest.mark.parametrize(
    ("policy", "told"),
    [("always", ["it is not called"]), ("when-supported", ["it is called all the same"]), (None, [])],
)
def test_it_says_that_the_user_is_asked_first(policy: str | None, told: list[str]) -> None:
    binding = {"method": "DELETE", "path": ["/all"], **({"confirm": policy} if policy else {})}
    catalog: Any = Catalog({"delete_all": {"binding": binding}})
    notes = explain.explain(catalog, {}, "http://localhost:1/", "delete_all", {})["notes"]
    assert [note.rpartition("other, ")[2].rstrip(".") for note in notes] == told
