"""Sphinx settings of the documentation site: MyST for Markdown, Furo for looks, and pages made from the code."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "templates"), str(ROOT)]

from sphinx.highlighting import lexer_classes  # noqa: E402  (the path comes first)

from mcpgen import __version__  # noqa: E402

project = "mcpgen"
author = "the authors of mcpgen"
release = version = __version__
extensions = ["myst_parser", "reference_from_code"]
exclude_patterns = ["_build"]
nitpicky = True

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
smartquotes = False  # a flag begins with two hyphens

html_theme = "furo"
html_title = "mcpgen"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
pygments_style = "tango"
pygments_dark_style = "monokai"
highlight_language = "none"
lexer_classes["mermaid"] = lexer_classes["none"]  # code hosts draw diagrams; the site shows their text
