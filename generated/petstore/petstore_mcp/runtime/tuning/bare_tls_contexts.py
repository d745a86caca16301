# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Prevent the HTTP library from loading the system's certificates, which this server loads itself when needed.

The library creates two TLS contexts when it is imported. These contexts are never used, because each https request gets
a context from `settings/tls.py`.

- Gain: a fifth of the time of a first call, and a twentieth of the memory, are saved.
- Risk: three attributes of `ssl.SSLContext` are replaced while the library is imported. A context that is created
  meanwhile trusts no certificate. If it were used by mistake, it would refuse every server.
- Test: `tests/runtime/test_tls.py`. `tests/runtime/test_tuning.py` checks that `MCPGEN_TUNING=0` disables this module.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from . import ON


@contextmanager
def unloaded() -> Iterator[None]:
    """Inside the `with` block, make new TLS contexts load no system certificates and write no key log file."""
    if not ON:
        yield
        return
    original = ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths
    ssl.SSLContext.load_default_certs = lambda self, purpose=None: None  # type: ignore[method-assign]
    ssl.SSLContext.set_default_verify_paths = lambda self: None  # type: ignore[method-assign]
    # `ssl` assigns SSLKEYLOGFILE to the attribute `keylog_filename` of a new context, which opens the file. Until `del`
    # below, this property hides that attribute, which the base class defines, and opens no file.
    ssl.SSLContext.keylog_filename = property(lambda self: None, lambda self, name: None)  # type: ignore[assignment]
    try:
        yield
    finally:
        del ssl.SSLContext.keylog_filename
        ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths = original  # type: ignore[method-assign]
