"""Give a server a random secret as every kind of credential, let hostile upstreams repeat it, and search every byte of
output for it.

Output includes results, progress, log, audit records with arguments, other event streams, and requests to a URL that
the server must never call.
"""

from __future__ import annotations

import asyncio
import base64
import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from package.runtime.audit.audit import Audit
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core import spans
from package.runtime.core.effects import Call, Dialogue, Origin
from package.runtime.core.wire_formats import ABSENT, Result
from package.runtime.settings import settings

from tests.leaks import Leaks, forms, random_secret
from tests.runtime.table_stub import Catalog
from tests.runtime.upstream import Connection, Play, Upstream, serving
from tests.scheme_entries import any_header, api_key, basic, bearer, oauth

CLIENT = {"client_id": "PETSTORE_I", "token_url": "PETSTORE_T"}
SCHEMES: dict[str, dict[str, Any]] = {
    "header": api_key("header", "X-Key", "PETSTORE_A"),
    "query": api_key("query", "key", "PETSTORE_A"),
    "cookie": api_key("cookie", "sid", "PETSTORE_A"),
    "bearer": bearer("PETSTORE_A"),
    "any header": any_header("PETSTORE_A"),
    "basic": basic("PETSTORE_U", "PETSTORE_A"),
    "ready token": oauth({**CLIENT, "value": "PETSTORE_A", "client_secret": "PETSTORE_S"}, "/t"),
    "client secret": oauth({**CLIENT, "value": "PETSTORE_V", "client_secret": "PETSTORE_A"}, "/t"),
}


def environment(scheme: str, secret: str) -> dict[str, str]:
    more = {"basic": {"PETSTORE_U": "me"}, "client secret": {"PETSTORE_I": "my-client"}}
    value = f"X-Own: {secret}" if scheme == "any header" else secret
    return {"PETSTORE_A": value, "PETSTORE_LOG_LEVEL": "debug", **more.get(scheme, {})}


def answered(status: str, content: bytes, *fields: str, kind: str = "text/plain") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(content)}", *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1") + content


Worst = Callable[[str, str], bytes]
"""Function that makes a hostile response from the request's text and a URL that the server must never call."""


def echo(status: str, encode: Callable[[str], str], kind: str = "text/plain") -> Worst:
    return lambda request, evil: answered(status, encode(request).encode(), kind=kind)


def decoded(request: str) -> str:
    """Return the request with all its encodings removed, as a debugging page would show it."""
    words = [unquote(request)]
    for word in request.split():
        try:
            words.append(base64.b64decode(word, validate=True).decode())
        except ValueError:
            continue
    return "\n".join(words)


def redirect(status: int, location: str) -> Worst:
    return lambda request, evil: answered(
        f"{status} Found", request.encode(), "Location: " + location.format(evil=evil, path=request.split(" ")[1])
    )


WORST: dict[str, Worst] = {
    "echo": echo("200 OK", str),
    "echo in clear": echo("200 OK", decoded),
    "echo as JSON": echo("200 OK", lambda request: json.dumps({"you": [decoded(request)]}), "application/json"),
    "echo as a name": echo("200 OK", lambda request: json.dumps({decoded(request): 1}), "application/json"),
    "echo as HTML": echo("200 OK", lambda request: f"<pre>{html.escape(decoded(request))}</pre>", "text/html"),
    "echo as base64": echo("200 OK", lambda request: base64.b64encode(request.encode()).decode()),
    "echo percent-encoded": echo("200 OK", lambda request: quote(decoded(request), safe="")),
    "error": echo("500 Oh", decoded),
    "error as JSON": echo("422 Oh", lambda request: json.dumps({"message": decoded(request)}), "application/json"),
    "problem": echo(
        "400 Oh", lambda request: json.dumps({"title": request, "detail": decoded(request)}), "application/problem+json"
    ),
    "refused": echo("401 Oh", decoded),
    "reason": lambda request, evil: answered("599 " + request.replace("\r\n", " "), b""),
    "fields": lambda request, evil: answered(
        "200 OK", b"ok", *(f"X-{n}: {line}" for n, line in enumerate(request.split("\r\n")) if line)
    ),
    "a file": echo("200 OK", decoded, "application/octet-stream"),
    "an unknown charset": echo("200 OK", decoded, "text/plain; charset=utf-7"),
    "moved": redirect(301, "{evil}{path}"),
    "found": redirect(302, "{evil}{path}"),
    "other": redirect(303, "{evil}{path}"),
    "temporary": redirect(307, "{evil}{path}"),
    "permanent": redirect(308, "{evil}{path}"),
    "moved by host alone": redirect(302, "//{evil}{path}"),
    "script": redirect(302, "javascript:{path}"),
    "far away": redirect(302, "{evil}/" + "x" * 9000),
    "broken": lambda request, evil: b"HTTP/1.1 200 " + request.encode(),
    "silent": lambda request, evil: b"",
    "cut": lambda request, evil: answered("200 OK", decoded(request).encode())[:-1],
}


