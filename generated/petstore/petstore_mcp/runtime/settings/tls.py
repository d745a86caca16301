# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""TLS context of a server. Created once and late, because loading the system's certificates takes longer than the rest
of a first call.

The HTTP library creates two contexts of its own at import. They cost a fifth of a first call and a twentieth of the
memory. They are never used, because each https request is given our context. The library is imported inside `unloaded`.
Its contexts then trust no certificate, so a context used by mistake would refuse every server.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager


def context(ca_file: str | None, client: tuple[str, str | None] | None = None) -> ssl.SSLContext:
    """Return a client context that verifies certificates and host names, by `ca_file` or by the system's certificates.
    Raise OSError.

    `client` holds the files of the client certificate and of its key, None if the key is in the same file.
    `ssl.create_default_context` is avoided, because it writes session keys to the file that SSLKEYLOGFILE names.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_file is None:
        made.load_default_certs()
    else:
        made.load_verify_locations(ca_file)
    if client is not None:
        certificate, key = client
        made.load_cert_chain(certificate, key, password="")  # without a password, OpenSSL would ask on the terminal
    return made


def problem(ca_file: str | None, client: tuple[str, str | None] | None) -> str:
    """Return which file cannot be loaded: "ca_file", "client", or "" if both can."""
    for name, files in (("ca_file", (ca_file, None)), ("client", (ca_file, client))):
        try:
            context(*files)
        except OSError:  # errors of OpenSSL are OSErrors
            return name
    return ""


@contextmanager
def unloaded() -> Iterator[None]:
    """Return a context manager inside which new TLS contexts load no system certificates and write no key log file."""
    original = ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths
    ssl.SSLContext.load_default_certs = lambda self, purpose=None: None  # type: ignore[method-assign]
    ssl.SSLContext.set_default_verify_paths = lambda self: None  # type: ignore[method-assign]
    # Setting the attribute would open the file that SSLKEYLOGFILE names. The attribute is inherited, so this hides it,
    # and del restores it.
    ssl.SSLContext.keylog_filename = property(lambda self: None, lambda self, name: None)  # type: ignore[assignment]
    try:
        yield
    finally:
        del ssl.SSLContext.keylog_filename
        ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths = original  # type: ignore[method-assign]
