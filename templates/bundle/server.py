"""Start the server of this bundle: the package in this folder that contains `runtime/server.py`."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    [found] = Path(__file__).resolve().parent.glob("*_mcp/runtime/server.py")
    sys.argv[0] = found.parts[-3]
    runpy.run_module(found.parts[-3], run_name="__main__")
