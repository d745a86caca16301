# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Exception for a failed login."""

from __future__ import annotations


class LoginFailed(Exception):
    """Raised if a login fails. The message is one sentence for the user, without secrets.

    `refused` is True if the authorization server refused the request or the stored token, so that repeating will not
    help.
    """

    def __init__(self, sentence: str, *, refused: bool = False) -> None:
        super().__init__(sentence)
        self.refused = refused
