"""Test the login command: device codes (RFC 8628), client registration (RFC 7591), the redirect's port, exit codes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from typing import Any

import pytest
from package.runtime.login.answers import Client
from package.runtime.login.device import DeviceLogin
from package.runtime.login.endpoints import Endpoints
from package.runtime.login.errors import LoginFailed
from package.runtime.settings.origins import Endpoint
from package.runtime.text.addresses import parse

from tests.login.station import Station, visit
from tests.login.test_attacks import response

SERVER = parse("https://login.example.com")
CODE = b'{"device_code":"d","user_code":"A-B","verification_uri":"https://x.example/go","interval":%s,"expires_in":60}'


def polled(*answers: bytes, interval: bytes = b"5") -> tuple[list[float], Any]:
    """Log in with these responses of the token endpoint. Return the pauses, and the last response or the error."""
    found, pauses = Endpoints(), []
    found.device, found.token = Endpoint(SERVER, "/device"), Endpoint(SERVER, "/token")
    left = [CODE % interval, *answers]

    async def send(*_: object) -> Any:
        content = left.pop(0)
        return response(400 if b"error" in content else 200, content)

    async def rest(seconds: float) -> None:
        pauses.append(seconds)

    async def main() -> Any:
        login = DeviceLogin(found, Client("app"), send, rest, lambda: sum(pauses))
        assert await login.begin("") == ("https://x.example/go", "A-B")
        try:
            return await login.finish()
        except LoginFailed as reason:
            return str(reason)

    return pauses, asyncio.run(main())


PENDING, SLOW = b'{"error":"authorization_pending"}', b'{"error":"slow_down"}'
GIVEN = b'{"access_token":"given"}'


def test_the_interval_is_kept_and_grows_when_asked() -> None:
    pauses, answer = polled(PENDING, SLOW, PENDING, SLOW, GIVEN)
    assert pauses == [5, 5, 10, 10, 15]
    assert answer.text("access_token") == "given"
    assert polled(GIVEN, interval=b"1")[0] == [1]
    assert polled(GIVEN, interval=b"9999")[0] == [60]
    assert polled(GIVEN, interval=b"0")[0] == [5]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (b'{"error":"access_denied"}', "No token was given: the login was refused."),
        (b'{"error":"expired_token"}', "The code is no longer valid. Log in again."),
    ],
)
def test_a_login_that_ends_is_a_sentence(error: bytes, told: str) -> None:
    assert polled(PENDING, error)[1] == told


def test_asking_ends_with_the_code() -> None:
    pauses, told = polled(*[PENDING] * 20)
    assert told == "The code is no longer valid. Log in again."
    assert sum(pauses) == 60


@pytest.mark.slow
def test_a_device_code_from_the_command_to_a_call(store: Station) -> None:
    with store.command("login", "--device") as command:
        assert command.find(r"type the code (\S+)") == "WDJB-MJHT"
        code, said = command.end()
    assert code == 0, said
    assert not store.call("list_items")[0]["isError"]


@pytest.mark.slow
def test_without_a_browser_a_device_code_is_used(store: Station) -> None:
    with store.command("login") as command:
        command.find(r"type the code (\S+)")


@pytest.mark.slow
def test_a_client_is_registered_once_and_its_port_is_used_again(store: Station) -> None:
    del store.env["STORE_USER_CLIENT_ID"]
    store.log_in("--no-browser")
    store.log_in("--no-browser")
    registered = [form for path, form in store.authority.requests if path == "/register"]
    assert len(registered) == 1
    assert registered[0]["token_endpoint_auth_method"] == "none"
    redirects = {form["redirect_uri"] for form in store.authority.grants("authorization_code")}
    assert redirects == set(registered[0]["redirect_uris"])
    assert not store.call("list_items")[0]["isError"]


@pytest.mark.slow
def test_the_port_can_be_given_and_may_be_taken(store: Station) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        store.env["STORE_LOGIN_PORT"] = str(port)
        code, _, said = store.run("login", "--no-browser")
    assert (code, said) == (1, f"Port {port} of this machine is taken: choose another with --port.\n")
    with store.command("login", "--no-browser") as command:
        assert f"127.0.0.1%3A{port}%2Fcallback" in command.url()


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.slow
def test_an_interrupt_ends_the_command_and_closes_the_port(store: Station) -> None:
    with store.command("login", "--no-browser") as command:
        redirect = store.authority.agree(command.url())
        command.process.send_signal(signal.SIGINT)
        code, said = command.end()
        assert code in (130, -signal.SIGINT)
        assert "Traceback" not in said
        with pytest.raises(Exception, match="refused"):
            visit(redirect)
    assert not store.file.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("login", "nobody"), 1, "There is no login nobody; there is user."),
        (("login", "--port", "0"), 2, "must be a port"),
        (("logout", "--device"), 2, "unrecognized arguments"),
        (("logout",), 0, "Nobody is logged in."),
    ],
)
@pytest.mark.slow
def test_misuse_is_a_sentence(store: Station, arguments: tuple[str, ...], code: int, told: str) -> None:
    found, _, said = store.run(*arguments)
    assert (found, told in said) == (code, True), said
