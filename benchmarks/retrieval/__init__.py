"""Measure how well the search of `--tools search` finds the tools that a question needs, and how long its answers are.

The search is compared with plain BM25.
"""

import sys
from pathlib import Path

# Make the runtime of generated servers importable: it is a package in `templates`.
sys.path.insert(0, str(Path(__file__).parents[2] / "templates"))
