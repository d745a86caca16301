"""Test the ways to an API: a unix socket, proxies and exceptions from them, with real sockets and server processes."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.functional.doors import DOORS, generated, served
from tests.functional.socks_proxy import SocksProxy
from tests.functional.test_redirects import Site, moved
from tests.functional.test_removed import answer
from tests.runtime.process import Server

DOCKER = Path(__file__).parents[3] / "shared" / "corpus" / "dev" / "docker-engine-v1.47-swagger2.yaml"
PASSWORD = "p4ss-0123456789abcdef"
TOOLS = """\
base_url: http://api.internal.example
allow_hosts: []
tools:
  - {name: read_log, description: Reads the log., request: GET /log, redirects: follow}
"""


class Socket(Site):
    """The same raw server as `Site`, at a unix socket."""

    def __init__(self, path: Path) -> None:
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(path))
        self.listening.listen()
        self.url = f"unix://{path}"
        self.says: dict[str, bytes] = {}
        self.asked: list[str] = []
        threading.Thread(target=self._serve, daemon=True).start()


class HttpProxy(Site):
    """HTTP proxy that forwards nothing and answers each request itself, by the path of its URL."""

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listening.accept()
                with connection, suppress(ConnectionError):
                    self.asked.append(connection.recv(65536).decode())
                    connection.sendall(answer(b"by proxy", "text/plain"))


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder whose path is short enough for sockets."""
    folder = Path("/tmp") / f"mcpgen-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    yield folder
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("routes"), TOOLS.replace("allow_hosts: []\n", ""))


@pytest.mark.skipif(not DOCKER.exists(), reason="needs the shared corpus")
@pytest.mark.parametrize("door", DOORS)
def test_dockers_document_is_driven_over_a_unix_socket(door: str, tmp_path: Path, short: Path) -> None:
    tools = f"openapi: [{{document: {DOCKER}}}]\ninclude: ['id:ContainerList', 'id:ContainerCreate']\n"
    docker = generated(tmp_path, tools, f"--ref-dir={DOCKER.parent}")
    daemon = Socket(short / "d sock")
    containers = [{"Id": "8dfafdbc3a40", "Names": ["/boring_feynman"], "State": "running"}]
    daemon.says["/v1.47/containers/json"] = answer(json.dumps(containers).encode())
    daemon.says["/v1.47/containers/create"] = answer(b'{"Id":"ede54ee1fda366ab","Warnings":[]}', status="201 Created")
    with daemon.listening, served(docker, door, BASE_URL=daemon.url) as call:
        assert "boring_feynman" in call("container_list", all=True)
        assert "ede54ee1fda366ab" in call("container_create", Image="nginx")
    first, second = daemon.asked
    assert first.startswith("GET /v1.47/containers/json?all=true HTTP/1.1\r\nHost: unix-socket.localhost\r\n")
    assert second.startswith("POST /v1.47/containers/create HTTP/1.1\r\n")


def test_no_text_of_an_api_leads_to_another_socket(project: Path, short: Path) -> None:
    ours, other, site = Socket(short / "ours"), Socket(short / "other"), Site("127.0.0.1")
    with ours.listening, other.listening, site.listening:
        with served(project, "stdio", BASE_URL=f"{ours.url}/") as call:
            for target in (other.url, f"http+unix://{other.url[7:].replace('/', '%2F')}", f"{site.url}/x"):
                ours.says["/log"] = moved(target)
                assert "redirect" in call("read_log")
            ours.says["/log"] = moved("http://unix-socket.localhost/next")
            assert call("read_log") == "whole"
        assert not site.asked
        ours.says["/log"] = moved(f"{site.url}/x")
        with served(project, "stdio", BASE_URL=f"{ours.url}/", ALLOW_HOSTS="127.0.0.1") as call:
            assert call("read_log") == "whole"
    assert not other.asked
    assert [asked.split()[1] for asked in ours.asked[-3:]] == ["/log", "/next", "/log"]
    assert [asked.split()[1] for asked in site.asked] == ["/x"]


@pytest.mark.parametrize("variable", ["unix:///run/other.sock", "http://unix-socket.localhost"])
def test_a_server_variable_leads_to_no_socket(variable: str, tmp_path: Path, short: Path) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Caller", "version": "1"},
        "servers": [{"url": "{place}/v1", "variables": {"place": {"default": variable}}}],
        "paths": {"/log": {"get": {"operationId": "read_log", "responses": {"200": {"description": "ok"}}}}},
    }
    (tmp_path / "d.json").write_text(json.dumps(document))
    made = generated(tmp_path, "openapi: [{document: d.json}]\n")
    with served(made, "stdio") as call:
        assert (
            "failed: the name unix-socket.localhost is not known" in (told := call("read_log")) or "not called" in told
        )


