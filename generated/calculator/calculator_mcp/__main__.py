# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""`python -m` and the console script both begin here."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` puts the working directory first; a `json.py` that happens to lie there must not become ours.
    del sys.path[0]

from .runtime.server import main

if __name__ == "__main__":
    sys.exit(main())
