"""The HTTP library comes in through the runtime's door, which makes its contexts without certificates; other tests look
at these.
"""

import package.runtime.http.client  # noqa: F401 — before anything here imports aiohttp
