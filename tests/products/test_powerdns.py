"""Change zones, records and metadata of PowerDNS through the generated server, and check them by `pdnsutil`."""

from __future__ import annotations

import secrets
import sqlite3
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.products import installs
from tests.products.product import Server, asked, free_port, generate, running, served

pytestmark = pytest.mark.world


class Name(NamedTuple):
    """A running name server, with the MCP server generated for it, and the command that reads its zones."""

    server: Server
    utility: tuple[str, ...]
    folder: Path
    libraries: dict[str, str]

    def told(self, *command: str) -> str:
        """Return the output of `pdnsutil`."""
        return asked(*self.utility, *command, folder=self.folder, variables=self.libraries)


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Name]:
    root, folder = installs.debian("powerdns", "pdns-server", "pdns-backend-sqlite3"), tmp_path_factory.mktemp("pdns")
    (schema,) = root.glob("usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql")
    with sqlite3.connect(folder / "zones.db") as database:
        database.executescript(schema.read_text())
    database.close()
    (modules,) = root.glob("usr/lib/*/pdns")
    port = free_port()
    settings = {
        "module-dir": modules,
        "socket-dir": folder,
        "launch": "gsqlite3",
        "gsqlite3-database": folder / "zones.db",
        "api": "yes",
        "api-key": secrets.token_hex(16),
        "webserver": "yes",
        "webserver-address": "127.0.0.1",
        "webserver-port": port,
        "local-address": "127.0.0.1",
        "local-port": free_port(),
        "security-poll-suffix": "",
    }
    key = str(settings["api-key"])
    (folder / "pdns.conf").write_text("".join(f"{setting}={value}\n" for setting, value in settings.items()))
    libraries = {"LD_LIBRARY_PATH": str(modules.parent)}
    command = [str(root / "usr/sbin/pdns_server"), f"--config-dir={folder}", "--guardian=no", "--daemon=no"]
    with running([*command, "--disable-syslog"], "Done launching threads", folder, libraries):
        url = f"http://127.0.0.1:{port}/api"
        (folder / "powerdns.yaml").write_bytes(_fetched(f"{url}/docs", key))
        project = generate(
            str(folder / "powerdns.yaml"), folder / "project", "--name", "dns", "--base-url", f"{url}/v1"
        )
        with served(project, {"DNS_API_KEY_HEADER": key}, key) as server:
            utility = (str(root / "usr/bin/pdnsutil"), f"--config-dir={folder}")
            yield Name(server, utility, folder, libraries)


def _fetched(url: str, key: str) -> bytes:
    request = urllib.request.Request(url, headers={"X-API-Key": key, "Accept": "application/x-yaml"})
    with urllib.request.urlopen(request) as answer:
        document: bytes = answer.read()
        return document


def test_a_zone_is_created_read_listed_changed_exported_and_deleted(name: Name) -> None:
    server, where = name.server, {"server_id": "localhost"}
    for name_of_zone in ("example.org.", "example.net."):
        made = server.call(
            "create_zone", **where, name=name_of_zone, kind="Native", nameservers=[f"ns1.{name_of_zone}"]
        )
        assert made["id"] == name_of_zone
    assert {*name.told("list-all-zones").split()} == {"example.org", "example.net"}

    assert {each["name"] for each in server.call("list_zones", **where)} == {"example.org.", "example.net."}
    assert [each["name"] for each in server.call("list_zones", **where, zone="example.net.")] == ["example.net."]

    def record(address: str, change: str = "REPLACE") -> dict[str, object]:
        records = [{"content": address, "disabled": False}] if address else []
        return {"name": "www.example.org.", "type": "A", "changetype": change, "ttl": 300, "records": records}

    zone = {**where, "zone_id": "example.org."}
    server.call("update_zone", **zone, rrsets=[record("192.0.2.1")])
    assert "192.0.2.1" in name.told("list-zone", "example.org")
    server.call("update_zone", **zone, rrsets=[record("192.0.2.2")])
    assert "192.0.2.1" not in name.told("list-zone", "example.org")
    assert "192.0.2.2" in name.told("list-zone", "example.org")

    (shown,) = server.call("list_zone", **zone, rrset_name="www.example.org.", rrset_type="A")["rrsets"]
    assert shown["records"][0]["content"] == "192.0.2.2"
    found = [server.call("search_data", **where, q="*example*", max=most, object_type="record") for most in (1, 100)]
    assert [len(records) for records in found] == [1, 5]
    assert "www.example.org.\t300\tIN\tA\t192.0.2.2" in str(server.call("axfr_export_zone", **zone)).replace(
        "\\t", "\t"
    )

    server.call("create_metadata", **zone, kind="ALLOW-AXFR-FROM", metadata=["192.0.2.0/24"])
    assert "192.0.2.0/24" in name.told("get-meta", "example.org", "ALLOW-AXFR-FROM")
    server.call("delete_metadata", **zone, metadata_kind="ALLOW-AXFR-FROM")
    assert "192.0.2.0/24" not in name.told("get-meta", "example.org", "ALLOW-AXFR-FROM")

    server.call("update_zone", **zone, rrsets=[record("", "DELETE")])
    assert "www" not in name.told("list-zone", "example.org")
    server.call("delete_zone", **zone)
    assert name.told("list-all-zones").split() == ["example.net"]
    assert "404" in server.refused("list_zone", **zone)
