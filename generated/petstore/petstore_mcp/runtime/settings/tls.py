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


def context(ca_file: str | None, client: tuple[str, str | None] | None = None) -> ssl.SSLContext:
    """A client context that checks certificates and names, by `ca_file` or by the certificates of the system; `client`
    are the files of the certificate that it shows of itself, and of its key where that lies elsewhere. Raises OSError.

    `ssl.create_default_context` is not used: it writes session keys to the file that SSLKEYLOGFILE names.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_file is None:
        made.load_default_certs()
    else:
        made.load_verify_locations(ca_file)
    if client is not None:
        certificate, key = client
        made.load_cert_chain(certificate, key, password="")  # without one, OpenSSL would ask on the terminal
    return made


def problem(ca_file: str | None, client: tuple[str, str | None] | None) -> str:
    """Which of the two cannot be used: "ca_file", "client", or "" where both can."""
    for name, files in (("ca_file", (ca_file, None)), ("client", (ca_file, client))):
        try:
            context(*files)
        except OSError:  # what OpenSSL raises is one
            return name
    return ""


@contextmanager
def unloaded() -> Iterator[None]:
    """While inside, contexts that load the certificates of the system load none, and none makes a file for its keys."""
    original = ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths
    ssl.SSLContext.load_default_certs = lambda self, purpose=None: None  # type: ignore[method-assign]
    ssl.SSLContext.set_default_verify_paths = lambda self: None  # type: ignore[method-assign]
    # Setting it opens the file that SSLKEYLOGFILE names. It is inherited, so this hides it and del brings it back.
    ssl.SSLContext.keylog_filename = property(lambda self: None, lambda self, name: None)  # type: ignore[assignment]
    try:
        yield
    finally:
        del ssl.SSLContext.keylog_filename
        ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths = original  # type: ignore[method-assign]
