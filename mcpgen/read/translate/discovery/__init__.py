"""Translate Google Discovery documents (`discovery#restDescription`, version v1 of the format).

The format is described by the pages "Discovery Document" and "Type and Format Summary" of the Google API Discovery
Service.
"""

from mcpgen.read.translate.discovery.document import translate

__all__ = ["translate"]
