# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement the commands `login`, `logout` and `whoami`.

Progress is written to stderr and contains no secrets. Only `whoami` writes to stdout.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from typing import TYPE_CHECKING

from ..commands.command_line import FlagParser, show, table
from ..core.stdio import complain
from ..http.client import Client
from ..settings import settings as environment
from ..text.sanitize import brief
from . import answers, run
from .endpoints import find
from .errors import LoginFailed
from .kept import KeptLogins
from .lock import locked
from .scheme import UserScheme
from .user_logins import scopes_of

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ..core.catalog import Catalog
    from ..http.exchange import Response
    from ..oauth.discovery import Send
    from ..request.request import Request
    from ..settings.settings import Settings
    from ..text.addresses import Address
    from .entry import Entry

FAILED, UNSET = 1, 78


def main(arguments: list[str], catalog: Catalog) -> int:
    """Run the command `login`, `logout` or `whoami`, and return the exit code."""
    try:
        given = _parser(catalog).parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    loaded = environment.load(catalog, os.environ, given.base_url)
    for problem in loaded.problems:
        complain(problem)
    if loaded.problems:
        return UNSET
    loaded.apply(catalog)
    if loaded.accounts:
        catalog, loaded = loaded.accounts[given.account]
    try:
        schemes = _chosen(catalog, loaded, given)
        return asyncio.run(_Commands(catalog, loaded, given).run(schemes))
    except LoginFailed as reason:
        complain(str(reason))
        return FAILED


def _parser(catalog: Catalog) -> FlagParser:
    parser = FlagParser(prog=f"{catalog.name}-mcp", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    login = commands.add_parser("login", help="log in with your browser, or by a code", allow_abbrev=False)
    logout = commands.add_parser("logout", help="end a login and forget it", allow_abbrev=False)
    whoami = commands.add_parser("whoami", help="print who is logged in", allow_abbrev=False)
    for each in (login, logout):
        each.add_argument("scheme", nargs="?", metavar="SCHEME", help="which login; whoami shows their names")
    for each in (login, logout, whoami):
        each.add_argument("--base-url", metavar="URL", help="where the API is, as for the server itself")
    for each in (login, logout, whoami) if "accounts" in catalog.header else ():
        each.add_argument("--account", required=True, choices=[*catalog.header["accounts"]], help="whose login")
    login.add_argument("--scopes", metavar="SCOPES", help="scopes to ask for, joined by blanks or commas")
    login.add_argument("--device", action="store_true", help="log in by a code that you type on another device")
    login.add_argument("--port", type=_port, metavar="PORT", help="the port at which to wait for the browser")
    login.add_argument("--no-browser", action="store_true", help="print the URL, and open no browser")
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65536):
        raise argparse.ArgumentTypeError("must be a port from 1 to 65535")
    return int(text)


def _chosen(catalog: Catalog, loaded: Settings, given: argparse.Namespace) -> list[UserScheme]:
    """Return the security schemes that a command line selects.

    Raise LoginFailed if there are none, or if `login` names no scheme and several are possible.
    """
    known = [UserScheme(name, catalog, loaded) for name, each in catalog.security.items() if "user" in each]
    if not known:
        raise LoginFailed("The API's description has no login for users: set its credentials in the environment.")
    wanted = getattr(given, "scheme", None)
    if wanted is not None:
        found = [each for each in known if wanted in (each.name, each.label)]
        if not found:
            names = ", ".join(each.label for each in known)
            raise LoginFailed(f"There is no login {brief(wanted, 60)}; there is {names}.")
        return found
    if given.command != "login" or len(known) == 1:
        return known
    used = [each for each in known if any(_asks(catalog, name, each.name) for name in catalog.names())]
    if len(used) != 1:
        raise LoginFailed(f"Say which login: {', '.join(each.label for each in used or known)}.")
    return used


def _asks(catalog: Catalog, tool: str, scheme: str) -> bool:
    return any(scheme in names for names in catalog.tool(tool).binding.get("security") or ())


def has_browser() -> bool:
    """Return True if this process can open a browser for its user."""
    if sys.platform not in ("win32", "darwin") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("BROWSER")
    ):
        return False
    import webbrowser  # imported late: only a login opens a browser

    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


