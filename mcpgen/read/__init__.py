"""Read all inputs of a run: files and URLs, OpenAPI documents, overlays, tools files, flags.

Later rooms do not know in which format a description was written. This room imports `model` and `base`. Its own floors:
`document`; then `fetch`, `overlay` and `openapi`; then `toolsfile`; then `inputs` and `flags`.
"""
