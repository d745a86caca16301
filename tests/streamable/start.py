"""Start a generated server over aiohttp or as an ASGI application, with changed constants so that no test waits long.

python start.py aiohttp|asgi PACKAGE CONSTANTS [FLAG...], where CONSTANTS is {"http_server.service.MOST_BODIES": 20}
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import runpy
import sys

sys.path.insert(0, os.getcwd())


def _set(package: str, constants: dict[str, float]) -> None:
    for name, value in constants.items():
        module, _, constant = name.rpartition(".")
        found = importlib.import_module(f"{package}.runtime.{module}")
        assert hasattr(found, constant), name
        setattr(found, constant, value)


def _asgi(package: str) -> None:
    import uvicorn

    app = importlib.import_module(f"{package}.asgi").app
    config = uvicorn.Config(app, "127.0.0.1", 0, access_log=False, loop="asyncio", ws="none")
    asyncio.run(uvicorn.Server(config).serve())


if __name__ == "__main__":
    door, package, constants, *flags = sys.argv[1:]
    _set(package, json.loads(constants))
    if door == "asgi":
        _asgi(package)
    else:
        sys.argv = [package, "--http", "0", *flags]
        runpy.run_module(package, run_name="__main__")
