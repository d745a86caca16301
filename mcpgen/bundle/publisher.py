"""Hold the settings that only the publisher of a server knows: its name in the registry, its author, its URLs."""

import re
from dataclasses import dataclass

from mcpgen.base.errors import FatalError
from mcpgen.base.names import clipped

_REGISTRY_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]")
_LONGEST_NAME = 200
_HTTPS = re.compile(r"https://[A-Za-z0-9.-]+\.[A-Za-z]{2,}(?::[0-9]{1,5})?(?:/[!-z|~]*)?")
_HOSTS = {"github.com": "github", "gitlab.com": "gitlab"}
"""Host of a repository → the name of this host in `server.json`."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """Settings of one release; a setting that is not given is "".

    `registry_name`: NAMESPACE/NAME in the MCP registry. `url`: URL of the server over HTTP. `mcpb_url`: URL of the
    folder from which users can download the `.mcpb`.
    """

    registry_name: str = ""
    author: str = ""
    url: str = ""
    repository: str = ""
    mcpb_url: str = ""

    def check(self) -> None:
        """Raise FatalError if the MCP registry or a client would refuse the name in the registry or one of the URLs."""
        if self.registry_name and not _is_registry_name(self.registry_name):
            message = f"{clipped(self.registry_name)} is not a valid name for the MCP registry."
            raise FatalError("invalid-flag", message, hint="Write NAMESPACE/NAME, such as io.github.ann/petstore.")
        for flag, url in (("--url", self.url), ("--repository", self.repository), ("--mcpb-url", self.mcpb_url)):
            if url and not _HTTPS.fullmatch(url):
                message = f"{flag} is not a public https URL, or contains variables: {clipped(url)}."
                raise FatalError("invalid-flag", message, hint="Write https://HOST/PATH.")
        if self.repository and not self.host:
            message = f"The MCP registry does not accept repositories at {clipped(self.repository)}."
            raise FatalError(
                "invalid-flag",
                message,
                hint="Name a repository at github.com or gitlab.com, as a URL that ends in OWNER/REPOSITORY.",
            )

    @property
    def host(self) -> str:
        """Return the registry's word for the host of the repository, such as `github`.

        Return "" if there is no repository, or if the registry does not accept its URL.
        """
        host, _, path = self.repository.removeprefix("https://").partition("/")
        return _HOSTS.get(host, "") if re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+", path.rstrip("/"), re.ASCII) else ""

    @property
    def name(self) -> str:
        """Return the author's name if given, else the owner in `registry_name` (`a` in `io.github.a/api`), else ""."""
        return self.author or self.registry_name.partition("/")[0].rpartition(".")[2]


def _is_registry_name(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and _REGISTRY_NAME.fullmatch(name) is not None
