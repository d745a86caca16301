"""Import the HTTP library through the runtime, before other tests do.

The runtime makes its TLS contexts without certificates, and other tests inspect these.
"""

import package.runtime.http.client  # noqa: F401 — before anything here imports aiohttp
