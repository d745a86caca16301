"""Import the HTTP library (aiohttp) through the runtime before `host.py` imports it directly, as `tests/page` does."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import package.runtime.http.client  # noqa: F401 — before anything here imports aiohttp
import pytest

from tests.interop import environments
from tests.page.browser import CHROMIUM, browsing
from tests.page.pages import Run
from tests.views.host import FLAGS, PACKAGES, Host, hosting


@pytest.fixture(scope="session")
def packages() -> Path:
    """Return the folder of npm packages with the official bridge and axe. Skip the test if they cannot be installed."""
    try:
        return environments.node("views", PACKAGES) / "node_modules"
    except (environments.Missing, RuntimeError) as problem:
        named = " and ".join(f"{name} {version}" for name, version in PACKAGES.items())
        pytest.skip(f"the npm packages {named} cannot be installed: {str(problem).splitlines()[-1]}")


@pytest.fixture(scope="module")
def chromium(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, Host]]:
    """Yield a host that shows views in a browser, and a function that runs a coroutine in its event loop."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here (Debian's package chromium)")
    with asyncio.Runner() as runner:
        browser = browsing(tmp_path_factory.mktemp("profile"), *FLAGS)
        page = runner.run(browser.__aenter__())
        server = hosting(page, packages)
        try:
            yield runner.run, runner.run(server.__aenter__())
        finally:
            runner.run(server.__aexit__(None, None, None))
            runner.run(browser.__aexit__(None, None, None))
