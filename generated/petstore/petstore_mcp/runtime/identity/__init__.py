# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Identify callers by their access tokens: this server is an OAuth 2 resource server (RFC 6750, RFC 9068, RFC 9728).

Imports the packages `text`, `core`, `request`, `settings` and `http`. Loaded only over HTTP, and only if an issuer is
set. Imports joserfc, which checks signatures.
"""
