"""Read everything that a run is given: files and URLs, documents, OpenAPI, overlays, tools files, flags.

Only this room knows how a description is written. It imports `model` and `base`. Its own floors: `document`; then
`fetch`, `overlay` and `openapi`; then `toolsfile`; then `inputs` and `flags`.
"""
