# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""TLS context of a server. Created once and late, because loading the system's certificates takes longer than the rest
of a first call. The HTTP library's own contexts are never used (`tuning/bare_tls_contexts.py`).
"""

from __future__ import annotations

import ssl


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
