# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the settings that say on which way requests reach the API: a unix socket, a proxy, and exceptions from it."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from ..text.addresses import Address, parse

if TYPE_CHECKING:
    from collections.abc import Callable

SOCKET_HOST = "unix-socket.localhost"
"""Host of the API behind a unix socket: in the field Host, in messages, and for all rules about origins."""

SOCKS = ("socks5", "socks5h")

_LONGEST_PATH = 107
"""Bytes of the path of a unix socket that Linux takes."""


def at_socket(value: str) -> Address:
    """Return the address of an API behind a unix socket, for a base URL such as `unix:///run/docker.sock`.

    It has no path, so that the path of the API's own URL counts, unless the value ends with a slash.
    """
    path = socket_path(value)
    if not hasattr(socket, "AF_UNIX") or not path.startswith("/") or "\0" in path or len(path.encode()) > _LONGEST_PATH:
        raise ValueError("must name a unix socket by its absolute path, such as unix:///run/docker.sock")
    return Address("http", SOCKET_HOST, 80, "", bare=not value.endswith("/"))


def socket_path(value: str) -> str:
    """Return the path of the socket that a base URL names. No character of the path has a special meaning."""
    return value.removeprefix("unix:").removeprefix("//").rstrip("/")


def is_socks(proxy: str | None) -> bool:
    return (proxy or "").partition("://")[0].lower() in SOCKS


def as_http(scheme: str) -> str:
    """Return `http` for the scheme of a SOCKS proxy, whose URL follows the same rules. Raise ValueError for others."""
    if scheme.lower() not in SOCKS:
        raise ValueError("must be a URL such as http://proxy.example:3128 or socks5://proxy.example:1080")
    if find_spec("aiohttp_socks") is None:
        raise ValueError("needs a library for SOCKS: pip install '.[socks]'")
    return "http"


def exceptions(value: str) -> tuple[Callable[[Address], bool], ...]:
    """Return functions that say whether an address is reached without the proxy, for the text of `_NO_PROXY`."""
    return tuple(_exception(each.strip().lower()) for each in value.split(",") if each.strip())


def _exception(text: str) -> Callable[[Address], bool]:
    try:
        network = ip_network(text.strip("[]"))
    except ValueError:
        pass
    else:
        return lambda address: address.is_literal and ip_address(address.host) in network
    name = text.removeprefix("*").removeprefix(".")
    try:
        parse(f"http://{name}")
    except ValueError:
        name = ""
    if not name or ":" in name or "/" in name:
        raise ValueError("must be names of hosts, addresses, or networks such as 10.0.0.0/8, joined by commas")
    return lambda address: f".{address.host.rstrip('.')}".endswith(f".{name}")
