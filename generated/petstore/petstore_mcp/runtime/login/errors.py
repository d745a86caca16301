# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The error of a login that ended without a token."""

from __future__ import annotations


class LoginFailed(Exception):
    """The login failed. The message is one sentence for the user and holds no secret.

    `refused` is True if the authorization server refused what was kept or asked, so that trying again will not help.
    """

    def __init__(self, sentence: str, *, refused: bool = False) -> None:
        super().__init__(sentence)
        self.refused = refused
