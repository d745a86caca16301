"""Import the HTTP library (aiohttp) through the runtime before `browser.py` imports it directly.

Only the first import decides how the library is loaded. The runtime loads it with TLS contexts without certificates,
and with lazy imports, as a generated server does.
"""

import asyncio
from collections.abc import Iterator

import package.runtime.http.client  # noqa: F401 — before anything here imports aiohttp
import pytest

from tests.page.browser import Page, browsing
from tests.page.pages import Run


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, Page]]:
    """Yield one browser for all tests, and a function that runs a coroutine in its event loop."""
    with asyncio.Runner() as runner:
        browser = browsing(tmp_path_factory.mktemp("profile"))
        page = runner.run(browser.__aenter__())
        try:
            yield runner.run, page
        finally:
            runner.run(browser.__aexit__(None, None, None))
