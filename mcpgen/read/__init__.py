"""Readers of everything that a run is given: files and URLs, documents, OpenAPI, overlays, tools files, flags.

Only this room knows how a description is written. May import `model` and `base`.
"""
