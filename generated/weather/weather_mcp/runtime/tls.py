# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The TLS context of a server, made once and late: loading the certificates of the system takes longer than all else
that a first call needs.

The HTTP library makes two such contexts of its own whenever it is imported, which cost a fifth of a first call and a
twentieth of the memory and are never used, because every https request is given ours. `unloaded` is how it is imported:
its contexts then trust nobody, so that one used by mistake would refuse every server.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager


def context(ca_file: str | None) -> ssl.SSLContext:
    """A client context that checks certificates and names, by `ca_file` or by the certificates of the system.

    `ssl.create_default_context` is not used: it writes session keys to the file that SSLKEYLOGFILE names.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_file is None:
        made.load_default_certs()
    else:
        made.load_verify_locations(ca_file)
    return made


@contextmanager
def unloaded() -> Iterator[None]:
    """While inside, contexts that load the certificates of the system load none."""
    original = ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths
    ssl.SSLContext.load_default_certs = lambda self, purpose=None: None  # type: ignore[method-assign]
    ssl.SSLContext.set_default_verify_paths = lambda self: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths = original  # type: ignore[method-assign]
