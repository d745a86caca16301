# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Log in with a code that the user types on another device (RFC 8628)."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from . import answers
from .errors import LoginFailed
from .registration import DEVICE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..oauth.discovery import Send
    from .answers import Answer, Client
    from .endpoints import Endpoints

LONGEST_SECONDS = 1800.0
DEFAULT_INTERVAL, LONGEST_INTERVAL, SLOWER = 5.0, 60.0, 5.0
"""Default and maximum of the seconds between two token requests, and by how many more `slow_down` increases them (RFC
8628, section 3.5).
"""

_ENDS = {
    "access_denied": "No token was given: the login was refused.",
    "expired_token": "The code is no longer valid. Log in again.",
}


class DeviceLogin:
    """One login by device code.

    `begin` returns what the user must do; `finish` waits and returns the token response.
    """

    def __init__(
        self,
        found: Endpoints,
        client: Client,
        send: Send,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._found = found
        self._client = client
        self._send = send
        self._rest = rest
        self._clock = clock
        self._code = ""
        self._interval = DEFAULT_INTERVAL
        self._end = 0.0

    async def begin(self, scopes: str) -> tuple[str, str]:
        """Return the URL that the user opens on another device, and the code to type there.

        Raise LoginFailed if the authorization server gives no code or no valid URL.
        """
        if self._found.device is None:
            raise LoginFailed("The authorization server has no login by device code: leave out --device.")
        form = {"scope": scopes} if scopes else {}
        answer = await answers.post_form(self._send, self._found.device, form, self._client)
        self._code = answer.text("device_code")
        url, code = answer.text("verification_uri", 2000), answer.text("user_code", 100)
        if answer.status != 200 or not (self._code and url and code):
            raise LoginFailed(f"{self._found.device.address.authority} gave no code: {answer.said}.", refused=True)
        if not url.startswith(("https://", "http://")):
            raise LoginFailed("The authorization server named a page that is no web page.")
        self._interval = min(answer.seconds("interval") or DEFAULT_INTERVAL, LONGEST_INTERVAL)
        self._end = self._clock() + min(answer.seconds("expires_in") or LONGEST_SECONDS, LONGEST_SECONDS)
        return url, code

    async def finish(self) -> Answer:
        """Request the token repeatedly until the user has logged in, and return the token response.

        Raise LoginFailed if the user refuses, or if the code expires.
        """
        assert self._found.token is not None
        form = {"grant_type": DEVICE, "device_code": self._code}
        while self._clock() < self._end:
            await self._rest(self._interval)
            try:
                answer = await answers.post_form(self._send, self._found.token, form, self._client)
            except LoginFailed:  # no response, such as after a lost connection: ask more slowly (RFC 8628, 3.5)
                self._interval = min(self._interval * 2, LONGEST_INTERVAL)
                continue
            if answer.error == "slow_down":
                self._interval = min(self._interval + SLOWER, LONGEST_INTERVAL)
            elif answer.error != "authorization_pending":
                if answer.error in _ENDS:
                    raise LoginFailed(_ENDS[answer.error], refused=True)
                return answer
        raise LoginFailed(_ENDS["expired_token"])
