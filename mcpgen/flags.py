"""What was chosen, by the order of precedence: the command line, the tools files (the user's before SOURCE), and what
was recorded.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Literal

from mcpgen import origins
from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.errors import CannotGoOn
from mcpgen.model import Api, Server
from mcpgen.names import clipped, nearest
from mcpgen.options import Options
from mcpgen.selection import Selector
from mcpgen.toolsfile import Required, ToolsFile

Kind = Literal["include", "exclude"]


class Flags:
    """The flags of a run: `given` on the command line, `recorded` before, and in `files`, the strongest first. `wanted`
    is what of them counts.
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
        """The base URL of a flag; a recorded one gives way to that of a tools file."""
        return self._given.base_url or (None if self._of_files else self._recorded.base_url)

    @property
    def accepted(self) -> tuple[str, ...]:
        """The URLs that flags name for their origins, now or before: a `--base-url` was typed by the owner, too."""
        typed = (self._given.base_url,) if self._given.base_url else ()
        return (*typed, *self._given.accept_origin, *self._recorded.accept_origin)

    @property
    def servers(self) -> tuple[Server, ...]:
        """The base URL that replaces the servers of documents, as a server; none where there is none."""
        return (Server(self.base_url),) if self.base_url else self._of_files

    @property
    def _of_files(self) -> tuple[Server, ...]:
        return next((each.api.servers for each in self.files if each.api.servers), ())

    @property
    def required(self) -> Required:
        """The credentials that hold where a document requires none."""
        own = (Required(each.api.security, each.api.scopes) for each in self.files if each.api.security is not None)
        return next(own, Required())

    @property
    def variables(self) -> Where | None:
        """Where a tools file says the values of variables of server URLs, if they are from one."""
        own = (each.variables for each in self.files if each.choices.server_var and not self._given.server_var)
        return next(own, None)

    def report_body_types(self, api: Api, diagnostics: Diagnostics) -> None:
        """Report the `body_type`s of tools files that no operation offers."""
        offered = {each.name.lower(): each.name for o in api.operations if o.body for each in o.body.content}
        for named in (named for each in self.files for named in each.body_types):
            if not any(fnmatchcase(name, named.text.lower()) for name in offered):
                message = f"No operation takes a body of the type '{clipped(named.text)}'."
                diagnostics.add("unused-selector", message, named.where, nearest(named.text, list(offered.values())))

    def selectors(self, kind: Kind) -> Sequence[Selector]:
        """Those of the tools files that count: of the first that has any, unless the command line has."""
        if getattr(self._given, kind):
            return ()
        return next((found for each in self.files if (found := getattr(each, kind))), ())

    def selecting(self, kind: Kind) -> tuple[str, ...]:
        """Those of the command line, or the recorded ones where no tools file has any."""
        of_files = any(getattr(each, kind) for each in self.files)
        found: tuple[str, ...] = getattr(self._given if of_files else self.wanted, kind)
        return found


def accepted_origins(flags: Flags, on_disk: Iterable[ToolsFile]) -> frozenset[str]:
    """Return the origins that the owner wrote down: with `flags`, or in tools files that lie `on_disk`.

    A tools file that came by URL is like any document: it cannot accept what it names itself. CannotGoOn for a flag
    that names no origin.
    """
    found: set[str] = set()
    for url in flags.accepted:
        if not origins.is_origin(origin := origins.of_url(url)):
            message = f"--accept-origin {clipped(url)} names no origin."
            raise CannotGoOn("invalid-flag", message, hint="Write it as https://login.example.com.")
        found.add(origin)
    for file in on_disk:
        found.update(map(origins.of_url, file.choices.accept_origin))
        found.update(_written(file))
    return frozenset(filter(None, found))


def _written(file: ToolsFile) -> Iterator[str]:
    """Yield the origins of the servers and token URLs that a tools file has of its own."""
    own = [*file.api.servers, *(server for entry in file.documents for server in entry.servers)]
    operations = [*file.api.operations, *(each.operation for each in file.api.resources if each.operation)]
    own += [server for operation in operations for server in operation.servers or ()]
    for server in own:
        yield from origins.of_server(server.url, {each.name: each.default for each in server.variables})
    for scheme in file.api.schemes:
        yield from map(origins.of_url, (scheme.token_url, scheme.discovery_url))
