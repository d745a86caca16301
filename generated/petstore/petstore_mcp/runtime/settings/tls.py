# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Create the TLS context for connections to the upstream.

The context is created once, at the first connection, because loading the system's certificates takes longer than the
rest of a first call. The HTTP library's own contexts are never used (`tuning/bare_tls_contexts.py`).
"""

from __future__ import annotations

import ssl


def context(ca_file: str | None, client: tuple[str, str | None] | None = None, password: str = "") -> ssl.SSLContext:
    """Return a client context that verifies certificates and host names, with `ca_file` or the system's certificates.

    `client` holds the files of the client certificate and of its key; the key file is None if both are in one file.
    `password`: passphrase of the key. Raise OSError if a file cannot be loaded. `ssl.create_default_context` is
    avoided, because it writes session keys to the file that SSLKEYLOGFILE names.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_file is None:
        made.load_default_certs()
    else:
        made.load_verify_locations(ca_file)
    if client is not None:
        certificate, key = client
        # Give an empty password if there is none: otherwise OpenSSL would ask for one on the terminal.
        made.load_cert_chain(certificate, key, password)
    return made


def problem(ca_file: str | None, client: tuple[str, str | None] | None, password: str = "") -> str:
    """Return the setting whose file cannot be loaded: "ca_file", "client", or "" if all files can be loaded."""
    for name, own in (("ca_file", None), ("client", client)):
        try:
            context(ca_file, own, password)
        # OSError includes ssl.SSLError, which a faulty certificate or key raises. A password may be too long.
        except (OSError, ValueError):
            return name
    return ""