@pytest.mark.parametrize("url", ["unix:docker.sock", "unix://", "unix:///" + "x" * 120, "http+unix:///run/docker.sock"])
def test_a_wrong_socket_is_a_sentence(project: Path, url: str) -> None:
    with Server(project, "--list", package="caller_mcp", env={"CALLER_BASE_URL": url}) as server:
        assert server.ended() == 78
    assert b"CALLER_BASE_URL must " in server.written


def test_an_absent_socket_is_told(project: Path, short: Path) -> None:
    with served(project, "stdio", BASE_URL=f"unix://{short}/none") as call:
        assert "unix-socket.localhost could not be reached" in call("read_log")


@pytest.mark.parametrize("door", DOORS)
def test_a_socks_proxy_looks_up_the_name_and_gets_the_password(project: Path, door: str) -> None:
    site, proxy = Site("127.0.0.1"), SocksProxy("ann", PASSWORD)
    port = site.url.rpartition(":")[2]
    site.says["/log"] = answer(f"whole {PASSWORD}".encode(), "text/plain")
    environ = {
        "BASE_URL": f"http://api.internal.example:{port}",
        "ALLOW_HTTP": "1",
        "PROXY": f"socks5h://ann:{PASSWORD}@127.0.0.1:{proxy.port}",
    }
    with site.listening, proxy.listening, served(project, door, **environ) as call:
        assert call("read_log") == "whole [redacted]"
        assert f"\r\nHost: api.internal.example:{port}\r\n" in site.asked[0]
        proxy.refuses = True
        assert "the proxy did not let it through to api.internal.example" in call("read_log")
    assert set(proxy.asked) == {f"api.internal.example:{port}"}


def test_a_wrong_password_of_a_socks_proxy_is_told(project: Path) -> None:
    proxy = SocksProxy("ann", "another-0123456789")
    environ = {"PROXY": f"socks5://ann:{PASSWORD}@127.0.0.1:{proxy.port}", "ALLOW_HTTP": "1"}
    with proxy.listening, served(project, "stdio", BASE_URL="http://api.internal.example", **environ) as call:
        assert "the proxy did not let it through" in call("read_log")
    assert not proxy.asked


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("exceptions", "is_exempt"),
    [
        ("127.0.0.1", True),
        ("10.0.0.0/8, 127.0.0.0/8", True),
        ("example.com, localhost", False),
        ("7.0.0.1", False),
        ("::1", False),
    ],
)
def test_exceptions_from_a_proxy(project: Path, door: str, exceptions: str, is_exempt: bool) -> None:
    site, proxy = Site("127.0.0.1"), HttpProxy("127.0.0.1")
    environ = {"BASE_URL": site.url, "PROXY": proxy.url, "NO_PROXY": exceptions}
    with site.listening, proxy.listening, served(project, door, **environ) as call:
        assert call("read_log") == ("whole" if is_exempt else "by proxy")
    assert bool(site.asked) is is_exempt
    assert bool(proxy.asked) is not is_exempt


@pytest.mark.parametrize(
    ("name", "host", "is_exempt"),
    [
        ("example.com", "example.com", True),
        (".example.com", "api.example.com", True),
        ("*.example.com", "a.b.example.com.", True),
        ("example.com", "anexample.com", False),
        ("2001:db8::/32", "2001:db8::1", True),
        ("10.0.0.0/8", "10.example.com", False),
    ],
)
def test_which_hosts_an_exception_covers(name: str, host: str, is_exempt: bool) -> None:
    from package.runtime.reach.proxies import exceptions
    from package.runtime.text.addresses import Address

    [found] = exceptions(name)
    assert found(Address("https", host, 443, "")) is is_exempt


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"PROXY": "socks4://127.0.0.1:1080"}, "CALLER_PROXY must be a URL such as http://proxy"),
        ({"PROXY": f"socks5://ann:{PASSWORD}@127.0.0.1:1080/x"}, "CALLER_PROXY must be a URL such as http://proxy"),
        ({"NO_PROXY": "http://example.com"}, "CALLER_NO_PROXY must be names of hosts"),
        ({"NO_PROXY": "*"}, "CALLER_NO_PROXY must be names of hosts"),
        ({"NO_PROXY": "example.com:8080"}, "CALLER_NO_PROXY must be names of hosts"),
    ],
)
def test_what_names_no_way_is_refused(project: Path, variables: dict[str, str], problem: str) -> None:
    environ = {f"CALLER_{name}": value for name, value in variables.items()}
    with Server(project, "--list", package="caller_mcp", env=environ) as server:
        assert server.ended() == 78
    assert problem in server.written.decode()
    assert PASSWORD not in server.written.decode()
