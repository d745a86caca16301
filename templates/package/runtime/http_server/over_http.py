# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve HTTP from the start of the process to its end: for `--http`, and as an ASGI application."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from ..calls.execution import ToolExecutor
from ..commands import libraries
from ..core import log
from ..core.catalog import Catalog, CatalogError
from ..core.stdio import EXIT_CONFIG, before_leaving, complain
from ..serve import preload
from ..settings import settings as reading
from ..tuning import memory
from . import callers
from .doors import busy_polling
from .doors.aiohttp_door import Door
from .doors.asgi_door import Application
from .handles import Handles
from .listening import HOST, PORT
from .sealed.seal import Seal
from .sealed.sealed_states import SealedNames, SealedRuns, SealedTasks, SpentNumbers, States
from .service import Service

if TYPE_CHECKING:
    from typing import NoReturn

    from ..audit.audit import Audit
    from ..delegation.caller_credentials import Credentials
    from ..delegation.login_callback import Spend
    from ..identity.guard import Guard
    from ..replicas.sharing import Sharing
    from ..settings.settings import Settings
    from .listening import Listening

# Without this second, rolling restarts behind nginx lost calls. Platforms kill ten seconds after SIGTERM
# (docs/decisions/http.md).
LINGER = 1.0
"""Seconds for which requests are still served after the signal to end. Meanwhile the server reports that it is not
ready, and closes each connection after its response. Load balancers need this time to notice.
"""


ENOUGH = 16 * 1024
"""File descriptors that suffice for all connections and files of a server. The soft limit is not raised further."""


def _raise_limit() -> None:
    """Raise the soft limit on file descriptors to the hard limit, at most to ENOUGH. Service managers and shells set
    the soft limit to 1,024, for the sake of old programs.
    """
    try:
        import resource  # imported here: not available on every system

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (ImportError, AttributeError, OSError, ValueError):
        return  # the limit stays as it is, and `core/limits.py` keeps to it


def serve(package: str, catalog: Catalog, settings: Settings, listening: Listening, audit: Audit | None) -> int:
    """Serve until a signal arrives, and return the exit code."""
    _raise_limit()
    with asyncio.Runner(loop_factory=busy_polling.loop_factory()) as runner:
        return runner.run(_serve(package, catalog, settings, listening, audit))


def application(package: str) -> Application:
    """Return the ASGI application for the server in folder `package`. Exit the process if the settings are wrong."""
    _raise_limit()
    try:
        catalog = Catalog.load(package, held=True)
    except CatalogError as problem:
        _stop(str(problem))
    if catalog.listing is not None and catalog.listing.lacking:
        complain(catalog.listing.lack)
    settings = reading.load(catalog, os.environ, http=(HOST, PORT))
    if settings.problems or settings.listening is None:
        _stop(*settings.problems)
    settings.apply(catalog)
    listening, audit = settings.listening, _audit(settings, catalog)
    if listening["AUTH_ISSUER"] and listening["HTTP_URL"] is None:
        _stop(callers.unnamed(settings.prefix))

    def make() -> Service:
        return _service(catalog, settings, listening, audit, _guard(catalog, settings, listening))

    return Application(make, listening.guarded)


async def _serve(package: str, catalog: Catalog, settings: Settings, listening: Listening, audit: Audit | None) -> int:
    guard = _guard(catalog, settings, listening)
    service = _service(catalog, settings, listening, audit, guard)
    door = Door(service)
    stopped = _stopped()
    await service.start()
    try:
        port = await door.open(listening.host, listening.port)
    except OSError as problem:
        number = problem.errno or 0
        reason = os.strerror(number) if number > 0 else "there is no host of that name"
        complain(f"--http cannot use {listening.address}: {reason}.")
        return EXIT_CONFIG
    if settings.again is not None:
        from ..reload.reload import Watch  # imported late: few servers reload

        loop = asyncio.get_running_loop()
        Watch(package, catalog, settings.again, lambda *new: _soon(loop, service, *new)).start()
    listening.port = port  # if port 0 was configured, this is the port that the system chose
    url = f"http://{listening.address}/mcp"
    if guard is not None and listening["HTTP_URL"] is None:
        guard.locate(url)
    log.event("info", "listening", url=url, pid=os.getpid(), callers=_known_by(listening))
    await stopped
    service.ready = False
    door.finish()
    await asyncio.sleep(LINGER)
    await door.stop()
    await service.drain()
    await door.close()
    await service.close()  # after all connections are closed, since requests need the service
    return 0


def _soon(loop: asyncio.AbstractEventLoop, service: Service, catalog: Catalog, settings: Settings) -> None:
    """Use the tools of `catalog` from the next request on. The thread that watches for reloads calls this function."""
    loop.call_soon_threadsafe(service.renew, catalog, settings)


