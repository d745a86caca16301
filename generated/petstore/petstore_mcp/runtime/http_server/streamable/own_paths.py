# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the server's own path in the path of a request: a server may be reached below a prefix. Pure functions.

Some proxies remove the prefix before they pass a request on, and others keep it. So the server accepts both: its own
paths, and the same paths below the prefix in HTTP_URL. An application that mounts the ASGI application names its prefix
in `root_path`.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from .admission import PATH


class OwnPaths:
    """Finder of the server's own paths, such as `/mcp` and `/healthz`.

    With the URL `https://mcp.example.com/tools/mcp`, the path `/tools/mcp` is `/mcp`, and `/tools/healthz` is
    `/healthz`.
    """

    __slots__ = ("_endpoint", "_prefix")

    def __init__(self, url: str | None) -> None:
        """Create the finder. `url`: the URL of the MCP endpoint for clients, or None for the server's own address."""
        self._endpoint = urlsplit(url).path if url is not None else PATH
        self._prefix = self._endpoint.rpartition("/")[0]

    def find(self, path: str, root: str = "") -> str:
        """Return the server's own path for the path of a request. A path that is none of the server's stays as it is.

        `root`: prefix below which an ASGI server or an application serves this one (`root_path`), or "".
        """
        if path == PATH:
            return path
        for prefix in {root.rstrip("/"), quote(root.rstrip("/"))}:
            path = _below(path, prefix) or path
        if path.removesuffix("/") in (PATH, self._endpoint):
            return PATH
        # The endpoint may have another name than `/mcp` for clients, so its prefix alone is not enough.
        if (rest := _below(path, self._endpoint)) is not None:
            return PATH + rest
        return _below(path, self._prefix) or path


def _below(path: str, prefix: str) -> str | None:
    """Return the rest of a path after a prefix that ends at a slash of the path, or None for another path."""
    rest = path.removeprefix(prefix)
    return rest if prefix and path.startswith(f"{prefix}/") else None
