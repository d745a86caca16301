"""The settings table of the runtime: a row for each environment variable that every server reads."""

from typing import Any

from mcpgen.base.assets import runtime_module

SETTINGS: tuple[Any, ...] = runtime_module("settings/table").SETTINGS
"""Rows (`Setting`), whose fields the class documents."""
