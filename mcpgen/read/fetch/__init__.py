"""Read the bytes of SOURCE: a path, `-` for standard input, or an http(s) URL. The number of bytes is limited.

Also read further sources that a file names, relative to that file.
"""

import os
import sys
from dataclasses import dataclass, field
from urllib.parse import urljoin

from mcpgen.base.errors import FatalError
from mcpgen.base.source_urls import origin_of, without_secrets
from mcpgen.read.document import budgets
from mcpgen.read.document.budgets import within_budget
from mcpgen.read.fetch.files import Folder, read_file
from mcpgen.read.fetch.network import Network, refuse_login
from mcpgen.read.fetch.redirects import ALLOW_REDIRECT, is_redirect_value


@dataclass(frozen=True, slots=True)
class Fetched:
    """A source that was read.

    `name`: its name in diagnostics. `url`: base of relative URLs, if it came from the network. `folder`: for a file,
    the folders that its references may lead into. `network`: network access for the rest of the run.
    """

    name: str
    data: bytes
    url: str | None = None
    folder: Folder | None = None
    network: Network = field(default_factory=Network, compare=False, repr=False)


__all__ = ["ALLOW_REDIRECT", "Fetched", "Folder", "Network", "beside", "is_redirect_value", "read"]


def read(source: str, ref_dirs: tuple[str, ...] = (), network: Network | None = None) -> Fetched:
    """Return the bytes of `source`, and the folders to which its references may point: its own folder and `ref_dirs`.

    Raises FatalError if `source` cannot be read or is larger than the limit.
    """
    network = network or Network()
    if source == "-":
        data = sys.stdin.buffer.read(budgets.BYTES + 1)
        return Fetched("<stdin>", within_budget(data, "<stdin>"), network=network)
    if source.startswith(("http://", "https://")):
        refuse_login(source)
        return Fetched(without_secrets(source), *network.download(source), network=network)
    folder = Folder((os.path.dirname(source) or ".", *ref_dirs))
    return Fetched(source, read_file(source, source), folder=folder, network=network)


# A fetched tools file must not be able to read files of this machine.
def beside(fetched: Fetched, name: str, network: Network | None = None) -> Fetched:
    """Return the source that the file `fetched` names as `name`: a path relative to its folder, or a URL.

    A file that was fetched by URL can name only sources of its own origin. A file from standard input can name only
    URLs. Raises FatalError if the source is not allowed or cannot be read.
    """
    own = fetched.url
    is_url = name.startswith(("http://", "https://"))
    if own is not None:
        try:
            name = urljoin(own, name)
            same = origin_of(name) == origin_of(own)
        except ValueError:
            same = False
        if not same:
            raise _foreign(name, "is of another origin than the file that names it")
    elif not is_url:
        if fetched.folder is None:
            raise _foreign(name, "is a relative path, which has no meaning for a file from standard input")
        path = os.path.normpath(os.path.join(os.path.dirname(fetched.name), name))
        return Fetched(path.replace(os.sep, "/"), fetched.folder.read(path), folder=fetched.folder)
    return read(name, network=network)


def _foreign(name: str, why: str) -> FatalError:
    return FatalError(
        "unreadable",
        f"{without_secrets(name)} {why}.",
        hint="Keep this file and the file that names it both on disk or both at URLs of one origin.",
    )