class _Commands:
    """Implementation of `login`, `logout` and `whoami`, which share one HTTP client."""

    def __init__(self, catalog: Catalog, loaded: Settings, given: argparse.Namespace) -> None:
        self._catalog = catalog
        self._settings = loaded
        self._given = given
        self._kept = KeptLogins(catalog.name, loaded["TOKEN_STORE"], loaded.prefix)

    async def run(self, schemes: list[UserScheme]) -> int:
        """Run `login`, `logout` or `whoami` for these security schemes, and return the exit code.

        Raise LoginFailed if a login fails.
        """
        client = Client(self._settings, f"{self._catalog.name}-mcp/{self._catalog.version}")
        seconds = self._settings["TIMEOUT"]

        def send(request: Request, address: Address) -> Awaitable[Response]:
            return client.send(request, address, seconds)

        try:
            if self._given.command == "login":
                await self._log_in(schemes[0], send)
                return 0
            if self._given.command == "logout":
                return await self._log_out(schemes, send)
            return self._who(schemes)
        finally:
            await client.close()

    async def _log_in(self, scheme: UserScheme, send: Send) -> None:
        given = self._given
        asked = scopes_of(self._catalog, scheme.name) if given.scopes is None else given.scopes.replace(",", " ")
        login = run.Login(scheme, self._kept, send, " ".join(asked.split()))
        try:
            found = await login.look_up()
            opens = not given.no_browser and has_browser()
            if given.device or (found.device is not None and not (opens or given.no_browser)):
                url, code = await login.begin_on_device()
                complain(f"Open {url} on any device, and type the code {code}")
            else:
                url = await login.begin_in_browser(given.port or self._settings["LOGIN_PORT"])
                complain(f"Log in with your browser, at {url}")
                if opens:
                    await asyncio.to_thread(_open, url)
            if login.scopes:
                complain(f"Asking for the scopes {login.scopes}")
            store, _ = await login.finish()
        finally:
            login.close()
        assert login.entry is not None
        who = f" as {login.entry.user}" if login.entry.user else ""
        complain(f"Logged in{who} for {scheme.label}. Kept in {store.where}.")
        if not login.entry.refresh_token:
            complain("The provider gave no refresh token, so the access token itself is kept, and ends when it ends.")
        for name in scheme.overruled[:1]:
            complain(
                f"{' and '.join(scheme.overruled)} in the environment win over this login; unset {name} to use it."
            )

    async def _log_out(self, schemes: list[UserScheme], send: Send) -> int:
        done = 0
        for scheme in schemes:
            async with locked(scheme.server):
                found = await asyncio.to_thread(self._kept.read, scheme)
                if found is None:
                    continue
                done += 1
                revoked = await self._revoked(scheme, found[0], send)
                await asyncio.to_thread(self._kept.delete, scheme)
            more = "" if revoked else " The provider was not told; it may list this login until you end it there."
            complain(f"Logged out of {scheme.label}.{more}")
        if not done:
            complain("Nobody is logged in.")
        return 0

    async def _revoked(self, scheme: UserScheme, entry: Entry, send: Send) -> bool:
        """Try to revoke the stored token (RFC 7009). Return True if the authorization server confirms it."""
        secret = entry.client_secret if entry.registered else scheme.client_secret
        kind = "refresh_token" if entry.refresh_token else "access_token"
        form = {"token": entry.refresh_token or entry.access_token, "token_type_hint": kind}
        try:
            place = (await find(scheme, send)).revocation
            if place is None:
                return False
            client = answers.Client(entry.client_id, secret)
            return (await answers.post_form(send, place, form, client)).status == 200
        except LoginFailed:
            return False

    def _who(self, schemes: list[UserScheme]) -> int:
        rows = [("login", "user", "scopes", "kept in", "until")]
        for scheme in schemes:
            found = self._kept.read(scheme)
            if found is None:
                rows.append((scheme.label, "nobody", "", "", f"run {scheme.command}"))
                continue
            entry, store = found
            ends = entry.refresh_ends if entry.refresh_token else entry.access_ends
            until = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(ends)) if ends else "the provider ends it"
            rows.append((scheme.label, entry.user or "somebody", entry.scopes or "unknown", store.where, until))
        return show(table([*rows])) or int(all(row[1] == "nobody" for row in rows[1:]))


def _open(url: str) -> None:
    import webbrowser  # imported late: only a login opens a browser

    run.open_page(url, webbrowser.open)
