"""Choose each setting of a run by precedence.

The command line has precedence over tools files, and these over the lock of an earlier run. The user's tools file has
precedence over a SOURCE that is a tools file.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Literal

from mcpgen.base import origins
from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.names import clipped, nearest
from mcpgen.model import UNDECLARED, Api, Security, Server
from mcpgen.model.options import Options
from mcpgen.model.selection import Selector
from mcpgen.read.openapi import servers
from mcpgen.read.toolsfile import ToolsFile

Kind = Literal["include", "exclude"]


# The more directly the user controls a source of settings, the higher is its precedence.
class Flags:
    """The settings of one run of mcpgen, from three sources in order of precedence.

    The sources are: flags `given` on the command line, tools `files` (the strongest first), and settings that an
    earlier run `recorded` in the project. `wanted` combines all three.
    """

    def __init__(self, given: Options, recorded: Options, files: Sequence[ToolsFile]) -> None:
        self.files = files
        self._given = given
        self._recorded = recorded
        wanted = replace(recorded, name=None)
        for each in reversed(files):
            wanted = each.choices.over(wanted)
        self.wanted = given.over(wanted)

    @property
    def base_url(self) -> str | None:
        """Return the base URL from the command line, else the base URL of the last run.

        The base URL of the last run does not count if a tools file sets one. Return None if there is no base URL.

        Raises FatalError if the URL cannot be used.
        """
        url = self._given.base_url or (None if self._of_files else self._recorded.base_url)
        reason = servers.refusal(url) or ("" if "://" in url else "it is not absolute") if url else ""
        # Unlike a document, the user who gives --base-url may choose a link-local or metadata address.
        if reason and "metadata" not in reason:
            shown = "" if "@" in str(url) else f" {url}"
            raise FatalError("invalid-flag", f"--base-url{shown} cannot be used: {reason}.")
        return url

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the parts that the user has chosen: by `--parts` in this run and earlier ones, and in tools files."""
        by_flag = self._given.over(self._recorded).parts
        return (*by_flag, *(name for file in self.files for name in file.choices.parts))

    @property
    def accepted(self) -> tuple[str, ...]:
        """Return the URLs that `--accept-origin` named in this run or an earlier one."""
        return (*self._recorded.accept_origin, *self._given.accept_origin)

    @property
    def servers(self) -> tuple[Server, ...]:
        """Return the base URL that replaces the servers of documents, as a list of at most one server."""
        return (Server(self.base_url),) if self.base_url else self._of_files

    @property
    def _of_files(self) -> tuple[Server, ...]:
        return next((each.api.servers for each in self.files if each.api.servers), ())

    @property
    def required(self) -> Security:
        """Return the security that applies to documents which declare none."""
        return next((each.api.security for each in self.files if each.api.security.is_declared), UNDECLARED)

    @property
    def variables(self) -> Where | None:
        """Return the position of `server_var` in the first tools file that has it.

        Return None if no tools file has it, or if the command line sets the server variables.
        """
        own = (each.variables for each in self.files if each.choices.server_var and not self._given.server_var)
        return next(own, None)

    @property
    def pins(self) -> tuple[tuple[str, Where], ...]:
        """Return the names of the tools that stay listed in a server with a search, each with its place in a tools
        file.
        """
        return tuple((each.text, each.where) for file in self.files for each in file.pins)

    def report_body_types(self, api: Api, diagnostics: Diagnostics) -> None:
        """Report each `body_type` of tools files that no operation offers."""
        offered = {each.name.lower(): each.name for o in api.operations if o.body for each in o.body.content}
        for named in (named for each in self.files for named in each.body_types):
            if not any(fnmatchcase(name, named.text.lower()) for name in offered):
                message = f"No operation takes a body of the type '{clipped(named.text)}'."
                diagnostics.add("unused-selector", message, named.where, nearest(named.text, list(offered.values())))

    def selectors(self, kind: Kind) -> Sequence[Selector]:
        """Return the selectors of the first tools file that has any.

        Return () if no tools file has any, or if the command line has selectors, which replace those of the files.
        """
        if getattr(self._given, kind):
            return ()
        return next((found for each in self.files if (found := getattr(each, kind))), ())

    def selecting(self, kind: Kind) -> tuple[str, ...]:
        """Return the selectors of the command line, else those that an earlier run of mcpgen recorded.

        If a tools file has selectors, recorded ones do not count: return () if the command line has none. The method
        `selectors` then returns those of the tools file.
        """
        of_files = any(getattr(each, kind) for each in self.files)
        found: tuple[str, ...] = getattr(self._given if of_files else self.wanted, kind)
        return found


def listed_origins(flags: Flags, on_disk: Iterable[ToolsFile]) -> frozenset[str]:
    """Return the origins that calls and credentials may reach because the user lists them: by `--accept-origin` in this
    run or an earlier one, or under `accept_origin` in tools files `on_disk`.

    A tools file fetched by URL is like any document: it cannot accept the origins that it names itself. Raises
    FatalError if the value of a flag has no origin.
    """
    for url in flags.accepted:
        if not origins.is_origin(origins.of_url(url)):
            message = f"--accept-origin {clipped(url)} is not an origin (scheme, host and port)."
            raise FatalError("invalid-flag", message, hint="Write an origin as in https://login.example.com.")
    listed = [*flags.accepted, *(url for file in on_disk for url in file.choices.accept_origin)]
    return frozenset(filter(origins.is_origin, map(origins.of_url, listed)))


def written_origins(flags: Flags, on_disk: Iterable[ToolsFile]) -> frozenset[str]:
    """Return the origins of URLs that the project's owner wrote. Writing such a URL accepts its origin.

    These URLs are `--base-url`, and the servers and token URLs in tools files `on_disk`.
    """
    found = {origins.of_url(flags.base_url or "")}
    chosen = dict(text.split("=", 1) for text in flags.wanted.server_var if "=" in text)
    for file in on_disk:
        for server in _servers(file):
            url = server.url
            for name, value in chosen.items():
                url = url.replace(f"{{{name}}}", value)
            found.update(origins.of_server(url, {each.name: each.default for each in server.variables}))
        for scheme in file.api.schemes:
            urls = scheme.token_url, scheme.discovery_url, *(scheme.user.urls if scheme.user else ())
            found.update(map(origins.of_url, urls))
    return frozenset(found)


def _servers(file: ToolsFile) -> Iterator[Server]:
    """Yield the API servers (base URLs with their variables) that a tools file defines."""
    yield from file.api.servers
    yield from (server for entry in file.documents for server in entry.servers)
    yield from (server for operation in file.api.all_operations for server in operation.servers)
