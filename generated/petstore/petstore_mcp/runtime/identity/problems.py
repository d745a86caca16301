# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Exceptions for a caller who cannot be identified. Each message is a fixed sentence without any part of the token."""

from __future__ import annotations


class InvalidToken(Exception):
    """The token is not accepted (status 401).

    The message is a sentence for the client, fit for a `WWW-Authenticate` header.
    """


class Unavailable(Exception):
    """The token cannot be checked now (status 503).

    The message is a sentence for the client. `seconds` is after how many seconds the client should try again.
    """

    def __init__(self, sentence: str, seconds: int) -> None:
        super().__init__(sentence)
        self.seconds = seconds
