"""Start a generated server over HTTP, with changed constants.

python start.py PACKAGE PORT CONSTANTS. CONSTANTS is a JSON object of new values by name: `module.NAME` for the
constant NAME of PACKAGE.runtime.module.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys

sys.path.insert(0, os.getcwd())

if __name__ == "__main__":
    package, port, constants = sys.argv[1:]
    for name, value in json.loads(constants).items():
        module, _, constant = name.rpartition(".")
        found = importlib.import_module(f"{package}.runtime.{module}")
        assert hasattr(found, constant), name
        setattr(found, constant, value)
    sys.argv = [package, "--http", port]
    runpy.run_module(package, run_name="__main__")
