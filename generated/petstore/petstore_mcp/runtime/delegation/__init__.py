# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Call the API as the caller, over HTTP: exchange the caller's token, log the user in by the browser, or take what a
gateway gives.

Imports `text`, `core`, `request`, `settings`, `http` and `replicas`. Loaded only if a `<SCHEME>_AS` variable is set.
"""
