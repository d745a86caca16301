# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Describe the request that logs this server in at the API (`login` in `bindings.json`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..tables import table


class Login:
    """Request that logs the server in at the API: media type and fields of its body.

    `token`: JSON Pointer to the token in the response. `expires`: JSON Pointer to the token's lifetime in seconds,
    or "" if `bindings.json` has no such pointer.
    """

    __slots__ = ("content_type", "expires", "fields", "token")

    def __init__(self, described: table.Login, values: dict[str, str]) -> None:
        """Prepare the login request. `described`: the scheme's `login` entry in `bindings.json`.

        `values` maps roles (such as `password`) to credentials.
        """
        self.content_type = described["contentType"]
        self.token = described["token"]
        self.expires = described.get("expires", "")
        self.fields = {
            name: values[each["role"]] if "role" in each else each["value"]
            for name, each in described["fields"].items()
        }
