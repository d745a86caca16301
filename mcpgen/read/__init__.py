"""Read all inputs of a run: files and URLs, OpenAPI documents, overlays, tools files, flags.

Later packages do not know in which format a description was written. This package imports `model` and `base`. Its parts
import only parts before them in this order: `document`; `fetch`, `overlay` and `openapi`; `toolsfile`; `inputs` and
`flags`.
"""
