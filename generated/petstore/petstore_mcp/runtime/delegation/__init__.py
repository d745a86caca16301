# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Call the API with the rights of the caller: by token exchange, by a login in the browser, or by a credential that a
gateway before the server sends with each request.

Imports the packages `text`, `core`, `request`, `settings`, `http` and `replicas`. Loaded only if an environment
variable `<SCHEME>_AS` is set.
"""
