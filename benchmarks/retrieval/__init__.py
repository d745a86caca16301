"""Measure how well the search of `--tools search` finds the tools that a question needs, and how long its answers are.

It is compared with plain BM25.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "templates"))  # the runtime is a package in `templates`
