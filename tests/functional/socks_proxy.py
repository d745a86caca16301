"""Run a strict SOCKS5 proxy (RFC 1928, RFC 1929): it wants names instead of addresses, and a user with a password."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class SocksProxy:
    """SOCKS5 proxy in threads of its own. It takes every name for this machine, and records names and users."""

    def __init__(self, user: str, password: str) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.asked: list[str] = []
        self.refuses = False
        self._login = bytes([1, len(user)]) + user.encode() + bytes([len(password)]) + password.encode()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self._connected, args=(self.listening.accept()[0],), daemon=True).start()

    def _connected(self, client: socket.socket) -> None:
        with client, suppress(OSError, AssertionError, IndexError):
            version, count = _exactly(client, 2)
            assert version == 5
            assert 2 in _exactly(client, count), "the client offers a user and a password"
            client.sendall(b"\x05\x02")
            good = _exactly(client, len(self._login)) == self._login
            client.sendall(b"\x01\x00" if good else b"\x01\x01")
            assert good
            version, command, reserved, kind = _exactly(client, 4)
            assert (version, command, reserved) == (5, 1, 0)
            if kind != 3:
                client.sendall(b"\x05\x08\x00\x01\x00\x00\x00\x00\x00\x00")  # an address: not supported
                return
            [length] = _exactly(client, 1)
            name, port = _exactly(client, length).decode(), int.from_bytes(_exactly(client, 2), "big")
            self.asked.append(f"{name}:{port}")
            if self.refuses:
                client.sendall(b"\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00")  # not allowed by the rules
                return
            with socket.create_connection(("127.0.0.1", port)) as upstream:
                client.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
                answers = threading.Thread(target=_copy, args=(upstream, client), daemon=True)
                answers.start()
                _copy(client, upstream)
                answers.join()


def _exactly(source: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        found += source.recv(count - len(found)) or bytes([found[count]])
    return found


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
