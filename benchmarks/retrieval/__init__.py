"""How well the search of `--tools search` finds what a question needs, beside plain BM25, and what its answer costs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "templates"))  # the runtime is a package there, and not installed
