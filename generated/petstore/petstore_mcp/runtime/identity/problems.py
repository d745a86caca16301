# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Reasons why a caller is not known. Each is a fixed sentence without any part of the token."""

from __future__ import annotations


class InvalidToken(Exception):
    """The token is not accepted (401). The message is a sentence for the client, as text of a challenge may be."""


class Unavailable(Exception):
    """The token cannot be checked now (503). The message is a sentence for the client; `seconds` is when to come
    again.
    """

    def __init__(self, sentence: str, seconds: int) -> None:
        super().__init__(sentence)
        self.seconds = seconds
