# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Entry point of the server, for `python -m` and for the console script."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` puts the working directory first on the path. Without this, a `json.py` there would be imported.
    del sys.path[0]

from .runtime.server import main

if __name__ == "__main__":
    sys.exit(main())