def _service(
    catalog: Catalog, settings: Settings, listening: Listening, audit: Audit | None, guard: Guard | None
) -> Service:
    if not listening["STATE_KEY"] and listening.guarded:
        advice = f"Sessions and confirmations end with this process, since {settings.prefix}_STATE_KEY is not set."
        log.event("warning", "no_state_key", reason=advice)
    audience = f"{catalog.name}/{catalog.version.partition('.')[0]}"
    seal = Seal(listening["STATE_KEY"] or [os.urandom(32)], audience, time.time)
    sharing = _sharing(listening, seal, catalog.name)
    spend = sharing.spend if sharing is not None else SpentNumbers(time.monotonic).spend
    callers = _callers(catalog, settings, seal, spend, sharing)

    def of_seal(seal: Seal, sharing: Sharing | None) -> Handles:
        names, runs = SealedNames(seal, catalog.name), SealedRuns(seal, spend)
        return Handles(names, States(seal, spend), runs, SealedTasks(seal), sharing, callers, of_account)

    def of_account(name: str) -> Handles:
        return of_seal(seal.apart(name), sharing and sharing.apart(name))

    handles = of_seal(seal, sharing)

    def make(before: ToolExecutor | None, table: Catalog, decided: Settings) -> ToolExecutor:
        if callers is not None:
            # Do not poll resources: each caller may get another version, and a poll is sent without a caller.
            table.header.pop("polls", None)
            callers.renew(decided.delegations, lambda scheme: _scopes(table, scheme))
        if before is not None:
            return before.following(table, decided)
        caller = preload.executor(table, decided, handles)
        memory.settle()
        return caller

    measured = None
    if settings.telemetry is not None:
        from ..telemetry.reporter import reporter  # imported late: few servers send telemetry

        measured = reporter(settings.telemetry, catalog, over_http=True)
        before_leaving(measured)
    return Service(catalog, settings, listening, seal, make, audit, sharing, guard, callers, measured)


def _callers(
    catalog: Catalog, settings: Settings, seal: Seal, spend: Spend, sharing: Sharing | None
) -> Credentials | None:
    """Return the store of the callers' credentials, or None if all API requests use the server's own credentials."""
    if not settings.delegations:
        return None
    from ..delegation.caller_credentials import Credentials  # imported late: few servers use callers' credentials
    from ..delegation.kept_logins import Logins

    if sharing is None and any(each.way == "user" for each in settings.delegations.values()):
        advice = f"Logins of users end with this process, since {settings.prefix}_STORE is not set."
        log.event("warning", "no_store", reason=advice)
    return Credentials(catalog.name, seal, spend, Logins(seal, sharing.store if sharing else None, time.time))


def _scopes(catalog: Catalog, scheme: str) -> list[str]:
    """Return all scopes of a security scheme that any tool needs, sorted."""
    bindings = (catalog.tool(name).binding for name in catalog.names())
    return sorted({scope for binding in bindings for scope in binding.get("scopes", {}).get(scheme, ())})


def _guard(catalog: Catalog, settings: Settings, listening: Listening) -> Guard | None:
    if not listening["AUTH_ISSUER"]:
        return None
    try:
        from ..identity.guard import Guard  # imported late: needed only if an issuer is set
    except ModuleNotFoundError as problem:
        _stop(libraries.advise(problem) or f"{settings.prefix}_AUTH_ISSUER needs {problem.name}, which is missing.")

    return Guard(listening, settings, f"{catalog.name}-mcp/{catalog.version}")


def _known_by(listening: Listening) -> str:
    """Return a text for the log that says how callers identify themselves."""
    ways = [f"access tokens of {each}" for each in listening["AUTH_ISSUER"]]
    if listening["HTTP_TOKENS"] is not None:
        ways.append(f"tokens of {len(listening['HTTP_TOKENS'])} callers in a file")
    return ", ".join(ways) or "not asked"


def _sharing(listening: Listening, seal: Seal, server: str) -> Sharing | None:
    if listening["STORE"] is None:
        return None
    from ..replicas.sharing import Sharing  # imported late: few servers share a store with replicas
    from ..replicas.store import Store

    return Sharing(Store(listening["STORE"], server), seal)


def _audit(settings: Settings, catalog: Catalog) -> Audit | None:
    if not settings["AUDIT"]:
        return None
    from ..audit.recording import open_audit  # imported late: few operators keep an audit log

    audit = open_audit(settings["AUDIT"], settings, catalog)
    if isinstance(audit, str):
        _stop(audit)
    before_leaving(audit)
    return audit


def _stopped() -> asyncio.Future[None]:
    """Return a future that is done once the process gets SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    stopped = loop.create_future()

    def stop() -> None:
        if not stopped.done():
            stopped.set_result(None)

    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # on Windows, `add_signal_handler` is not implemented: use `signal.signal`
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
    return stopped


def _stop(*sentences: str) -> NoReturn:
    for sentence in sentences:
        complain(sentence)
    sys.exit(EXIT_CONFIG)