async def called(scheme: str, worst: Worst, leaks: Leaks, folder: object) -> list[Upstream]:
    """Make two calls. Return three upstreams: the API, the token endpoint, and the listener that the server must never
    call.
    """
    async with serving(nothing) as evil:

        async def play(connection: Connection) -> None:
            if request := await connection.request():
                await connection.send(worst(request.decode(), f"http://127.0.0.1:{evil.port}"))

        async with serving(play) as upstream, serving(worst_issuer(worst, evil)) as issuer:
            entry = {**SCHEMES[scheme], "tokenUrl": str(issuer.address("/token"))}
            binding = {"method": "GET", "path": ["/look"], "security": [["it"]]}
            schema = {"type": "object"}
            servers = [{"url": str(upstream.address("/v1"))}]
            catalog: Any = Catalog({"look": {"binding": binding, "schema": schema}}, servers, {"it": entry})
            loaded = settings.load(catalog, environment(scheme, leaks.secret))
            assert loaded.problems == []
            leaks.left.append(repr(loaded))
            caller = ToolExecutor(catalog, loaded)
            path = f"{folder}/audit"
            audit = Audit(path, catalog, list, with_arguments=True)
            given: list[dict[str, object]] = [{}, {"it": leaks.secret}]
            for key, arguments in enumerate(given):
                client = {"name": leaks.secret, "version": leaks.secret}
                heard = Call(key, "look", arguments, None, Dialogue("", ""), Origin(client, leaks.secret, leaks.secret))
                assert audit.begin(heard) is None
                spans.enter(heard.span or spans.Span())
                result = await asyncio.wait_for(caller.call("look", arguments, leaks.left.append), 30)
                audit.end(key, result)
                structured = None if result.structured is ABSENT else result.structured
                leaks.left += [json.dumps(result.content), json.dumps(structured)]
            await caller.close()
            with open(path, encoding="ascii") as recorded:
                leaks.left += (lines := recorded.readlines())
            assert len(lines) == 2
            return [upstream, issuer, evil]


def worst_issuer(worst: Worst, evil: Upstream) -> Play:
    """Return a token endpoint whose first response is hostile. Each later response issues a token, and contains the
    text of its request.
    """
    asked = 0

    async def play(connection: Connection) -> None:
        nonlocal asked
        while request := await connection.request():
            asked += 1
            repeated = {"access_token": "token-of-the-test", "expires_in": 0, "note": request.decode()}
            good = answered("200 OK", json.dumps(repeated).encode(), kind="application/json")
            await connection.send(worst(request.decode(), f"http://127.0.0.1:{evil.port}") if asked == 1 else good)
            if asked == 1:
                return

    return play


