"""The settings table of the runtime: a row for each environment variable that every server reads."""

from importlib import import_module
from typing import Any

SETTINGS: tuple[Any, ...] = import_module("mcpgen.base.runtime.settings.table").SETTINGS
"""Rows (`Setting`), whose fields the class documents."""