async def nothing(connection: Connection) -> None:
    """Record a request, and send no response."""
    await connection.request()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "worst", [pytest.param(each, marks=pytest.mark.slow if each == "silent" else ()) for each in WORST]
)
def test_cred_03_no_secret_leaves_but_to_the_api(
    scheme: str, worst: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Check that only the API receives a secret, that redirects are not followed, and that no output of the server
    contains a secret that a response repeats.

    Covers CRED-02 and CRED-06, too.
    """
    leaks = Leaks(random_secret(without='",;\\' if scheme == "cookie" else ""))
    upstream, issuer, evil = asyncio.run(called(scheme, WORST[worst], leaks, tmp_path))
    leaks.left += capfd.readouterr()
    assert evil.connections == 0
    leaks.check()
    receiver, other = (issuer, upstream) if scheme == "client secret" else (upstream, issuer)
    assert reached(receiver, leaks.secret)
    assert not reached(other, leaks.secret)


def reached(server: Upstream, secret: str) -> bool:
    """Return True if the API received the secret in a form in which credentials are sent."""
    received = b"".join(server.requests).decode()
    basic = [base64.b64decode(word.split("\r\n")[0]).decode() for word in received.split("Authorization: Basic ")[1:]]
    heard = [received, unquote(received), *basic, *(unquote(each.replace("+", " ")) for each in basic)]
    return any(secret in each for each in heard)


def test_the_search_finds_each_form() -> None:
    leaks = Leaks(random_secret())
    for form in forms(leaks.secret).values():
        leaks.left = [f"before {form} after"]
        with pytest.raises(AssertionError):
            leaks.check()
        leaks.left = [json.dumps(f"before {form} after")]
        with pytest.raises(AssertionError):
            leaks.check()


def test_cred_12_each_origin_sees_its_own_credential_alone() -> None:
    first, second = random_secret(), random_secret()

    async def main() -> None:
        async with serving() as one, serving() as other:
            security = {name: api_key("header", "X-Key", f"PETSTORE_{name}") for name in ("A", "B")}
            tools: dict[str, dict[str, Any]] = {
                name: {"binding": {"method": "GET", "path": ["/look"], "server": server, "security": [[name]]}}
                for server, name in enumerate(("A", "B"))
            }
            servers = [{"url": str(each.address())} for each in (one, other)]
            catalog: Any = Catalog(tools, servers, security)
            caller = ToolExecutor(catalog, settings.load(catalog, {"PETSTORE_A": first, "PETSTORE_B": second}))
            for name in tools:
                await asyncio.wait_for(caller.call(name, {}, lambda _: None), 30)
            await caller.close()
            assert [reached(one, first), reached(one, second)] == [True, False]
            assert [reached(other, first), reached(other, second)] == [False, True]

    asyncio.run(main())


def test_cfg_05_large_arguments_are_neither_logged_nor_repeated(capfd: pytest.CaptureFixture[str]) -> None:
    leaks = Leaks(random_secret())
    binding = {"method": "GET", "path": ["/look"], "security": [["it"]]}
    catalog: Any = Catalog({"look": {"binding": binding}}, security={"it": SCHEMES["header"]})
    loaded = settings.load(catalog, environment("header", leaks.secret), "http://127.0.0.1:9")

    async def main() -> None:
        caller = ToolExecutor(catalog, loaded)
        arguments = {"x": leaks.secret * 32 * 1024, leaks.secret: 1}
        result = await asyncio.wait_for(caller.call("look", arguments, lambda _: None), 30)
        await caller.close()
        leaks.left.append(json.dumps(result.content))

    asyncio.run(main())
    leaks.left += capfd.readouterr()
    leaks.check()
    assert sum(map(len, leaks.left)) < 8 * 1024


def test_cred_10_a_hook_that_raises_with_a_secret_in_its_words_shows_it_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from package import hooks as users_file
    from package.runtime.core import log

    leaks = Leaks(random_secret())

    def before_look(arguments: dict[str, Any]) -> None:
        log.event("error", "own", words=f"about {leaks.secret}")
        raise RuntimeError(leaks.secret)

    monkeypatch.setattr(users_file, "before_look", before_look, raising=False)
    asyncio.run(called("bearer", WORST["echo"], leaks, tmp_path))
    leaks.left += (captured := capfd.readouterr())
    assert "about [redacted]" in captured.err
    leaks.check()


@pytest.mark.parametrize("place", ["text", "structured"])
def test_cred_10_a_secret_that_a_hook_puts_in_a_result_is_not_shown(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check the last step of a call, since hooks change a result after its text was searched for secrets."""
    from package import hooks as users_file

    leaks = Leaks(random_secret())

    def after_look(result: Result) -> Result:
        told = f"about {leaks.secret}"
        return Result.text(told) if place == "text" else Result(result.content, {"it": told})

    monkeypatch.setattr(users_file, "after_look", after_look, raising=False)
    asyncio.run(called("bearer", WORST["echo"], leaks, tmp_path))
    assert "about [redacted]" in "".join(leaks.left)
    leaks.check()


LONG = (
    "".join(random_secret() for _ in range(20)).replace("\\", "_").replace('"', "_").replace("<", "_").replace(">", "_")
)


def fields(*lines: str, status: str = "200 OK", content: bytes = b"[]", kind: str = "application/json") -> bytes:
    return answered(status, content, *lines, kind=kind)


CUT: dict[str, bytes] = {
    "a place": fields("Location: http://x/" + "p" * 350 + "?key=" + LONG, status="201 Created"),
    "the next page": fields(f'Link: <http://h/x?{"p" * 300}&key={LONG}>; rel="next"'),
    "a file's name": fields(f"Content-Disposition: attachment; filename={LONG}.zip", content=b"\xff", kind="x/zip"),
    "a reason": fields(status=f"599 Key {LONG}"),
    "a field": fields(
        status="422 Oh", content=json.dumps({"errors": [{"field": f"Key {LONG}", "message": "bad"}]}).encode()
    ),
    "HTML": fields(
        status="500 Oh", content=b"<html><style>" + b"x" * 7900 + f"</style>{LONG}".encode(), kind="text/html"
    ),
    "parsed": fields(content=f'{{"pad":"{"y" * (512 * 1024 - 100)}","echo":"{LONG}"}}'.encode()),
    "repeated": fields(content=f"{LONG} ".encode() * 300, kind="text/plain"),
    "an image": fields(content=b"\x89PNG", kind="image/" + LONG.encode().hex()[:120]),
    "a file": fields(content=b"\0\1", kind="x/" + LONG.encode().hex()[:120]),
    "a host": fields("Location: https://" + LONG.encode().hex()[:60].upper() + ".example/", status="302 Found"),
}


@pytest.mark.parametrize("name", CUT)
def test_cred_06_no_part_of_a_secret_is_shown_where_it_was_cut(name: str) -> None:
    """Check that no piece of a secret that truncation has cut is shown, not even in a media type or in lower case."""
    own = {"an image": LONG.encode().hex()[:120], "a file": LONG.encode().hex()[:120]}
    own["a host"] = LONG.encode().hex()[:60].upper()
    secret = own.get(name, LONG)
    left = json.dumps(asyncio.run(told(CUT[name], secret)), ensure_ascii=False)
    assert len(left) > 50
    assert not any(secret[at : at + 8].lower() in left.lower() for at in range(len(secret) - 8))


async def told(answer: bytes, *secrets: str) -> list[Any]:
    """Return the content blocks of a call that gets this response, and of the last slice of its stored result."""

    async def play(connection: Connection) -> None:
        if await connection.request():
            await connection.send(answer)

    async with serving(play) as upstream:
        security = {str(at): api_key("header", "X-Key", f"PETSTORE_{at}") for at, _ in enumerate(secrets)}
        catalog: Any = Catalog({"look": {"binding": {"method": "POST", "path": ["/look"]}}}, security=security)
        environ = {f"PETSTORE_{at}": secret for at, secret in enumerate(secrets)}
        caller = ToolExecutor(catalog, settings.load(catalog, environ, str(upstream.address("/v1"))))
        result = await asyncio.wait_for(caller.call("look", {}, lambda _: None), 30)
        uris = [str(block["uri"]) for block in result.content if block["type"] == "resource_link"]
        slices = [block for uri in uris for block in caller.resources.read(f"{uri}?size=1000000") or []]
        await caller.close()
        return [*result.content, *slices]


def test_cred_06_a_secret_with_unseen_characters_in_it_is_redacted_in_what_is_kept() -> None:
    secret = random_secret()
    content = "line\n" * 10_000 + f"{secret[:10]}\u200e{secret[10:]}\n"
    blocks = asyncio.run(told(fields(content=content.encode(), kind="text/plain"), secret))
    assert any(str(block.get("text")).endswith("[redacted]\n") for block in blocks)
    assert secret not in json.dumps(blocks)


def test_cred_06_every_access_token_that_is_in_use_is_redacted() -> None:
    given: list[str] = []

    async def issue(connection: Connection) -> None:
        while await connection.request():
            given.append(random_secret())
            content = json.dumps({"access_token": given[-1], "expires_in": 3600}).encode()
            await connection.send(answered("200 OK", content, kind="application/json"))

    async def echo_it(connection: Connection) -> None:
        while request := await connection.request():
            await connection.send(answered("200 OK", request))

    async def main() -> None:
        async with serving(echo_it) as upstream, serving(issue) as issuer:
            tools: dict[str, dict[str, Any]] = {
                f"t{at}": {
                    "binding": {"method": "GET", "path": ["/x"], "security": [["it"]], "scopes": {"it": [str(at)]}}
                }
                for at in range(20)
            }
            entry = {**SCHEMES["client secret"], "tokenUrl": str(issuer.address("/token"))}
            catalog: Any = Catalog(tools, [{"url": str(upstream.address("/v1"))}], {"it": entry})
            environ = {"PETSTORE_I": "my-client", "PETSTORE_A": random_secret()}
            caller = ToolExecutor(catalog, settings.load(catalog, environ))
            for name in [*tools, *tools]:
                said = str(await asyncio.wait_for(caller.call(name, {}, lambda _: None), 30))
                assert "Bearer [redacted]" in said
            assert len(given) == 20
            await caller.close()

    asyncio.run(main())
